"""Vector memory instructions: global, flat, scratch and buffer loads, stores and atomics.

Comes in: a decoded instruction and the launch's memory. Goes out: a closure over a `State`. It
must not know how addresses map to arrays.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.access import row_list
from ptxlift.emulator.addresses import (
    Address,
    buffer_address,
    global_address,
    offset_of,
    scratch_address,
)
from ptxlift.emulator.atomics import CHANGES, VECTOR_ATOMICS
from ptxlift.emulator.buffers import Raw
from ptxlift.emulator.memory import AccessFault, Memory
from ptxlift.emulator.operands import M0, Inst, Operand, Reg, Special
from ptxlift.emulator.profile import count_lines
from ptxlift.emulator.state import State
from ptxlift.emulator.windows import (
    Open,
    buffer_window,
    executing,
    fault,
    flat_window,
    global_window,
    lds_window,
    scratch_window,
)
from ptxlift.records import dataclass

MemoryOp: TypeAlias = Callable[[State, Memory], None]


@dataclass(frozen=True, slots=True)
class Format:
    """What a lane moves: `half` is the register half of a d16 form, which keeps the other."""

    size: int
    signed: bool = False
    half: int | None = None


@cache
def formats() -> dict[str, Format]:
    """What follows `load_` or `store_` (also of `ds_`) in a mnemonic."""
    table = {"dword": Format(4), "dwordx2": Format(8), "dwordx3": Format(12), "dwordx4": Format(16)}
    table |= {f"b{8 * size}": Format(size) for size in (1, 2, 4, 8, 12, 16)}
    narrow = {
        "ubyte": Format(1),
        "sbyte": Format(1, True),
        "byte": Format(1),
        "ushort": Format(2),
        "sshort": Format(2, True),
        "short": Format(2),
        "u8": Format(1),
        "i8": Format(1, True),
        "u16": Format(2),
        "i16": Format(2, True),
        "b8": Format(1),
        "b16": Format(2),
    }
    table |= narrow
    for name, plain in narrow.items():
        for half, spellings in ((0, ("{}_d16", "d16_{}")), (1, ("{}_d16_hi", "d16_hi_{}"))):
            for spelling in spellings:
                table[spelling.format(name)] = Format(plain.size, plain.signed, half)
    return table


_NAME = re.compile(r"(global|flat|scratch|buffer)_(load|store|atomic|load_lds)_(\w+)")
_CACHE = re.compile(
    r"(buffer_(gl[01]_inv|inv|wbl2|wbinvl1(_vol|_sc)?|invl2)|global_(inv|wb|wbinv))"
)
_PREFETCH = re.compile(r"(global|flat)_prefetch_b8")

_WINDOWS: dict[str, Open] = {
    "global": global_window,
    "flat": flat_window,
    "scratch": scratch_window,
}


def _window(space: str, addresses: tuple[Operand, ...]) -> Open:
    if space == "buffer":
        return buffer_window(vector_reg(addresses[1]).index)
    return _WINDOWS[space]


def compile_vmem(inst: Inst) -> MemoryOp | None:
    """The action of a vector memory instruction, or None if the mnemonic is no such thing."""
    if _CACHE.fullmatch(inst.mnemonic) or _PREFETCH.fullmatch(inst.mnemonic):
        return lambda st, memory: None
    match = _NAME.fullmatch(inst.mnemonic)
    if match is None:
        return None
    space, action, what = match.groups()
    if action == "load" and (what.startswith("lds_") or "lds" in inst.modifiers):
        return _load_to_lds(inst, what.removeprefix("lds_"))
    if action == "atomic":
        found = VECTOR_ATOMICS.get(what)
        return None if found is None else _atomic(inst, space, *found)
    form = formats().get(what)
    if form is None:
        return None
    return _load(inst, space, form) if action == "load" else _store(inst, space, form)


def vector_reg(operand: Operand) -> Reg:
    """The operand as a vector register."""
    if not isinstance(operand.value, Reg):
        raise PtxError.of("PTX406", f"vector register expected, not {operand.value}")
    return operand.value


def _address(inst: Inst, space: str, operands: tuple[Operand, ...], size: int) -> Address:
    """The address operands, which follow each other in every form."""
    if space == "buffer":
        return buffer_address(inst, operands)
    first, second = operands[0], operands[1] if len(operands) > 1 else Operand(Special.OFF)
    if space == "scratch":
        return scratch_address(inst, first, second, size)
    return global_address(inst, first, second, size)


def _load(inst: Inst, space: str, form: Format) -> MemoryOp:
    target = vector_reg(inst.operands[0])
    address = _address(inst, space, inst.operands[1:], form.size)
    opened = _window(space, inst.operands[1:])
    counts_lines = space != "scratch"

    def run(st: State, memory: Memory) -> None:
        if not st.lane_count:
            return
        everywhere = address(st)
        if counts_lines:
            count_lines(st, everywhere)
        try:
            data = opened(st, memory).load(executing(st, everywhere), form.size)
        except AccessFault as error:
            raise fault(st, inst, memory, error) from None
        put_loaded(st, target, form, data)

    return run


def _store(inst: Inst, space: str, form: Format) -> MemoryOp:
    if space == "buffer":
        source, *places = inst.operands
    else:
        first, source, *last = inst.operands
        places = [first, *last]
    address = _address(inst, space, tuple(places), form.size)
    reg = vector_reg(source)
    opened = _window(space, tuple(places))
    counts_lines = space != "scratch"

    def run(st: State, memory: Memory) -> None:
        if not st.lane_count:
            return
        everywhere = address(st)
        if counts_lines:
            count_lines(st, everywhere)
        data = get_stored(st, reg, form)
        try:
            opened(st, memory).store(executing(st, everywhere), data, form.size)
        except AccessFault as error:
            raise fault(st, inst, memory, error) from None

    return run


def put_loaded(st: State, target: Reg, form: Format, data: Raw) -> None:
    """Loaded values of the executing lanes into registers."""
    rows = row_list(st, target)
    if form.size >= 4:
        for step, words in enumerate(data):
            _put_lanes(st, rows[target.index + step], words)
        return
    if form.signed:
        narrow = data.view(np.int8 if form.size == 1 else np.int16)
        data = narrow.astype(np.int32).view(np.uint32)
    half = target.half if target.half is not None else form.half
    if half is None:
        _put_lanes(st, rows[target.index], data.astype(np.uint32))
        return
    halves = rows[target.index].view(np.uint16)[:, half::2]
    _put_lanes(st, halves, data.astype(np.uint16))


def _put_lanes(st: State, row: NDArray[Any], values: NDArray[Any]) -> None:
    if st.full:
        row[...] = values.reshape(st.waves, st.lanes)
    else:
        row[st.mask] = values


def get_stored(st: State, reg: Reg, form: Format) -> Raw:
    """Values to store, of the executing lanes, in the layout of `Buffer.store`."""
    rows = row_list(st, reg)
    if form.size >= 4:
        count = form.size // 4
        return np.stack([executing(st, rows[reg.index + step]) for step in range(count)])
    words = executing(st, rows[reg.index])
    if form.half == 1 or reg.half == 1:
        words = words >> np.uint32(16)
    return words.astype(np.uint8 if form.size == 1 else np.uint16)


# --- atomics

_RETURN_FLAGS = frozenset({"glc", "sc0"})


def _returns(inst: Inst, space: str) -> bool:
    """Whether the old value is written back."""
    if "TH_ATOMIC_RETURN" in str(inst.modifiers.get("th", "")):
        return True
    return any(flag in inst.modifiers for flag in _RETURN_FLAGS)


def _atomic(inst: Inst, space: str, name: str, size: int) -> MemoryOp:
    operands = inst.operands
    target: Reg | None = None
    if space == "buffer":  # the data register is also the destination
        target = vector_reg(operands[0]) if _returns(inst, space) else None
        data, addresses = operands[0], operands[1:]
    else:
        if _returns(inst, space):
            target = vector_reg(operands[0])
            operands = operands[1:]
        first, data, *last = operands
        addresses = (first, *last)
    address = _address(inst, space, addresses, size)
    reg = vector_reg(data)
    opened = _window(space, addresses)
    change = CHANGES[name]
    count = 2 if name == "cmpswap" else 1

    def run(st: State, memory: Memory) -> None:
        if not st.lane_count:
            return
        everywhere = address(st)
        count_lines(st, everywhere)
        values = atomic_data(st, reg, size, count)
        try:
            old = opened(st, memory).update(executing(st, everywhere), size, change, *values)
        except AccessFault as error:
            raise fault(st, inst, memory, error) from None
        if target is not None:
            put_loaded(st, target, Format(size), split_words(old, size))

    return run


def atomic_data(st: State, reg: Reg, size: int, count: int) -> list[Raw]:
    """`count` consecutive values of `size` bytes from registers, of the executing lanes."""
    rows = row_list(st, reg)
    if size == 4:
        return [executing(st, rows[reg.index + step]) for step in range(count)]
    return [executing(st, st.pair(rows, reg.index + 2 * step)) for step in range(count)]


def split_words(values: Raw, size: int) -> Raw:
    """Values of 4 or 8 bytes in the layout of `Buffer.load`."""
    if size == 4:
        return values[None]
    return np.ascontiguousarray(values).view(np.uint32).reshape(-1, 2).T


# --- loads that go straight to LDS


def _load_to_lds(inst: Inst, what: str) -> MemoryOp:
    """Lane i writes at M0 + offset + i * size."""
    form = formats()[what]
    space = inst.mnemonic.partition("_")[0]
    address = _address(inst, space, inst.operands, form.size)
    opened = _window(space, inst.operands)
    offset = offset_of(inst)

    def run(st: State, memory: Memory) -> None:
        if not st.lane_count:
            return
        everywhere = address(st)
        count_lines(st, everywhere)
        place = st.c32[M0].astype(np.int64) + offset + st.lane_index * np.int64(max(form.size, 4))
        try:
            data = opened(st, memory).load(executing(st, everywhere), form.size)
            if form.size < 4:
                data = data.astype(np.uint32)[None]
            size = max(form.size, 4)
            lds_window(st, memory).store(executing(st, place), data, size)
        except AccessFault as error:
            raise fault(st, inst, memory, error) from None

    return run
