"""Threads that wait for others: at operations of a warp, and at barriers of a block.

Comes in: threads that arrive, with what they bring. Goes out: threads that go on, with what they
get. A `.sync` operation waits for every thread of its member mask that has not ended, wherever it
is; a barrier for all threads of the block, or for a count. It must know nothing of instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeAlias

import numpy as np

from ptxlift.interp.lanes import Lanes
from ptxlift.interp.state import DONE, RUNNING, WAITING, WARP, State
from ptxlift.records import dataclass, field

# slots, member masks, what each lane brings -> what each lane gets
Compute: TypeAlias = Callable[[State, Lanes, Lanes, list[Lanes]], list[Lanes]]
Deliver: TypeAlias = Callable[[State, Lanes, list[Lanes]], None]


@dataclass(slots=True)
class Arrival:
    """Threads that came by one instruction: where they go on and how they take results."""

    slots: Lanes
    values: list[Lanes]
    level: int
    registers: list[Lanes]
    deliver: Deliver
    following: int
    line: int  # source offset, for messages


@dataclass(slots=True)
class WarpWait:
    """Threads of one warp that wait with the same operation and the same mask."""

    mask: int
    compute: Compute
    arrivals: list[Arrival] = field(default_factory=list)


@dataclass(slots=True)
class BarrierWait:
    """Threads of one block at one barrier. `count`: threads expected, None for the whole block."""

    count: int | None
    arrivals: list[Arrival] = field(default_factory=list)
    passed: list[Lanes] = field(default_factory=list)  # who arrived without waiting


@dataclass(slots=True)
class Waiting:
    """All that wait in a batch."""

    warps: dict[tuple[int, Hashable, int], WarpWait] = field(default_factory=dict)
    barriers: dict[tuple[int, int], BarrierWait] = field(default_factory=dict)


def warp_words(state: State, slots: Lanes) -> Lanes:
    """For each warp the bits of the lanes among `slots`."""
    present = np.zeros(len(state.slots), np.bool_)
    present[slots] = True
    return np.packbits(present, bitorder="little").view(np.uint32)


def live_words(state: State) -> Lanes:
    """For each warp the bits of the lanes that have not ended."""
    return np.packbits(state.status != DONE, bitorder="little").view(np.uint32)


def wake(state: State, arrival: Arrival, results: list[Lanes]) -> None:
    """Hands the results to threads and lets them go on."""
    kept = state.level, state.registers
    state.level, state.registers = arrival.level, arrival.registers
    arrival.deliver(state, arrival.slots, results)
    state.level, state.registers = kept
    state.place[arrival.slots] = arrival.following
    state.depth[arrival.slots] = arrival.level
    state.status[arrival.slots] = RUNNING


def part_of(arrival: Arrival, chosen: Lanes) -> Arrival:
    """Some of the threads of an arrival."""
    values = [value[chosen] for value in arrival.values]
    return Arrival(
        arrival.slots[chosen],
        values,
        arrival.level,
        arrival.registers,
        arrival.deliver,
        arrival.following,
        arrival.line,
    )


def arrive_at_warp(
    state: State, key: Hashable, compute: Compute, masks: Lanes, arrival: Arrival
) -> bool:
    """Threads reach a `.sync` operation. True: all of them go on at once, with their results."""
    ready = _ready_alone(state, masks, arrival.slots)
    if ready.all():
        results = compute(state, arrival.slots, masks, arrival.values)
        arrival.deliver(state, arrival.slots, results)
        return True
    if ready.any():
        going = np.flatnonzero(ready)
        part = part_of(arrival, going)
        wake(state, part, compute(state, part.slots, masks[going], part.values))
    _park(state, key, compute, masks, arrival, np.flatnonzero(~ready))
    return False


def _ready_alone(state: State, masks: Lanes, slots: Lanes) -> Lanes:
    """Which lanes find everyone of their mask in this very group, with the same mask."""
    ready = np.zeros(len(slots), np.bool_)
    live = live_words(state)
    for mask in np.unique(masks):
        same = np.flatnonzero(masks == mask)
        warps = slots[same] // WARP
        present = warp_words(state, slots[same])
        missing = mask & live & ~present
        ready[same] = missing[warps] == 0
    return ready


def _park(
    state: State,
    key: Hashable,
    compute: Compute,
    masks: Lanes,
    arrival: Arrival,
    positions: Lanes,
) -> None:
    warps = arrival.slots // WARP
    state.status[arrival.slots[positions]] = WAITING
    pairs = {(int(warps[p]), int(masks[p])) for p in positions}
    for warp, mask in sorted(pairs):
        mine = positions[(warps[positions] == warp) & (masks[positions] == mask)]
        name = (warp, key, mask)
        wait = state.waiting.warps.setdefault(name, WarpWait(mask, compute))
        wait.arrivals.append(part_of(arrival, mine))
        _release_warp(state, name)


def _release_warp(state: State, name: tuple[int, Hashable, int]) -> None:
    """Lets a wait set go when nobody is missing."""
    wait = state.waiting.warps[name]
    slots = np.concatenate([arrival.slots for arrival in wait.arrivals])
    masks = np.full(len(slots), wait.mask, np.uint32)
    if not _ready_alone(state, masks, slots).all():
        return
    del state.waiting.warps[name]
    columns = zip(*(arrival.values for arrival in wait.arrivals), strict=True)
    values = [np.concatenate(column) for column in columns]
    results = wait.compute(state, slots, masks, values)
    start = 0
    for arrival in wait.arrivals:
        stop = start + len(arrival.slots)
        wake(state, arrival, [result[start:stop] for result in results])
        start = stop


def arrive_at_barrier(
    state: State, barrier: int, count: int | None, arrival: Arrival, waits: bool
) -> None:
    """Threads of one block reach a barrier; `waits` is false for `bar.arrive`."""
    block = int(state.block_of[arrival.slots[0]])
    name = (block, barrier)
    wait = state.waiting.barriers.setdefault(name, BarrierWait(count))
    if waits:
        state.status[arrival.slots] = WAITING
        wait.arrivals.append(arrival)
    else:
        wait.passed.append(arrival.slots)
    _release_barrier(state, name)


def _arrived(state: State, slots: Lanes, block: int) -> int:
    """Threads that arrived; a warp all of whose threads are there counts in full."""
    live = live_words(state)
    here = warp_words(state, slots)
    whole = (here != 0) & (live & ~here == 0)
    partial = here[~whole & (here != 0)]
    return WARP * int(whole.sum()) + sum(int(word).bit_count() for word in partial)


def _release_barrier(state: State, name: tuple[int, int]) -> None:
    wait = state.waiting.barriers[name]
    block = name[0]
    groups = [arrival.slots for arrival in wait.arrivals] + wait.passed
    slots = np.concatenate(groups)
    if wait.count is None:
        live = (state.block_of == block) & (state.status != DONE)
        if len(np.unique(slots)) < int(live.sum()):
            return
    elif _arrived(state, slots, block) < wait.count:
        return
    del state.waiting.barriers[name]
    note_meeting(state, slots)
    votes = [arrival.values[0] for arrival in wait.arrivals if arrival.values]
    total = [barrier_results(np.concatenate(votes))] if votes else []
    for arrival in wait.arrivals:
        wake(state, arrival, [t for results in total for t in results])


def note_meeting(state: State, slots: Lanes) -> None:
    """A barrier lets threads go; their blocks have met, where that is watched."""
    if state.watch is not None and state.watch.races is not None:
        state.watch.races.meet_blocks(state, slots)


def barrier_results(votes: Lanes) -> list[Lanes]:
    """Count, conjunction and disjunction of the predicates that came."""
    count = np.array([int(votes.sum())], np.uint32)
    return [count, np.array([bool(votes.all())]), np.array([bool(votes.any())])]


def retire(state: State, slots: Lanes) -> None:
    """Threads have ended: their warps and blocks wait for fewer."""
    waiting = state.waiting
    if waiting.warps:
        warps = set((slots // WARP).tolist())
        for name in [n for n in waiting.warps if n[0] in warps]:
            _release_warp(state, name)
    if waiting.barriers:
        blocks = set(state.block_of[slots].tolist())
        for key in [n for n in waiting.barriers if n[0] in blocks]:
            _release_barrier(state, key)
