"""LDS instructions: loads, stores, atomics, and the permutations that go through the LDS crossbar.

Comes in: a decoded instruction. Goes out: a closure over a `State`. It must not know device
memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.access import raw_source
from ptxlift.emulator.addresses import Address, offset_of
from ptxlift.emulator.atomics import CHANGES, LDS_ATOMICS
from ptxlift.emulator.memory import AccessFault, Memory
from ptxlift.emulator.operands import M0, File, Inst, Operand, Reg
from ptxlift.emulator.profile import count_conflicts
from ptxlift.emulator.state import State
from ptxlift.emulator.valu.kinds import Kind
from ptxlift.emulator.vmem import (
    Format,
    MemoryOp,
    atomic_data,
    formats,
    get_stored,
    put_loaded,
    split_words,
    vector_reg,
)
from ptxlift.emulator.windows import LaneBuffer, executing, fault, lds_window
from ptxlift.target import Feature, Target

_PLAIN = re.compile(r"ds_(?P<act>read|load|write|store)_(?P<what>\w+)")
_TWO = re.compile(
    r"ds_(?:(?P<old>read|write)2(?P<far>st64)?|(?P<new>load|store)_2addr(?P<stride>_stride64)?)"
    r"_b(?P<bits>32|64)"
)

_TURNED = re.compile(r"ds_read_b64_tr_b(?P<bits>8|16)")
_WIDE = 8  # bytes
_ROW = 16  # lanes that read a matrix together


def compile_ds(inst: Inst, target: Target) -> MemoryOp | None:
    """The action of a `ds_` instruction, or None if the mnemonic is unknown."""
    special = _special(inst, target)
    if special is not None:
        return special
    turned = _TURNED.fullmatch(inst.mnemonic)
    if turned is not None:
        return _turned(inst, int(turned["bits"]) // 8)
    two = _TWO.fullmatch(inst.mnemonic)
    if two is not None:
        stride = int(two["bits"]) // 8 * (64 if two["far"] or two["stride"] else 1)
        return _two_places(inst, two["old"] or two["new"], stride, int(two["bits"]) // 8)
    plain = _PLAIN.fullmatch(inst.mnemonic)
    if plain is not None and plain["what"] in formats():
        form = formats()[plain["what"]]
        return _load(inst, form) if plain["act"] in ("read", "load") else _store(inst, form)
    found = LDS_ATOMICS.get(inst.mnemonic.removeprefix("ds_").replace("_rtn", ""))
    return None if found is None else _atomic(inst, *found)


def _address(operand: Operand, offset: int) -> Address:
    read = raw_source(operand, Kind.B32)
    # 32-bit sum: LLVM folds offsets onto negative bases, as all chips since gfx7 allow.
    return lambda st: (read(st).astype(np.int64) + offset) & 0xFFFFFFFF


def _guarded(inst: Inst, act: Callable[[State, LaneBuffer], None]) -> MemoryOp:
    """Open LDS, act, and translate faults; nothing happens without executing lanes."""

    def run(st: State, memory: Memory) -> None:
        if not st.lane_count:
            return
        try:
            act(st, lds_window(st, memory))
        except AccessFault as error:
            raise fault(st, inst, memory, error) from None

    return run


def _load(inst: Inst, form: Format) -> MemoryOp:
    target = vector_reg(inst.operands[0])
    address = _address(inst.operands[1], offset_of(inst))

    def act(st: State, window: LaneBuffer) -> None:
        everywhere = address(st)
        count_conflicts(st, everywhere, form.size)
        put_loaded(st, target, form, window.load(executing(st, everywhere), form.size))

    return _guarded(inst, act)


def _turned(inst: Inst, size: int) -> MemoryOp:
    """A load of matrices: 16 lanes read rows of 16 elements, some lanes one row; each gets a
    column.
    """
    target = vector_reg(inst.operands[0])
    address = _address(inst.operands[1], offset_of(inst))
    each = _WIDE // size

    def act(st: State, window: LaneBuffer) -> None:
        if not (st.mask.all(axis=1) | ~st.mask.any(axis=1)).all():
            raise PtxError.of("PTX406", f"{inst.mnemonic} without some lanes is not emulated")
        words = window.load(executing(st, address(st)), _WIDE)
        elements = np.ascontiguousarray(words.T).view({1: np.uint8, 2: np.uint16}[size])
        rows = elements.reshape(-1, each, _ROW)  # matrices, rows, columns
        columns = np.ascontiguousarray(rows.swapaxes(1, 2)).view(np.uint32).reshape(-1, 2)
        put_loaded(st, target, Format(_WIDE), np.ascontiguousarray(columns.T))

    return _guarded(inst, act)


def _store(inst: Inst, form: Format) -> MemoryOp:
    address = _address(inst.operands[0], offset_of(inst))
    reg = vector_reg(inst.operands[1])

    def act(st: State, window: LaneBuffer) -> None:
        everywhere = address(st)
        count_conflicts(st, everywhere, form.size)
        window.store(executing(st, everywhere), get_stored(st, reg, form), form.size)

    return _guarded(inst, act)


def _two_places(inst: Inst, action: str, stride: int, size: int) -> MemoryOp:
    """read2 and write2: two elements at offsets counted in elements, or in 64 of them."""
    offsets = [int(str(inst.modifiers.get(f"offset{i}", 0))) * stride for i in (0, 1)]
    form = Format(size)
    loads = action in ("read", "load")
    base = inst.operands[1 if loads else 0]
    addresses = [_address(base, offset) for offset in offsets]
    if loads:
        first = vector_reg(inst.operands[0])
        regs = [first, type(first)(first.file, first.index + size // 4, size // 4)]
    else:
        regs = [vector_reg(operand) for operand in inst.operands[1:]]

    def load(st: State, window: LaneBuffer) -> None:
        places = [address(st) for address in addresses]
        found = [window.load(executing(st, place), size) for place in places]
        for reg, place, data in zip(regs, places, found, strict=True):
            count_conflicts(st, place, size)
            put_loaded(st, reg, form, data)

    def store(st: State, window: LaneBuffer) -> None:
        for reg, address in zip(regs, addresses, strict=True):
            place = address(st)
            count_conflicts(st, place, size)
            window.store(executing(st, place), get_stored(st, reg, form), size)

    return _guarded(inst, load if loads else store)


def _atomic(inst: Inst, name: str, size: int) -> MemoryOp:
    operands = list(inst.operands)
    target = vector_reg(operands.pop(0)) if "_rtn" in inst.mnemonic else None
    address = _address(operands[0], offset_of(inst))
    regs = [vector_reg(operand) for operand in operands[1:]]
    if "cmpst_" in inst.mnemonic:  # before gfx11 the comparand came first
        regs.reverse()
    change = CHANGES[name]

    def act(st: State, window: LaneBuffer) -> None:
        everywhere = address(st)
        count_conflicts(st, everywhere, size)
        data = [atomic_data(st, reg, size, 1)[0] for reg in regs]
        old = window.update(executing(st, everywhere), size, change, *data)
        if target is not None:
            put_loaded(st, target, Format(size), split_words(old, size))

    return _guarded(inst, act)


# --- the crossbar


def _special(inst: Inst, target: Target) -> MemoryOp | None:
    match inst.mnemonic:
        case "ds_swizzle_b32":
            return _swizzle(inst)
        case "ds_bpermute_b32":
            return _bpermute(inst, target.has(Feature.BPERMUTE_WHOLE_WAVE), False)
        case "ds_bpermute_fi_b32":
            return _bpermute(inst, target.has(Feature.BPERMUTE_WHOLE_WAVE), True)
        case "ds_permute_b32":
            return _permute(inst, target.has(Feature.BPERMUTE_WHOLE_WAVE))
        case "ds_append" | "ds_consume":
            return _append(inst, inst.mnemonic == "ds_append")
        case "ds_nop":
            return lambda st, memory: None
        case _:
            return None


def swizzle_map(offset: int) -> NDArray[np.intp]:
    """Source lane of each of 32 lanes for a ds_swizzle offset."""
    lane = np.arange(32)
    if offset >= 0xE000:
        raise PtxError.of("PTX406", "the FFT mode of ds_swizzle is not emulated")
    if offset >= 0xC000:
        amount, keep = offset >> 5 & 31, offset & 31
        step = -amount if offset >> 10 & 1 else amount
        return (lane & keep) | (lane + step & 31 & ~keep)
    if offset >= 0x8000:
        select = np.array([offset >> 2 * i & 3 for i in range(4)])
        found: NDArray[np.intp] = (lane & ~3) | select[lane & 3]
        return found
    found = (lane & offset & 31 | offset >> 5 & 31) ^ (offset >> 10 & 31)
    return found


def _swizzle(inst: Inst) -> MemoryOp:
    target = vector_reg(inst.operands[0])
    read = raw_source(inst.operands[1], Kind.B32)
    offset = inst.words[0] & 0xFFFF
    in_half = swizzle_map(offset)

    def run(st: State, memory: Memory) -> None:
        lane = np.arange(st.lanes)
        source = np.broadcast_to((lane & ~31) + in_half[lane & 31], (st.waves, st.lanes))
        _gather(st, target, read(st), source, False)

    return run


def _register(st: State, target: Reg) -> NDArray[np.uint32]:
    """A destination; on chips with AGPRs it may be one."""
    return (st.a if target.file is File.A else st.v)[target.index]


def _gather(
    st: State, target: Reg, bits: NDArray[Any], source: NDArray[np.intp], inactive: bool
) -> None:
    """Every lane reads lane `source`; inactive lanes give 0 unless they may be read."""
    bits = np.broadcast_to(bits, (st.waves, st.lanes))
    moved = np.take_along_axis(bits, source, axis=1)
    if not (st.full or inactive):
        moved = np.where(np.take_along_axis(st.mask, source, axis=1), moved, np.uint32(0))
    st.put_v(_register(st, target), moved)


def _lane_of(st: State, address: NDArray[Any], whole: bool) -> NDArray[np.intp]:
    """The lane an address names; it wraps inside the wave, or the own 32 lanes."""
    lane = (address >> 2).astype(np.intp)
    if whole or st.lanes == 32:
        return lane & st.lanes - 1
    return (st.lane_index.astype(np.intp) & ~31) | lane & 31


def _bpermute(inst: Inst, whole: bool, inactive: bool) -> MemoryOp:
    target = vector_reg(inst.operands[0])
    address = _address(inst.operands[1], offset_of(inst))
    read = raw_source(inst.operands[2], Kind.B32)

    def run(st: State, memory: Memory) -> None:
        source = np.broadcast_to(_lane_of(st, address(st), whole), (st.waves, st.lanes))
        _gather(st, target, read(st), source, inactive)

    return run


def _permute(inst: Inst, whole: bool) -> MemoryOp:
    """Every lane writes to the lane it names; the highest writer wins, others read 0."""
    target = vector_reg(inst.operands[0])
    address = _address(inst.operands[1], offset_of(inst))
    read = raw_source(inst.operands[2], Kind.B32)

    def run(st: State, memory: Memory) -> None:
        into = np.broadcast_to(_lane_of(st, address(st), whole), (st.waves, st.lanes))
        bits = np.broadcast_to(read(st), (st.waves, st.lanes))
        moved = np.zeros((st.waves, st.lanes), np.uint32)
        for lane in range(st.lanes):
            waves = np.flatnonzero(st.mask[:, lane])
            moved[waves, into[waves, lane]] = bits[waves, lane]
        st.put_v(_register(st, target), moved)

    return run


def _append(inst: Inst, adds: bool) -> MemoryOp:
    """Add or subtract the number of executing lanes at M0 + offset; all lanes get the old value."""
    target = vector_reg(inst.operands[0])
    offset = offset_of(inst)

    def act(st: State, window: LaneBuffer) -> None:
        lanes = st.mask.sum(axis=1, dtype=np.uint32)
        first = st.first_lane()
        leaders = np.zeros_like(st.mask)
        leaders[st.wave_index, first] = lanes != 0
        place = np.broadcast_to(st.c32[M0].astype(np.int64) + offset, st.mask.shape)
        chosen = np.flatnonzero(leaders[st.mask])
        change = CHANGES["add" if adds else "sub"]
        old = window.subset(chosen).update(place[leaders], 4, change, lanes[lanes != 0])
        result = np.zeros((st.waves, 1), np.uint32)
        result[lanes != 0, 0] = old
        st.put_v(_register(st, target), np.broadcast_to(result, st.mask.shape))

    return _guarded(inst, act)
