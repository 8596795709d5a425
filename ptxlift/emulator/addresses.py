"""Addresses of vector memory instructions.

Comes in: operands. Goes out: closures that give a byte address for every lane. It must not know
what lies at an address.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.access import raw_source
from ptxlift.emulator.operands import Inst, Operand, Reg, Special
from ptxlift.emulator.state import State
from ptxlift.emulator.valu.kinds import Kind

Address: TypeAlias = Callable[[State], NDArray[Any]]  # (waves, lanes), uint64 or int64


def offset_of(inst: Inst) -> int:
    """The immediate byte offset."""
    value = inst.modifiers.get("offset", 0)
    if not isinstance(value, int):
        raise PtxError.of("PTX406", f"offset {value!r} is not understood: {inst.text}")
    return value


def global_address(inst: Inst, vaddr: Operand, saddr: Operand | None, size: int) -> Address:
    """64-bit vector address, or scalar base plus an unsigned 32-bit vector offset."""
    offset = np.uint64(offset_of(inst) & 0xFFFFFFFFFFFFFFFF)
    if saddr is None or saddr.value is Special.OFF:
        wide = raw_source(vaddr, Kind.B64)
        return lambda st: wide(st) + offset
    base = raw_source(saddr, Kind.B64)
    if vaddr.value is Special.OFF:
        return lambda st: np.broadcast_to(base(st) + offset, (st.waves, st.lanes))
    narrow = raw_source(vaddr, Kind.B32)
    scale = np.uint64(_scale(inst, size))
    return lambda st: base(st) + (narrow(st).astype(np.uint64) * scale + offset)


def _scale(inst: Inst, size: int) -> int:
    """gfx1250's scale_offset multiplies the vector offset by the access size."""
    return size if "scale_offset" in inst.modifiers else 1


def scratch_address(inst: Inst, vaddr: Operand, saddr: Operand, size: int) -> Address:
    """Per-lane byte offset of a scratch instruction: vector, scalar and immediate parts."""
    offset = offset_of(inst)
    scale = _scale(inst, size)
    parts = [
        (raw_source(operand, Kind.B32), factor)
        for operand, factor in ((vaddr, scale), (saddr, 1))
        if operand.value is not Special.OFF
    ]
    if not parts:
        return lambda st: np.full((st.waves, st.lanes), offset, np.int64)

    def run(st: State) -> NDArray[np.int64]:
        terms = (part(st).view(np.int32).astype(np.int64) * factor for part, factor in parts)
        return np.broadcast_to(sum(terms, np.int64(offset)), (st.waves, st.lanes))

    return run


def buffer_address(inst: Inst, operands: tuple[Operand, ...]) -> Address:
    """Address of a buffer access, or the lane's own offset if the buffer is scratch.

    A swizzled resource is scratch. Its scalar offset counts for the whole wave, so it is divided
    by the lanes. The range check of other resources is left to the memory behind them.
    """
    vaddr, resource, soffset = operands[:3]
    if not isinstance(resource.value, Reg):
        raise PtxError.of("PTX406", f"buffer resource {resource.value} is not understood")
    row = resource.value.index
    offset = offset_of(inst)
    scalar = raw_source(soffset, Kind.B32)
    both = "offen" in inst.modifiers and "idxen" in inst.modifiers
    if both and isinstance(vaddr.value, Reg):
        index = raw_source(Operand(Reg(vaddr.value.file, vaddr.value.index)), Kind.B32)
        vector = raw_source(Operand(Reg(vaddr.value.file, vaddr.value.index + 1)), Kind.B32)
    else:
        index = vector = raw_source(vaddr, Kind.B32) if vaddr.value is not Special.OFF else _zero
        if "offen" in inst.modifiers:
            index = _zero
        else:
            vector = _zero

    def run(st: State) -> NDArray[np.uint64]:
        word1 = st.c32[row + 1].astype(np.int64)
        swizzled = word1 >> 31 != 0
        fixed_part = scalar(st).view(np.int32).astype(np.int64)
        fixed_part = np.where(swizzled, fixed_part // st.lanes, fixed_part & 0xFFFFFFFF)
        stride = word1 >> 16 & 0x3FFF
        total = vector(st).astype(np.int64) + index(st).astype(np.int64) * stride
        base = st.c64[row >> 1].astype(np.int64) & 0xFFFFFFFFFFFF
        base = np.where(swizzled, 0, base)
        found = (total + fixed_part + offset + base).astype(np.uint64)
        return np.broadcast_to(found, (st.waves, st.lanes))

    return run


def _zero(st: State) -> NDArray[np.uint32]:
    return np.zeros((1, 1), np.uint32)
