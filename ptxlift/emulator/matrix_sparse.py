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
from ptxlift.emulator.matrix_elements import WIDTHS, Bits, decode, encode, split
from ptxlift.emulator.matrix_layouts import (
    Part,
    Shape,
    SparseShape,
    choice_index,
    column_index,
    result_index,
    stored_index,
)
from ptxlift.emulator.operands import File, Inst, Operand, Reg
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
    a: str
    b: str
    d: str
    signed: tuple[bool, bool]
    saturates: bool
    fnuz: bool
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
    unknown = sorted(inst.modifiers.keys() - _KNOWN)
    if unknown:
        raise PtxError.of("PTX406", f"modifier {unknown[0]} of {inst.mnemonic} is not emulated")
    return _action(_described(inst, found, target, lanes), *inst.operands)


def _described(inst: Inst, found: re.Match[str], target: str, lanes: int) -> _Sparse:
    m, n, k = (int(found[letter]) for letter in "mnk")
    a, family = found["a"], found["family"]
    signs = inst.modifiers.get("neg_lo", (0, 0, 0))
    assert isinstance(signs, tuple), "neg_lo has a bit a source"
    signed = (a == "i8" or bool(signs[0]), a == "i8" or bool(signs[1]))
    stored = _register(inst.operands[1]).count * 32 // WIDTHS[a]
    newer = _register(inst.operands[1]).count == {"smfmac": 4, "swmmac": 8}[family]
    if lanes != {"smfmac": 64, "swmmac": 32}[family] or (newer and m > 16):
        raise PtxError.of("PTX406", f"{inst.mnemonic} is not emulated on waves of {lanes}")
    whole = Shape(m, n, k, 1, lanes, _TOGETHER[family])
    sparse = SparseShape(whole, stored, newer, WIDTHS[a] == 8)
    fnuz = target.startswith(("gfx940", "gfx941", "gfx942"))
    first = _first_bit(inst, 2 * stored)
    kinds = (a, found["b"] or a, found["d"])
    clamps = "clamp" in inst.modifiers
    return _Sparse(sparse, *kinds, signed, clamps, fnuz, first)


def _first_bit(inst: Inst, bits: int) -> int:
    """Which part of the index a modifier chooses; SMFMAC ignores ABID if CBSZ is not zero."""
    if int(str(inst.modifiers.get("cbsz", 0))):
        return 0
    part = inst.modifiers.get("abid", inst.modifiers.get("index_key", 0))
    return int(str(part)) * bits


def _register(operand: Operand) -> Reg:
    if not isinstance(operand.value, Reg):
        raise PtxError.of("PTX406", f"matrix operand {operand.value} is not understood")
    return operand.value


# ---- what is done ----


def _words(st: State, reg: Reg) -> NDArray[np.uint32]:
    """Registers as (waves, lanes, count)."""
    rows = st.a if reg.file is File.A else st.v
    return np.stack(rows[reg.index : reg.index + reg.count], axis=-1)


def _numbers(what: _Sparse, words: NDArray[np.uint32], name: str, signed: bool) -> Bits:
    return decode(name, split(words, WIDTHS[name]), what.fnuz, signed)


def _action(what: _Sparse, target: Operand, *sources: Operand) -> Op:
    sums, first, second, third = (_register(o) for o in (target, *sources))
    d_index = result_index(what.shape)

    def run(st: State) -> None:
        stored = _numbers(what, _words(st, first), what.a, what.signed[0])
        b = _numbers(what, _words(st, second), what.b, what.signed[1])
        product = _product(what, stored, b, _words(st, third))
        held = _numbers(what, _words(st, sums), what.d, True)
        with np.errstate(invalid="ignore", over="ignore"):
            total = held + product[:, d_index[1], d_index[2]]
        words = np.ascontiguousarray(encode(what.d, total, what.saturates)).view(np.uint32)
        rows = st.a if sums.file is File.A else st.v
        for step in range(sums.count):
            np.copyto(rows[sums.index + step], words[..., step], where=st.active[:, None])

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
