"""Decides which products go to matrix instructions.

Comes in: a function and facts of the target. Goes out: tiles: chains of products, alone or two side
by side that share a, each with its layout. A chain is taken whole or not at all: its accumulators
stay in the matrix instruction's layout from one product to the next. The rest is left to scalar
code. Costs are those of the emulator's model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from ptxlift.ir.attributes import Rounding
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import dominators, post_dominators
from ptxlift.ir.exchange import LANES
from ptxlift.ir.loops import loops_around
from ptxlift.ir.matrix import (
    Element,
    Product,
    metadata_of,
    operands_of,
    packed,
    product_of,
    selectors_of,
)
from ptxlift.ir.uniformity import Uniformity
from ptxlift.llvm.amdgpu.matrix.cores import SIDE, Core, MatrixCore
from ptxlift.llvm.amdgpu.matrix.layout import Layout, Side
from ptxlift.llvm.amdgpu.matrix.sparse import SparseLayout
from ptxlift.llvm.amdgpu.matrix.target import MatrixTarget
from ptxlift.llvm.amdgpu.matrix.webs import Group, Node, Web, WebFinder
from ptxlift.llvm.options import MatrixUse
from ptxlift.records import dataclass
from ptxlift.rewrite.matrix.function import MMA
from ptxlift.target import Feature

_LOOP_WEIGHT = 16
_SHARED = 4  # chains that take the same values, such as those of rows
_CROSSBAR, _WARP_MOVE, _SELECT = 8, 3, 1  # cost of a move between lanes, by way


Row = tuple[Node, ...]  # nodes of different chains that belong together


@dataclass(eq=False, slots=True)
class Tile:
    """One chain, or two whose results lie side by side. `webs[i].nodes` correspond by `pairs`."""

    core: MatrixCore
    layout: Layout
    webs: tuple[Web, ...]
    rows: tuple[Row, ...]


# Where the second feature is there, the assembler takes the first one's instructions, but the
# chip's manual does not have them.
_REPLACED = {
    Feature.WMMA_GFX12: Feature.WMMA_K32,
    Feature.WMMA_FP8: Feature.WMMA_K32,
    Feature.SWMMAC: Feature.WMMA_K32,
}


def find_core(product: Product, target: MatrixTarget, parts: int = 1) -> MatrixCore | None:
    """The cheapest instruction for a product, of so many parts along K, if the target has one."""
    found = _costs(product, target, parts)
    return min(found, key=found.__getitem__, default=None)


def matrix_cost(product: Product, target: MatrixTarget, parts: int) -> float:
    """Passes of a product's instructions, infinitely many if there are none."""
    return min((passes for passes, _ in _costs(product, target, parts).values()), default=inf)


def _costs(product: Product, target: MatrixTarget, parts: int) -> dict[MatrixCore, tuple[int, int]]:
    """The instructions for a product, with their passes and input registers."""
    m, n, _ = product.shape
    found: dict[MatrixCore, tuple[int, int]] = {}
    if product.arrangement.is_quads or m != SIDE or n not in (8, SIDE):
        return found
    if product.accumulator is not product.result or product.rounding is not Rounding.RN:
        return found
    # Sums of f16 are kept in f32 and rounded after each product.
    result = Element.F32 if product.result is Element.F16 else product.result
    for chosen in MatrixCore:
        core = chosen.core
        inputs = (product.a, product.b) if product.is_sparse else (product.b, product.a)
        fits = (core.a, core.b, core.result) == (*inputs, result)
        same = (core.sparse is not None) == product.is_sparse and core.lanes == target.wave_size
        newer = _REPLACED.get(core.feature)
        if fits and same and target.has(core.feature) and not (newer and target.has(newer)):
            layout = layout_of(product, core, 1)
            if parts == 1 or layout.takes(parts):
                found[chosen] = layout.steps * core.passes, layout.steps * core.words
    return found


def layout_of(product: Product, core: Core, halves: int) -> Layout:
    """How a product lies on an instruction. Products are computed transposed, but for sparse ones:
    see layout.py and sparse.py.
    """
    kind = SparseLayout if product.is_sparse else Layout
    return kind(product, core, halves)


