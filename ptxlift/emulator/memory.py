"""Device memory: numpy arrays at virtual addresses, with unmapped gaps between them.

Comes in: arrays and addresses of many lanes. Goes out: loaded values, changed arrays, or an
`AccessFault` that says which access left every array. It must not know waves or instructions.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.buffers import Buffer, Change, Raw
from ptxlift.records import dataclass

FIRST_ADDRESS = 0x0000_1000_0000_0000
_GAP = 1 << 20
_ALIGNMENT = 256


class AccessFault(Exception):
    """An access outside every allocation; `position` counts among the addresses given."""

    def __init__(self, address: int, position: int, reason: str) -> None:
        super().__init__(reason)
        self.address = address
        self.position = position
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Allocation:
    """One array and where it is."""

    base: int
    size: int
    buffer: Buffer
    name: str

    @property
    def end(self) -> int:
        return self.base + self.size


class Memory:
    """The arrays a kernel may touch. Arrays are not copied: kernels write into them."""

    def __init__(self) -> None:
        self._bases: list[int] = []
        self._allocations: list[Allocation] = []
        self._next = FIRST_ADDRESS

    def alloc(self, array: NDArray[Any], name: str = "") -> int:
        """Give an array an address. It must be C-contiguous, so that it can be shared."""
        if not array.flags.c_contiguous:
            raise PtxError.of("PTX401", "an array passed to a kernel is not C-contiguous")
        base = self._next
        self.map_at(base, array, name)
        self._next += (array.nbytes + _GAP + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT
        return base

    def map_at(self, base: int, array: NDArray[Any], name: str) -> None:
        """Put an array at a chosen address."""
        at = bisect.bisect(self._bases, base)
        found = Allocation(base, array.nbytes, Buffer(array), name or f"array {at}")
        after = at < len(self._bases) and self._allocations[at].base < found.end
        before = at > 0 and self._allocations[at - 1].end > base
        if after or before:
            raise PtxError.of("PTX401", "two arrays overlap in device memory")
        self._bases.insert(at, base)
        self._allocations.insert(at, found)

    def free(self, address: int) -> None:
        """Forget the array at an address."""
        at = bisect.bisect(self._bases, address) - 1
        if at < 0 or self._bases[at] != address:
            raise PtxError.of("PTX401", f"no array begins at {address:#x}")
        del self._bases[at], self._allocations[at]

    def is_mapped(self, address: int) -> bool:
        """Whether an address lies in an array."""
        return self._find(address, 1) is not None

    def describe(self, address: int) -> str:
        """The nearest allocation, for a fault message."""
        if not self._allocations:
            return "there is no device memory"
        near = min(self._allocations, key=lambda a: max(a.base - address, address - a.end))
        place = f"{near.name} at {near.base:#x}, {near.size} bytes"
        if address >= near.end:
            return f"the nearest is {place}: {address - near.end} bytes after its end"
        if address < near.base:
            return f"the nearest is {place}: {near.base - address} bytes before its start"
        return f"it lies in {place}"

    def load(self, addresses: NDArray[np.uint64], size: int) -> Raw:
        """See `Buffer.load`."""
        single = self._single(addresses, size)
        if single is not None:
            return single.buffer.load(_offsets(addresses, single), size)
        shape = addresses.shape if size < 4 else (size // 4, *addresses.shape)
        result = np.empty(shape, {1: np.uint8, 2: np.uint16}.get(size, np.uint32))
        for allocation, lanes in self._several(addresses, size):
            found = allocation.buffer.load(_offsets(addresses[lanes], allocation), size)
            result[..., lanes] = found
        return result

    def store(self, addresses: NDArray[np.uint64], data: Raw, size: int) -> None:
        """See `Buffer.store`."""
        single = self._single(addresses, size)
        if single is not None:
            self._check_writeable(single, addresses)
            single.buffer.store(_offsets(addresses, single), data, size)
            return
        for allocation, lanes in self._several(addresses, size):
            self._check_writeable(allocation, addresses[lanes])
            allocation.buffer.store(_offsets(addresses[lanes], allocation), data[..., lanes], size)

    def update(self, addresses: NDArray[np.uint64], size: int, change: Change, *data: Raw) -> Raw:
        """See `Buffer.update`."""
        misaligned = np.flatnonzero(addresses & np.uint64(size - 1))
        if len(misaligned):
            at = int(misaligned[0])
            raise AccessFault(int(addresses[at]), at, "misaligned atomic")
        single = self._single(addresses, size)
        if single is not None:
            self._check_writeable(single, addresses)
            return single.buffer.update(_offsets(addresses, single), size, change, *data)
        result = np.empty(len(addresses), data[0].dtype)
        for allocation, lanes in self._several(addresses, size):
            self._check_writeable(allocation, addresses[lanes])
            offsets = _offsets(addresses[lanes], allocation)
            parts = (item[lanes] for item in data)
            result[lanes] = allocation.buffer.update(offsets, size, change, *parts)
        return result

    def _check_writeable(self, allocation: Allocation, addresses: NDArray[np.uint64]) -> None:
        if not allocation.buffer.writeable:
            raise AccessFault(int(addresses.flat[0]), 0, "write to read-only memory")

    def _find(self, address: int, size: int) -> Allocation | None:
        at = bisect.bisect(self._bases, address) - 1
        if at < 0:
            return None
        found = self._allocations[at]
        return found if address + size <= found.end else None

    def _single(self, addresses: NDArray[np.uint64], size: int) -> Allocation | None:
        """The allocation that holds all the addresses, if there is one."""
        found = self._find(int(addresses.min()), size)
        if found is None or int(addresses.max()) + size > found.end:
            return None
        return found

    def _several(
        self, addresses: NDArray[np.uint64], size: int
    ) -> Iterator[tuple[Allocation, NDArray[np.intp]]]:
        bases = np.array(self._bases, np.uint64)
        index = np.searchsorted(bases, addresses, side="right") - 1
        for which in np.unique(index):
            lanes = np.flatnonzero(index == which)
            allocation = self._allocations[which] if which >= 0 else None
            for lane in lanes:
                address = int(addresses[lane])
                if allocation is None or address + size > allocation.end:
                    raise AccessFault(address, int(lane), "address outside all arrays")
            if allocation is not None:
                yield allocation, lanes


def _offsets(addresses: NDArray[np.uint64], allocation: Allocation) -> NDArray[np.int64]:
    return (addresses - np.uint64(allocation.base)).view(np.int64)
