"""Writes planned products as matrix instructions, and the others as scalar code.

Comes in: a function and its tiles. Goes out: a new function. Accumulators travel between products,
and around loops, in the instruction's layout: block parameters of a chain are replaced by those of
the instruction's registers. Where a result is used otherwise it is moved back, in a block that all
threads of the product pass, outside of its loops if there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ptxlift.ir.attributes import Format, Rounding
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.exchange import Exchange, Place
from ptxlift.ir.matrix import (
    Element,
    Product,
    metadata_of,
    operands_of,
    product_of,
    selectors_of,
)
from ptxlift.ir.redistribution import redistribute
from ptxlift.llvm.amdgpu.matrix.fused import FusedLoads, registers_of
from ptxlift.llvm.amdgpu.matrix.in_place import Loaded
from ptxlift.llvm.amdgpu.matrix.layout import Layout, Places, Side
from ptxlift.llvm.amdgpu.matrix.plan import Planner, Row, Tile, constant_of, given_values
from ptxlift.llvm.amdgpu.matrix.sparse import SparseLayout
from ptxlift.llvm.amdgpu.matrix.target import MatrixTarget
from ptxlift.llvm.amdgpu.matrix.webs import Node
from ptxlift.rewrite.matrix.function import LOAD, ProductReplacer
from ptxlift.rewrite.matrix.numbers import TF32_BITS

Words = Callable[[int, int, int], Value]  # warp, step, word -> input register


class NativeReplacer(ProductReplacer):
    """One function at work."""

    def __init__(
        self,
        function: Function,
        target: MatrixTarget,
        whole_waves: bool,
        alignments: Mapping[str, int],
    ) -> None:
        super().__init__(function)
        self._planner = Planner(function, target, whole_waves)
        self._tile: dict[Row, Tile] = {}
        self._row: dict[Node, Row] = {}
        self._node: dict[Value, Node] = {}
        for tile in self._planner.tiles():
            self._take(tile)
        self._row_of_op = {op: row for row in self._tile for node in row for op in node.ops}
        self._native: dict[Row, list[Value]] = {}  # by warp, then register
        self._moved: dict[tuple[Row, Block], list[Value]] = {}  # fragment registers
        self._fed: dict[tuple[Row, Block, int], list[Value]] = {}  # what edges carry
        self._cut: dict[tuple[Value, Block], Value] = {}  # tf32 operands without their low bits
        self._inputs: dict[object, Loaded] = {}  # what was moved from fragments
        self._entered: dict[object, list[Value]] = {}  # accumulators that were moved
        self._wanted: dict[Block, list[Row]] = {}  # rows that are moved back in a block
        self._loads = FusedLoads(function, self._tile, self._planner, alignments)
        self._note_uses()

    @property
    def changes_anything(self) -> bool:
        """Whether matrix instructions are used."""
        return bool(self._tile)

    def _take(self, tile: Tile) -> None:
        for row in tile.rows:
            self._tile[row] = tile
            for node in row:
                self._row[node] = row
                self._node.update(dict.fromkeys(node.group, node))

    # ---- what is used outside of chains ----

    def _note_uses(self) -> None:
        for block in self.order:
            for op in block.ops:
                for value in self._plain_operands(op):
                    self._note(value, block)
            end = block.terminator
            for edge, (target, given) in enumerate(zip(end.successors, end.arguments, strict=True)):
                for param, value in zip(target.params, given, strict=True):
                    node = self._node.get(param)
                    if node is None or self._source(node, (block, edge)) is None:
                        self._note(value, block)

    def _plain_operands(self, op: Op) -> Sequence[Value]:
        """Operands that are read as they are: in a chain, all but the accumulator."""
        row = self._row_of_op.get(op)
        if row is None:
            return op.operands
        own = next(node for node in row if op in node.ops)
        if self._source(own, None) is None:
            return op.operands
        if own.op is None:
            return [v for number, v in enumerate(op.operands) if number != own.chained]
        a, b, _ = operands_of(op.operands, product_of(op))
        return [*a, *b, *metadata_of(op.operands, product_of(op))]

    def _note(self, value: Value, block: Block) -> None:
        node = self._node.get(value)
        if node is not None:
            rows = self._wanted.setdefault(self._planner.meeting(node.block, block), [])
            if self._row[node] not in rows:
                rows.append(self._row[node])

    def _source(self, node: Node, edge: tuple[Block, int] | None) -> Node | None:
        tile = self._tile[self._row[node]]
        web = tile.webs[self._row[node].index(node)]
        return web.sources[node][edge]

    # ---- hooks of the copy ----

    def keeps(self, param: Value) -> bool:
        return param not in self._node and self._loads.keeps(param)

    def extra_params(self, block: Block) -> Sequence[int]:
        widths = [
            self._tile[row].core.core.width
            for row in self._rows_at(block)
            for _ in range(self._size(row))
        ]
        return widths + self._loads.extra_params(block)

    def begin(self, block: Block, builder: Builder) -> None:
        extras = self.extras(block)
        for row in self._rows_at(block):
            self._native[row] = extras[: self._size(row)]
            extras = extras[self._size(row) :]
        self._loads.begin(block, extras)
        for row in self._wanted.get(block, ()):
            if row[0].block is not block or row[0].is_carried:
                self._move_back(row, block, builder)

    def rewrite(self, op: Op, block: Block, builder: Builder) -> Sequence[Value] | None:
        row = self._row_of_op.get(op)
        if op.name == LOAD:
            return self._load(op, block, builder)
        if op.name == "load":
            self._load_in_place(op, block, builder)
        if row is None:
            return super().rewrite(op, block, builder)
        last = max((o for node in row for o in node.ops), key=block.ops.index)
        if op is last:
            make = self._step if row[0].op is None else self._multiply
            self._native[row] = make(row, block, builder)
            if row in self._wanted.get(block, ()):
                self._move_back(row, block, builder)
        return ()

    def extra_arguments(self, block: Block, edge: int) -> Sequence[Value]:
        target = block.terminator.successors[edge]
        accumulators = [v for row in self._rows_at(target) for v in self._fed[row, block, edge]]
        return accumulators + self._loads.extra_arguments(block, edge)

    def finish(self, block: Block, builder: Builder) -> None:
        for edge, target in enumerate(block.terminator.successors):
            for row in self._rows_at(target):
                self._fed[row, block, edge] = self._incoming(row, (block, edge), block, builder)

    def value(self, old: Value, block: Block) -> Value:
        node = self._node.get(old)
        if node is None:
            return self.values[old]
        row = self._row[node]
        moved = self._moved[row, self._planner.meeting(node.block, block)]
        return moved[row.index(node) * len(node.group) + node.group.index(old)]

    # ---- pieces ----

    def _load(self, op: Op, block: Block, builder: Builder) -> Sequence[Value]:
        """ldmatrix: what products take in their own layout, and what is left to others."""
        results = () if self._loads.replaces(op) else self.load(op, block, builder)
        self._load_in_place(op, block, builder)
        return results

    def _load_in_place(self, op: Op, block: Block, builder: Builder) -> None:
        """What products take in their own layout, where a load of it stands."""
        self._loads.emit(
            op,
            lambda lanes: self.exchange(block, builder, lanes),
            lambda old: self.value(old, block),
        )

    def _rows_at(self, block: Block) -> list[Row]:
        """The chains whose accumulators are parameters of a block."""
        return [row for row in self._tile if row[0].is_carried and row[0].block is block]

    def _size(self, row: Row) -> int:
        layout = self._tile[row].layout
        return layout.warps * layout.core.accumulators

    def _incoming(
        self, row: Row, edge: tuple[Block, int] | None, block: Block, builder: Builder
    ) -> list[Value]:
        """The instruction's registers as they come over an edge, or as a product's c."""
        tile = self._tile[row]
        source = self._source(row[0], edge)
        if source is not None:
            return self._native_of(source)
        given = [given_values(node, edge) for node in row]
        registers = [value for group in given for value in group]
        return self._enter(registers, tile, block, builder)

    def _enter(
        self, registers: Sequence[Value], tile: Tile, block: Block, builder: Builder
    ) -> list[Value]:
        """Registers of fragments, of all halves, in the instruction's layout."""
        layout = tile.layout
        if constant_of(registers, layout.product) is not None:
            count = layout.warps * layout.core.accumulators
            return [self.value(registers[0], block)] * count
        values = [self.value(value, block) for value in registers]
        if layout.product.accumulator is Element.F16:
            values = [single for pair in values for single in _singles(builder, pair)]
        exchange = self.exchange(block, builder, layout.core.lanes)
        key = (exchange, tuple(values), layout)
        found = self._entered.get(key)
        if found is None:
            wants = [
                layout.into_core(warp, register)
                for warp in range(layout.warps)
                for register in range(layout.core.accumulators)
            ]
            # Where a product has eight columns, some registers hold nothing of it.
            real = [index for index, places in enumerate(wants) if any(places)]
            moved = redistribute(
                exchange, *_without_repeats(values, [wants[index] for index in real])
            )
            found = self._entered[key] = [exchange.const(layout.core.width, 0)] * len(wants)
            for index, value in zip(real, moved, strict=True):
                found[index] = value
        return found

    def _native_of(self, node: Node) -> list[Value]:
        return self._native[self._row[node]]

    def _step(self, row: Row, block: Block, builder: Builder) -> list[Value]:
        """One operation on every register of an accumulator."""
        tile, node = self._tile[row], row[0]
        operands = [
            self._enter([v for group in groups for v in group], tile, block, builder)
            for groups in zip(*(each.others for each in row), strict=True)
        ]
        operands.insert(node.chained, self._incoming(row, None, block, builder))
        op = node.steps[0]
        return [
            builder.emit(op.name, values, op.attrs, (op.result.width,)).results[0]
            for values in zip(*operands, strict=True)
        ]

    def _multiply(self, row: Row, block: Block, builder: Builder) -> list[Value]:
        tile = self._tile[row]
        layout, core = tile.layout, tile.core.core
        sums = self._incoming(row, None, block, builder)
        inputs = [(side, self._side(row, side, block, builder)) for side in layout.inputs]
        exchange = self.exchange(block, builder, core.lanes)
        results: list[Value] = []
        for warp in range(layout.warps):
            first = warp * core.accumulators
            given = sums[first : first + core.accumulators]
            steps = [
                [
                    take(warp, step, word)
                    for side, take in inputs
                    for word in range(layout.words(side))
                ]
                for step in range(layout.steps)
            ]
            indices = self._indices(row, warp, block, exchange)
            results += self._steps(tile, steps, indices, given, exchange)
        if layout.product.result is Element.F16:
            return [_rounded(builder, value) for value in results]
        return results

    def _steps(
        self,
        tile: Tile,
        steps: Sequence[Sequence[Value]],
        indices: Sequence[Sequence[Value]],
        given: list[Value],
        exchange: Exchange,
    ) -> list[Value]:
        """The instructions of one warp. Sums that saturate are made apart and added last."""
        layout, core = tile.layout, tile.core.core
        saturates = layout.product.satfinite
        widths = [core.width] * core.accumulators
        total = [exchange.const(32, 0)] * core.accumulators if saturates else given
        for words, index in zip(steps, indices, strict=True):
            total = exchange.builder.matrix_core(tile.core, [*words, *total, *index], widths)
        if not saturates:
            return total
        return [exchange.builder.sadd_sat(old, new) for old, new in zip(given, total, strict=True)]

    def _indices(
        self, row: Row, warp: int, block: Block, exchange: Exchange
    ) -> Sequence[Sequence[Value]]:
        """Of each step of one warp: where the elements of a sparse a belong."""
        layout, op = self._tile[row].layout, row[0].op
        if not isinstance(layout, SparseLayout) or op is None:
            return [()] * layout.steps
        metadata = [self.value(v, block) for v in metadata_of(op.operands, layout.product)]
        selectors = selectors_of(op)
        return [
            layout.index(exchange, metadata, selectors, warp, step) for step in range(layout.steps)
        ]

    def _side(self, row: Row, side: Side, block: Block, builder: Builder) -> Words:
        """Where the input registers of one side come from, part by part of K."""
        layout = self._tile[row].layout
        parts = self._loads.parts(row)
        found = [self._part(row, side, block, builder, part) for part in range(parts)]
        each = layout.words(side) // parts

        def words(warp: int, step: int, word: int) -> Value:
            part, inner = divmod(word, each)
            return found[part](warp, step, inner)

        return words

    def _part(self, row: Row, side: Side, block: Block, builder: Builder, part: int) -> Words:
        parts = self._loads.parts(row)
        whole = self._tile[row].layout
        layout = whole.parted(parts) if parts > 1 else whole
        loaded = self._loads.words(row, side, part)
        if loaded is not None:
            return lambda warp, step, word: self._cut_off(
                loaded[warp, step, word], layout.product, block, builder
            )
        linear = self._loads.is_linear(row, part)
        exchange = self.exchange(block, builder, layout.core.lanes)
        registers = [
            self._cut_off(self.value(old, block), layout.product, block, builder)
            for old in registers_of(row, side, parts, part)
        ]
        moved = self._moved_inputs(exchange, registers, layout, side, linear)
        return lambda warp, step, word: moved[warp, step, word]

    def _moved_inputs(
        self,
        exchange: Exchange,
        registers: Sequence[Value],
        layout: Layout,
        side: Side,
        linear: bool,
    ) -> Loaded:
        """The input registers of one side, moved from a fragment; once for the same registers."""
        key = (exchange, tuple(registers), layout, side, linear)
        found = self._inputs.get(key)
        if found is None:
            words = [
                (warp, step, word)
                for warp in range(layout.warps)
                for step in range(layout.steps)
                for word in range(layout.words(side))
            ]
            wants = [layout.places(side, *word, linear) for word in words]
            if any(None in places for places in wants):
                values = [fetch_or_zero(exchange, registers, places) for places in wants]
            else:
                values = redistribute(exchange, registers, wants)
            found = self._inputs[key] = dict(zip(words, values, strict=True))
        return found

    def _cut_off(self, value: Value, product: Product, block: Block, builder: Builder) -> Value:
        """A tf32 operand without the bits that do not count; others as they are."""
        if product.a is not Element.TF32:
            return value
        cut = self._cut.get((value, block))
        if cut is None:
            mask = self.exchange(block, builder).const(32, TF32_BITS)
            cut = self._cut[value, block] = builder.and_(value, mask)
        return cut

    def _move_back(self, row: Row, block: Block, builder: Builder) -> None:
        layout = self._tile[row].layout
        exchange = self.exchange(block, builder, layout.core.lanes)
        natives = self._native[row]
        wants = [layout.out_of_core(element) for element in range(layout.elements)]
        moved = redistribute(exchange, natives, wants)
        if layout.product.result is Element.F16:
            halves = [
                builder.fconvert(value, Format.F32, Format.F16, Rounding.RN, False)
                for value in moved
            ]
            moved = [builder.pack(halves[at : at + 2]) for at in range(0, len(halves), 2)]
        self._moved[row, block] = moved


