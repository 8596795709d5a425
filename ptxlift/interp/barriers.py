"""Barriers of a block.

Comes in: an instruction. Goes out: the end of its code block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ptxlift.interp.ends import End, Labels, ends
from ptxlift.interp.lanes import Lanes
from ptxlift.interp.state import Selection, State
from ptxlift.interp.values import Operands, Reader, Writer
from ptxlift.interp.waiting import (
    Arrival,
    Deliver,
    arrive_at_barrier,
    barrier_results,
    note_meeting,
    part_of,
)
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.interp.code import Code

_RESULT = {"popc": 0, "and": 1, "or": 2}


@ends("bar_sync", "bar_arrive", "bar_red")
def make_barrier(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Parallel Synchronization and Communication Instructions: bar, barrier."""
    assert inst is not None, "a barrier is an instruction"
    form = inst.form
    found = {spec.name: op for spec, op in zip(form.operands, inst.operands, strict=True)}
    barrier = operands.scalar(found["a"], 32)
    count = operands.scalar(found["b"], 32) if "b" in found else None
    votes = [operands.scalar(found["c"], 1)] if "c" in found else []
    writers = operands.writers(inst.operands[0], form.operands[0]) if votes else []
    deliver = _deliver(writers, _RESULT.get(form.get("op"), 0))
    waits = form.name != "bar_arrive"
    start = inst.start

    def end(state: State, lanes: Selection) -> int | None:
        slots = state.slots[lanes]
        values = [np.array(np.broadcast_to(v(state, lanes), slots.shape)) for v in votes]
        arrival = Arrival(slots, values, state.level, state.registers, deliver, following, start)
        identifiers = _spread(barrier, state, lanes)
        if waits and count is None and _is_complete(state, slots, identifiers):
            note_meeting(state, slots)
            _pass_at_once(state, arrival)
            return following
        counts = None if count is None else _spread(count, state, lanes)
        if not waits:
            state.place[slots] = following
        _arrive(state, arrival, identifiers, counts, waits)
        return None

    return end


def _spread(reader: Reader, state: State, lanes: Selection) -> Lanes:
    return np.broadcast_to(reader(state, lanes), state.slots[lanes].shape)


def _deliver(writers: list[Writer], number: int) -> Deliver:
    def deliver(state: State, slots: Lanes, results: list[Lanes]) -> None:
        for write in writers:
            write(state, slots, np.broadcast_to(results[number], slots.shape))

    return deliver


def _is_complete(state: State, slots: Lanes, identifiers: Lanes) -> bool:
    """Whether whole blocks arrive together at one barrier where nobody waits."""
    if state.waiting.barriers or (identifiers != identifiers[0]).any():
        return False
    live = state.live_of_blocks()
    here = np.bincount(state.block_of[slots], minlength=len(live))
    return bool(((here == 0) | (here == live)).all())


def _pass_at_once(state: State, arrival: Arrival) -> None:
    if not arrival.values:
        return
    blocks = state.block_of[arrival.slots]
    for block in np.unique(blocks):
        mine = part_of(arrival, np.flatnonzero(blocks == block))
        mine.deliver(state, mine.slots, barrier_results(mine.values[0]))


def _arrive(
    state: State, arrival: Arrival, identifiers: Lanes, counts: Lanes | None, waits: bool
) -> None:
    blocks = state.block_of[arrival.slots]
    groups = {(int(b), int(i)) for b, i in zip(blocks, identifiers, strict=True)}
    for block, identifier in sorted(groups):
        mine = np.flatnonzero((blocks == block) & (identifiers == identifier))
        count = None if counts is None else int(counts[mine[0]])
        arrive_at_barrier(state, identifier, count, part_of(arrival, mine), waits)


_CLUSTER = 16  # a number that no `bar` instruction can name


@ends("barrier_cluster_arrive")
def make_cluster_arrival(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Parallel Synchronization and Communication Instructions: barrier.cluster.arrive.

    A cluster is one block here. Every thread that arrives must also wait, so the wait alone makes
    the barrier.
    """

    def end(state: State, lanes: Selection) -> int | None:
        return following

    return end


@ends("barrier_cluster_wait")
def make_cluster_wait(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Parallel Synchronization and Communication Instructions: barrier.cluster.wait."""
    assert inst is not None, "a barrier is an instruction"
    deliver = _deliver([], 0)
    start = inst.start

    def end(state: State, lanes: Selection) -> int | None:
        slots = state.slots[lanes]
        arrival = Arrival(slots, [], state.level, state.registers, deliver, following, start)
        identifiers = np.full(slots.shape, _CLUSTER)
        if _is_complete(state, slots, identifiers):
            note_meeting(state, slots)
            return following
        _arrive(state, arrival, identifiers, None, True)
        return None

    return end
