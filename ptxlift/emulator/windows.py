"""What lanes can reach: device memory, LDS, scratch, or all three through flat addresses.

Comes in: a `State` and the addresses of its executing lanes, in order. Goes out: loaded values and
changed memory; a bad access becomes a PTX402 that names kernel, instruction, wave and lane. It
must not know instruction formats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.access import LANE_SCRATCH_HIGH, LANE_SHIFT, PRIVATE_HIGH, SHARED_HIGH
from ptxlift.emulator.buffers import Buffer, Change, Raw
from ptxlift.emulator.memory import AccessFault, Memory
from ptxlift.emulator.operands import Inst
from ptxlift.emulator.state import State

Addresses: TypeAlias = NDArray[Any]  # one-dimensional, uint64 or int64

_PRIVATE = "private memory"


class Window(Protocol):
    """See `Memory`, whose methods these are."""

    def load(self, addresses: Addresses, size: int) -> Raw: ...

    def store(self, addresses: Addresses, data: Raw, size: int) -> None: ...

    def update(self, addresses: Addresses, size: int, change: Change, *data: Raw) -> Raw: ...


Open: TypeAlias = Callable[[State, Memory], Window]


class LaneBuffer:
    """A buffer in which each lane has its own base; `limit` bounds the lanes' offsets."""

    def __init__(self, buffer: Buffer, base: NDArray[np.int64], limit: int, name: str) -> None:
        self.buffer = buffer
        self.base = base
        self.limit = limit
        self.name = name

    def subset(self, lanes: NDArray[np.intp]) -> LaneBuffer:
        """The same for some of the lanes."""
        return LaneBuffer(self.buffer, self.base[lanes], self.limit, self.name)

    def load(self, addresses: Addresses, size: int) -> Raw:
        return self.buffer.load(self._offsets(addresses, size), size)

    def store(self, addresses: Addresses, data: Raw, size: int) -> None:
        self.buffer.store(self._offsets(addresses, size), data, size)

    def update(self, addresses: Addresses, size: int, change: Change, *data: Raw) -> Raw:
        offsets = self._offsets(addresses, size)
        bad = np.flatnonzero(addresses & addresses.dtype.type(size - 1))
        if len(bad):
            at = int(bad[0])
            raise AccessFault(int(addresses[at]), at, f"misaligned atomic on {self.name}")
        return self.buffer.update(offsets, size, change, *data)

    def _offsets(self, addresses: Addresses, size: int) -> NDArray[np.int64]:
        offsets = addresses.astype(np.int64)
        if int(offsets.min()) < 0 or int(offsets.max()) + size > self.limit:
            at = int(np.flatnonzero((offsets < 0) | (offsets + size > self.limit))[0])
            reason = f"{size}-byte access outside the {self.limit} bytes of {self.name}"
            raise AccessFault(int(offsets[at]), at, reason)
        return offsets + self.base


