"""Several registers gathered from several registers of other lanes, with few moves.

Comes in: for each wanted register and each lane, which lane's which register it is. Goes out: IR.
Taken one by one, a wanted register needs a move for each register it takes from. Together, as many
moves as there are wanted registers are enough: in each round a lane gives the one register that is
asked of it and gets a value for one of its registers; which one follows from round and lane by
exclusive-or. It must know nothing of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from ptxlift.ir.core import Value
from ptxlift.ir.exchange import LANES, Exchange, Place

Places = tuple[Place | None, ...]
_MOVE = {LANES: 3, 2 * LANES: 8}  # cost of a move in a warp and in a wave, a choice being 1


@dataclass(frozen=True, slots=True)
class _Plan:
    """`turns[lane]`: in round k the lane gets a value for its register k ^ turns[lane]."""

    turns: tuple[int, ...]
    cost: int


def redistribute(
    exchange: Exchange, registers: Sequence[Value], wants: Sequence[Places]
) -> list[Value]:
    """The wanted registers; `wants[number][lane]` says which register of which lane, None: any."""
    plan = _best_plan(tuple(wants))
    if plan is None:
        return [exchange.fetch(registers, places) for places in wants]
    rounds = [_round(exchange, registers, wants, plan, k) for k in range(len(wants))]
    return [_collected(exchange, rounds, plan, number) for number in range(len(wants))]


def _round(
    exchange: Exchange,
    registers: Sequence[Value],
    wants: Sequence[Places],
    plan: _Plan,
    k: int,
) -> Value:
    """What every lane gets in one round."""
    asked = [wants[k ^ turn][lane] for lane, turn in enumerate(plan.turns)]
    givers: dict[int, set[int]] = {}
    for place in asked:
        if place is not None:
            givers.setdefault(place.register, set()).add(place.lane)
    given = _chosen(exchange, [(registers[r], sorted(lanes)) for r, lanes in givers.items()])
    return exchange.permute(given, tuple(None if p is None else p.lane for p in asked))


def _collected(exchange: Exchange, rounds: Sequence[Value], plan: _Plan, number: int) -> Value:
    """A wanted register, of which lanes got their parts in different rounds."""
    by_turn: dict[int, list[int]] = {}
    for lane, turn in enumerate(plan.turns):
        by_turn.setdefault(turn, []).append(lane)
    return _chosen(exchange, [(rounds[number ^ turn], lanes) for turn, lanes in by_turn.items()])


def _chosen(exchange: Exchange, parts: Sequence[tuple[Value, list[int]]]) -> Value:
    """For some lanes one value, for others another."""
    value = parts[0][0]
    for other, lanes in parts[1:]:
        value = exchange.builder.select(exchange.is_one_of(lanes), other, value)
    return value


# ---- plans ----


@cache
def _best_plan(wants: tuple[Places, ...]) -> _Plan | None:
    """The cheapest plan, None where one by one is cheaper. Once a process for each layout."""
    count, lanes = len(wants), len(wants[0])
    move = _MOVE[lanes]
    alone = sum(len(_registers(places)) * (move + 1) - 1 for places in wants)
    best = _Plan((), alone)
    if count & (count - 1) or any(None in places for places in wants):
        return None
    for turns in _turns(count, lanes):
        cost = _cost(wants, turns, move)
        if cost is not None and cost < best.cost:
            best = _Plan(turns, cost)
    return best if best.turns else None


def _turns(count: int, lanes: int) -> Iterator[tuple[int, ...]]:
    """Ways to turn: each bit of the register's number by one bit of the lane's, or not at all."""
    lane_bits: list[int | None] = [None, *range(lanes.bit_length() - 1)]
    for chosen in product(lane_bits, repeat=count.bit_length() - 1):
        yield tuple(
            sum((lane >> bit & 1) << at for at, bit in enumerate(chosen) if bit is not None)
            for lane in range(lanes)
        )


def _cost(wants: Sequence[Places], turns: Sequence[int], move: int) -> int | None:
    """Of a plan; None if a lane would have to give two registers in one round."""
    total = len(wants) * (move + len(set(turns)) - 1)
    for k in range(len(wants)):
        gives: dict[int, int] = {}
        for lane, turn in enumerate(turns):
            place = wants[k ^ turn][lane]
            if place is not None and gives.setdefault(place.lane, place.register) != place.register:
                return None
        total += len(set(gives.values())) - 1
    return total


def _registers(places: Places) -> set[int]:
    return {place.register for place in places if place is not None}
