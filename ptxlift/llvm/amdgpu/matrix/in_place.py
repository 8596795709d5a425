"""ldmatrix in place: loads of just what each lane of a matrix instruction needs.

Comes in: an input's layout and the ldmatrix results it is made of. Goes out: IR. Lanes fetch the
addresses of the rows they need instead of the contents. It must not know which inputs those are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Op, Value
from ptxlift.ir.exchange import LANES, Exchange, Place
from ptxlift.ir.thread_values import Spread, ThreadValues
from ptxlift.llvm.amdgpu.matrix.cores import SIDE
from ptxlift.llvm.amdgpu.matrix.layout import Layout, Places, Side
from ptxlift.records import dataclass
from ptxlift.rewrite.matrix.load import ROWS

_WIDEST = 4  # words of one load
# prmt selectors: the lower halves of the own and the other word; the upper ones, the other's first.
_LOW_OF_EVEN, _HIGH_OF_ODD = 0x5410, 0x3276

Loaded = dict[tuple[int, int, int], Value]  # warp, step, word


@dataclass(frozen=True, slots=True)
class Input:
    """One side of a product: `registers` of fragments; of b, those of all products side by side.
    `linear`: words of a row lie in the order of K.
    """

    registers: tuple[Value, ...]
    layout: Layout
    side: Side
    linear: bool

    @property
    def words(self) -> list[tuple[int, int, int]]:
        """Warp, step and word of each input register."""
        layout = self.layout
        return [
            (warp, step, word)
            for warp in range(layout.warps)
            for step in range(layout.steps)
            for word in range(layout.words(self.side))
        ]

    def places(self, warp: int, step: int) -> list[Places]:
        """What the input registers of one instruction hold."""
        words = range(self.layout.words(self.side))
        return [self.layout.places(self.side, warp, step, word, self.linear) for word in words]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Where a register comes from: an ldmatrix and the number of its matrix."""

    load: Op
    number: int


class Addresses:
    """Addresses that were made in a block, with what they are in all threads: others differ from
    them by a constant only.
    """

    def __init__(self, values: ThreadValues) -> None:
        self.values = values
        self._made: dict[tuple[Exchange, str], list[tuple[Spread, Value]]] = {}

    def find(self, exchange: Exchange, wanted: Spread, make: Callable[[], Value]) -> Value:
        known = self._made.setdefault((exchange, wanted.symbol), [])
        for spread, value in known:
            distances = {a - b for a, b in zip(wanted.numbers, spread.numbers, strict=True)}
            if len(distances) == 1:
                distance = distances.pop() % (1 << 32)
                return exchange.builder.add(value, exchange.const(32, distance))
        known.append((wanted, make()))
        return known[-1][1]


