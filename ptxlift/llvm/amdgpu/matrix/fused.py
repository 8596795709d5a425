"""Which inputs of products are loaded from shared memory in the layout of a matrix instruction.

Comes in: the rows of products that go to matrix instructions. Goes out: for an input whose
registers all come from ldmatrix, or from loads of single bytes, loads in place, where the last of
these stands. Where such registers travel around loops, the input registers do. An ldmatrix of which
nothing else is used is not done at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import predecessors
from ptxlift.ir.exchange import Exchange
from ptxlift.ir.matrix import (
    COLUMNS,
    metadata_of,
    operands_of,
    packed,
    part_of,
    product_of,
    selectors_of,
)
from ptxlift.ir.ops import Effect
from ptxlift.ir.thread_values import ThreadValues
from ptxlift.llvm.amdgpu.matrix.byte_loads import (
    ByteLoads,
    Words,
    column_of,
    words_of,
)
from ptxlift.llvm.amdgpu.matrix.in_place import Addresses, InPlaceLoads, Input, Loaded, Matrix
from ptxlift.llvm.amdgpu.matrix.layout import Layout, Side
from ptxlift.llvm.amdgpu.matrix.plan import Planner, Row, Tile
from ptxlift.records import dataclass
from ptxlift.rewrite.matrix.function import LOAD

_LOADED = (Effect.PURE, Effect.READ, Effect.WARP)  # what may stand between loads that are joined

Group = tuple[Value, ...]
Edge = tuple[Block, int]


def _parts_of(row: Row, layout: Layout) -> int:
    """How many parts of K may have inputs of their own."""
    assert row[0].op is not None
    return 1 if layout.product.is_sparse else len(selectors_of(row[0].op))


def registers_of(row: Row, side: Side, parts: int, part: int) -> Group:
    """The old registers of a part of an input; of b, those of all products side by side."""
    found: list[Value] = []
    for node in row:
        assert node.op is not None
        product = product_of(node.op)
        a, b, _ = operands_of(node.op.operands, product)
        if side is Side.A:
            return tuple(part_of(a, 1, parts, part))
        found += part_of(b, product.shape[1] // COLUMNS, parts, part)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Carried:
    """Registers that are parameters of a block, and what each edge brings for them."""

    block: Block
    given: dict[Edge, Group]


_Source = tuple[Matrix, ...] | Words | _Carried
_LOADS = (LOAD, "load")


class FusedLoads:
    """The inputs of one function that are loaded in place."""

    def __init__(
        self,
        function: Function,
        tiles: Mapping[Row, Tile],
        planner: Planner,
        alignments: Mapping[str, int],
    ) -> None:
        self._homes = {
            op: block for block in function.blocks for op in block.ops if op.name in _LOADS
        }
        self._values, self._alignments = ThreadValues(function), alignments
        self._addresses = Addresses(self._values)
        self._before = predecessors(function)
        self._planner = planner
        self._sources: dict[Input, _Source] = {}
        self._inputs: dict[tuple[Row, Side, int], Input] = {}
        self._words: dict[Input, Loaded] = {}
        self._parts: dict[Row, int] = {}
        for row, tile in tiles.items():
            if row[0].op is not None:
                self._take(row, tile.layout)
        self._last = {
            wanted: self._last_of(found)
            for wanted, found in self._sources.items()
            if not isinstance(found, _Carried)
        }
        self._read = self._read_plainly(function)

    # ---- which inputs ----

    def _take(self, row: Row, layout: Layout) -> None:
        """Takes the inputs of a row as a whole, whose loads are wider, if both sides can be; else
        part by part of K, as some may travel around a loop that others are loaded in.
        """
        whole = self._found(row, layout, 1, 0)
        parts = _parts_of(row, layout)
        if len(whole) == len(Side):
            parts = 1
        for part in range(parts):
            piece = layout.parted(parts) if parts > 1 else layout
            found = self._found(row, piece, parts, part) if parts > 1 else whole
            linear = len(found) == len(Side)
            for side, sources in found.items():
                registers = registers_of(row, side, parts, part)
                self._inputs[row, side, part] = Input(registers, piece, side, linear)
                for group, source in sources.items():
                    self._sources[Input(group, piece, side, linear)] = source
        self._parts[row] = parts

    def _found(
        self, row: Row, layout: Layout, parts: int, part: int
    ) -> dict[Side, dict[Group, _Source]]:
        """The sides whose registers all come from loads, with where they come from."""
        found: dict[Side, dict[Group, _Source]] = {}
        for side in Side:
            sources: dict[Group, _Source] = {}
            registers = registers_of(row, side, parts, part)
            if self._find(registers, (layout, side), sources):
                found[side] = sources
        return found

    def _find(
        self, group: Group, wanted: tuple[Layout, Side], sources: dict[Group, _Source]
    ) -> bool:
        """Notes where registers come from, over all edges; false if that is not known."""
        if group in sources:
            return True
        source = (
            self._matrices(group, wanted[0])
            or self._words_of_bytes(group, *wanted)
            or self._carried(group)
        )
        if source is None:
            return False
        sources[group] = source
        if not isinstance(source, _Carried):
            return True
        return all(self._find(given, wanted, sources) for given in source.given.values())

    def _matrices(self, group: Group, layout: Layout) -> tuple[Matrix, ...] | None:
        """The matrices of all registers; None if one comes from elsewhere, or if memory may change
        between the loads.
        """
        found = []
        for value in group:
            op = value.definition
            if isinstance(op, Block) or op.name != LOAD:
                return None
            found.append(Matrix(op, value.index))
        loads = {matrix.load for matrix in found}
        transposed = {bool(load.attr("transposed")) for load in loads}
        if len(transposed) > 1 or (True in transposed and packed(layout.product.a) != 2):
            return None
        block = self._home_of(loads)
        whole = block is not None and self._planner.reached_together(block)
        return tuple(found) if whole else None

    def _words_of_bytes(self, group: Group, layout: Layout, side: Side) -> Words | None:
        """The loads of all bytes, if words of rows can be loaded instead."""
        columns = [column for value in group if (column := column_of(value)) is not None]
        if len(columns) < len(group) or self._values.threads % layout.core.lanes:
            return None
        block = self._home_of({load for column in columns for load in column})
        if block is None or not self._planner.is_passed_together(block):
            return None
        near = layout.near(side, 1), layout.near(side, 2)
        words = words_of(columns, near, self._values, self._alignments)
        inputs = [Input(group, layout, side, linear) for linear in (False, True)]
        places = [
            at
            for wanted in inputs
            for warp in range(layout.warps)
            for step in range(layout.steps)
            for at in wanted.places(warp, step)
        ]
        return words if words is not None and all(map(words.are_words, places)) else None

    def _home_of(self, loads: set[Op]) -> Block | None:
        """The block of all loads, if memory does not change between them."""
        blocks = {self._homes[load] for load in loads}
        if len(blocks) > 1:
            return None
        (block,) = blocks
        places = sorted(block.ops.index(load) for load in loads)
        between = block.ops[places[0] : places[-1]]
        return block if all(op.opdef.effect in _LOADED for op in between) else None

    def _carried(self, group: Group) -> _Carried | None:
        block = group[0].definition
        if not isinstance(block, Block) or any(v.definition is not block for v in group):
            return None
        edges = {
            (before, edge): tuple(given[value.index] for value in group)
            for before in dict.fromkeys(self._before[block])
            for edge, given in enumerate(before.terminator.arguments)
            if before.terminator.successors[edge] is block
        }
        if not edges or self._planner.meets_apart(block):
            return None
        return _Carried(block, edges)

    def _last_of(self, source: tuple[Matrix, ...] | Words) -> Op:
        loads = source.loads if isinstance(source, Words) else {m.load for m in source}
        block = self._homes[next(iter(loads))]
        return max(loads, key=block.ops.index)

    def _read_plainly(self, function: Function) -> set[Value]:
        """Values that are read otherwise than as a fused input."""
        fused = {
            (node.op, side, part)
            for (row, side, part) in self._inputs
            for node in row
            if node.op is not None
        }
        parts = {node.op: count for row, count in self._parts.items() for node in row}
        params = {
            value
            for wanted, source in self._sources.items()
            if isinstance(source, _Carried)
            for value in wanted.registers
        }
        feeds: dict[Value, list[Value]] = {}
        work: list[Value] = []
        for op in function.ops():
            work += _plain_operands(op, fused, parts.get(op, 0))
            for target, given in zip(op.successors, op.arguments, strict=True):
                for param, value in zip(target.params, given, strict=True):
                    if param in params:
                        feeds.setdefault(param, []).append(value)
                    else:
                        work.append(value)
        read: set[Value] = set()
        while work:
            value = work.pop()
            if value not in read:
                read.add(value)
                work += feeds.get(value, ())
        self._params = params
        return read

    # ---- what the replacer asks ----

    def parts(self, row: Row) -> int:
        """How many parts of K have inputs of their own."""
        return self._parts[row]

    def is_linear(self, row: Row, part: int) -> bool:
        """Whether the words of a product's inputs lie in the order of K."""
        return all((row, side, part) in self._inputs for side in Side)

    def replaces(self, op: Op) -> bool:
        """Whether an ldmatrix need not be done."""
        return self._read.isdisjoint(op.results)

    def keeps(self, param: Value) -> bool:
        """Whether a block's parameter is read otherwise."""
        return param not in self._params or param in self._read

    def words(self, row: Row, side: Side, part: int) -> Loaded | None:
        """The input registers of a part of K that were loaded in place."""
        wanted = self._inputs.get((row, side, part))
        return None if wanted is None else self._words[wanted]

    def emit(
        self, op: Op, exchange_of: Callable[[int], Exchange], value: Callable[[Value], Value]
    ) -> None:
        """Writes the loads that stand at another one. `value`: what stands for an old value."""
        for wanted, last in self._last.items():
            if last is not op:
                continue
            source, exchange = self._sources[wanted], exchange_of(wanted.layout.core.lanes)
            if isinstance(source, Words):
                loads = ByteLoads(wanted, source, exchange, value, self._addresses)
                self._words[wanted] = loads.run()
            elif not isinstance(source, _Carried):
                loading = InPlaceLoads(wanted, source, exchange, value, self._addresses)
                self._words[wanted] = loading.run()

    # ---- inputs that travel ----

    def _carried_by(self, block: Block) -> Iterator[tuple[Input, _Carried]]:
        for wanted, source in self._sources.items():
            if isinstance(source, _Carried) and source.block is block:
                yield wanted, source

    def extra_params(self, block: Block) -> list[int]:
        """Widths of the registers that come to a block instead of fragments."""
        return [32 for wanted, _ in self._carried_by(block) for _ in wanted.words]

    def begin(self, block: Block, extras: Sequence[Value]) -> None:
        """Takes the block's parameters for inputs."""
        given = iter(extras)
        for wanted, _ in self._carried_by(block):
            self._words[wanted] = {word: next(given) for word in wanted.words}

    def extra_arguments(self, block: Block, edge: int) -> list[Value]:
        """What a block gives for them."""
        values: list[Value] = []
        for wanted, source in self._carried_by(block.terminator.successors[edge]):
            given = source.given[block, edge]
            found = self._words[Input(given, wanted.layout, wanted.side, wanted.linear)]
            values += [found[word] for word in wanted.words]
        return values


def _plain_operands(op: Op, fused: set[tuple[Op, Side, int]], parts: int) -> Iterator[Value]:
    """Every operand that is not a fused input of a product. `parts`: 0 for other ops."""
    if not parts:
        yield from op.operands
        return
    product = product_of(op)
    a, b, c = operands_of(op.operands, product)
    yield from c
    yield from metadata_of(op.operands, product)
    for side, registers in ((Side.A, a), (Side.B, b)):
        blocks = 1 if side is Side.A else product.shape[1] // COLUMNS
        for part in range(parts):
            if (op, side, part) not in fused:
                yield from part_of(registers, blocks, parts, part)
