"""Joins products along K: d = a2 * b2 + (a1 * b1 + c) is one product of twice the depth.

Comes in: a function and what products cost. Goes out: the function with products joined that follow
each other in blocks which all threads pass together, where nothing else reads what the first one
gives. All chains of one kind of product are joined alike, so that accumulators travel between
products of one shape. The order of multiplications along K stays. It must know no target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import dominators, post_dominators
from ptxlift.ir.loops import loops_around
from ptxlift.ir.matrix import (
    COLUMNS,
    Element,
    Operation,
    Product,
    metadata_of,
    operands_of,
    part_of,
    product_of,
    selectors_of,
)
from ptxlift.records import replace

_MMA = "mma"
_FACTORS = (2, 4, 8)

# What a product of so many parts along K costs; infinite where there is no instruction.
Cost = Callable[[Product, int], float]


def join_products(function: Function, cost: Cost) -> None:
    """Changes a function in place, where joined products cost less."""
    chains: dict[Product, list[list[Op]]] = {}
    for chain in _Finder(function).run():
        chains.setdefault(product_of(chain[0]), []).append(chain)
    for product, found in chains.items():
        factor = _factor(product, found, cost)
        for chain in found if factor > 1 else ():
            for at in range(0, len(chain), factor):
                _join(chain[at : at + factor], product)
    gone = {op for op in function.ops() if op.name == _MMA and not op.operands}
    for block in function.blocks if gone else ():
        block.ops = [op for op in block.ops if op not in gone]


def joined(product: Product, factor: int) -> Product:
    """The product of so many, one behind the other along K."""
    m, n, k = product.shape
    return replace(product, shape=(m, n, factor * k))


def _factor(product: Product, chains: Sequence[list[Op]], cost: Cost) -> int:
    """How many products become one: the number that costs least for each."""
    best, factor = cost(product, 1), 1
    for each in _FACTORS:
        fits = all(len(chain) % each == 0 for chain in chains)
        if fits and (here := cost(joined(product, each), each) / each) < best:
            best, factor = here, each
    return factor


def _may_join(product: Product) -> bool:
    """Whether nothing happens to the sums between two products."""
    plain = product.operation is Operation.MULTIPLY and not product.arrangement.is_quads
    return plain and not product.satfinite and Element.F16 is not product.result


class _Finder:
    """The chains of one function, alone products too."""

    def __init__(self, function: Function) -> None:
        self._blocks = function.blocks
        self._loops = loops_around(function)
        self._before, self._after = dominators(function), post_dominators(function)
        self._reads: dict[Value, int] = {}
        for op in function.ops():
            for value in (*op.operands, *(v for given in op.arguments for v in given)):
                self._reads[value] = self._reads.get(value, 0) + 1

    def run(self) -> Iterator[list[Op]]:
        ends: dict[tuple[Value, ...], tuple[Block, list[Op]]] = {}  # by what the last one gives
        for block in self._blocks:
            for op in block.ops:
                if op.name != _MMA or not _may_join(product_of(op)):
                    continue
                before = tuple(operands_of(op.operands, product_of(op))[2])
                found = ends.get(before)
                chain: list[Op] = []
                if found is not None and self._follows(*found, op, block):
                    chain = ends.pop(before)[1]
                chain.append(op)
                ends[tuple(op.results)] = block, chain
        for _, chain in ends.values():
            yield chain

    def _follows(self, home: Block, chain: list[Op], op: Op, block: Block) -> bool:
        """Whether a product can do what the last one of a chain does."""
        last = chain[-1]
        alike = product_of(last) == product_of(op)
        alone = all(self._reads.get(value) == 1 for value in last.results)
        return alike and alone and self._pass_both(home, block)

    def _pass_both(self, first: Block, second: Block) -> bool:
        """Whether the same threads pass two blocks equally often, the first one first."""
        if first is second:
            return True
        orderly = self._before.dominates(first, second) and self._after.dominates(second, first)
        return orderly and self._loops[first] == self._loops[second]


def _join(ops: Sequence[Op], product: Product) -> None:
    """The last op does what all do; the others have nothing left."""
    parts = [operands_of(op.operands, product) for op in ops]
    a = [value for part in parts for value in part[0]]
    blocks = product.shape[1] // COLUMNS
    b = [v for block in range(blocks) for part in parts for v in part_of(part[1], 1, blocks, block)]
    metadata = [value for op in ops for value in metadata_of(op.operands, product)]
    selectors = tuple(selector for op in ops for selector in selectors_of(op))
    last = ops[-1]
    last.operands = [*a, *b, *parts[0][2], *metadata]
    last.attrs = (*joined(product, len(ops)).attributes, selectors)
    for op in ops[:-1]:
        op.operands = []