class Planner:
    """Plans one function."""

    def __init__(self, function: Function, target: MatrixTarget, whole_waves: bool) -> None:
        self._function = function
        self._target = target
        self._whole_waves = whole_waves
        self._dominators = dominators(function)
        self._after = post_dominators(function)
        self._weights = _weights(function)
        uniformity = Uniformity(function)
        self._apart: set[Block] = set()
        self._meetings: set[Block] = set()
        for branch in uniformity.branches:
            self._apart |= uniformity.region(branch)
            meeting = uniformity.meeting(branch)
            if meeting is not None:
                self._meetings.add(meeting)

    def tiles(self) -> list[Tile]:
        """The tiles that pay."""
        use = self._target.use
        if use is MatrixUse.GENERIC:
            return []
        ops = [op for block in self._function.blocks for op in block.ops if op.name == MMA]
        cores = {op: find_core(product_of(op), self._target, len(selectors_of(op))) for op in ops}
        wanted = [op for op in ops if cores[op] is not None]
        if self._target.wave_size > LANES:
            packed_well = self._whole_waves and not self._target.is_split
            home = {op: block for block in self._function.blocks for op in block.ops}
            wanted = [op for op in wanted if packed_well and self.reached_together(home[op])]
        webs = [web for web in WebFinder(self._function, wanted).run() if self._is_sound(web)]
        tiles = [self._tile(group, cores) for group in self._grouped(webs)]
        return [tile for tile in tiles if use is MatrixUse.NATIVE or self._pays(tile)]

    # ---- where a matrix instruction is right ----

    def reached_together(self, block: Block) -> bool:
        """Whether both warps of a wave are in a block together, so that all lanes are written. A
        warp that has a wave of its own always is, as matrix operations demand.
        """
        return self._target.wave_size == LANES or block not in self._apart

    def is_passed_together(self, block: Block) -> bool:
        """Whether all lanes that come to a block at all are there at the same time."""
        return block not in self._apart

    def meets_apart(self, block: Block) -> bool:
        """Whether lanes may come to a block by different ways: what they bring in the layout of a
        matrix instruction does not belong together.
        """
        return block in self._meetings or not self.reached_together(block)

    def _is_sound(self, web: Web) -> bool:
        """Whether every value that enters can be moved between lanes where it enters."""
        if not web.is_sound:
            return False
        for node in web.parameters:
            if self.meets_apart(node.block):
                return False
            for edge, source in web.sources[node].items():
                assert edge is not None, "parameters are fed by edges"
                same = (
                    source is not None
                    or constant_of(given_values(node, edge), web.product) is not None
                )
                if not same and not self._are_equivalent(edge[0], node.block):
                    return False
        return True

    def _are_equivalent(self, before: Block, after: Block) -> bool:
        """Whether the same threads pass both blocks, the first one first."""
        return self._dominators.dominates(before, after) and self._after.dominates(after, before)

    def meeting(self, defined: Block, used: Block) -> Block:
        """Where a result that is used in a block is moved to its fragment's layout: of the blocks
        that all threads of its product pass, on the way to the use, one in the fewest loops.
        """
        best: Block = defined
        at: Block | None = used
        while at is not None and at is not defined:
            lighter = self._weights[at] < self._weights[best]
            if lighter and self._after.dominates(at, defined):
                best = at
            at = self._dominators.parent[at]
        return best

    # ---- which chains go together ----

    def _grouped(self, webs: Sequence[Web]) -> Iterator[tuple[Web, ...]]:
        """Pairs of chains of eight columns that multiply the same a in the same places."""
        waiting: dict[object, Web] = {}
        for web in webs:
            if web.product.shape[1] == SIDE:
                yield (web,)
                continue
            key = _signature(web)
            other = waiting.pop(key, None)
            if other is None:
                waiting[key] = web
            elif _can_wait(other, web):
                yield other, web
            else:
                yield (other,)
                waiting[key] = web
        for web in waiting.values():
            yield (web,)

    def _tile(self, webs: tuple[Web, ...], cores: dict[Op, MatrixCore | None]) -> Tile:
        first = webs[0].products[0].op
        assert first is not None
        core = cores[first]
        assert core is not None
        product = webs[0].product
        halves = 2 if product.shape[1] == SIDE else len(webs)
        rows = tuple(zip(*(web.nodes for web in webs), strict=True))
        return Tile(core, layout_of(product, core.core, halves), webs, rows)

    # ---- what pays ----

    def _pays(self, tile: Tile) -> bool:
        """Whether the matrix instructions, with all moves, cost less than scalar code."""
        core, layout = tile.core.core, tile.layout
        move = _CROSSBAR if core.lanes > LANES else _WARP_MOVE
        words = sum(layout.words(side) for side in Side) / 2 + core.index_words
        inputs = words * layout.steps * layout.warps * (2 * move + _SELECT)
        native = scalar = 0.0
        for row in tile.rows:
            weight = self._weights[row[0].block]
            if row[0].op is not None:
                native += weight * (4 * core.passes * layout.steps * layout.warps + inputs)
                scalar += weight * len(row) * _scalar_cost(layout.product, move)
            moved = layout.warps * core.accumulators * (move + _SELECT)
            native += weight * len(row[0].others) * moved / _SHARED
        crossings = sum(self._weights[block] for block in self._crossings(tile))
        crossings += self._exit_weight(tile)
        native += crossings * layout.elements * layout.warps * 4 * (move + _SELECT)
        return native < scalar

    def _exit_weight(self, tile: Tile) -> float:
        """How often results leave the chain: behind its loop, if it has one."""
        least = min(self._weights[row[0].block] for row in tile.rows)
        return least / _LOOP_WEIGHT if tile.webs[0].parameters else least

    def _crossings(self, tile: Tile) -> Iterator[Block]:
        """Blocks where values enter the chain other than as a constant."""
        web = tile.webs[0]
        for node in web.nodes:
            for edge, source in web.sources[node].items():
                if source is None and constant_of(given_values(node, edge), web.product) is None:
                    yield node.block if edge is None else edge[0]


