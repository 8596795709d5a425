"""Loads and stores.

Comes in: an instruction. Goes out: a step that moves lanes between registers and memory. Orders,
scopes and cache hints change nothing here: every access is done at once, in the order of the lanes.
It must know nothing of how lanes are scheduled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ptxlift.interp.integers import IntegerOps
from ptxlift.interp.lanes import Lanes, dtype_of
from ptxlift.interp.memory import Fault, Region, check, element_indices
from ptxlift.interp.state import Selection, State
from ptxlift.interp.steps import Step, runs
from ptxlift.interp.values import Operands, Reader, resize
from ptxlift.isa import type_of
from ptxlift.ptx import module as ptx

# Where an access lies: a region with offsets, or addresses of any region.
Location: TypeAlias = "tuple[Region | None, Lanes]"
Locator: TypeAlias = Callable[[State, Selection], Location]

_OPS = IntegerOps()


def space_of(form_space: str) -> str:
    """`shared::cta` is shared, `param::func` is param."""
    return form_space.split("::")[0]


def locator(operands: Operands, memory: ptx.Memory, space: str) -> Locator:
    """How the lanes' addresses are found in a state space ("" is generic)."""
    base = memory.base
    if isinstance(base, ptx.Variable):
        return _at_variable(operands, base, memory.offset, space)
    if base is None:
        read = operands.scalar(ptx.Immediate(memory.offset, type_of("b64")), 64)
    else:
        read = _advanced(operands, base, memory.offset)
    if space == "shared":
        return _in_shared(read)
    in_frame = space == "param" and operands.function.kind != "entry"
    if space == "local" or in_frame:
        return _in_local(read)
    return _anywhere(read)


def _advanced(
    operands: Operands, base: ptx.Register | ptx.RegisterComponent, offset: int
) -> Reader:
    """Base plus offset, added at the base's own width."""
    register = base.register if isinstance(base, ptx.RegisterComponent) else base
    width = max(register.type.bits, 32)
    read = operands.scalar(base, width)
    added = np.array([offset & ((1 << width) - 1)], dtype_of(width))

    def address(state: State, lanes: Selection) -> Lanes:
        return resize(read(state, lanes) + added if offset else read(state, lanes), 64)

    return address


def _at_variable(operands: Operands, variable: ptx.Variable, offset: int, space: str) -> Locator:
    """A variable's own place; a generic access needs no conversion, for the place is known."""
    read = operands.symbol(variable, offset, 64)
    if variable.space is ptx.Space.SHARED:
        return _in_shared(read)
    if variable.space in (ptx.Space.GLOBAL, ptx.Space.CONST):
        return _anywhere(read)
    if variable.space is ptx.Space.PARAM and variable.offset >= 0:
        return _in_params(variable.offset + offset)
    return _in_local(read)


def _in_shared(read: Reader) -> Locator:
    def locate(state: State, lanes: Selection) -> Location:
        return state.shared_region, read(state, lanes)

    return locate


def _in_local(read: Reader) -> Locator:
    def locate(state: State, lanes: Selection) -> Location:
        return state.local_region, read(state, lanes)

    return locate


def _in_params(offset: int) -> Locator:
    place = np.array([offset], np.uint64)

    def locate(state: State, lanes: Selection) -> Location:
        return state.param_region, place

    return locate


def _anywhere(read: Reader) -> Locator:
    def locate(state: State, lanes: Selection) -> Location:
        return None, read(state, lanes)

    return locate


def pieces(
    state: State, lanes: Selection, location: Location, bytes_: int, writes: bool
) -> list[tuple[Region, Lanes, Lanes | None]]:
    """The regions that the lanes touch, with checked offsets and positions (None: all)."""
    found = _checked(state, lanes, location, bytes_)
    if state.watch is not None and state.watch.races is not None:
        slots = state.slots[lanes]
        for region, offsets, positions in found:
            mine = slots if positions is None else slots[positions]
            first = element_indices(region, offsets, mine, 8)
            state.watch.races.access(state, region, first, mine, bytes_, writes)
    return found


def _checked(
    state: State, lanes: Selection, location: Location, bytes_: int
) -> list[tuple[Region, Lanes, Lanes | None]]:
    region, places = location
    slots = state.slots[lanes]
    if len(places) != len(slots):
        places = np.broadcast_to(places, slots.shape)
    if region is None:
        return list(state.memory.parts(places, bytes_))
    check(region, places, None, bytes_)
    return [(region, places, None)]


def load(state: State, lanes: Selection, location: Location, width: int, count: int) -> list[Lanes]:
    """`count` consecutive elements of `width` bits for each lane."""
    size = width // 8
    slots = state.slots[lanes]
    results = [np.empty(len(slots), dtype_of(width)) for _ in range(count)]
    for region, offsets, positions in pieces(state, lanes, location, size * count, False):
        rows = slots if positions is None else slots[positions]
        first = element_indices(region, offsets, rows, width)
        chosen: Selection = slice(None) if positions is None else positions
        for number, result in enumerate(results):
            result[chosen] = region.view(width)[first + number]
    return results


def store(
    state: State, lanes: Selection, location: Location, width: int, values: Sequence[Lanes]
) -> None:
    """Writes consecutive elements; of lanes that write the same place the last one wins."""
    size = width // 8
    slots = state.slots[lanes]
    for region, offsets, positions in pieces(state, lanes, location, size * len(values), True):
        if not region.writable:
            text = f"write to {region.what}, which is read-only"
            raise Fault(0 if positions is None else int(positions[0]), text)
        rows = slots if positions is None else slots[positions]
        first = element_indices(region, offsets, rows, width)
        for number, value in enumerate(values):
            if positions is not None:
                value = np.broadcast_to(value, slots.shape)[positions]
            region.view(width)[first + number] = value


def _element(width: int) -> tuple[int, int]:
    """b128 is two elements of 64 bits in memory."""
    return (64, 2) if width == 128 else (width, 1)


@runs("ld", "ldu")
def make_load(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: ld, ldu."""
    spec = inst.form.operands[0]
    memory = inst.operands[1]
    assert isinstance(memory, ptx.Memory), "ld has an address"
    locate = locator(operands, memory, space_of(inst.form.get("ss")))
    writers = operands.writers(inst.operands[0], spec)
    width, halves = _element(spec.type.bits)
    count = halves * max(spec.count, 1)

    def step(state: State, lanes: Selection) -> None:
        values = load(state, lanes, locate(state, lanes), width, count)
        if halves == 2:
            values = [_OPS.pack(values[i : i + 2]) for i in range(0, count, 2)]
        for write, value in zip(writers, values, strict=True):
            write(state, lanes, value)

    return step


@runs("st")
def make_store(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: st."""
    memory = inst.operands[0]
    assert isinstance(memory, ptx.Memory), "st has an address"
    locate = locator(operands, memory, space_of(inst.form.get("ss")))
    spec = inst.form.operands[1]
    width, halves = _element(spec.type.bits)
    readers = operands.elements(inst.operands[1], spec.type.bits, spec.count)

    def step(state: State, lanes: Selection) -> None:
        values = [read(state, lanes) for read in readers]
        if halves == 2:
            values = [_OPS.extract(v, 64, offset) for v in values for offset in (0, 64)]
        store(state, lanes, locate(state, lanes), width, values)

    return step
