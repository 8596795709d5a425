"""Which lane and register hold which matrix element in AMD's matrix instructions.

Comes in: the size of an instruction. Goes out: index arrays. Inputs: lanes count rows of A (columns
of B), then blocks, then groups of neighbours along K. Results: lanes count columns, then groups of
`together` rows; registers hold the rows of a group, then the next groups. It must know no element
type and no register file.

Of a sparse A, stored elements are counted along a row. Where a lane holds which is told by AMD's
matrix instruction calculator for gfx942 and by the RDNA 4 ISA document for gfx12; for the larger
instructions of gfx950 and gfx1250 AMD's tests of its tool FPSan tell it, made for these chips.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ptxlift.records import dataclass

Part = NDArray[np.intp]
Index = tuple[Part, Part, Part]


@dataclass(frozen=True, slots=True)
class Shape:
    """An instruction that multiplies `blocks` pairs of matrices, m by k and k by n.

    `lanes`: of a wave. `together`: rows of the result that follow each other in one lane.
    `repeated`: both half waves hold the same inputs.
    """

    m: int
    n: int
    k: int
    blocks: int
    lanes: int
    together: int
    repeated: bool = False

    @property
    def along_k(self) -> int:
        """Neighbours along K in one lane."""
        if self.repeated:
            return self.k
        return self.k * self.m * self.blocks // self.lanes


def input_index(shape: Shape, rows: int) -> Index:
    """(block, row, k) of each lane's elements; for B the same with columns for rows."""
    lane = np.arange(shape.lanes)[:, None]
    element = np.arange(shape.along_k)[None, :]
    group = lane // rows
    if shape.repeated:
        group = group * 0
    block = group % shape.blocks + 0 * element
    k = group // shape.blocks * shape.along_k + element
    return block, lane % rows + 0 * element, k


def result_index(shape: Shape) -> Index:
    """(block, row, column) of each lane's elements."""
    m, n, h = shape.m, shape.n, shape.together
    blocks_across = max(1, shape.lanes * h // (n * m))
    groups_across = shape.lanes // blocks_across // n
    down = m // (h * groups_across)
    lane = np.arange(shape.lanes)[:, None]
    item = np.arange(m * n * shape.blocks // shape.lanes)[None, :]
    column, across = lane % n, lane // n
    row = item % h + h * (across % groups_across) + h * groups_across * (item // h % down)
    block = across // groups_across + blocks_across * (item // (h * down))
    return block + 0 * row, row, column + 0 * row


@dataclass(frozen=True, slots=True)
class SparseShape:
    """An instruction whose A is stored without half of its elements. `stored`: elements of A in a
    lane; `larger`: of gfx950 or gfx1250, with more of them than before; `bytes`: of eight bits.
    """

    whole: Shape
    stored: int
    larger: bool
    bytes: bool

    @property
    def by_turns(self) -> bool:
        """Whether the half waves have neighbours by turns."""
        return self.larger and self.whole.lanes == 32


def stored_index(shape: SparseShape) -> Part:
    """Which of its row's stored elements each lane has."""
    lane = np.arange(shape.whole.lanes)[:, None]
    element = np.arange(shape.stored)[None, :]
    group = lane // shape.whole.m
    if shape.by_turns:
        return element % 2 + 2 * group + 4 * (element // 2)
    return shape.stored * group + element


def column_index(shape: SparseShape) -> Part:
    """Which of its column's elements of B each lane has."""
    along = 2 * shape.stored
    lane, element = np.arange(shape.whole.lanes)[:, None], np.arange(along)[None, :]
    group = lane // shape.whole.n
    if shape.by_turns:
        return element % 4 + 4 * group + 8 * (element // 4)
    if shape.larger:  # of one half of K, then of the other
        half = along // 2
        return element % half + half * group + shape.whole.k // 2 * (element // half)
    return along * group + element


def choice_index(shape: SparseShape) -> tuple[Part, Part]:
    """For each row of A and stored element, the lane and lowest bit of its place among four."""
    row = np.arange(shape.whole.m)[:, None]
    stored = np.arange(shape.whole.k // 2)[None, :]
    bit = 2 * (stored % shape.stored)
    if shape.by_turns and shape.bytes:
        bit = 32 * (stored // 2 % 2) + 4 * (stored // 4 % 8) + 2 * (stored % 2)
    return row + shape.whole.m * (stored // shape.stored), bit + 0 * row
