"""How values of the interpreter are stored: one numpy array a value, one element a lane.

Comes in: widths. Goes out: dtypes, constants and views. i1 is bool, i8 to i64 are unsigned arrays,
i128 is an object array of Python integers. A constant has one lane and broadcasts. It must know no
operation.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Lanes: TypeAlias = npt.NDArray[Any]  # Any: the dtype says the width, at run time

_DTYPES: dict[int, np.dtype[Any]] = {
    1: np.dtype(np.bool_),
    8: np.dtype(np.uint8),
    16: np.dtype(np.uint16),
    32: np.dtype(np.uint32),
    64: np.dtype(np.uint64),
    128: np.dtype(object),
}
_SIGNED = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}


def dtype_of(width: int) -> np.dtype[Any]:
    """The dtype of a width in bits."""
    return _DTYPES[width]


def width_of(a: Lanes) -> int:
    """The width in bits of an array made by this module."""
    kind = a.dtype.kind
    if kind == "b":
        return 1
    return 128 if kind == "O" else a.dtype.itemsize * 8


def constant(width: int, bits: int) -> Lanes:
    """One lane that holds the low `width` bits of `bits`."""
    result = np.empty(1, _DTYPES[width])
    result[0] = bits & ((1 << width) - 1)
    return result


def from_ints(width: int, values: list[int]) -> Lanes:
    """One lane a value."""
    mask = (1 << width) - 1
    return np.array([value & mask for value in values], _DTYPES[width])


def as_signed(a: Lanes) -> Lanes:
    """The same bits read as two's complement; of i128 Python integers."""
    width = width_of(a)
    if width == 128:
        return np.where(a >> 127 != 0, a - (1 << 128), a)
    return a.view(_SIGNED[width])


def as_unsigned(a: Lanes) -> Lanes:
    """The bits of a signed array."""
    if a.dtype == object:
        return np.where(a < 0, a + (1 << 128), a)
    return a.view(_DTYPES[a.dtype.itemsize * 8])
