"""Data races: two threads touch one byte, one of them writes, and nothing orders the two.

Comes in: accesses, barriers and fences, in the order the interpreter does them. Goes out: races,
one a pair of instructions. It must not know how an access is done.

Order is kept coarsely, so that programs that are right give nothing: a barrier orders all threads
of its block, also those that do not take part; `bar.warp.sync` the threads of its warp. Strong
accesses (atomics, mbarriers, `.volatile`, `.relaxed`, `.acquire`, `.release`) do not race with each
other. An access comes before a later one in another block or thread if its block did a fence or a
release after it, and after that the later thread, or for another block any thread of the later
block, did a fence or a strong access of its own. By the manual's chapter Memory Consistency Model
they would have to meet at one flag, so some races are missed; and asynchronous copies are done at
once, so that a missing wait for one is not seen.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict

import numpy as np

from ptxlift.interp.lanes import Lanes
from ptxlift.interp.memory import Region
from ptxlift.interp.state import WARP, State
from ptxlift.ptx import module as ptx
from ptxlift.records import dataclass

_STRONG_ROWS = ("atom", "red", "mbarrier", "cp_async_mbarrier")
_STRONG_WORDS = frozenset({"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"})
_RELEASES = frozenset({"release", "acq_rel"})
_RELEASE_UNSAID = ("mbarrier_arrive", "cp_async_mbarrier")  # unless `.relaxed` is said
_NOBODY = -1
_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Race:
    """`slot`, the thread that comes second, and `other`; `offset`: of a byte both touch."""

    first: ptx.Inst
    second: ptx.Inst
    slot: int
    other: int
    offset: int
    what: str
    does: str
    did: str


class _Last:
    """For each byte the last access of a kind, and the last by another thread than that one's."""

    def __init__(self, size: int) -> None:
        self.slots = [np.full(size, _NOBODY, np.int64) for _ in range(2)]
        self.times = [np.zeros(size, np.int64) for _ in range(2)]
        self.insts = [np.zeros(size, np.int32) for _ in range(2)]

    def note(self, places: Lanes, slots: Lanes, time: int, inst: int) -> None:
        """Lanes touch bytes; of several at one byte the last stays, and one of the others."""
        new = places[self.slots[0][places] != slots]
        for columns in (self.slots, self.times, self.insts):
            columns[1][new] = columns[0][new]
        self.slots[0][places], self.times[0][places] = slots, time
        self.insts[0][places] = inst
        lost = self.slots[0][places] != slots
        self.slots[1][places[lost]], self.times[1][places[lost]] = slots[lost], time
        self.insts[1][places[lost]] = inst


@dataclass(slots=True)
class _Shadow:
    """What is known of a region's bytes."""

    reads: _Last
    writes: _Last


