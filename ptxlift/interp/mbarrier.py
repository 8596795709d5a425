"""Barriers that are objects in shared memory.

Comes in: an instruction. Goes out: a step. The 64 bits of an object hold arrivals still awaited,
arrivals of a phase, bytes still awaited and the phase, in a layout of our own: PTX leaves it open.
A wait never blocks, it tells whether the phase is over; programs loop over it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ptxlift.interp.access import Locator, load, locator, pieces, space_of, store
from ptxlift.interp.atomics import apply_in_turns
from ptxlift.interp.lanes import Lanes
from ptxlift.interp.memory import element_indices
from ptxlift.interp.state import Selection, State
from ptxlift.interp.steps import Step, runs
from ptxlift.interp.values import Operands, Reader, Unsupported
from ptxlift.ptx import module as ptx

# old object, count -> new object
Change: TypeAlias = Callable[[Lanes, Lanes], Lanes]

_FIELD = np.uint64((1 << 20) - 1)
_BYTES = np.uint64((1 << 21) - 1)
_PENDING_AT, _EXPECTED_AT, _BYTES_AT, _PHASE_AT = (np.uint64(n) for n in (0, 20, 40, 63))


def _pending(word: Lanes) -> Lanes:
    field: Lanes = word >> _PENDING_AT & _FIELD
    return field


def _build(pending: Lanes, expected: Lanes, waiting: Lanes, phase: Lanes) -> Lanes:
    """An object; a phase that nothing is awaited in is over and the next begins."""
    over = (pending & _FIELD == 0) & (waiting & _BYTES == 0)
    pending = np.where(over, expected, pending)
    phase = phase ^ over.astype(np.uint64)
    low = pending & _FIELD | (expected & _FIELD) << _EXPECTED_AT
    high = (waiting & _BYTES) << _BYTES_AT | phase << _PHASE_AT
    word: Lanes = low | high
    return word


def _change(word: Lanes, arrivals: Lanes, dropped: Lanes, awaited: Lanes) -> Lanes:
    """Fewer arrivals and more or fewer bytes awaited; counts wrap within their fields."""
    expected = word >> _EXPECTED_AT & _FIELD
    waiting = word >> _BYTES_AT & _BYTES
    return _build(
        _pending(word) - arrivals, expected - dropped, waiting + awaited, word >> _PHASE_AT
    )


def _none(count: Lanes) -> Lanes:
    return np.zeros_like(count)


def _one(count: Lanes) -> Lanes:
    return np.ones_like(count)


def _arrive(word: Lanes, count: Lanes) -> Lanes:
    return _change(word, count, _none(count), _none(count))


def _drop(word: Lanes, count: Lanes) -> Lanes:
    return _change(word, count, count, _none(count))


def _arrive_expecting(word: Lanes, size: Lanes) -> Lanes:
    return _change(word, _one(size), _none(size), size)


def _drop_expecting(word: Lanes, size: Lanes) -> Lanes:
    return _change(word, _one(size), _one(size), size)


def _expect(word: Lanes, size: Lanes) -> Lanes:
    """More bytes never end a phase."""
    waiting = (word >> _BYTES_AT) + size & _BYTES
    changed: Lanes = word & ~(_BYTES << _BYTES_AT) | waiting << _BYTES_AT
    return changed


def complete_bytes(word: Lanes, size: Lanes) -> Lanes:
    """Bytes have come."""
    return _change(word, _none(size), _none(size), _none(size) - size)


def change_object(
    state: State, lanes: Selection, locate: Locator, count: Lanes, change: Change
) -> Lanes:
    """Changes each lane's object in turn; gives what it was before."""
    slots = state.slots[lanes]
    counts = np.broadcast_to(count.astype(np.uint64), slots.shape)
    result = np.empty(len(slots), np.uint64)
    for region, offsets, positions in pieces(state, lanes, locate(state, lanes), 8, True):
        chosen = np.arange(len(slots)) if positions is None else positions
        first = element_indices(region, offsets, slots[chosen], 64)
        old = np.empty(len(first), np.uint64)
        apply_in_turns(region, first, 64, counts[chosen], change, old)
        result[chosen] = old
    return result


def object_locator(operands: Operands, inst: ptx.Inst, name: str = "a") -> Locator:
    """Where the object of an instruction lies; generic addresses are fine."""
    found = _named(inst)
    memory = found[name]
    assert isinstance(memory, ptx.Memory), "an mbarrier has an address"
    spec = next(s for s in inst.form.operands if s.name == name)
    return locator(operands, memory, space_of(inst.form.get("ss") or spec.space))