class InPlaceLoads:
    """Writes the loads of one input."""

    def __init__(
        self,
        wanted: Input,
        matrices: Sequence[Matrix],
        exchange: Exchange,
        value: Callable[[Value], Value],
        addresses: Addresses,
    ) -> None:
        self._input, self._layout = wanted, wanted.layout
        self._exchange = exchange
        loads = list(dict.fromkeys(matrix.load for matrix in matrices))
        self._rows = [value(load.operands[0]) for load in loads]
        self._spreads = [addresses.values.of(load.operands[0]) for load in loads]
        self._addresses = addresses
        self._where = [(loads.index(m.load), m.number) for m in matrices]
        self._transposed = bool(loads[0].attr("transposed"))

    def run(self) -> Loaded:
        """All input registers."""
        loaded: Loaded = {}
        for warp in range(self._layout.warps):
            for step in range(self._layout.steps):
                for word, values in self._runs(warp, step):
                    for number, value in enumerate(values):
                        loaded[warp, step, word + number] = value
        return loaded

    def _runs(self, warp: int, step: int) -> Iterator[tuple[int, list[Value]]]:
        """Words that follow each other in memory, loaded together."""
        places = self._input.places(warp, step)
        if self._transposed and are_alike_in_halves(self._layout, places):
            loaded = halves_loaded(self._exchange, places, lambda at: self._load(at, 1)[0])
            yield from ((word, [value]) for word, value in loaded.items())
            return
        at, words = 0, len(places)
        while at < words:
            count = 1
            while not self._transposed and at + count < words and count < _WIDEST:
                if not _follow(places[at], places[at + count], count):
                    break
                count += 1
            count = 1 << (count.bit_length() - 1)
            yield at, self._load(places[at], count)
            at += count

    def _load(self, places: Places, count: int) -> list[Value]:
        wanting = [lane for lane, place in enumerate(places) if place is not None]
        zero = self._exchange.const(32, 0)
        if not wanting:
            return [zero] * count
        values = [self._pair(places)] if self._transposed else self._plain(places, count)
        if len(wanting) == len(places):
            return values
        inside = self._exchange.is_one_of(wanting)
        return [self._exchange.builder.select(inside, value, zero) for value in values]

    def _plain(self, places: Places, count: int) -> list[Value]:
        """Neighbours in a row: lane 4g + t of a matrix has word t of row g."""
        offsets = [0 if p is None else 4 * (p.lane % 4) for p in places]
        address = self._address(places, lambda lane: lane % LANES // 4, offsets)
        return self._exchange.builder.load(address, Space.SHARED, 32, count, 4 * count)

    def _pair(self, places: Places) -> Value:
        """Neighbours in a column: lane 4g + t has rows 2t and 2t + 1 of column g."""
        near = self._layout.near(self._input.side, 1)
        if _are_columns_together(places, near):
            return self._pair_of_two(places, near)
        b = self._exchange.builder
        offsets = [0 if p is None else 2 * (p.lane % LANES // 4) for p in places]
        rows = (lambda lane: 2 * (lane % 4)), (lambda lane: 2 * (lane % 4) + 1)
        addresses = [self._address(places, row, offsets) for row in rows]
        return b.pack([b.load(address, Space.SHARED, 16, 1, 2)[0] for address in addresses])

    def _pair_of_two(self, places: Places, near: int) -> Value:
        """The same where lanes whose numbers differ by `near` want neighbouring columns: each of
        them loads both elements of one of the rows.
        """
        exchange = self._exchange
        b = exchange.builder
        offsets = [0 if p is None else 4 * (p.lane % LANES // 8) for p in places]
        address = self._address(places, lambda lane: 2 * (lane % 4) + (lane // 4 & 1), offsets)
        (own,) = b.load(address, Space.SHARED, 32, 1, 4)
        lanes = range(exchange.lanes)
        other = exchange.permute(own, tuple(lane ^ near for lane in lanes))
        odd = exchange.is_one_of([lane for lane in lanes if lane & near])
        halves = (exchange.const(32, _HIGH_OF_ODD), exchange.const(32, _LOW_OF_EVEN))
        return b.prmt(own, other, b.select(odd, *halves))

    def _address(
        self, places: Places, row_of: Callable[[int], int], offsets: Sequence[int]
    ) -> Value:
        """The address of the row that each lane needs, and its offset there."""
        wanted: list[Place | None] = []
        for place in places:
            if place is None:
                wanted.append(None)
                continue
            load, number = self._where[place.register]
            lane = place.lane // LANES * LANES + ROWS * number + row_of(place.lane)
            wanted.append(Place(lane, load))

        def made() -> Value:
            address = self._exchange.fetch(self._rows, wanted)
            return self._exchange.builder.add(address, self._exchange.number(offsets))

        known = self._spread(wanted, offsets)
        return made() if known is None else self._addresses.find(self._exchange, known, made)

    def _spread(self, wanted: Sequence[Place | None], offsets: Sequence[int]) -> Spread | None:
        """An address in all threads; None if it is not known."""
        symbols, numbers = set(), []
        threads = self._addresses.values.threads
        if threads % len(wanted):
            return None
        for wave in range(0, threads, len(wanted)):
            for place, offset in zip(wanted, offsets, strict=True):
                spread = None if place is None else self._spreads[place.register]
                if place is None or spread is None:
                    return None
                symbols.add(spread.symbol)
                numbers.append(spread.numbers[wave + place.lane] + offset)
        return Spread(tuple(numbers), symbols.pop()) if len(symbols) == 1 else None


def _follow(first: Places, later: Places, distance: int) -> bool:
    """Whether in every lane the later word lies so many words behind the first, in one row."""
    for before, after in zip(first, later, strict=True):
        if before is None or after is None:
            if before is not after:
                return False
            continue
        near = before.lane % 4 + distance < 4 and after.lane == before.lane + distance
        if not near or before.register != after.register:
            return False
    return True


def _are_columns_together(places: Places, near: int) -> bool:
    """Whether lanes that differ by `near` want the columns 2j and 2j + 1 of the same rows."""
    for lane, even in enumerate(places):
        if lane & near:
            continue
        odd = places[lane | near]
        if even is None or odd is None or even.register != odd.register:
            return False
        if even.lane // 4 & 1 or odd.lane != even.lane + 4:
            return False
    return True


def are_alike_in_halves(layout: Layout, words: Sequence[Places]) -> bool:
    """Whether every lane wants something, in both half waves the same."""
    return layout.core.groups == 1 and all(
        None not in places and places[:SIDE] == places[SIDE:] and len(places) == LANES
        for places in words
    )


def halves_loaded(
    exchange: Exchange, places: Sequence[Places], load: Callable[[Places], Value]
) -> dict[int, Value]:
    """Words that both half waves hold: each loads half of them."""
    b, count = exchange.builder, len(places) // 2
    upper = exchange.is_one_of(range(SIDE, LANES))
    found: dict[int, Value] = {}
    for word in range(count):
        own = load((*places[word][:SIDE], *places[word + count][SIDE:]))
        other = exchange.permute(own, tuple(lane ^ SIDE for lane in range(LANES)))
        found[word] = b.select(upper, other, own)
        found[word + count] = b.select(upper, own, other)
    return found
