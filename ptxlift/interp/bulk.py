"""Asynchronous copies, stores and reductions of whole blocks of bytes, done at once.

Comes in: an instruction. Goes out: a step. Those that tell an mbarrier object take the bytes off
what it awaits. A cluster is one block: its addresses are the block's own.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ptxlift.interp.access import Location, Locator, load, locator, space_of, store
from ptxlift.interp.atomics import modify, update_of
from ptxlift.interp.lanes import Lanes, constant
from ptxlift.interp.mbarrier import change_object, complete_bytes
from ptxlift.interp.state import Selection, State
from ptxlift.interp.steps import Step, runs
from ptxlift.interp.values import Operands, Unsupported
from ptxlift.ptx import module as ptx


def _places(operands: Operands, inst: ptx.Inst) -> dict[str, Locator]:
    """A locator for each address operand."""
    found = {}
    for operand, spec in zip(inst.operands, inst.form.operands, strict=True):
        if isinstance(operand, ptx.Memory):
            space = space_of(spec.space or inst.form.get("ss"))
            found[spec.name] = locator(operands, operand, space)
    return found


def _named(inst: ptx.Inst) -> dict[str, ptx.Operand]:
    specs = inst.form.operands
    return {spec.name: operand for spec, operand in zip(specs, inst.operands, strict=True)}


def _advanced(location: Location, lane: int, offset: int) -> Location:
    region, places = location
    place = places if len(places) == 1 else places[lane : lane + 1]
    return region, place + np.uint64(offset)


def _finish(state: State, lanes: Selection, places: dict[str, Locator], sizes: Lanes) -> None:
    """Takes the bytes off what the object awaits, if the instruction names one."""
    for name in ("mbar", "m"):
        if name in places:
            change_object(state, lanes, places[name], sizes, complete_bytes)


@runs("cp_async_bulk")
def make_bulk_copy(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: cp.async.bulk."""
    found = _named(inst)
    if "ctamask" in found or "bytemask" in found:
        raise Unsupported("cp.async.bulk with a mask")
    places = _places(operands, inst)
    read = operands.scalar(found["size"], 32)

    def step(state: State, lanes: Selection) -> None:
        slots = state.slots[lanes]
        sizes = np.broadcast_to(read(state, lanes), slots.shape)
        target, source = places["dst"](state, lanes), places["src"](state, lanes)
        for lane, slot in enumerate(slots):
            alone = np.array([slot])
            for offset in range(0, int(sizes[lane]), 16):
                values = load(state, alone, _advanced(source, lane, offset), 32, 4)
                store(state, alone, _advanced(target, lane, offset), 32, values)
        _finish(state, lanes, places, sizes)

    return step


@runs("cp_reduce_async_bulk")
def make_bulk_reduction(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: cp.reduce.async.bulk."""
    found = _named(inst)
    places = _places(operands, inst)
    read = operands.scalar(found["size"], 32)
    width = inst.form.type.bits
    update_for = partial(update_of, inst.form)

    def step(state: State, lanes: Selection) -> None:
        slots = state.slots[lanes]
        sizes = np.broadcast_to(read(state, lanes), slots.shape)
        target, source = places["dst"](state, lanes), places["src"](state, lanes)
        for lane, slot in enumerate(slots):
            alone = np.array([slot])
            for offset in range(0, int(sizes[lane]), width // 8):
                values = load(state, alone, _advanced(source, lane, offset), width, 1)
                place = _advanced(target, lane, offset)
                modify(state, alone, place, width, values, update_for)
        _finish(state, lanes, places, sizes)

    return step


@runs("st_async")
def make_async_store(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: st.async."""
    places = _places(operands, inst)
    spec = inst.form.operands[1]
    readers = operands.elements(inst.operands[1], spec.type.bits, spec.count)
    size = np.array([len(readers) * spec.type.bytes], np.uint32)

    def step(state: State, lanes: Selection) -> None:
        values = [read(state, lanes) for read in readers]
        store(state, lanes, places["a"](state, lanes), spec.type.bits, values)
        _finish(state, lanes, places, size)

    return step


@runs("red_async")
def make_async_reduction(operands: Operands, inst: ptx.Inst) -> Step:
    """Parallel Synchronization and Communication Instructions: red.async."""
    places = _places(operands, inst)
    spec = inst.form.operands[1]
    read = operands.scalar(inst.operands[1], spec.type.bits)
    size = np.array([spec.type.bytes], np.uint32)
    update_for = partial(update_of, inst.form)

    def step(state: State, lanes: Selection) -> None:
        location = places["a"](state, lanes)
        modify(state, lanes, location, spec.type.bits, [read(state, lanes)], update_for)
        _finish(state, lanes, places, size)

    return step


@runs("st_bulk")
def make_bulk_fill(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: st.bulk."""
    places = _places(operands, inst)
    read = operands.scalar(inst.operands[1], 64)
    zero = [np.zeros(1, np.uint64)]

    def step(state: State, lanes: Selection) -> None:
        slots = state.slots[lanes]
        sizes = np.broadcast_to(read(state, lanes), slots.shape)
        target = places["a"](state, lanes)
        for lane, slot in enumerate(slots):
            for offset in range(0, int(sizes[lane]), 8):
                store(state, np.array([slot]), _advanced(target, lane, offset), 64, zero)

    return step


@runs("cp_async_bulk_commit_group", "cp_async_bulk_wait_group", "cp_async_bulk_prefetch")
def make_nothing(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: cp.async.bulk.commit_group and others."""

    def step(state: State, lanes: Selection) -> None:
        """Every copy is complete."""

    return step


@runs("mapa")
def make_cluster_address(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: mapa. The only block of the cluster is this."""
    kind = inst.form.type
    read = operands.scalar(inst.operands[1], kind.bits)
    write = operands.writer(inst.operands[0], kind)

    def step(state: State, lanes: Selection) -> None:
        write(state, lanes, read(state, lanes))

    return step


@runs("getctarank")
def make_rank(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: getctarank."""
    write = operands.writer(inst.operands[0], inst.form.operands[0].type)

    def step(state: State, lanes: Selection) -> None:
        write(state, lanes, constant(32, 0))

    return step
