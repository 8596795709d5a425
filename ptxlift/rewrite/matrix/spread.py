"""Makes sparse products dense.

Comes in: a function. Goes out: another one in which the products that are asked for have the whole
of their a, zeros included. It must know no target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ptxlift.ir.builder import Builder
from ptxlift.ir.copy import Copier
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.exchange import Exchange
from ptxlift.ir.matrix import metadata_of, operands_of, product_of, selectors_of
from ptxlift.ir.spreading import dense_product, spread_left


def spread_products(function: Function, stays: Callable[[Op], bool]) -> Function:
    """The function with those sparse products made dense for which `stays` is false."""
    wanted = {op for op in function.ops() if _is_sparse(op) and not stays(op)}
    return _Spreading(function, wanted).run() if wanted else function


def _is_sparse(op: Op) -> bool:
    return op.name == "mma" and product_of(op).is_sparse


class _Spreading(Copier):
    """One function at work; blocks share what is moved between lanes."""

    def __init__(self, function: Function, wanted: set[Op]) -> None:
        super().__init__(function)
        self._wanted = wanted
        self._exchanges: dict[Block, Exchange] = {}

    def rewrite(self, op: Op, block: Block, builder: Builder) -> Sequence[Value] | None:
        if op not in self._wanted:
            return None
        exchange = self._exchanges.setdefault(block, Exchange(builder))
        product = product_of(op)
        operands = [self.value(value, block) for value in op.operands]
        stored, b, c = operands_of(operands, product)
        metadata = metadata_of(operands, product)
        a = spread_left(exchange, product, stored, metadata, selectors_of(op))
        return builder.mma(dense_product(product), [*a, *b, *c])
