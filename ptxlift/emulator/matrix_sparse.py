"""Sparse matrix instructions: SMFMAC and SWMMAC.

Comes in: a decoded instruction. Goes out: a closure over a `State`. Of each four neighbours of a
row of A two are stored; the third source has two bits for each stored element, its place among the
four. The results are added to what is there.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.matrix_elements import WIDTHS, Bits
from ptxlift.emulator.matrix_layouts import (
    Part,
    Shape,
    SparseShape,
    choice_index,
    column_index,
    result_index,
    stored_index,
)
from ptxlift.emulator.matrix_operands import Elements, elements_of, register_of, words_of
from ptxlift.emulator.operands import Inst, Operand
from ptxlift.emulator.salu import Op
from ptxlift.emulator.state import State
from ptxlift.records import dataclass

_NAME = re.compile(
    r"v_(?P<family>smfmac|swmmac)_(?P<d>f32|i32)_(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)_"
    r"(?P<a>bf16|f16|fp8|bf8|iu8|iu4|i8)(?:_(?P<b>fp8|bf8))?"
)
_KNOWN = frozenset({"neg_lo", "clamp", "cbsz", "abid", "index_key"})
_TOGETHER = {"smfmac": 4, "swmmac": 8}  # rows of a result that follow each other in a lane


@dataclass(frozen=True, slots=True)
class _Sparse:
    """What one instruction does. `first`: the lowest bit of the index that counts."""

    sparse: SparseShape
    elements: Elements
    first: int

    @property
    def shape(self) -> Shape:
        """Of the whole matrices."""
        return self.sparse.whole


def compile_sparse(inst: Inst, target: str, lanes: int) -> Op | None:
    """The action of a sparse matrix instruction, or None if it is none that is known."""
    found = _NAME.fullmatch(inst.mnemonic)
    if found is None:
        return None
    elements = elements_of(inst, found, target, _KNOWN)
    sparse = _shape(inst, found, lanes)
    what = _Sparse(sparse, elements, _first_bit(inst, 2 * sparse.stored))
    return _action(what, *inst.operands)


def _shape(inst: Inst, found: re.Match[str], lanes: int) -> SparseShape:
    m, n, k = (int(found[letter]) for letter in "mnk")
    family, width = found["family"], WIDTHS[found["a"]]
    count = register_of(inst.operands[1]).count
    newer = count == {"smfmac": 4, "swmmac": 8}[family]
    if lanes != {"smfmac": 64, "swmmac": 32}[family] or (newer and m > 16):
        raise PtxError.of("PTX406", f"{inst.mnemonic} is not emulated on waves of {lanes}")
    whole = Shape(m, n, k, 1, lanes, _TOGETHER[family])
    return SparseShape(whole, count * 32 // width, newer, width == 8)


def _first_bit(inst: Inst, bits: int) -> int:
    """Which part of the index a modifier chooses; SMFMAC ignores ABID if CBSZ is not zero."""
    if int(str(inst.modifiers.get("cbsz", 0))):
        return 0
    part = inst.modifiers.get("abid", inst.modifiers.get("index_key", 0))
    return int(str(part)) * bits


# ---- what is done ----


def _action(what: _Sparse, target: Operand, *sources: Operand) -> Op:
    sums, first, second, third = (register_of(o) for o in (target, *sources))
    elements, d_index = what.elements, result_index(what.shape)

    def run(st: State) -> None:
        stored = elements.numbers(st, first, elements.a, elements.signed[0])
        b = elements.numbers(st, second, elements.b, elements.signed[1])
        product = _product(what, stored, b, words_of(st, third))
        held = elements.numbers(st, sums, elements.d)
        with np.errstate(invalid="ignore", over="ignore"):
            elements.write(st, sums, held + product[:, d_index[1], d_index[2]])

    return run


def _product(what: _Sparse, stored: Bits, b: Bits, index: NDArray[np.uint32]) -> Bits:
    """(waves, rows, columns): what is stored, times what the index picks of each column."""
    shape = what.shape
    waves, lane = len(stored), np.arange(shape.lanes)[:, None]
    rows = np.zeros((waves, shape.m, shape.k // 2, 1), stored.dtype)
    rows[:, lane % shape.m, stored_index(what.sparse), 0] = stored
    columns = np.zeros((waves, shape.k, shape.n), b.dtype)
    columns[:, column_index(what.sparse), lane % shape.n] = b
    wave = np.arange(waves)[:, None, None]
    with np.errstate(invalid="ignore", over="ignore"):
        product: Bits = (rows * columns[wave, _picked(what, index)]).sum(axis=2)
    return product


def _picked(what: _Sparse, index: NDArray[np.uint32]) -> Part:
    """The place along K of each row's stored elements: (waves, rows, stored)."""
    lane, bit = choice_index(what.sparse)
    words = index.astype(np.uint64)
    bits = words[..., 0]
    if words.shape[-1] > 1:
        bits = bits | words[..., 1] << np.uint64(32)
    place = bits[:, lane] >> (what.first + bit).astype(np.uint64) & np.uint64(3)
    picked: Part = 4 * (np.arange(what.shape.k // 2) // 2) + place.astype(np.intp)
    return picked
