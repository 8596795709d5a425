"""Replaces the matrix products of a function by what every target has.

Comes in: a function. Goes out: a new one without `mma` ops; the old one stays as it is. Backends
with matrix instructions inherit and take some ops for themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ptxlift.ir.builder import Builder
from ptxlift.ir.copy import Copier
from ptxlift.ir.core import Block, Function, Module, Op, Value
from ptxlift.ir.exchange import LANES, Exchange, LaneMap, Surroundings
from ptxlift.ir.loops import loops_around
from ptxlift.ir.uniformity import Uniformity
from ptxlift.records import replace
from ptxlift.rewrite.matrix.distances import Distances
from ptxlift.rewrite.matrix.expand import expand_mma
from ptxlift.rewrite.matrix.load import expand_load

MMA, LOAD = "mma", "matrix_load"


def has_products(function: Function) -> bool:
    """Whether there is anything to replace."""
    return any(op.name in (MMA, LOAD) for op in function.ops())


class ProductReplacer(Copier):
    """Expands every product; blocks share what is gathered from other lanes.

    A value that is moved between lanes inside a loop and made outside is moved where it is made:
    all lanes of a warp that do a matrix operation have passed there together.
    """

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.loops = loops_around(function)
        self._divergent = Uniformity(function).divergent
        self.distances = Distances(function, self._divergent.__contains__)
        self._exchanges: dict[tuple[Block, int], Exchange] = {}
        self._old_homes = {
            value: block
            for block in self.order
            for value in (*block.params, *(v for op in block.ops for v in op.results))
        }

    def exchange(self, block: Block, builder: Builder, lanes: int = LANES) -> Exchange:
        """What moves registers between lanes in a block."""
        found = self._exchanges.get((block, lanes))
        if found is None:
            around = _Around(self, block, lanes)
            found = self._exchanges[block, lanes] = Exchange(builder, lanes, around)
        return found

    def rewrite(self, op: Op, block: Block, builder: Builder) -> Sequence[Value] | None:
        match op.name:
            case "mma":
                return self.expand(op, block, builder)
            case "matrix_load":
                return self.load(op, block, builder)
            case _:
                return None

    def expand(self, op: Op, block: Block, builder: Builder) -> Sequence[Value]:
        """A product as shuffles and scalar arithmetic."""
        operands = [self.value(value, block) for value in op.operands]
        return expand_mma(op, operands, self.exchange(block, builder))

    def load(self, op: Op, block: Block, builder: Builder) -> Sequence[Value]:
        """Matrices in shared memory as plain loads."""
        rows = self.value(op.operands[0], block)
        exchange = self.exchange(block, builder)
        return expand_load(rows, len(op.results), bool(op.attr("transposed")), exchange)

    # ---- what exchanges ask ----

    def is_uniform(self, new: Value) -> bool:
        """Whether a value of the copy is the same in all lanes of the wave."""
        old = self.origins.get(new)
        return old is not None and old not in self._divergent

    def home(self, new: Value) -> Block | None:
        """The old block whose copy a value is made in; None for what is written in between."""
        old = self.origins.get(new)
        return None if old is None else self._old_homes.get(old)

    def permuted_at(self, block: Block, value: Value, lane_map: LaneMap, lanes: int) -> Value:
        """A move between lanes, written at the end of a block that is finished."""
        ops = self.blocks[block].ops
        terminator = ops.pop()
        try:
            return self.exchange(block, Builder(self.blocks[block]), lanes).permute(value, lane_map)
        finally:
            ops.append(terminator)


class _Around(Surroundings):
    """What an exchange in one block may know."""

    def __init__(self, replacer: ProductReplacer, block: Block, lanes: int) -> None:
        self._replacer = replacer
        self._block = block
        self._lanes = lanes

    def is_uniform(self, value: Value) -> bool:
        return super().is_uniform(value) or self._replacer.is_uniform(value)

    def moved_earlier(self, value: Value, lane_map: LaneMap, builder: Builder) -> Value | None:
        replacer, block = self._replacer, self._block
        old = replacer.origins.get(value)
        if old is None or value.width != 32:
            return None
        root = replacer.values.get(replacer.distances.root(old, replacer.loops[block]), value)
        home = replacer.home(root)
        if home is None or home is block or not replacer.loops[home] < replacer.loops[block]:
            return None
        moved = replacer.permuted_at(home, root, lane_map, self._lanes)
        if root is value:
            return moved
        return builder.add(moved, builder.sub(value, root))


def replace_products(module: Module) -> Module:
    """The module without `mma` ops, for any target."""
    return map_products(module, lambda function: ProductReplacer(function).run())


def map_products(module: Module, rewrite: Callable[[Function], Function]) -> Module:
    """The module with those functions rewritten that have products; itself if none has."""
    if not any(has_products(function) for function in module.functions.values()):
        return module
    functions = {
        name: rewrite(function) if has_products(function) else function
        for name, function in module.functions.items()
    }
    return replace(module, functions=functions)
