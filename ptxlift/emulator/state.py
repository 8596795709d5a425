"""Registers of a batch of waves that run in lockstep.

Comes in: sizes. Goes out: register rows as numpy views, masked writes, and lane masks. All waves
of a batch execute the same instruction; `active` says which of them really do, EXEC says which
lanes. It must not know instructions, memory or scheduling.

Vector registers are uint32 of shape (waves, lanes). The scalar file is (waves, rows), so that an
aligned pair of rows is also one uint64, and a column broadcasts over the lanes of its wave.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.emulator.buffers import Buffer
from ptxlift.emulator.operands import EXEC
from ptxlift.emulator.valu.kinds import Approx, Ctx, Rounding

SCALAR_ROWS = 136

U32: TypeAlias = NDArray[np.uint32]
U64: TypeAlias = NDArray[np.uint64]
Bools: TypeAlias = NDArray[np.bool_]


class State:
    """The register state of `waves` waves of `lanes` lanes."""

    def __init__(self, waves: int, lanes: int, vgprs: int, agprs: int) -> None:
        self.waves = waves
        self.lanes = lanes
        self.scalars = np.zeros((waves, SCALAR_ROWS), np.uint32)
        self._bytes = self.scalars.view(np.uint8)
        wide = self.scalars.view(np.uint64)
        self.s32: list[U32] = [self.scalars[:, i] for i in range(SCALAR_ROWS)]
        self.s64: list[U64] = [wide[:, i] for i in range(SCALAR_ROWS // 2)]
        self.c32: list[U32] = [self.scalars[:, i : i + 1] for i in range(SCALAR_ROWS)]
        self.c64: list[U64] = [wide[:, i : i + 1] for i in range(SCALAR_ROWS // 2)]
        self.vectors = np.zeros((vgprs, waves, lanes), np.uint32)
        self.v: list[U32] = list(self.vectors)
        self.accumulators = np.zeros((agprs, waves, lanes), np.uint32)
        self.a: list[U32] = list(self.accumulators)
        self.scc: Bools = np.zeros(waves, np.bool_)
        self.mode = np.zeros(waves, np.int64)
        self.active: Bools = np.ones(waves, np.bool_)
        self.all_active = True
        self.active_count = waves
        self.mask: Bools = np.ones((waves, lanes), np.bool_)
        self.full = True
        self.lane_count = waves * lanes
        self.ctx = Ctx()
        self.wave_index = np.arange(waves)
        self.lane_index: U32 = np.arange(lanes, dtype=np.uint32)[None, :]
        self.lds = Buffer(np.zeros(0, np.uint8))
        self.lds_size = 0
        self.lds_base: NDArray[np.int64] = np.zeros((waves, 1), np.int64)
        self.scratch = Buffer(np.zeros(0, np.uint8))
        self.scratch_size = 0
        self.has_dynamic_stack = False  # scratch ends where the runtime's limit is, not the need
        self.clock = 0
        self.must_reschedule = False
        self.counters: Any = None  # a profile.Counters; that module imports this one
        self.memory: Any = None  # the launch's Memory, likewise
        self.kernel = ""
        self.group_of: NDArray[np.int64] = np.zeros((waves, 3), np.int64)
        self.wave_in_group: NDArray[np.int64] = np.zeros(waves, np.int64)
        self.contexts: dict[int, Ctx] = {}
        self.make_context: Callable[[int], Ctx] | None = None

    def set_active(self, active: Bools) -> None:
        """Choose the waves that execute from now on."""
        self.active = active
        self.active_count = int(np.count_nonzero(active))
        self.all_active = self.active_count == self.waves
        self.refresh()

    def refresh(self) -> None:
        """Recompute the lane mask; to be called after every write of EXEC."""
        mask = self.get_mask(EXEC)
        if not self.all_active:
            mask &= self.active[:, None]
        self.mask = mask
        self.lane_count = int(np.count_nonzero(mask))
        self.full = self.lane_count == mask.size

    def get_mask(self, row: int) -> Bools:
        """A lane mask from scalar rows, as a fresh bool array (waves, lanes)."""
        packed = self._bytes[:, 4 * row : 4 * row + self.lanes // 8]
        return np.unpackbits(packed, axis=1, bitorder="little").view(np.bool_)

    def put_mask(self, row: int, lanes: Bools) -> None:
        """Write a lane mask to scalar rows; bits of lanes that do not execute become 0."""
        lanes = lanes & self.mask
        packed = np.packbits(lanes, axis=1, bitorder="little")
        if self.lanes == 64:
            self.put_s64(row, packed.view(np.uint64)[:, 0])
        else:
            self.put_s32(row, packed.view(np.uint32)[:, 0])

    def put_s32(self, row: int, value: NDArray[Any]) -> None:
        """Write a scalar register of the active waves."""
        if self.all_active:
            self.s32[row][...] = value
        else:
            np.copyto(self.s32[row], value, where=self.active, casting="unsafe")

    def put_s64(self, row: int, value: NDArray[Any]) -> None:
        """Write an aligned pair of scalar registers of the active waves."""
        if self.all_active:
            self.s64[row >> 1][...] = value
        else:
            np.copyto(self.s64[row >> 1], value, where=self.active, casting="unsafe")

    def put_scc(self, value: Bools) -> None:
        """Write SCC of the active waves."""
        if self.all_active:
            self.scc[...] = value
        else:
            np.copyto(self.scc, value, where=self.active)

    def put_mode(self, value: NDArray[np.int64]) -> None:
        """Write MODE of the active waves; where they now differ, the scheduler parts them."""
        np.copyto(self.mode, value, where=self.active)
        self.use_mode()

    def use_mode(self) -> None:
        """Make the float context that of the active waves' MODE."""
        modes = self.mode[self.active]
        mode = int(modes[0])
        if (modes != mode).any():
            self.must_reschedule = True
        if mode not in self.contexts:
            assert self.make_context is not None, "set by the launch"
            self.contexts[mode] = self.make_context(mode)
        self.ctx = self.contexts[mode]

    def describe_wave(self, wave: int) -> str:
        """A wave's place in the launch, for messages."""
        x, y, z = self.group_of[wave]
        return f"work-group ({x}, {y}, {z}), wave {self.wave_in_group[wave]}"

    def put_v(self, target: U32, value: NDArray[Any]) -> None:
        """Write a vector register's executing lanes."""
        if self.full:
            target[...] = value
        else:
            np.copyto(target, value, where=self.mask, casting="unsafe")

    def first_lane(self) -> NDArray[np.intp]:
        """The lowest executing lane of each wave, or 0."""
        lanes: NDArray[np.intp] = self.mask.argmax(axis=1)
        return lanes

    def pair(self, rows: list[U32], index: int) -> U64:
        """Two vector registers as one uint64."""
        wide = np.empty((self.waves, self.lanes, 2), np.uint32)
        wide[..., 0] = rows[index]
        wide[..., 1] = rows[index + 1]
        return wide.view(np.uint64)[..., 0]


def make_ctx(mode: int, major: int, target: str, approx: Approx, rng: np.random.Generator) -> Ctx:
    """The float context that a MODE value means; denormal bit 0 lets inputs pass, bit 1 outputs."""
    return Ctx(
        round32=Rounding(mode & 3),
        round64=Rounding(mode >> 2 & 3),
        flush_in32=not mode & 0x10,
        flush_out32=not mode & 0x20,
        flush_in64=not mode & 0x40,
        flush_out64=not mode & 0x80,
        dx10_clamp=bool(mode & 0x100),
        ieee=bool(mode & 0x200),
        major=major,
        target=target,
        approx=approx,
        rng=rng,
    )
