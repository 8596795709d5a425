"""ldmatrix straight into the layout of a matrix instruction.

Comes in: the rows of products that go to matrix instructions. Goes out: for an input whose
registers all come from ldmatrix, loads of just what each lane of the instruction needs, where the
last of the ldmatrix stands; an ldmatrix of which nothing else is used is not done at all. Lanes
fetch the addresses of the rows they need instead of the contents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.exchange import LANES, Exchange, Place
from ptxlift.ir.matrix import operands_of, packed, product_of
from ptxlift.ir.ops import Effect
from ptxlift.llvm.amdgpu.matrix.layout import Layout, Places, Side
from ptxlift.llvm.amdgpu.matrix.plan import Row, Tile
from ptxlift.rewrite.matrix.function import LOAD
from ptxlift.rewrite.matrix.load import ROWS

_LOADED = (Effect.PURE, Effect.READ, Effect.WARP)  # what may stand between loads that are joined
_WIDEST = 4  # words of one load

Loaded = dict[tuple[int, int, int], Value]  # warp, step, word
Input = tuple[tuple[Value, ...], Layout, Side, bool]  # old registers; the last: linear


def registers_of(row: Row, side: Side) -> tuple[Value, ...]:
    """The old registers of an input; of b, those of all products side by side."""
    found: list[Value] = []
    for node in row:
        assert node.op is not None
        a, b, _ = operands_of(node.op.operands, product_of(node.op))
        if side is Side.A:
            return tuple(a)
        found += b
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Matrix:
    """Where a register comes from: an ldmatrix and the number of its matrix."""

    load: Op
    number: int


class FusedLoads:
    """The inputs of one function that are loaded in place."""

    def __init__(self, function: Function, tiles: Mapping[Row, Tile]) -> None:
        self._homes = {
            op: block for block in function.blocks for op in block.ops if op.name == LOAD
        }
        self._tiles = tiles
        self._matrices: dict[Input, tuple[_Matrix, ...]] = {}
        self._inputs: dict[tuple[Row, Side], Input] = {}
        self._words: dict[Input, Loaded] = {}
        for row, tile in tiles.items():
            if row[0].op is not None:
                self._take(row, tile.layout)
        self._last = {key: self._last_of(found) for key, found in self._matrices.items()}
        self._replaced = self._unused(function)

    # ---- which inputs ----

    def _take(self, row: Row, layout: Layout) -> None:
        found = {side: self._sources(registers_of(row, side), layout) for side in Side}
        linear = all(found.values())
        for side, matrices in found.items():
            if matrices:
                key = (registers_of(row, side), layout, side, linear)
                self._matrices[key] = matrices
                self._inputs[row, side] = key

    def _sources(self, registers: Sequence[Value], layout: Layout) -> tuple[_Matrix, ...]:
        """The matrices of all registers; none if one comes from elsewhere, or if memory may change
        between the loads.
        """
        found = []
        for value in registers:
            op = value.definition
            if isinstance(op, Block) or op.name != LOAD:
                return ()
            found.append(_Matrix(op, value.index))
        loads = {matrix.load for matrix in found}
        transposed = {bool(load.attr("transposed")) for load in loads}
        if len(transposed) > 1 or (True in transposed and packed(layout.product.a) != 2):
            return ()
        return tuple(found) if self._are_together(loads) else ()

    def _are_together(self, loads: set[Op]) -> bool:
        blocks = {self._homes[load] for load in loads}
        if len(blocks) > 1:
            return False
        (block,) = blocks
        places = sorted(block.ops.index(load) for load in loads)
        between = block.ops[places[0] : places[-1]]
        return all(op.opdef.effect in _LOADED for op in between)

    def _last_of(self, matrices: Sequence[_Matrix]) -> Op:
        ops = self._homes[matrices[0].load].ops
        return max((matrix.load for matrix in matrices), key=ops.index)

    def _unused(self, function: Function) -> set[Op]:
        """Loads whose registers are read by fused inputs only."""
        fused = {
            (node.op, side) for (row, side) in self._inputs for node in row if node.op is not None
        }
        left = set(self._homes)
        for value in _plain_uses(function, fused):
            if isinstance(value.definition, Op):
                left.discard(value.definition)
        return left

    # ---- what the replacer asks ----

    def is_linear(self, row: Row) -> bool:
        """Whether the words of a product's inputs lie in the order of K."""
        return all((row, side) in self._inputs for side in Side)

    def replaces(self, op: Op) -> bool:
        """Whether an ldmatrix need not be done."""
        return op in self._replaced

    def words(self, row: Row, side: Side) -> Loaded | None:
        """The input registers that were loaded in place."""
        key = self._inputs.get((row, side))
        return None if key is None else self._words[key]

    def emit(
        self, op: Op, exchange_of: Callable[[int], Exchange], value: Callable[[Value], Value]
    ) -> None:
        """Writes the loads that stand at an ldmatrix. `value`: what stands for an old value."""
        for key, last in self._last.items():
            if last is op:
                exchange = exchange_of(key[1].core.lanes)
                self._words[key] = _InPlace(key, self._matrices[key], exchange, value).run()


def _plain_uses(function: Function, fused: set[tuple[Op, Side]]) -> Iterator[Value]:
    """Every operand that is not a fused input of a product."""
    sides = {op for op, _ in fused}
    for op in function.ops():
        for given in op.arguments:
            yield from given
        if op not in sides:
            yield from op.operands
            continue
        a, b, c = operands_of(op.operands, product_of(op))
        yield from c
        for side, registers in ((Side.A, a), (Side.B, b)):
            if (op, side) not in fused:
                yield from registers


class _InPlace:
    """Writes the loads of one input."""

    def __init__(
        self,
        key: Input,
        matrices: Sequence[_Matrix],
        exchange: Exchange,
        value: Callable[[Value], Value],
    ) -> None:
        _, self._layout, self._side, self._linear = key
        self._exchange = exchange
        loads = list(dict.fromkeys(matrix.load for matrix in matrices))
        self._rows = [value(load.operands[0]) for load in loads]
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
        words = self._layout.core.words
        places = [
            self._layout.places(self._side, warp, step, word, self._linear) for word in range(words)
        ]
        at = 0
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
        b = self._exchange.builder
        offsets = [0 if p is None else 2 * (p.lane % LANES // 4) for p in places]
        rows = (lambda lane: 2 * (lane % 4)), (lambda lane: 2 * (lane % 4) + 1)
        addresses = [self._address(places, row, offsets) for row in rows]
        return b.pack([b.load(address, Space.SHARED, 16, 1, 2)[0] for address in addresses])

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
        address = self._exchange.fetch(self._rows, wanted)
        return self._exchange.builder.add(address, self._exchange.number(offsets))


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
