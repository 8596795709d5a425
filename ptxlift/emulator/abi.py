"""How a kernel starts: arguments in memory, and the registers of each wave.

Comes in: a kernel's descriptor and metadata, and the launch's shape. Goes out: the kernarg
segment, and register values at entry. It must not know how waves run afterwards.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ptxlift.emulator.access import LANE_SCRATCH_HIGH, PRIVATE_HIGH, SHARED_HIGH
from ptxlift.emulator.image import Argument, Descriptor, KernelInfo
from ptxlift.emulator.operands import EXEC, FLAT_SCRATCH, TTMP, XNACK_MASK
from ptxlift.emulator.state import State
from ptxlift.records import dataclass
from ptxlift.target import Feature, Scratch, Target, WorkgroupId

Shape = tuple[int, int, int]
POISON = 0xDEADBEEF
"""What registers and LDS hold before a program writes them."""

_SCRATCH_WORD1 = 0x8000_0000  # swizzled
_PRELOAD_PROLOGUE = 256


@dataclass(frozen=True, slots=True)
class Shapes:
    """A launch: blocks, work-items of a block, dynamic LDS."""

    grid: Shape
    block: Shape
    dynamic_lds: int


def _volume(shape: Shape) -> int:
    return shape[0] * shape[1] * shape[2]


def hidden_values(shapes: Shapes, extra: Mapping[str, int]) -> dict[str, int]:
    """Hidden arguments of code object v5 by value kind; grids are whole blocks."""
    values = {
        "hidden_grid_dims": 3 if shapes.grid[2] * shapes.block[2] > 1 else _dimensions(shapes),
        "hidden_dynamic_lds_size": shapes.dynamic_lds,
        "hidden_private_base": PRIVATE_HIGH,
        "hidden_shared_base": SHARED_HIGH,
    }
    for axis, blocks, size in zip("xyz", shapes.grid, shapes.block, strict=True):
        values[f"hidden_block_count_{axis}"] = blocks
        values[f"hidden_group_size_{axis}"] = size
        values[f"hidden_remainder_{axis}"] = 0
        values[f"hidden_global_offset_{axis}"] = 0
    return values | dict(extra)


def _dimensions(shapes: Shapes) -> int:
    return 2 if shapes.grid[1] * shapes.block[1] > 1 else 1


def fill_kernarg(
    kernel: KernelInfo, explicit: bytes, shapes: Shapes, extra: Mapping[str, int]
) -> NDArray[np.uint8]:
    """The kernarg segment: the caller's bytes, then the hidden arguments the metadata lists."""
    ends = [argument.offset + argument.size for argument in kernel.args]
    size = max([kernel.kernarg_size, kernel.descriptor.kernarg_size, len(explicit), *ends, 8])
    segment = bytearray(explicit.ljust((size + 15) // 16 * 16, b"\0"))
    values = hidden_values(shapes, extra)
    for argument in kernel.args:
        if argument.value_kind.startswith("hidden_"):
            _put(segment, argument, values.get(argument.value_kind, 0))
    return np.frombuffer(segment, np.uint8)


def _put(segment: bytearray, argument: Argument, value: int) -> None:
    end = argument.offset + argument.size
    mask = (1 << 8 * argument.size) - 1
    segment[argument.offset : end] = (value & mask).to_bytes(argument.size, "little")


def dispatch_packet(kernel: KernelInfo, shapes: Shapes, kernarg: int) -> NDArray[np.uint8]:
    """The AQL packet that the dispatch pointer points to."""
    threads = [b * n for b, n in zip(shapes.grid, shapes.block, strict=True)]
    packet = struct.pack(
        "<HHHHHHIIIIIQQQQ",
        0,
        _dimensions(shapes),
        *shapes.block,
        0,
        *threads,
        kernel.private_segment,
        kernel.group_segment + shapes.dynamic_lds,
        0,
        kernarg,
        0,
        0,
    )
    return np.frombuffer(bytearray(packet), np.uint8)


def entry_address(kernel: KernelInfo, target: Target) -> int:
    """Where a kernel starts; with preloaded arguments gfx9 skips a prologue for old firmware."""
    preloaded = kernel.descriptor.preload & 0x7F
    skip = _PRELOAD_PROLOGUE if preloaded and target.generation == 9 else 0
    return kernel.descriptor.entry + skip


@dataclass(frozen=True, slots=True)
class Entry:
    """What is the same for every wave of a launch."""

    kernel: KernelInfo
    target: Target
    shapes: Shapes
    kernarg: int
    kernarg_words: NDArray[np.uint32]
    packet: int

    def set_registers(self, st: State, groups: Sequence[Shape]) -> None:
        """Registers of the waves of these work-groups, at entry."""
        st.scalars[:] = POISON
        st.vectors[:] = POISON
        st.accumulators[:] = POISON
        st.scc[:] = False
        st.scalars[:, XNACK_MASK : XNACK_MASK + 2] = 0
        st.scalars[:, FLAT_SCRATCH : FLAT_SCRATCH + 2] = (0, LANE_SCRATCH_HIGH)
        waves_each = st.waves // len(groups)
        st.group_of = np.repeat(np.array(groups, np.int64), waves_each, axis=0)
        st.wave_in_group = np.tile(np.arange(waves_each), len(groups))
        following = self._user_registers(st, self.kernel.descriptor)
        self._system_registers(st, following)
        self._work_items(st)
        st.mode[:] = _mode(self.kernel.descriptor, self.target)

    def _user_registers(self, st: State, descriptor: Descriptor) -> int:
        """User SGPRs in the order of the property bits; gives the first SGPR after them."""
        resource = (0, _SCRATCH_WORD1, 0xFFFFFFFF, 0)
        fields: tuple[tuple[int, tuple[int, ...]], ...] = (
            (0, resource),
            (1, _words(self.packet)),
            (2, _words(0)),
            (3, _words(self.kernarg)),
            (4, _words(0)),
            (5, _words(0)),
            (6, (self.kernel.private_segment,)),
        )
        at = 0
        for bit, words in fields:
            if descriptor.properties >> bit & 1:
                st.scalars[:, at : at + len(words)] = words
                at += len(words)
        count, start = descriptor.preload & 0x7F, descriptor.preload >> 7
        st.scalars[:, at : at + count] = self.kernarg_words[start : start + count]
        return descriptor.rsrc2 >> 1 & 31

    def _system_registers(self, st: State, at: int) -> None:
        rsrc2 = self.kernel.descriptor.rsrc2
        x, y, z = st.group_of.astype(np.uint32).T
        if self.target.workgroup_id is WorkgroupId.TTMP:
            st.s32[TTMP + 9][:] = x
            st.s32[TTMP + 7][:] = y | z << np.uint32(16)
            st.s32[TTMP + 8][:] = st.wave_in_group.astype(np.uint32) << np.uint32(25)
            st.s32[TTMP + 6][:] = 0
        else:
            for bit, values in ((7, x), (8, y), (9, z)):
                if rsrc2 >> bit & 1:
                    st.s32[at][:] = values
                    at += 1
        if rsrc2 >> 10 & 1:
            st.s32[at][:] = 0
            at += 1
        if rsrc2 & 1 and self.target.scratch is Scratch.BUFFER:
            st.s32[at][:] = 0  # every wave's scratch is found by its number, not by this offset

    def _work_items(self, st: State) -> None:
        """Work-item ids, and EXEC: the last wave of a block may be partly empty."""
        width, height, _ = self.shapes.block
        flat = st.wave_in_group[:, None] * st.lanes + np.arange(st.lanes)
        inside = flat < _volume(self.shapes.block)
        ids = [flat % width, flat // width % height, flat // (width * height)]
        ids = [np.where(inside, i, 0).astype(np.uint32) for i in ids]
        count = (self.kernel.descriptor.rsrc2 >> 11 & 3) + 1
        if self.target.packed_work_item_ids:
            shifted = [i << np.uint32(10 * axis) for axis, i in enumerate(ids[:count])]
            st.v[0][...] = np.bitwise_or.reduce(shifted)
        else:
            for axis, values in enumerate(ids[: min(count, len(st.v))]):
                st.v[axis][...] = values
        st.set_active(np.ones(st.waves, np.bool_))
        st.s64[EXEC >> 1][:] = 0
        bits = np.packbits(inside, axis=1, bitorder="little")
        st.scalars.view(np.uint8)[:, 4 * EXEC : 4 * EXEC + st.lanes // 8] = bits
        st.refresh()


_NAMED_BARRIERS_AT, _NAMED_BARRIERS_GRAIN = 14, 4


def named_barriers(kernel: KernelInfo, target: Target) -> int:
    """How many named barriers a block of the kernel has: NAMED_BAR_CNT of its descriptor."""
    if not target.has(Feature.BARRIER_OBJECTS):
        return 0
    return (kernel.descriptor.rsrc3 >> _NAMED_BARRIERS_AT & 7) * _NAMED_BARRIERS_GRAIN


def _words(value: int) -> tuple[int, int]:
    return value & 0xFFFFFFFF, value >> 32


def _mode(descriptor: Descriptor, target: Target) -> int:
    """MODE: rounding and denormal fields, then DX10_CLAMP and IEEE where the chip has the bits."""
    floats = descriptor.rsrc1 >> 12 & 0xFF
    if target.generation >= 12:
        return floats | 0x300
    return floats | (descriptor.rsrc1 >> 21 & 1) << 8 | (descriptor.rsrc1 >> 23 & 1) << 9