class FlatWindow:
    """Chooses by the high half of each address."""

    def __init__(self, st: State, memory: Memory) -> None:
        self.st = st
        self.memory = memory

    def load(self, addresses: Addresses, size: int) -> Raw:
        if not _any_aperture(addresses):
            return self.memory.load(addresses, size)
        shape = addresses.shape if size < 4 else (size // 4, *addresses.shape)
        result = np.empty(shape, {1: np.uint8, 2: np.uint16}.get(size, np.uint32))
        for window, part, lanes in self._parts(addresses):
            result[..., lanes] = window.load(part, size)
        return result

    def store(self, addresses: Addresses, data: Raw, size: int) -> None:
        if not _any_aperture(addresses):
            self.memory.store(addresses, data, size)
            return
        for window, part, lanes in self._parts(addresses):
            window.store(part, data[..., lanes], size)

    def update(self, addresses: Addresses, size: int, change: Change, *data: Raw) -> Raw:
        if not _any_aperture(addresses):
            return self.memory.update(addresses, size, change, *data)
        result = np.empty(len(addresses), data[0].dtype)
        for window, part, lanes in self._parts(addresses):
            result[lanes] = window.update(part, size, change, *(item[lanes] for item in data))
        return result

    def _named_scratch(self, lanes: NDArray[np.intp], high: Addresses) -> LaneBuffer:
        """Scratch of the lane that the address names, in the wave that accesses it."""
        st = self.st
        wave = np.flatnonzero(st.mask)[lanes] // st.lanes
        lane = (high >> np.uint64(LANE_SHIFT)).astype(np.int64) & 31
        base = (wave * st.lanes + lane) * st.scratch_size
        return LaneBuffer(st.scratch, base, st.scratch_size, _PRIVATE)

    def _parts(self, addresses: Addresses) -> list[tuple[Window, Addresses, NDArray[np.intp]]]:
        high = addresses >> np.uint64(32)
        low = addresses & np.uint64(0xFFFFFFFF)
        parts: list[tuple[Window, Addresses, NDArray[np.intp]]] = []
        for aperture, opened in ((SHARED_HIGH, lds_window), (PRIVATE_HIGH, scratch_window)):
            lanes = np.flatnonzero(high == aperture)
            if len(lanes):
                parts.append((opened(self.st, self.memory).subset(lanes), low[lanes], lanes))
        named = high & np.uint64(~(31 << LANE_SHIFT) & 0xFFFFFFFF) == LANE_SCRATCH_HIGH
        lanes = np.flatnonzero(named)
        if len(lanes):
            parts.append((self._named_scratch(lanes, high[lanes]), low[lanes], lanes))
        lanes = np.flatnonzero((high != SHARED_HIGH) & (high != PRIVATE_HIGH) & ~named)
        if len(lanes):
            parts.append((self.memory, addresses[lanes], lanes))
        return parts


def _any_aperture(addresses: Addresses) -> bool:
    """Whether any address may lie above all device memory."""
    return int(addresses.max()) >> 32 >= SHARED_HIGH


def global_window(st: State, memory: Memory) -> Memory:
    """Device memory."""
    return memory


def lds_window(st: State, memory: Memory) -> LaneBuffer:
    """The work-group's LDS."""
    base = np.broadcast_to(st.lds_base, (st.waves, st.lanes))
    return LaneBuffer(st.lds, base[st.mask], st.lds_size, "shared memory")


def scratch_window(st: State, memory: Memory) -> LaneBuffer:
    """Each lane's private memory."""
    base = np.flatnonzero(st.mask) * st.scratch_size
    return LaneBuffer(st.scratch, base, st.scratch_size, _PRIVATE)


def buffer_window(resource: int) -> Open:
    """Scratch for a swizzled resource, as s[0:3] holds one by convention, else device memory."""

    def opened(st: State, memory: Memory) -> Window:
        wave = int(st.active.argmax())
        swizzled = int(st.scalars[wave, resource + 1]) >> 31
        return scratch_window(st, memory) if swizzled else memory

    return opened


def flat_window(st: State, memory: Memory) -> FlatWindow:
    """Whatever a generic address means."""
    return FlatWindow(st, memory)


def executing(st: State, values: NDArray[Any]) -> NDArray[Any]:
    """Values of the executing lanes, in one dimension."""
    if st.full and values.shape == (st.waves, st.lanes):
        return values.reshape(-1)
    return np.broadcast_to(values, (st.waves, st.lanes))[st.mask]


def fault(
    st: State,
    inst: Inst,
    memory: Memory,
    error: AccessFault,
    mask: NDArray[np.bool_] | None = None,
) -> PtxError:
    """The message for a bad access by the lanes of a mask, or by all that execute."""
    lanes = np.flatnonzero(st.mask if mask is None else mask)
    wave, lane = divmod(int(lanes[error.position]), st.lanes)
    hint = ""
    if "outside all arrays" in error.reason:
        hint = memory.describe(error.address)
    elif st.has_dynamic_stack and _PRIVATE in error.reason:
        hint = "the stack is full: translate with more stack_bytes, or raise the runtime's limit"
    return PtxError.of(
        "PTX402",
        f"kernel {st.kernel}: {error.reason}, address {error.address:#x}, "
        f"{st.describe_wave(wave)}, lane {lane}, instruction {inst.text!r}",
        hint=hint,
    )
