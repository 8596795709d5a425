"""Block scaling of mma and mma.sp.

Comes in: whole matrices, and each lane's scales and selectors. Goes out: matrices with the scales
of their blocks along K multiplied in, exactly. It must know no fragment of a, b or c.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ptxlift.interp.lanes import Lanes
from ptxlift.interp.state import WARP
from ptxlift.isa import Form

_ROWS, _COLUMNS = 16, 8
_VECTORS = {"scale_vec::1X": 1, "scale_vec::2X": 2, "scale_vec::4X": 4}
_DEFAULTS = {"kind::mxf4": 2, "kind::mxf8f6f4": 1}
OPERANDS = ("sa", "ba", "sb", "bb")  # of each side the scales, and byte and thread in one operand


def stored_type(form: Form, name: str) -> str:
    """How an element of a or b is stored: of some kinds two in a byte."""
    pairs = form.get("kind") in ("kind::mxf4", "kind::mxf4nvf4")
    return "e2m1x2" if pairs and name == "e2m1" else name


@cache
def _values(name: str) -> Lanes:
    """The value of each byte."""
    codes = np.arange(256)
    if name == "ue8m0":
        powers: Lanes = 2.0 ** (codes - 127.0)
        powers[255] = np.nan
        return powers
    exponent, mantissa = codes >> 3 & 15, codes & 7
    values: Lanes = (mantissa / 8 + (exponent > 0)) * 2.0 ** (np.maximum(exponent, 1) - 7)
    values[[0x7F, 0xFF]] = np.nan
    return values


def scaled(form: Form, a: Lanes, b: Lanes, operands: list[Lanes]) -> tuple[Lanes, Lanes]:
    """a (warps, 1, rows, k) and b (warps, 1, k, columns) times the scales of their blocks."""
    sa, ba, ta, sb, bb, tb = (value.reshape(-1, WARP).astype(np.uint32) for value in operands)
    sizes = _VECTORS.get(form.get("sv"), 0) or _DEFAULTS[form.get("kind")]
    values = _values(form.get("stype"))
    of_rows = np.zeros((len(sa), 1, _ROWS, sizes))
    of_columns = np.zeros((len(sb), 1, sizes, _COLUMNS))
    for warp in range(len(sa)):
        for row in range(_ROWS):
            lane = 4 * (row % 8) + 2 * (int(ta[warp, 0]) & 1) + row // 8
            of_rows[warp, 0, row] = _bytes(values, sa[warp, lane], ba[warp, 0], sizes)
        for column in range(_COLUMNS):
            lane = 4 * column + (int(tb[warp, 0]) & 3)
            of_columns[warp, 0, :, column] = _bytes(values, sb[warp, lane], bb[warp, 0], sizes)
    block = a.shape[-1] // sizes
    return a * of_rows.repeat(block, axis=-1), b * of_columns.repeat(block, axis=-2)


def _bytes(values: Lanes, word: np.uint32, first: np.uint32, count: int) -> Lanes:
    """The values of bytes that follow each other in a word."""
    start = int(first) & 3
    found: Lanes = values[[int(word) >> 8 * (start + i) & 255 for i in range(count)]]
    return found
