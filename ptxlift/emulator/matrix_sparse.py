"""Sparse matrix instructions: SMFMAC and SWMMAC.

Comes in: a decoded instruction. Goes out: a closure over a `State`. Of each four neighbours of a
row of A two are stored; the third source has two bits for each stored element, its place among the
four. The results are added to what is there. A's stored elements are counted along a row of A, B's
elements along a column; where a lane holds which is told by AMD's matrix instruction calculator
(gfx942), the RDNA 4 ISA document (gfx12), and for gfx950 and gfx1250 by AMD's tests of its tool
FPSan, which were run on these chips.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.matrix_elements import WIDTHS, Bits, decode, encode, split
from ptxlift.emulator.matrix_layouts import Shape, result_index
from ptxlift.emulator.operands import File, Inst, Operand, Reg
from ptxlift.emulator.salu import Op
from ptxlift.emulator.state import State

_NAME = re.compile(
    r"v_(?P<family>smfmac|swmmac)_(?P<d>f32|i32)_(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)_"
    r"(?P<a>bf16|f16|fp8|bf8|iu8|iu4|i8)(?:_(?P<b>fp8|bf8))?"
)
_KNOWN = frozenset({"neg_lo", "clamp", "cbsz", "abid", "index_key"})
_TOGETHER = {"smfmac": 4, "swmmac": 8}  # rows of a result that follow each other in a lane

Part = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _Sparse:
    """What one instruction does. `stored`: elements of A in a lane; `newer`: of gfx950 or gfx1250,
    with twice as many; `first`: the lowest bit of the index that counts.
    """

    shape: Shape
    a: str
    b: str
    d: str
    signed: tuple[bool, bool]
    saturates: bool
    fnuz: bool
    stored: int
    newer: bool
    first: int


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
    shape = Shape(m, n, k, 1, lanes, _TOGETHER[family])
    fnuz = target.startswith(("gfx940", "gfx941", "gfx942"))
    first = _first_bit(inst, 2 * stored)
    kinds = (a, found["b"] or a, found["d"])
    clamps = "clamp" in inst.modifiers
    return _Sparse(shape, *kinds, signed, clamps, fnuz, stored, newer, first)


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


# ---- where things are ----


def _lanes_and_elements(what: _Sparse, elements: int) -> tuple[Part, Part]:
    lane = np.arange(what.shape.lanes)[:, None]
    return lane, np.arange(elements)[None, :]


def _stored(what: _Sparse) -> Part:
    """Which of a row's stored elements each lane has."""
    lane, element = _lanes_and_elements(what, what.stored)
    group = lane // what.shape.m
    if what.newer and what.shape.lanes == 32:  # pairs by turns in the half waves
        return element % 2 + 2 * group + 4 * (element // 2)
    return what.stored * group + element


def _columns(what: _Sparse) -> Part:
    """Which of a column's elements of B each lane has."""
    along = 2 * what.stored
    lane, element = _lanes_and_elements(what, along)
    group = lane // what.shape.n
    if what.newer and what.shape.lanes == 32:  # fours by turns in the half waves
        return element % 4 + 4 * group + 8 * (element // 4)
    if what.newer:  # a half of K after the other
        half = along // 2
        return element % half + half * group + what.shape.k // 2 * (element // half)
    return along * group + element


def _places(what: _Sparse) -> tuple[Part, Part]:
    """For each row of A and stored element the lane of its index, and the lowest bit."""
    row = np.arange(what.shape.m)[:, None]
    stored = np.arange(what.shape.k // 2)[None, :]
    each, bit = what.stored, 2 * (stored % what.stored)
    if what.newer and what.shape.lanes == 32 and WIDTHS[what.a] == 8:
        word = stored // 2 % 2
        bit = 32 * word + 4 * (stored // 4 % 8) + 2 * (stored % 2)
    return row + what.shape.m * (stored // each), what.first + bit + 0 * row


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
    rows[:, lane % shape.m, _stored(what), 0] = stored
    columns = np.zeros((waves, shape.k, shape.n), b.dtype)
    columns[:, _columns(what), lane % shape.n] = b
    wave = np.arange(waves)[:, None, None]
    with np.errstate(invalid="ignore", over="ignore"):
        product: Bits = (rows * columns[wave, _picked(what, index)]).sum(axis=2)
    return product


def _picked(what: _Sparse, index: NDArray[np.uint32]) -> Part:
    """The place along K of each row's stored elements: (waves, rows, stored)."""
    lane, bit = _places(what)
    words = index.astype(np.uint64)
    bits = words[..., 0]
    if words.shape[-1] > 1:
        bits = bits | words[..., 1] << np.uint64(32)
    place = bits[:, lane] >> bit.astype(np.uint64) & np.uint64(3)
    picked: Part = 4 * (np.arange(what.shape.k // 2) // 2) + place.astype(np.intp)
    return picked