def fetch_or_zero(exchange: Exchange, registers: Sequence[Value], places: Places) -> Value:
    """What the lanes want; zero where one wants nothing, past the end of K."""
    wanting = [lane for lane, place in enumerate(places) if place is not None]
    zero = exchange.const(registers[0].width, 0)
    if not wanting:
        return zero
    value = exchange.fetch(registers, places)
    if len(wanting) == len(places):
        return value
    return exchange.builder.select(exchange.is_one_of(wanting), value, zero)


def _without_repeats(
    registers: Sequence[Value], wants: Sequence[Places]
) -> tuple[list[Value], list[Places]]:
    """The same with registers that hold the same value named once."""
    values = list(dict.fromkeys(registers))
    number = [values.index(value) for value in registers]
    renamed = [
        tuple(None if p is None else Place(p.lane, number[p.register]) for p in places)
        for places in wants
    ]
    return values, renamed


def _singles(builder: Builder, pair: Value) -> list[Value]:
    """Two f16 numbers of a register as f32."""
    halves = [builder.extract(pair, 16, offset) for offset in (0, 16)]
    return [builder.fconvert(half, Format.F16, Format.F32, Rounding.RN, False) for half in halves]


def _rounded(builder: Builder, value: Value) -> Value:
    """An f32 number with the precision of f16."""
    half = builder.fconvert(value, Format.F32, Format.F16, Rounding.RN, False)
    return builder.fconvert(half, Format.F16, Format.F32, Rounding.RN, False)
