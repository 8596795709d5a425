"""Joins products along K: d = a2 * b2 + (a1 * b1 + c) is one product of twice the depth.

Comes in: a function and which depths are wanted. Goes out: the function with products joined that
follow each other in a block, where nothing else reads what the first one gives. All chains of one
kind of product are joined alike, so that accumulators travel between products of one shape. The
order of multiplications along K stays. It must know no target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ptxlift.ir.core import Function, Op, Value
from ptxlift.ir.matrix import (
    Element,
    Operation,
    Product,
    metadata_of,
    operands_of,
    product_of,
    selectors_of,
)
from ptxlift.records import replace

_MMA = "mma"
_COLUMNS = 8  # of a block of b
_FACTORS = (2, 4, 8)

Cost = Callable[[Product], float]  # what a product costs; infinite where there is no instruction


def join_products(function: Function, cost: Cost) -> None:
    """Changes a function in place, where joined products cost less."""
    chains: dict[Product, list[list[Op]]] = {}
    for chain in _chains(function):
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
    best, factor = cost(product), 1
    for each in _FACTORS:
        fits = all(len(chain) % each == 0 for chain in chains)
        if fits and cost(joined(product, each)) / each < best:
            best, factor = cost(joined(product, each)) / each, each
    return factor


def _may_join(product: Product) -> bool:
    """Whether nothing happens to the sums between two products."""
    plain = product.operation is Operation.MULTIPLY and not product.arrangement.is_quads
    return plain and not product.satfinite and Element.F16 is not product.result


def _chains(function: Function) -> Iterator[list[Op]]:
    """Products that follow each other, alone ones too."""
    reads: dict[Value, int] = {}
    for op in function.ops():
        for value in (*op.operands, *(v for given in op.arguments for v in given)):
            reads[value] = reads.get(value, 0) + 1
    for block in function.blocks:
        ends: dict[tuple[Value, ...], list[Op]] = {}  # by the results of a chain's last product
        for op in block.ops:
            if op.name != _MMA or not _may_join(product_of(op)):
                continue
            product = product_of(op)
            before = tuple(operands_of(op.operands, product)[2])
            chain = ends.get(before)
            alone = all(reads.get(value) == 1 for value in before)
            if chain is not None and alone and product_of(chain[-1]) == product:
                del ends[before]
            else:
                chain = []
            chain.append(op)
            ends[tuple(op.results)] = chain
        yield from ends.values()


def _join(ops: Sequence[Op], product: Product) -> None:
    """The last op does what all do; the others have nothing left."""
    parts = [operands_of(op.operands, product) for op in ops]
    a = [value for part in parts for value in part[0]]
    blocks = product.shape[1] // _COLUMNS
    each = len(parts[0][1]) // blocks
    b = [
        value
        for block in range(blocks)
        for part in parts
        for value in part[1][block * each : (block + 1) * each]
    ]
    metadata = [value for op in ops for value in metadata_of(op.operands, product)]
    selectors = tuple(selector for op in ops for selector in selectors_of(op))
    last = ops[-1]
    last.operands = [*a, *b, *parts[0][2], *metadata]
    last.attrs = (*joined(product, len(ops)).attributes, selectors)
    for op in ops[:-1]:
        op.operands = []