class Races:
    """The memory of one launch. Slots count over the whole grid."""

    def __init__(self, blocks: int, padded: int) -> None:
        self._padded = padded
        self._time = 0
        self._shadows: dict[Region, _Shadow] = {}
        self._insts: list[ptx.Inst] = []
        self._numbers: dict[int, int] = {}  # by the instruction's start
        self._strong = np.zeros(0, np.bool_)
        self._block_met = np.zeros(blocks, np.int64)
        self._warp_met = np.zeros(blocks * padded // WARP, np.int64)
        self._thread_synced = np.zeros(blocks * padded, np.int64)
        self._block_synced = np.zeros(blocks, np.int64)
        self._fences: dict[int, list[int]] = defaultdict(list)  # times, by block
        self.found: dict[tuple[int, int, str], Race] = {}

    # ---- what orders ----

    def meet_blocks(self, state: State, slots: Lanes) -> None:
        """A barrier lets threads go: their whole blocks have met."""
        self._time += 1
        self._block_met[np.unique(state.block_of[slots]) + state.shape.first] = self._time

    def meet_warps(self, state: State, slots: Lanes) -> None:
        """`bar.warp.sync` lets threads go."""
        self._time += 1
        self._warp_met[np.unique(self._whole(state, slots) // WARP)] = self._time

    def fence(self, state: State, slots: Lanes) -> None:
        """Threads order what they did before what they do."""
        self._time += 1
        self._sync(self._whole(state, slots), releases=True)

    def _sync(self, slots: Lanes, releases: bool) -> None:
        blocks = slots // self._padded
        self._thread_synced[slots] = self._time
        self._block_synced[blocks] = self._time
        if releases:
            for block in np.unique(blocks).tolist():
                self._fences[block].append(self._time)

    def forget(self, region: Region) -> None:
        """The region is no memory any more."""
        self._shadows.pop(region, None)

    # ---- accesses ----

    def access(
        self, state: State, region: Region, first: Lanes, slots: Lanes, size: int, writes: bool
    ) -> None:
        """Lanes touch `size` bytes from `first`, as indices into the region's bytes."""
        inst = state.inst
        private = region is state.local_region or not region.writable
        if private or inst is None:
            return
        self._time += 1
        number = self._number(inst)
        whole = self._whole(state, slots)
        places = (first[:, np.newaxis] + np.arange(size)).reshape(-1)
        who = np.repeat(whole, size)
        shadow = self._shadow(region)
        if writes:
            self._compare(region, shadow.reads, places, who, number, "writes", "read")
        does = "writes" if writes else "reads"
        self._compare(region, shadow.writes, places, who, number, does, "wrote")
        (shadow.writes if writes else shadow.reads).note(places, who, self._time, number)
        if writes:  # of lanes that write one byte together, all but one find the other now
            self._compare(region, shadow.writes, places, who, number, "writes", "wrote")
        if self._strong[number]:
            self._sync(whole, _releases(inst))

    def _whole(self, state: State, slots: Lanes) -> Lanes:
        whole: Lanes = slots + state.shape.first * self._padded
        return whole

    def _shadow(self, region: Region) -> _Shadow:
        found = self._shadows.get(region)
        if found is None:
            size = len(region.data())
            found = self._shadows[region] = _Shadow(_Last(size), _Last(size))
        return found

    def _number(self, inst: ptx.Inst) -> int:
        number = self._numbers.get(inst.start)
        if number is None:
            number = self._numbers[inst.start] = len(self._insts)
            self._insts.append(inst)
            self._strong = np.append(self._strong, _is_strong(inst))
        return number

    def _compare(
        self,
        region: Region,
        last: _Last,
        places: Lanes,
        who: Lanes,
        number: int,
        does: str,
        did: str,
    ) -> None:
        for slots, times, insts in zip(last.slots, last.times, last.insts, strict=True):
            other, time, inst = slots[places], times[places], insts[places]
            open_ = (other != _NOBODY) & (other != who)
            if self._strong[number]:
                open_ &= ~self._strong[inst]
            if not open_.any():
                continue
            open_ &= ~self._have_met(other, who, time)
            for at in self._one_each(np.flatnonzero(open_), other, who, time, inst):
                key = (int(inst[at]), number, region.what)
                if key not in self.found:
                    self.found[key] = Race(
                        self._insts[key[0]], self._insts[number], int(who[at]), int(other[at]),
                        int(places[at]) % (region.stride or _NEVER), region.what, does, did,
                    )  # fmt: skip

    def _have_met(self, other: Lanes, who: Lanes, time: Lanes) -> Lanes:
        """Whether a barrier lies between accesses."""
        block, warp = who // self._padded, who // WARP
        same_block, same_warp = other // self._padded == block, other // WARP == warp
        met: Lanes = same_block & (time < self._block_met[block])
        met |= same_warp & (time < self._warp_met[warp])
        return met

    def _one_each(self, at: Lanes, other: Lanes, who: Lanes, time: Lanes, inst: Lanes) -> list[int]:
        """Of the open places those that no fence orders either, one an earlier instruction."""
        chosen: dict[int, int] = {}
        for place in at.tolist():
            earlier = int(inst[place])
            if earlier not in chosen and not self._is_fenced(
                int(other[place]), int(who[place]), int(time[place]), earlier
            ):
                chosen[earlier] = place
        return list(chosen.values())

    def _is_fenced(self, other: int, who: int, time: int, inst: int) -> bool:
        block, mine = other // self._padded, who // self._padded
        fences = self._fences[block]
        after = bisect_left(fences, time)
        released = fences[after] if after < len(fences) else _NEVER
        if self._strong[inst]:
            released = time
        synced = self._thread_synced[who] if block == mine else self._block_synced[mine]
        return released < int(synced)


def _is_strong(inst: ptx.Inst) -> bool:
    words = set(inst.form.values.values())
    return inst.form.name.startswith(_STRONG_ROWS) or bool(words & _STRONG_WORDS)


def _releases(inst: ptx.Inst) -> bool:
    words = set(inst.form.values.values())
    unsaid = inst.form.name.startswith(_RELEASE_UNSAID) and "relaxed" not in words
    return unsaid or bool(words & _RELEASES)
