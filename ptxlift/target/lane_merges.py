"""Moves that each serve some lanes, put together so that all are served.

Comes in: moves of one value, and the lanes (a bit each) that they serve. Goes out: the cheapest
direct program: a first move, then moves that write only lanes they serve. It must know no chip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ptxlift.target.lane_steps import COPY, Program, Step
from ptxlift.target.permutes import Unit

_SHARED_SWAP = 2.0  # the second result of a swap that is there is free


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
        if cost >= self._limit:
            return
        if not rest:
            self._best, self._limit = chosen, cost
            return
        lowest = rest & -rest
        for move in self._merges:
            more = cost + move.cost - _shared(chosen[0].step, move.step)
            if move.serves & lowest and more < self._limit:
                self._extend((*chosen, move), more, rest & ~move.serves)


def _shared(first: Step, second: Step) -> float:
    """What a move costs less after another."""
    both = {first.unit, second.unit}
    return _SHARED_SWAP if both == {Unit.LOWER, Unit.UPPER} else 0


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
