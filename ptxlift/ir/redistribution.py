"""Several registers gathered from several registers of other lanes, with few moves.

Comes in: for each wanted register and each lane, which lane's which register it is. Goes out: IR.
Taken one by one, a wanted register needs a move for each register it takes from. Together, as many
moves as there are wanted registers are enough: in each round a lane gives the one register that is
asked of it and gets a value for one of its registers; which one follows from round and lane by
exclusive-or. So all rounds' values are chosen together: for each bit of the number, registers whose
numbers differ in it change places in some lanes. It must know nothing of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

from ptxlift.ir.bit_moves import BitMoves, bit_moves
from ptxlift.ir.core import Value
from ptxlift.ir.exchange import LANES, Exchange, Place
from ptxlift.records import dataclass

Places = tuple[Place | None, ...]
_MOVE = {LANES: 3, 2 * LANES: 8}  # cost of a move in a warp and in a wave, a choice being 1
_ROW = 16  # lanes; in a warp, a move within all rows, or between them, costs 1


Lanes = frozenset[int]


@dataclass(frozen=True, slots=True)
class _Exchanges:
    """Registers change places with those whose number differs in bit j, in lanes `swaps[j]`; the
    value of round k is then at `places[k]`.
    """

    swaps: tuple[Lanes, ...]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    """`turns[lane]`: in round k the lane gets a value for its register k ^ turns[lane]. `given`:
    how lanes come by what they give, if all rounds do so together.
    """

    turns: tuple[int, ...]
    given: _Exchanges | None
    cost: int


def redistribute(
    exchange: Exchange, registers: Sequence[Value], wants: Sequence[Places]
) -> list[Value]:
    """The wanted registers; `wants[number][lane]` says which register of which lane, None: any."""
    plan = _best_plan(tuple(wants), len(registers))
    if isinstance(plan, BitMoves):
        return plan.run(exchange, registers)
    if plan is None:
        return [exchange.fetch(registers, places) for places in wants]
    if plan.given is not None:
        ready = _exchanged(exchange, registers, plan.given.swaps)
        given = [ready[place] for place in plan.given.places]
    else:
        given = [_given(exchange, registers, wants, plan, k) for k in range(len(wants))]
    rounds = [
        exchange.permute(value, _sources(wants, plan.turns, k)) for k, value in enumerate(given)
    ]
    return _exchanged(exchange, rounds, _swaps(plan.turns, len(wants)))


def _exchanged(exchange: Exchange, values: Sequence[Value], swaps: Sequence[Lanes]) -> list[Value]:
    """Values that changed places; see `_Exchanges`."""
    found = list(values)
    for bit, lanes in enumerate(swaps):
        if lanes:
            inside = exchange.is_one_of(sorted(lanes))
            found = [
                exchange.builder.select(inside, found[at ^ 1 << bit], value)
                for at, value in enumerate(found)
            ]
    return found


def _asked(wants: Sequence[Places], turns: Sequence[int], k: int) -> list[Place | None]:
    """What each lane gets in a round."""
    return [wants[k ^ turn][lane] for lane, turn in enumerate(turns)]


def _sources(wants: Sequence[Places], turns: Sequence[int], k: int) -> tuple[int | None, ...]:
    return tuple(None if p is None else p.lane for p in _asked(wants, turns, k))


def _given(
    exchange: Exchange, registers: Sequence[Value], wants: Sequence[Places], plan: _Plan, k: int
) -> Value:
    """What every lane gives in one round, chosen by itself."""
    givers: dict[int, set[int]] = {}
    for place in _asked(wants, plan.turns, k):
        if place is not None:
            givers.setdefault(place.register, set()).add(place.lane)
    parts = list(givers.items())
    value = registers[parts[0][0]]
    for register, lanes in parts[1:]:
        inside = exchange.is_one_of(sorted(lanes))
        value = exchange.builder.select(inside, registers[register], value)
    return value


def _swaps(turns: Sequence[int], count: int) -> tuple[Lanes, ...]:
    """In which lanes each bit of a register's number is turned."""
    return tuple(
        frozenset(lane for lane, turn in enumerate(turns) if turn >> bit & 1)
        for bit in range(count.bit_length() - 1)
    )


# ---- plans ----


