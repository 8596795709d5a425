"""Between bit patterns and f64: exact widening, and narrowing with one rounding.

Comes in: lanes of bits, or f64 values that are exact or rounded to odd. Goes out: f64 values, or
bits of a narrower format. A value rounded to odd keeps in its last bit that something was cut off,
so that a second rounding to at most 51 bits gives what one rounding of the exact value would. It
must know no operation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ptxlift.interp.exact import CANONICAL_NAN, infinity
from ptxlift.interp.lanes import Lanes, dtype_of
from ptxlift.ir.attributes import Format, Rounding

F64 = npt.NDArray[np.float64]
_VIEW: dict[Format, Any] = {  # Any: numpy scalar types
    Format.F16: np.float16,
    Format.F32: np.float32,
    Format.F64: np.float64,
}
_HIDDEN = np.uint64(1 << 52)
_FRACTION = np.uint64((1 << 52) - 1)


def as_float(a: Lanes, fmt: Format) -> npt.NDArray[Any]:  # Any: the dtype follows `fmt`
    """The bits as numpy floats of the format; bf16 as f32."""
    if fmt is Format.BF16:
        return (a.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return a.view(_VIEW[fmt])


def widen(a: Lanes, fmt: Format) -> F64:
    """The values as f64; exact for every format."""
    return as_float(a, fmt).astype(np.float64)


def is_nan(a: Lanes, fmt: Format) -> Lanes:
    """Which lanes hold a NaN."""
    number = a.dtype.type
    magnitude = a & number((1 << (fmt.bits - 1)) - 1)
    result: Lanes = magnitude > number(infinity(False, fmt))
    return result


def flush(a: Lanes, fmt: Format) -> Lanes:
    """Subnormals to the zero of their sign."""
    number = a.dtype.type
    exponent = a & number(infinity(False, fmt))
    return np.where(exponent == 0, a & number(1 << (fmt.bits - 1)), a)


def canonical(a: Lanes, fmt: Format) -> Lanes:
    """Every NaN to the one that NVIDIA's arithmetic produces."""
    return np.where(is_nan(a, fmt), a.dtype.type(CANONICAL_NAN[fmt]), a)


def narrow(x: F64, fmt: Format, rounding: Rounding, ftz: bool = False) -> Lanes:
    """f64 values, exact or rounded to odd, as bits of a narrower format.

    `ftz` flushes what is below the smallest normal number after rounding to full precision, as
    NVIDIA's chips do: not everything that a subnormal rounding would bring up to it survives.
    """
    bits = x.view(np.uint64)
    negative = bits >> np.uint64(63) != 0
    places = fmt.mantissa_bits
    bias = (1 << (fmt.exponent_bits - 1)) - 1
    field = (bits >> np.uint64(52) & np.uint64(0x7FF)).astype(np.int64)
    mantissa = (bits & _FRACTION) | np.where(field != 0, _HIDDEN, np.uint64(0))
    exponent = np.maximum(field, 1) - 1023
    lowest = exponent if ftz else np.maximum(exponent, 1 - bias)
    shift = np.minimum(52 - places + lowest - exponent, 54).astype(np.uint64)
    kept = mantissa >> shift
    rest = mantissa - (kept << shift)
    half = np.uint64(1) << (shift - np.uint64(1))
    kept = kept + _rounds_up(negative, kept, rest, half, rounding)
    magnitude = (lowest + (bias - 1) << places) + kept.astype(np.int64)
    if ftz:
        magnitude = np.where(magnitude < 1 << places, 0, magnitude)
    magnitude = magnitude.astype(np.uint64)
    magnitude = _limit(magnitude, negative, fmt, rounding)
    magnitude = np.where(np.isinf(x), np.uint64(infinity(False, fmt)), magnitude)
    result = magnitude | negative.astype(np.uint64) << np.uint64(fmt.bits - 1)
    result = np.where(np.isnan(x), np.uint64(CANONICAL_NAN[fmt]), result)
    return result.astype(dtype_of(fmt.bits))


def _rounds_up(negative: Lanes, kept: Lanes, rest: Lanes, half: Lanes, rounding: Rounding) -> Lanes:
    match rounding:
        case Rounding.RN:
            up = (rest > half) | ((rest == half) & (kept & np.uint64(1) != 0))
        case Rounding.RNA:
            up = rest >= half
        case Rounding.RM:
            up = negative & (rest != 0)
        case Rounding.RP:
            up = ~negative & (rest != 0)
        case Rounding.RZ:
            up = np.zeros_like(negative)
    increment: Lanes = up.astype(np.uint64)
    return increment


def _limit(magnitude: Lanes, negative: Lanes, fmt: Format, rounding: Rounding) -> Lanes:
    """Beyond the largest finite value: infinity, or that value if the rounding points inwards."""
    limit = np.uint64(infinity(False, fmt))
    match rounding:
        case Rounding.RZ:
            inward = np.ones_like(negative)
        case Rounding.RM:
            inward = ~negative
        case Rounding.RP:
            inward = negative
        case _:
            inward = np.zeros_like(negative)
    return np.where(magnitude >= limit, limit - inward.astype(np.uint64), magnitude)


def to_odd(x: F64, error: F64) -> F64:
    """`x` rounded to nearest becomes rounded to odd; `error` has the sign of (exact - x)."""
    bits = x.view(np.uint64)
    even = bits & np.uint64(1) == 0
    inexact = np.isfinite(x) & ((error > 0) | (error < 0)) & even
    outward = (error > 0) == (x > 0)
    one = np.uint64(1)
    moved = np.where(outward, bits + one, bits - one)
    return np.where(inexact, moved, bits).view(np.float64)


def sum_to_odd(a: F64, b: F64, rounding: Rounding) -> F64:
    """a + b rounded to odd; an exact zero has the sign that the rounding gives it."""
    total = a + b
    part = total - a
    error = (a - (total - part)) + (b - part)
    result = to_odd(total, error)
    if rounding is not Rounding.RM:
        return result
    negative = np.signbit(a) | np.signbit(b)
    return np.where((total == 0) & negative, -0.0, result)
