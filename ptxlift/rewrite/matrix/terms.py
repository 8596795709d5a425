"""Which registers of which lanes meet in a product.

Comes in: the fragments of a, b and d. Goes out: for each element of d that a lane holds, the pieces
of a's row and b's column along K, in ascending order, each piece a run of elements that lie in one
register of a and one of b. It must know no arithmetic and no IR.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ptxlift.ir.exchange import LANES, Place
from ptxlift.isa.fragments import Cell, Fragment, Holder
from ptxlift.records import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """Registers that hold the run, for each lane, and where in the register it begins."""

    places: tuple[Place, ...]
    starts: tuple[int, ...]  # element numbers within the register


@dataclass(frozen=True, slots=True)
class Term:
    """`length` elements of a times as many of b."""

    a: Piece
    b: Piece
    length: int


def terms(left: Fragment, right: Fragment, sums: Fragment, element: int, k: int) -> Iterator[Term]:
    """What adds up to one element of d."""
    a_holders, b_holders = dict(left.holders()), dict(right.holders())
    cells = [sums.cells[lane][element] for lane in range(LANES)]
    at = 0
    while at < k:
        length = min(left.packed, right.packed)
        while length > 1 and not (
            at % length == 0
            and _is_run([a_holders[c] for c in _row(cells, at, length)], left.packed, length)
            and _is_run([b_holders[c] for c in _column(cells, at, length)], right.packed, length)
        ):
            length //= 2
        a = _piece([a_holders[c] for c in _row(cells, at, 1)], left.packed)
        b = _piece([b_holders[c] for c in _column(cells, at, 1)], right.packed)
        yield Term(a, b, length)
        at += length


def _row(cells: Sequence[Cell], at: int, length: int) -> list[Cell]:
    """Of every lane, elements of a along K."""
    return [(tile, row, at + i) for tile, row, _ in cells for i in range(length)]


def _column(cells: Sequence[Cell], at: int, length: int) -> list[Cell]:
    return [(tile, at + i, column) for tile, _, column in cells for i in range(length)]


def _is_run(holders: Sequence[Holder], packed: int, length: int) -> bool:
    """Whether each lane's elements fill a register from its bottom on, in order."""
    for start in range(0, len(holders), length):
        first = holders[start]
        if first.element % packed:
            return False
        run = [Holder(first.lane, first.element + i) for i in range(length)]
        if run != list(holders[start : start + length]):
            return False
    return True


def _piece(holders: Sequence[Holder], packed: int) -> Piece:
    places = tuple(Place(h.lane, h.element // packed) for h in holders)
    return Piece(places, tuple(h.element % packed for h in holders))