def given_values(node: Node, edge: tuple[Block, int] | None) -> Group:
    """The values that a node takes over an edge, or as the accumulator that it changes."""
    if edge is None:
        return node.entered
    given = edge[0].terminator.arguments[edge[1]]
    return tuple(given[value.index] for value in node.group)


def constant_of(values: Sequence[Value], product: Product) -> object:
    """The bits of all registers, where these are one constant, which lies alike in every layout; of
    elements that lie in pairs only zero does.
    """
    bits: set[object] = set()
    for value in values:
        definition = value.definition
        if isinstance(definition, Block) or definition.name != "const":
            return None
        bits.add(definition.attr("bits"))
    if len(bits) > 1 or (product.result is Element.F16 and bits != {0}):
        return None
    return bits.pop()


def _signature(web: Web) -> object:
    """What two chains must share to be computed by the same instructions."""
    parts: list[object] = [web.product.attributes]
    for node in web.nodes:
        a = None if node.op is None else _left(node.op)
        edges = tuple(
            (
                edge,
                constant_of(given_values(node, edge), web.product)
                if source is None
                else web.nodes.index(source),
            )
            for edge, source in web.sources[node].items()
        )
        steps = [(op.name, op.attrs) for op in node.steps[:1]]
        parts.append((node.block, a, tuple(steps), node.chained, edges))
    return tuple(parts)


def _left(op: Op) -> object:
    """The registers of a, and what says where their elements belong."""
    product = product_of(op)
    a, _, _ = operands_of(op.operands, product)
    return *a, *metadata_of(op.operands, product), *selectors_of(op)


def _can_wait(first: Web, second: Web) -> bool:
    """Whether what the first chain makes is not needed before the second makes its own."""
    chained = {op: node for web in (first, second) for node in web.nodes for op in node.ops}
    for pair in zip(first.nodes, second.nodes, strict=True):
        if pair[0].is_carried:
            continue
        ops = pair[0].block.ops
        places = sorted(ops.index(op) for node in pair for op in node.ops)
        results = {value for node in pair for value in node.group}
        for op in ops[places[0] + 1 : places[-1]]:
            inputs = _apart_from_chain(op, chained[op]) if op in chained else op.operands
            if not results.isdisjoint(inputs):
                return False
    return True


def _apart_from_chain(op: Op, node: Node) -> Sequence[Value]:
    """Operands that are not the accumulator."""
    if node.op is op:
        a, b, _ = operands_of(op.operands, product_of(op))
        return *a, *b, *metadata_of(op.operands, product_of(op))
    return [value for number, value in enumerate(op.operands) if number != node.chained]


def _weights(function: Function) -> dict[Block, float]:
    """How often blocks run: loops many times."""
    loops = loops_around(function)
    return {block: float(_LOOP_WEIGHT ** len(around)) for block, around in loops.items()}


def _scalar_cost(product: Product, move: int) -> float:
    """Of one product in scalar code: arithmetic, and gathering that is shared by some others."""
    m, n, k = product.shape
    each = 4 if product.a in (Element.S8, Element.U8) else 1
    arithmetic = m * n // 32 * k // each
    words = 4 * k // packed(product.a) // 4
    return arithmetic + n // 8 * words * 2 * move / 2
