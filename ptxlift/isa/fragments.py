"""Fragment layouts of the warp-level matrix instructions: which lane's register holds what.

Comes in: the size of a tile and how wide its elements are stored. Goes out: a `Fragment`, which
names for each lane and element the tile, row and column. The rules are those of the figures in the
PTX manual, "Matrix Fragments for mma". This module must know no operand and no arithmetic.

All layouts but the oldest follow one rule. A lane is a group of four (`lane / 4`) and a place in it
(`lane % 4`). Along K, a register holds neighbours; the four places of a group follow each other,
and then come the next registers. The group number is the row of A, C and D and the column of B;
tiles of 16 rows alternate between the upper and the lower half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from ptxlift.records import dataclass

LANES = 32
_PLACES = 4  # lanes of a group
_GROUPS = 8

Cell = tuple[int, int, int]  # tile, row, column; only the oldest instruction has several tiles


@dataclass(frozen=True, slots=True)
class Holder:
    """Where an element is: the lane and the number of the element there."""

    lane: int
    element: int


@dataclass(frozen=True, slots=True)
class Fragment:
    """One operand's layout.

    `packed`: elements of one register, the first in the lowest bits; `cells[lane][element]`.
    """

    tiles: int
    rows: int
    columns: int
    packed: int
    cells: tuple[tuple[Cell, ...], ...]

    @property
    def elements(self) -> int:
        """Elements of one lane."""
        return len(self.cells[0])

    @property
    def registers(self) -> int:
        """Registers of one lane."""
        return (self.elements + self.packed - 1) // self.packed

    def holders(self) -> Iterator[tuple[Cell, Holder]]:
        """Every element of the tiles with its place."""
        for lane, held in enumerate(self.cells):
            for element, cell in enumerate(held):
                yield cell, Holder(lane, element)


_Rule = Callable[[int, int], Cell]  # lane, element -> cell


def _fragment(
    rows: int, columns: int, packed: int, elements: int, rule: _Rule, tiles: int = 1
) -> Fragment:
    cells = tuple(tuple(rule(lane, e) for e in range(elements)) for lane in range(LANES))
    return Fragment(tiles, rows, columns, packed, cells)


def _along_k(lane: int, element: int, packed: int, step: int) -> int:
    """Column of A or row of B. `step`: registers that share their columns."""
    register, at = divmod(element, packed)
    return _PLACES * packed * (register // step) + lane % _PLACES * packed + at


@cache
def left(m: int, k: int, packed: int) -> Fragment:
    """A, of m rows and k columns; `packed` elements a register."""
    halves = m // _GROUPS

    def rule(lane: int, element: int) -> Cell:
        half = element // packed % halves
        return 0, lane // _PLACES + _GROUPS * half, _along_k(lane, element, packed, halves)

    return _fragment(m, k, packed, m * k // LANES, rule)


@cache
def spread_left(m: int, k: int, packed: int) -> Fragment:
    """A whose groups of elements take two registers each: `packed` elements in each of them."""
    wide = left(m, k, 2 * packed)
    return Fragment(1, m, k, packed, wide.cells)


@cache
def spread_right(k: int, n: int, packed: int) -> Fragment:
    """B whose groups of elements take two registers each: `packed` elements in each of them."""
    wide = right(k, n, 2 * packed)
    return Fragment(1, k, n, packed, wide.cells)


@cache
def right(k: int, n: int, packed: int) -> Fragment:
    """B, of k rows and n columns."""

    def rule(lane: int, element: int) -> Cell:
        block, inner = divmod(element, k * _GROUPS // LANES)
        return 0, _along_k(lane, inner, packed, 1), lane // _PLACES + _GROUPS * block

    return _fragment(k, n, packed, n * k // LANES, rule)


@cache
def accumulator(m: int, n: int, packed: int) -> Fragment:
    """C and D: pairs of columns; then the other half of the rows; then the next eight columns."""
    halves = m // _GROUPS

    def rule(lane: int, element: int) -> Cell:
        pair, at = divmod(element, 2)
        row = lane // _PLACES + _GROUPS * (pair % halves)
        return 0, row, lane % _PLACES * 2 + at + _GROUPS * (pair // halves)

    return _fragment(m, n, packed, m * n // LANES, rule)


# ---- m8n8k4 of f16: four tiles, each of a quad in the lower and one in the upper half warp ----


def _tile_and_row(lane: int) -> tuple[int, int]:
    """The tile, and the row (or column) of a lane's own quarter."""
    return lane % 16 // 4, lane % 4 + 4 * (lane // 16)


@cache
def quad_left(row_major: bool) -> Fragment:
    """A, 8 by 4 in each of four tiles."""

    def rule(lane: int, element: int) -> Cell:
        tile, row = _tile_and_row(lane)
        if row_major:
            return tile, row, element
        return tile, element + 4 * (lane // 16), lane % 4

    return _fragment(8, 4, 2, 4, rule, tiles=4)


@cache
def quad_right(row_major: bool) -> Fragment:
    """B, 4 by 8 in each of four tiles."""

    def rule(lane: int, element: int) -> Cell:
        tile, column = _tile_and_row(lane)
        if row_major:
            return tile, lane % 4, element + 4 * (lane // 16)
        return tile, element, column

    return _fragment(4, 8, 2, 4, rule, tiles=4)


@cache
def quad_accumulator(packed: int) -> Fragment:
    """C and D, 8 by 8: rows in f16 (two a register), pieces of rows in f32 (one a register)."""

    def rule(lane: int, element: int) -> Cell:
        tile, row = _tile_and_row(lane)
        if packed == 2:
            return tile, row, element
        row = (lane & 1) + (element & 2) + 4 * (lane // 16)
        return tile, row, (element & 4) + (lane & 2) + (element & 1)

    return _fragment(8, 8, packed, 8, rule, tiles=4)
