"""Moves between lanes and registers that only permute the bits of where a value is.

Comes in: wants, for each register and lane a place, as in redistribution.py. Goes out: a list of
steps, if every bit of a source's lane and register is one bit of the destination's: places of a
lane's bit and a register's bit are exchanged, or those of two lanes' bits, until all are right. It
must know nothing of matrices.

A lane's bit for a register's costs a choice for each register, with the move as its operand; within
rows of 16 lanes that is one instruction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from heapq import heappop, heappush

from ptxlift.ir.core import Value
from ptxlift.ir.exchange import LANES, Exchange, Place
from ptxlift.records import dataclass

Places = tuple[Place | None, ...]

_LANE_BITS = LANES.bit_length() - 1
_ROW_BIT = _LANE_BITS - 1  # moves between rows of 16 lanes are instructions of their own
_FIRST, _SECOND = 0x3210, 0x7654  # prmt selectors


@dataclass(frozen=True, slots=True)
class Swap:
    """Two positions of bits: those below `_LANE_BITS` are the lane's, the others the register's."""

    low: int
    high: int

    @property
    def cost(self) -> float:
        """For each register."""
        if self.low >= _LANE_BITS:
            return 0
        return 2 if _ROW_BIT in (self.low, self.high) else 1


@dataclass(frozen=True, slots=True)
class BitMoves:
    """`swaps`: exchanges in their order. `spread`: whether the lane's highest bit then becomes the
    register's highest one, both rows having all registers.
    """

    swaps: tuple[Swap, ...]
    spread: bool
    registers: int

    @property
    def cost(self) -> float:
        return self.registers * (sum(swap.cost for swap in self.swaps) + 3 * self.spread)

    def run(self, exchange: Exchange, registers: Sequence[Value]) -> list[Value]:
        """The wanted registers."""
        found = list(registers)
        for swap in self.swaps:
            found = _swapped(exchange, found, swap)
        return _spread(exchange, found) if self.spread else found


def _others(exchange: Exchange, values: Sequence[Value], mask: int) -> list[Value]:
    sources = tuple(lane ^ mask for lane in range(LANES))
    return [exchange.permute(value, sources) for value in values]


def _with_bit(exchange: Exchange, bit: int) -> Value:
    return exchange.is_one_of([lane for lane in range(LANES) if lane >> bit & 1])


def _swapped(exchange: Exchange, values: list[Value], swap: Swap) -> list[Value]:
    low, high = swap.low, swap.high
    if low >= _LANE_BITS:
        first, second = (1 << position - _LANE_BITS for position in (low, high))
        both = first | second
        return [
            values[at ^ both if bool(at & first) != bool(at & second) else at]
            for at in range(len(values))
        ]
    if high < _LANE_BITS:
        return _lanes_swapped(exchange, values, swap)
    bit, others = 1 << high - _LANE_BITS, _others(exchange, values, 1 << low)
    choose = _chosen_bytes if low < _ROW_BIT and values[0].width == 32 else _chosen
    return choose(exchange, values, [others[at ^ bit] for at in range(len(values))], low, bit)


def _chosen(
    exchange: Exchange, own: Sequence[Value], others: Sequence[Value], low: int, bit: int
) -> list[Value]:
    """Of each register the own value or the other one: that whose lane's and register's bits are
    the same is kept.
    """
    b, inside = exchange.builder, _with_bit(exchange, low)
    return [
        b.select(inside, *((mine, other) if at & bit else (other, mine)))
        for at, (mine, other) in enumerate(zip(own, others, strict=True))
    ]


def _chosen_bytes(
    exchange: Exchange, own: Sequence[Value], others: Sequence[Value], low: int, bit: int
) -> list[Value]:
    """The same by selecting bytes: the other value may be an operand that DPP moves."""
    b, inside = exchange.builder, _with_bit(exchange, low)
    first, second = (exchange.const(32, selector) for selector in (_FIRST, _SECOND))
    lower, upper = b.select(inside, second, first), b.select(inside, first, second)
    return [
        b.prmt(mine, other, upper if at & bit else lower)
        for at, (mine, other) in enumerate(zip(own, others, strict=True))
    ]


def _lanes_swapped(exchange: Exchange, values: list[Value], swap: Swap) -> list[Value]:
    low, high = swap.low, swap.high
    if high < _ROW_BIT:
        differ = [(lane >> low ^ lane >> high) & 1 for lane in range(LANES)]
        both = 1 << low | 1 << high
        sources = tuple(lane ^ both if differ[lane] else lane for lane in range(LANES))
        return [exchange.permute(value, sources) for value in values]
    differing = [lane for lane in range(LANES) if (lane >> low ^ lane >> high) & 1]
    inside = exchange.is_one_of(differing)
    others = _others(exchange, values, 1 << low | 1 << high)
    return [
        exchange.builder.select(inside, other, value)
        for other, value in zip(others, values, strict=True)
    ]


def _spread(exchange: Exchange, values: list[Value]) -> list[Value]:
    b, upper = exchange.builder, _with_bit(exchange, _ROW_BIT)
    pairs = list(zip(values, _others(exchange, values, 1 << _ROW_BIT), strict=True))
    return [
        *(b.select(upper, other, value) for value, other in pairs),
        *(b.select(upper, value, other) for value, other in pairs),
    ]


# ---- finding them ----


@cache
def bit_moves(wants: tuple[Places, ...], registers: int) -> BitMoves | None:
    """The cheapest moves of that kind; None if there are none."""
    count = len(wants)
    if len(wants[0]) != LANES or count & (count - 1) or registers & (registers - 1):
        return None
    sources = _source_bits(wants, registers)
    if sources is None or count not in (registers, 2 * registers):
        return None
    spread = count == 2 * registers
    if spread:
        # Before the last step, what is to be the highest bit of the register is that of the row.
        top = _LANE_BITS + count.bit_length() - 2
        if _ROW_BIT in sources:
            return None
        sources = tuple(_ROW_BIT if position == top else position for position in sources)
    if len(set(sources)) < len(sources):
        return None
    return BitMoves(_cheapest(sources), spread, registers)


def _source_bits(wants: Sequence[Places], registers: int) -> tuple[int, ...] | None:
    """For each bit of a source, the destination's bit that it is."""
    positions = _LANE_BITS + len(wants).bit_length() - 1
    table: dict[int, int] = {}
    for number, places in enumerate(wants):
        for lane, place in enumerate(places):
            if place is None:
                return None
            table[number << _LANE_BITS | lane] = place.register << _LANE_BITS | place.lane
    found: list[int] = []
    for bit in range(_LANE_BITS + registers.bit_length() - 1):
        same = [
            position
            for position in range(positions)
            if all(at >> position & 1 == source >> bit & 1 for at, source in table.items())
        ]
        if not same:
            return None
        found.append(same[0])
    return tuple(found)


