"""Replaces the matrix products of a function by what every target has.

Comes in: a function. Goes out: a new one without `mma` ops; the old one stays as it is. Backends
with matrix instructions inherit and take some ops for themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ptxlift.ir.builder import Builder
from ptxlift.ir.copy import Copier
from ptxlift.ir.core import Block, Function, Module, Op, Value
from ptxlift.ir.exchange import LANES, Exchange
from ptxlift.rewrite.matrix.expand import expand_mma

MMA = "mma"


def has_products(function: Function) -> bool:
    """Whether there is anything to replace."""
    return any(op.name == MMA for op in function.ops())


class ProductReplacer(Copier):
    """Expands every product; blocks share what is gathered from other lanes."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self._exchanges: dict[tuple[Block, int], Exchange] = {}

    def exchange(self, block: Block, builder: Builder, lanes: int = LANES) -> Exchange:
        """What moves registers between lanes in a block."""
        found = self._exchanges.get((block, lanes))
        if found is None:
            found = self._exchanges[block, lanes] = Exchange(builder, lanes)
        return found

    def rewrite(self, op: Op, block: Block, builder: Builder) -> Sequence[Value] | None:
        return self.expand(op, block, builder) if op.name == MMA else None

    def expand(self, op: Op, block: Block, builder: Builder) -> Sequence[Value]:
        """A product as shuffles and scalar arithmetic."""
        operands = [self.value(value, block) for value in op.operands]
        return expand_mma(op, operands, self.exchange(block, builder))


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
