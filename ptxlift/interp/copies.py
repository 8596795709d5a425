"""Asynchronous copies, done at once: groups and waits have nothing left to wait for.

Comes in: an instruction. Goes out: a step.
"""

from __future__ import annotations

import numpy as np

from ptxlift.interp.access import Locator, load, locator, store
from ptxlift.interp.lanes import Lanes
from ptxlift.interp.state import Selection, State
from ptxlift.interp.steps import Step, runs
from ptxlift.interp.values import Operands, Reader
from ptxlift.ptx import module as ptx


@runs("cp_async_commit_group", "cp_async_wait_group", "cp_async_wait_all")
def make_wait(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: cp.async.commit_group, cp.async.wait_group."""

    def step(state: State, lanes: Selection) -> None:
        """Every copy is complete."""

    return step


def _named(inst: ptx.Inst) -> dict[str, ptx.Operand]:
    specs = inst.form.operands
    return {spec.name: operand for spec, operand in zip(specs, inst.operands, strict=True)}


def _copied(operands: Operands, found: dict[str, ptx.Operand], size: int) -> Reader | None:
    """How many bytes come from the source; the rest is zero. None: all."""
    if "srcsize" in found:
        return operands.scalar(found["srcsize"], 32)
    if "ignore" not in found:
        return None
    ignored = operands.scalar(found["ignore"], 1)

    def read(state: State, lanes: Selection) -> Lanes:
        return np.where(ignored(state, lanes), np.uint32(0), np.uint32(size))

    return read


@runs("cp_async")
def make_copy(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: cp.async."""
    found = _named(inst)
    target, source, length = found["dst"], found["src"], found["size"]
    assert isinstance(target, ptx.Memory), "cp.async has a target address"
    assert isinstance(source, ptx.Memory), "cp.async has a source address"
    assert isinstance(length, ptx.Immediate), "cp.async has a constant size"
    size = length.bits
    places = (locator(operands, target, "shared"), locator(operands, source, "global"))
    return _copy(places, size, _copied(operands, found, size))


def _copy(places: tuple[Locator, Locator], size: int, copied: Reader | None) -> Step:
    width, count = 32, size // 4

    def step(state: State, lanes: Selection) -> None:
        slots = state.slots[lanes]
        values = [np.zeros(len(slots), np.uint32) for _ in range(count)]
        if copied is None:
            values = load(state, lanes, places[1](state, lanes), width, count)
        else:
            _load_parts(state, slots, places[1], copied(state, lanes), lanes, values)
        store(state, lanes, places[0](state, lanes), width, values)

    return step


def _load_parts(
    state: State,
    slots: Lanes,
    source: Locator,
    sizes: Lanes,
    lanes: Selection,
    values: list[Lanes],
) -> None:
    """Byte by byte, for a source that may end anywhere."""
    region, places = source(state, lanes)
    sizes = np.broadcast_to(sizes, slots.shape)
    places = np.broadcast_to(places, slots.shape)
    for number in range(4 * len(values)):
        wanted = np.flatnonzero(sizes > number)
        if not len(wanted):
            return
        at = (region, places[wanted] + np.uint64(number))
        byte = load(state, slots[wanted], at, 8, 1)[0].astype(np.uint32)
        values[number // 4][wanted] |= byte << np.uint32(8 * (number % 4))
