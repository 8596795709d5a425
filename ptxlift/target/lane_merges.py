"""Moves that each serve some lanes, put together so that all are served.

Comes in: moves of one value, and the lanes (a bit each) that they serve. Goes out: the cheapest
direct program: a first move, then moves that write only lanes they serve. It must know no chip.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.records import dataclass, replace
from ptxlift.target.lane_steps import COPY, Program, Step
from ptxlift.target.permutes import Unit

_SHARED_SWAP = 2.0  # the second result of a swap that is there is free
_PARTNER = {Unit.LOWER: Unit.UPPER, Unit.UPPER: Unit.LOWER}


@dataclass(frozen=True, slots=True)
class Move:
    """A step over what comes in, which lanes (a bit each) it serves, and what it costs."""

    step: Step
    serves: int
    cost: float


class Merger:
    """Finds a first move and merges after it that together serve all needed lanes."""

    def __init__(self, merges: Sequence[Move], needed: int, limit: float) -> None:
        self._merges = sorted(merges, key=_move_cost)
        self._serving: dict[int, list[Move]] = {}  # by lane
        self._least = self._merges[0].cost if self._merges else 0
        self._needed = needed
        self._limit = limit
        self._best: tuple[Move, ...] | None = None

    def run(self, moves: Sequence[Move], own: int) -> Program | None:
        """The cheapest program below the limit."""
        start = Move(Step(Unit.CHOICE, 0), own, COPY)  # stands for the value itself
        for first in [*([start] if own else []), *moves]:
            self._extend((first,), first.cost, self._needed & ~first.serves)
        return None if self._best is None else _assembled(self._best, self._limit, start)

    def _extend(self, chosen: tuple[Move, ...], cost: float, rest: int) -> None:
        if not rest:
            if cost < self._limit:
                self._best, self._limit = chosen, cost
            return
        shared = _PARTNER.get(chosen[0].step.unit)
        if shared is None and cost + self._least >= self._limit:
            return
        for move in self._serving_lane(rest & -rest):
            more = cost + move.cost - _SHARED_SWAP * (move.step.unit is shared)
            if more < self._limit:
                self._extend((*chosen, move), more, rest & ~move.serves)

    def _serving_lane(self, lane: int) -> list[Move]:
        found = self._serving.get(lane)
        if found is None:
            found = self._serving[lane] = [m for m in self._merges if m.serves & lane]
        return found


def _assembled(chosen: tuple[Move, ...], cost: float, start: Move) -> Program:
    """The steps of a first move and merges."""
    steps: list[Step] = []
    current = 0
    if chosen[0] is not start:
        steps.append(chosen[0].step)
        current = 1
    for move in chosen[1:]:
        if move.step.old is not None or move.step.unit is Unit.CHOICE:
            steps.append(replace(move.step, old=current))
        else:
            steps.append(move.step)
            steps.append(Step(Unit.CHOICE, move.serves, len(steps), current))
        current = len(steps)
    return Program(tuple(steps), cost)


def _move_cost(move: Move) -> float:
    return move.cost
