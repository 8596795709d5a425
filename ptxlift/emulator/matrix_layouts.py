"""Which lane and register hold which matrix element in AMD's matrix instructions.

Comes in: the size of an instruction. Goes out: index arrays. Inputs: lanes count rows of A (columns
of B), then blocks, then groups of neighbours along K. Results: lanes count columns, then groups of
`together` rows; registers hold the rows of a group, then the next groups. It must know no element
type and no register file.
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