def _named(inst: ptx.Inst) -> dict[str, ptx.Operand]:
    specs = inst.form.operands
    return {spec.name: operand for spec, operand in zip(specs, inst.operands, strict=True)}


def _count(operands: Operands, inst: ptx.Inst) -> Reader:
    found = _named(inst)
    if "n" in found:
        return operands.scalar(found["n"], 32)

    def read(state: State, lanes: Selection) -> Lanes:
        return np.ones(1, np.uint32)

    return read


@runs("mbarrier_init")
def make_init(operands: Operands, inst: ptx.Inst) -> Step:
    """Parallel Synchronization and Communication Instructions: mbarrier.init."""
    locate = object_locator(operands, inst)
    read = _count(operands, inst)

    def step(state: State, lanes: Selection) -> None:
        count = read(state, lanes).astype(np.uint64) & _FIELD
        store(state, lanes, locate(state, lanes), 64, [count | count << _EXPECTED_AT])

    return step


@runs("mbarrier_inval")
def make_inval(operands: Operands, inst: ptx.Inst) -> Step:
    """Parallel Synchronization and Communication Instructions: mbarrier.inval."""
    locate = object_locator(operands, inst)

    def step(state: State, lanes: Selection) -> None:
        store(state, lanes, locate(state, lanes), 64, [np.zeros(1, np.uint64)])

    return step


_CHANGES: dict[tuple[str, bool], Change] = {
    ("mbarrier_expect_tx", True): _expect,
    ("mbarrier_complete_tx", False): complete_bytes,
    ("mbarrier_arrive", False): _arrive,
    ("mbarrier_arrive", True): _arrive_expecting,
    ("mbarrier_arrive_drop", False): _drop,
    ("mbarrier_arrive_drop", True): _drop_expecting,
}


@runs("mbarrier_arrive", "mbarrier_arrive_drop", "mbarrier_expect_tx", "mbarrier_complete_tx")
def make_change(operands: Operands, inst: ptx.Inst) -> Step:
    """Parallel Synchronization and Communication Instructions: mbarrier.arrive and others.

    `.noComplete` promises that the phase does not end; the result is the object before.
    """
    form = inst.form
    locate = object_locator(operands, inst)
    read = _count(operands, inst)
    change = _CHANGES[form.name, bool(form.get("expect_tx"))]
    found = _named(inst)
    spec = form.operands[0]
    writers = operands.writers(found["st"], spec) if "st" in found else []

    def step(state: State, lanes: Selection) -> None:
        old = change_object(state, lanes, locate, read(state, lanes), change)
        for write in writers:
            write(state, lanes, old)

    return step


@runs("mbarrier_pending_count")
def make_pending_count(operands: Operands, inst: ptx.Inst) -> Step:
    """Parallel Synchronization and Communication Instructions: mbarrier.pending_count."""
    read = operands.scalar(inst.operands[1], 64)
    write = operands.writer(inst.operands[0], inst.form.operands[0].type)

    def step(state: State, lanes: Selection) -> None:
        write(state, lanes, _pending(read(state, lanes)).astype(np.uint32))

    return step


@runs("mbarrier_test_wait", "mbarrier_try_wait")
def make_wait(operands: Operands, inst: ptx.Inst) -> Step:
    """Parallel Synchronization and Communication Instructions: mbarrier.test_wait, try_wait."""
    locate = object_locator(operands, inst)
    found = _named(inst)
    write = operands.writer(inst.operands[0], inst.form.operands[0].type)
    if "par" in found:
        phase = operands.scalar(found["par"], 32)
    elif "st" in found:
        phase = _phase_of(operands.scalar(found["st"], 64))
    else:
        raise Unsupported("a wait without state or parity")

    def step(state: State, lanes: Selection) -> None:
        (word,) = load(state, lanes, locate(state, lanes), 64, 1)
        awaited = phase(state, lanes).astype(np.uint64) & np.uint64(1)
        write(state, lanes, word >> _PHASE_AT != awaited)

    return step


def _phase_of(read: Reader) -> Reader:
    def phase(state: State, lanes: Selection) -> Lanes:
        word: Lanes = read(state, lanes) >> _PHASE_AT
        return word

    return phase


@runs("cp_async_mbarrier_arrive")
def make_copy_arrival(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: cp.async.mbarrier.arrive.

    Copies are done at once. Without `.noinc` the awaited arrivals grow by the one that comes.
    """
    locate = object_locator(operands, inst)
    counts = bool(inst.form.get("noinc"))

    def step(state: State, lanes: Selection) -> None:
        if counts:
            change_object(state, lanes, locate, np.ones(1, np.uint32), _arrive)

    return step
