"""Every sparse matrix instruction: where the compiler puts a unit of K is where the emulator, which
counts elements as AMD's documents do, looks for it.
"""

from __future__ import annotations

import numpy as np
import pytest

from ptxlift.emulator.matrix_layouts import (
    Shape,
    SparseShape,
    choice_index,
    column_index,
    stored_index,
)
from ptxlift.llvm.amdgpu.matrix.cores import MatrixCore

SPARSE = [core for core in MatrixCore if core.core.sparse is not None]


def test_there_are_some_for_every_generation() -> None:
    assert {core.core.intrinsic.split(".")[2] for core in SPARSE} == {"smfmac", "swmmac"}
    assert len(SPARSE) == 34


@pytest.mark.parametrize("chosen", SPARSE, ids=lambda core: core.name)
def test_units_are_where_the_instruction_looks(chosen: MatrixCore) -> None:
    core = chosen.core
    packed = {4: 2, 8: 4}[core.unit_bits]
    k = 2 * core.words_of_row * packed
    larger = core.words > (2 if core.lanes == 64 else 4)
    whole = Shape(16, 16, k, 1, core.lanes, core.accumulators)
    shape = SparseShape(whole, core.words * packed, larger, packed == 4)
    stored, columns = stored_index(shape), column_index(shape)
    lanes, bits = choice_index(shape)
    seen: list[int] = []
    for unit in core.units():
        for row in range(16):
            first = packed * unit.a[1]
            mine = stored[16 * unit.a[0] + row, first : first + packed]
            assert (mine[0::2] % 2 == 0).all()
            assert (mine[1::2] == mine[0::2] + 1).all()
            wanted = [4 * (chunk // 2) + place for chunk in mine[::2] for place in range(4)]
            first = packed * unit.b[1]
            theirs = columns[16 * unit.b[0] + row, first : first + 2 * packed]
            assert theirs.tolist() == wanted
            group, word, low = unit.index
            assert (lanes[row, mine] == 16 * group + row).all()
            assert bits[row, mine].tolist() == [32 * word + low + 2 * e for e in range(packed)]
        seen += mine.tolist()
    assert np.array_equal(np.sort(seen), np.arange(k // 2))
