"""Bytes of a column in shared memory, loaded as words of rows and transposed between four lanes.

Comes in: an input of a product whose words are made of bytes that are loaded one by one. Goes out:
IR that loads them where a matrix instruction wants them. Four lanes of it want the same four
rows in neighbouring columns: each loads one row's word. Whether the columns lie side by side is
looked up in the addresses of all threads. It must not know which inputs there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ptxlift.ir.attributes import Order, Space
from ptxlift.ir.byte_sources import Byte, byte_sources
from ptxlift.ir.core import Op, Value
from ptxlift.ir.exchange import Exchange, Place
from ptxlift.ir.thread_values import Spread, ThreadValues
from ptxlift.llvm.amdgpu.matrix.in_place import (
    Addresses,
    Input,
    Loaded,
    are_alike_in_halves,
    halves_loaded,
)
from ptxlift.llvm.amdgpu.matrix.layout import Places
from ptxlift.records import dataclass

_QUAD = 4  # bytes of a word, lanes that exchange them
# prmt selectors for the own and another lane's word. Two lanes apart: halves change places; next to
# each other: the even bytes or the odd ones of both.
_LOW_HALVES, _HIGH_HALVES = 0x5410, 0x3276
_EVEN_BYTES, _ODD_BYTES = 0x6240, 0x3715

Column = tuple[Op, ...]  # the loads of a word's bytes
Numbers = tuple[int, ...]


def column_of(word: Value) -> Column | None:
    """The loads of single bytes in shared memory that a word is made of."""
    loads = []
    for source in byte_sources(word):
        op = source.value.definition if isinstance(source, Byte) else None
        if not isinstance(op, Op) or op.name != "load" or op.results[0].width != 8:
            return None
        plain = op.attr("space") is Space.SHARED and op.attr("order") is Order.WEAK
        if not plain or len(op.results) > 1:
            return None
        loads.append(op)
    return tuple(loads)


@dataclass(frozen=True, slots=True)
class Words:
    """An input's registers as columns. `offsets`: of each load, in every thread, from `symbol`.
    `near`: how the numbers of lanes differ whose columns differ by one, and by two.
    """

    columns: tuple[Column, ...]
    offsets: Mapping[Op, Numbers]
    symbol: str
    near: tuple[int, int]

    @property
    def loads(self) -> set[Op]:
        return {load for column in self.columns for load in column}

    def rows(self, places: Places) -> list[tuple[int, Op]]:
        """For each lane of the instruction: the lane whose address it loads from, and the load."""
        found = []
        for lane, place in enumerate(places):
            turn, first = self._turn(lane), places[lane & ~sum(self.near)]
            assert place is not None, "an input of bytes is whole"
            assert first is not None, "an input of bytes is whole"
            found.append((first.lane, self.columns[place.register][turn]))
        return found

    def _turn(self, lane: int) -> int:
        """A lane's number among its four."""
        return sum(bool(lane & near) << bit for bit, near in enumerate(self.near))

    def addresses(self, places: Places) -> Spread:
        """What the lanes of all waves load from."""
        rows = self.rows(places)
        threads = len(next(iter(self.offsets.values())))
        numbers = (
            self.offsets[load][wave + lane]
            for wave in range(0, threads, len(places))
            for lane, load in rows
        )
        return Spread(tuple(numbers), self.symbol)

    def are_words(self, places: Places) -> bool:
        """Whether every four lanes want neighbouring columns, side by side in whole words."""
        one, two = self.near
        for at in range(len(places)):
            if at & (one | two):
                continue
            lanes = (at, at | one, at | two, at | one | two)
            quad = [place for lane in lanes if (place := places[lane]) is not None]
            if len(quad) < _QUAD or len({place.register for place in quad}) > 1:
                return False
            column = self.columns[quad[0].register]
            if not all(self._are_neighbours(quad, load, len(places)) for load in column):
                return False
        return True

    def _are_neighbours(self, quad: Sequence[Place], load: Op, lanes: int) -> bool:
        offsets = self.offsets[load]
        return all(
            offsets[wave + place.lane] == offsets[wave + quad[0].lane] + number
            and offsets[wave + quad[0].lane] % _QUAD == 0
            for wave in range(0, len(offsets), lanes)
            for number, place in enumerate(quad)
        )


def words_of(
    columns: Sequence[Column],
    near: tuple[int, int],
    values: ThreadValues,
    alignments: Mapping[str, int],
) -> Words | None:
    """The columns with their offsets from one symbol that is aligned to words; None if these are
    not known.
    """
    spreads: dict[Op, Spread] = {}
    for load in {load for column in columns for load in column}:
        spread = values.of(load.operands[0])
        if spread is None or alignments.get(spread.symbol, 0) % _QUAD or not spread.symbol:
            return None
        spreads[load] = spread
    symbols = {spread.symbol for spread in spreads.values()}
    if len(symbols) > 1:
        return None
    offsets = {load: spread.numbers for load, spread in spreads.items()}
    return Words(tuple(columns), offsets, symbols.pop(), near)


class ByteLoads:
    """Writes the loads of one input."""

    def __init__(
        self,
        wanted: Input,
        words: Words,
        exchange: Exchange,
        value: Callable[[Value], Value],
        addresses: Addresses,
    ) -> None:
        self._input, self._words, self._exchange = wanted, words, exchange
        self._value, self._addresses = value, addresses

    def run(self) -> Loaded:
        """All input registers."""
        layout, loaded = self._input.layout, Loaded()
        for warp in range(layout.warps):
            for step in range(layout.steps):
                places = self._input.places(warp, step)
                if are_alike_in_halves(layout, places):
                    values = halves_loaded(self._exchange, places, self._load)
                else:
                    values = dict(enumerate(map(self._load, places)))
                loaded |= {(warp, step, word): value for word, value in values.items()}
        return loaded

    def _load(self, places: Places) -> Value:
        exchange = self._exchange
        b = exchange.builder
        address = self._addresses.find(
            exchange, self._words.addresses(places), lambda: self._address(places)
        )
        (row,) = b.load(address, Space.SHARED, 32, 1, _QUAD)
        one, two = self._words.near
        half = self._with_other(row, two, _LOW_HALVES, _HIGH_HALVES)
        return self._with_other(half, one, _EVEN_BYTES, _ODD_BYTES)

    def _with_other(self, own: Value, distance: int, first: int, second: int) -> Value:
        """Bytes of the own word and of that of the lane so far away; which, says whose is first."""
        exchange = self._exchange
        lanes = range(exchange.lanes)
        other = exchange.permute(own, tuple(lane ^ distance for lane in lanes))
        is_second = exchange.is_one_of([lane for lane in lanes if lane & distance])
        selectors = (exchange.const(32, second), exchange.const(32, first))
        return exchange.builder.prmt(own, other, exchange.builder.select(is_second, *selectors))

    def _address(self, places: Places) -> Value:
        """The row's address in each lane."""
        rows = self._words.rows(places)
        loads = list(dict.fromkeys(load for _, load in rows))
        given = [self._value(load.operands[0]) for load in loads]
        return self._exchange.fetch(given, [Place(lane, loads.index(load)) for lane, load in rows])