@cache
def _best_plan(wants: tuple[Places, ...], registers: int) -> _Plan | BitMoves | None:
    """The cheapest plan, None where one by one is cheaper. Once a process for each layout."""
    count, lanes = len(wants), len(wants[0])
    move = _MOVE[lanes]
    alone = sum(len(_registers(places)) * (move + 1) - 1 for places in wants)
    best = _Plan((), None, alone)
    if count & (count - 1) or any(None in places for places in wants):
        return None
    for turns in _turns(count, lanes):
        plan = _plan(wants, registers, turns)
        if plan is not None and plan.cost < best.cost:
            best = plan
    moves = bit_moves(wants, registers)
    if moves is not None and moves.cost < best.cost:
        return moves
    return best if best.turns else None


def _turns(count: int, lanes: int) -> Iterator[tuple[int, ...]]:
    """Ways to turn: each bit of the register's number by one bit of the lane's, or not at all."""
    lane_bits: list[int | None] = [None, *range(lanes.bit_length() - 1)]
    for chosen in product(lane_bits, repeat=count.bit_length() - 1):
        yield tuple(
            sum((lane >> bit & 1) << at for at, bit in enumerate(chosen) if bit is not None)
            for lane in range(lanes)
        )


def _move_cost(sources: Sequence[int | None]) -> int:
    """Of one move, about."""
    distances = {lane ^ at for lane, at in enumerate(sources) if at is not None}
    if distances <= {0}:
        return 0
    if len(sources) == LANES and len({distance // _ROW for distance in distances}) == 1:
        return 1
    return _MOVE[len(sources)]


def _plan(wants: Sequence[Places], registers: int, turns: tuple[int, ...]) -> _Plan | None:
    """The plan with these turns; None if a lane would have to give two registers in a round."""
    gives: list[dict[int, int]] = []
    for k in range(len(wants)):
        given: dict[int, int] = {}
        for place in _asked(wants, turns, k):
            if place is not None and given.setdefault(place.lane, place.register) != place.register:
                return None
        gives.append(given)
    collecting = len(wants) * sum(map(bool, _swaps(turns, len(wants))))
    alone = sum(len(set(given.values())) - 1 for given in gives)
    together = _together(gives, registers)
    best = alone
    if together is not None:
        best = min(alone, registers * sum(map(bool, together.swaps)))
    chosen = together if best < alone else None
    moving = sum(_move_cost(_sources(wants, turns, k)) for k in range(len(wants)))
    return _Plan(turns, chosen, moving + collecting + best)


def _together(gives: Sequence[dict[int, int]], registers: int) -> _Exchanges | None:
    """How all rounds' values are chosen together; `gives[k][lane]` is the register that is given.
    None where a register's number is not that of a round with bits turned by lane.
    """
    swaps: list[Lanes] = []
    places = [0] * len(gives)
    if registers & (registers - 1):
        return None
    for bit in range(registers.bit_length() - 1):
        found = _parted([{lane: r >> bit & 1 for lane, r in given.items()} for given in gives])
        if found is None:
            return None
        of_round, of_lane = found
        swaps.append(frozenset(lane for lane, truth in of_lane.items() if truth))
        places = [place | truth << bit for place, truth in zip(places, of_round, strict=True)]
    return _Exchanges(tuple(swaps), tuple(places))


def _parted(table: Sequence[dict[int, int]]) -> tuple[list[int], dict[int, int]] | None:
    """Truths of rounds and lanes of which the table's are exclusive-ors."""
    of_round: dict[int, int] = {}
    of_lane: dict[int, int] = {}
    for start, row in enumerate(table):
        if start in of_round:
            continue
        known = {truth ^ of_lane[lane] for lane, truth in row.items() if lane in of_lane}
        if len(known) > 1:
            return None
        of_round[start] = known.pop() if known else 0
        for lane, truth in row.items():
            of_lane.setdefault(lane, truth ^ of_round[start])
    consistent = all(
        of_round[k] ^ of_lane[lane] == truth
        for k, row in enumerate(table)
        for lane, truth in row.items()
    )
    return ([of_round[k] for k in range(len(table))], of_lane) if consistent else None


def _registers(places: Places) -> set[int]:
    return {place.register for place in places if place is not None}