def _cheapest(targets: tuple[int, ...]) -> tuple[Swap, ...]:
    """Swaps after which what was at each position is at its target.

    Swaps of two register bits cost nothing and come last, so that the search (A*) tells states
    apart by the lane's bits alone.
    """
    start = tuple(range(len(targets)))
    goal = tuple(map(targets.index, start))  # what is to be at each position
    lanes = [position for position in start[:_LANE_BITS] if goal[position] != position]
    others = [position for position in start[_LANE_BITS:] if goal[position] != position]
    swaps_of_lanes = [Swap(low, high) for at, low in enumerate(lanes) for high in lanes[at + 1 :]]
    swaps_of_lanes += [Swap(low, high) for low in lanes for high in others]
    work: list[tuple[float, int, float, tuple[int, ...], tuple[Swap, ...]]] = []
    heappush(work, (0, 0, 0, start, ()))
    done: set[tuple[int, ...]] = set()
    number = 0
    while work:
        _, _, cost, places, swaps = heappop(work)
        lane_bits = places[:_LANE_BITS]
        if lane_bits == goal[:_LANE_BITS]:
            return (*swaps, *_registers_put_right(places, goal))
        if lane_bits in done:
            continue
        done.add(lane_bits)
        for swap in swaps_of_lanes:
            number += 1
            after, spent = _after(places, swap), cost + swap.cost
            least = spent + _least_cost(after, goal)
            heappush(work, (least, number, spent, after, (*swaps, swap)))
    raise AssertionError("swaps make every permutation")


def _after(places: tuple[int, ...], swap: Swap) -> tuple[int, ...]:
    turned = list(places)
    turned[swap.low], turned[swap.high] = places[swap.high], places[swap.low]
    return tuple(turned)


def _least_cost(places: tuple[int, ...], goal: tuple[int, ...]) -> float:
    """No swaps cost less: one brings at most one bit from the register to the lane, and puts at
    most two of the lane's right.
    """
    wrong = [at for at in range(_LANE_BITS) if places[at] != goal[at]]
    from_registers = sum(goal[at] not in places[:_LANE_BITS] for at in wrong)
    return max(from_registers, len(wrong) / 2 + (_ROW_BIT in wrong))


def _registers_put_right(places: tuple[int, ...], goal: tuple[int, ...]) -> Iterator[Swap]:
    for position in range(_LANE_BITS, len(goal)):
        if places[position] != goal[position]:
            swap = Swap(position, places.index(goal[position]))
            yield swap
            places = _after(places, swap)
