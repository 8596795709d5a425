"""ldmatrix as loads of every lane for itself.

Comes in: a `matrix_load` op. Goes out: for each matrix a permutation of row addresses and a load;
where it is transposed two of each. Lane i holds two neighbours of row i / 4, at columns 2 (i % 4)
and the next; transposed, of a column.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Value
from ptxlift.ir.exchange import LANES, Exchange

ROWS = 8


def expand_load(rows: Value, count: int, transposed: bool, exchange: Exchange) -> list[Value]:
    """The registers that hold the matrices."""
    load = _transposed if transposed else _plain
    return [load(rows, ROWS * matrix, exchange) for matrix in range(count)]


def _plain(rows: Value, first: int, exchange: Exchange) -> Value:
    b = exchange.builder
    address = exchange.permute(rows, tuple(first + lane // 4 for lane in range(LANES)))
    offset = exchange.number([4 * (lane % 4) for lane in range(LANES)])
    return b.load(b.add(address, offset), Space.SHARED, 32, 1, 4)[0]


def _transposed(rows: Value, first: int, exchange: Exchange) -> Value:
    b = exchange.builder
    offset = exchange.number([2 * (lane // 4) for lane in range(LANES)])
    halves = []
    for half in (0, 1):
        row = tuple(first + 2 * (lane % 4) + half for lane in range(LANES))
        address = exchange.permute(rows, row)
        halves += b.load(b.add(address, offset), Space.SHARED, 16, 1, 2)
    return b.pack(halves)
