"""Floating-point arithmetic, compare and conversion over numpy lanes, correctly rounded.

Comes in: lanes of bits and an op's attributes. Goes out: lanes of bits. f32 and f64 to nearest are
numpy's own; narrower formats and directed rounding go through f64 rounded to odd; f64 with directed
rounding and f64 fma near the ends of the range go through integers. It must know no PTX text.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ptxlift.interp import exact
from ptxlift.interp.lanes import Lanes, as_unsigned, constant, dtype_of, width_of
from ptxlift.interp.rounding import (
    F64,
    as_float,
    canonical,
    flush,
    is_nan,
    narrow,
    sum_to_odd,
    to_odd,
    widen,
)
from ptxlift.ir.attributes import FloatPredicate, Format, Rounding

_NATIVE = (Format.F32, Format.F64)
_SPLIT = np.float64((1 << 27) + 1)
_UPPER_26 = np.uint64(0xFFFFFFFFF8000000)
_ROUND: dict[Rounding, Callable[[F64], F64]] = {
    Rounding.RN: np.rint,
    Rounding.RZ: np.trunc,
    Rounding.RM: np.floor,
    Rounding.RP: np.ceil,
}
_COMPARE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def _is_native(fmt: Format, rounding: Rounding) -> bool:
    return rounding is Rounding.RN and fmt in _NATIVE


def _may_flush(bits: Lanes, fmt: Format) -> bool:
    """Whether a result is so small that flushing needs its exact value."""
    magnitude = bits & bits.dtype.type((1 << (fmt.bits - 1)) - 1)
    return bool((magnitude <= bits.dtype.type(1 << fmt.mantissa_bits)).any())


def _bits_of(x: Lanes, fmt: Format) -> Lanes:
    return canonical(x.view(dtype_of(fmt.bits)), fmt)


def _by_integers(
    function: Callable[..., int], operands: tuple[Lanes, ...], fmt: Format, rounding: Rounding
) -> Lanes:
    """The slow path, one lane at a time."""
    shaped = np.broadcast_arrays(*operands)
    columns = zip(*(part.ravel().tolist() for part in shaped), strict=True)
    values = [function(*column, fmt, rounding) for column in columns]
    return np.array(values, dtype_of(fmt.bits)).reshape(shaped[0].shape)


def _two_product(a: F64, b: F64) -> tuple[F64, F64]:
    """a * b and the rest that rounding cut off (Dekker); valid away from the ends of the range."""
    product = a * b
    upper = _SPLIT * a
    a_high = upper - (upper - a)
    a_low = a - a_high
    upper = _SPLIT * b
    b_high = upper - (upper - b)
    b_low = b - b_high
    rest = a_high * b_high - product
    return product, rest + a_high * b_low + a_low * b_high + a_low * b_low


def _two_sum(a: F64, b: F64) -> tuple[F64, F64]:
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _safe(x: F64) -> Lanes:
    """Magnitudes whose products and rests stay clear of overflow and underflow, and zero."""
    magnitude = np.abs(x)
    inside: Lanes = (magnitude < 2.0**300) & (magnitude > 2.0**-300) | (magnitude == 0)
    return inside


def _fma_f64(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """To nearest by Boldo and Melquiond's method where it is exact, else by integers."""
    a, b, c = np.broadcast_arrays(a, b, c)
    x, y, z = a.view(np.float64), b.view(np.float64), c.view(np.float64)
    high, low = _two_product(x, y)
    upper, lower = _two_sum(z, low)
    total, rest = _two_sum(high, upper)
    result: Lanes = (total + sum_to_odd(rest, lower, Rounding.RN)).view(np.uint64)
    easy = _safe(x) & _safe(y) & _safe(z) & (x != 0) & (y != 0) & (total != 0)
    hard = ~easy
    if hard.any():
        slow = (a[hard], b[hard], c[hard])
        result[hard] = _by_integers(exact.fma, slow, Format.F64, Rounding.RN)
    return result


def _quotient_to_odd(a: F64, b: F64) -> F64:
    """a / b for operands of at most 24 bits; the sign of the remainder decides the last bit."""
    quotient = a / b
    high = (quotient.view(np.uint64) & _UPPER_26).view(np.float64)
    rest = (a - high * b) - (quotient - high) * b
    return to_odd(quotient, rest * np.sign(b))


def _root_to_odd(a: F64) -> F64:
    """sqrt(a) for operands of at most 24 bits."""
    root = np.sqrt(a)
    high = (root.view(np.uint64) & _UPPER_26).view(np.float64)
    low = root - high
    rest = ((a - high * high) - 2 * high * low) - low * low
    return to_odd(root, rest)


class FloatOps:
    """The floating-point primitives of the Algebra, but for the approximate ones."""

    def fadd(self, a: Lanes, b: Lanes, fmt: Format, rounding: Rounding, ftz: bool) -> Lanes:
        if ftz:
            a, b = flush(a, fmt), flush(b, fmt)
        if _is_native(fmt, rounding):
            result = _bits_of(as_float(a, fmt) + as_float(b, fmt), fmt)
        elif fmt is Format.F64:
            result = _by_integers(exact.add, (a, b), fmt, rounding)
        else:
            return narrow(sum_to_odd(widen(a, fmt), widen(b, fmt), rounding), fmt, rounding, ftz)
        return flush(result, fmt) if ftz else result

    def fsub(self, a: Lanes, b: Lanes, fmt: Format, rounding: Rounding, ftz: bool) -> Lanes:
        return self.fadd(a, self.fneg(b, fmt), fmt, rounding, ftz)

    def fmul(self, a: Lanes, b: Lanes, fmt: Format, rounding: Rounding, ftz: bool) -> Lanes:
        if ftz:
            a, b = flush(a, fmt), flush(b, fmt)
        if _is_native(fmt, rounding):
            result = _bits_of(as_float(a, fmt) * as_float(b, fmt), fmt)
            if not (ftz and _may_flush(result, fmt)):
                return result
        if fmt is Format.F64:
            return _by_integers(exact.mul, (a, b), fmt, rounding)
        return narrow(widen(a, fmt) * widen(b, fmt), fmt, rounding, ftz)

    def ffma(
        self, a: Lanes, b: Lanes, c: Lanes, fmt: Format, rounding: Rounding, ftz: bool
    ) -> Lanes:
        if ftz:
            a, b, c = flush(a, fmt), flush(b, fmt), flush(c, fmt)
        if fmt is not Format.F64:
            product = widen(a, fmt) * widen(b, fmt)
            return narrow(sum_to_odd(product, widen(c, fmt), rounding), fmt, rounding, ftz)
        if rounding is Rounding.RN:
            return canonical(_fma_f64(a, b, c), fmt)
        return _by_integers(exact.fma, (a, b, c), fmt, rounding)

    def fdiv(self, a: Lanes, b: Lanes, fmt: Format, rounding: Rounding, ftz: bool) -> Lanes:
        if ftz:
            a, b = flush(a, fmt), flush(b, fmt)
        if _is_native(fmt, rounding):
            result = _bits_of(as_float(a, fmt) / as_float(b, fmt), fmt)
            if not (ftz and _may_flush(result, fmt)):
                return result
        if fmt is Format.F64:
            return _by_integers(exact.div, (a, b), fmt, rounding)
        return narrow(_quotient_to_odd(widen(a, fmt), widen(b, fmt)), fmt, rounding, ftz)

    def fsqrt(self, a: Lanes, fmt: Format, rounding: Rounding, ftz: bool) -> Lanes:
        if ftz:
            a = flush(a, fmt)
        if _is_native(fmt, rounding):
            return _bits_of(np.sqrt(as_float(a, fmt)), fmt)
        if fmt is Format.F64:
            return _by_integers(exact.sqrt, (a,), fmt, rounding)
        return narrow(_root_to_odd(widen(a, fmt)), fmt, rounding)

    def fneg(self, a: Lanes, fmt: Format) -> Lanes:
        flipped: Lanes = a ^ a.dtype.type(1 << (fmt.bits - 1))
        return flipped

    def fabs(self, a: Lanes, fmt: Format) -> Lanes:
        cleared: Lanes = a & a.dtype.type((1 << (fmt.bits - 1)) - 1)
        return cleared

    def fflush(self, a: Lanes, fmt: Format) -> Lanes:
        return flush(a, fmt)

    def fsaturate(self, a: Lanes, fmt: Format) -> Lanes:
        value = widen(a, fmt)
        one = self.fconvert(constant(32, 0x3F800000), Format.F32, fmt, Rounding.RN, False)
        inside = np.where(value > 0, a, a.dtype.type(0))
        return np.where(value >= 1, one, inside)

    def fmin(self, a: Lanes, b: Lanes, fmt: Format, ftz: bool, nan: bool) -> Lanes:
        return self._extreme(a, b, fmt, ftz, nan, larger=False)

    def fmax(self, a: Lanes, b: Lanes, fmt: Format, ftz: bool, nan: bool) -> Lanes:
        return self._extreme(a, b, fmt, ftz, nan, larger=True)

    def _extreme(
        self, a: Lanes, b: Lanes, fmt: Format, ftz: bool, nan: bool, larger: bool
    ) -> Lanes:
        if ftz:
            a, b = flush(a, fmt), flush(b, fmt)
        x, y = as_float(a, fmt), as_float(b, fmt)
        sign = a.dtype.type(1 << (fmt.bits - 1))
        negative = a & sign != 0
        # Equal values differ at most in the sign of zero.
        tie = (x == y) & (negative != larger)
        first = ((x > y) if larger else (x < y)) | tie
        a_nan, b_nan = is_nan(a, fmt), is_nan(b, fmt)
        chosen = np.where((first | b_nan) & ~a_nan, a, b)
        invalid = (a_nan | b_nan) if nan else (a_nan & b_nan)
        return np.where(invalid, a.dtype.type(exact.CANONICAL_NAN[fmt]), chosen)

    def fcmp(self, a: Lanes, b: Lanes, fmt: Format, predicate: FloatPredicate, ftz: bool) -> Lanes:
        if ftz:
            a, b = flush(a, fmt), flush(b, fmt)
        unordered = is_nan(a, fmt) | is_nan(b, fmt)
        if predicate is FloatPredicate.UNO:
            return unordered
        if predicate is FloatPredicate.ORD:
            return ~unordered
        name = predicate.value
        compared: Lanes = _COMPARE[name[1:]](as_float(a, fmt), as_float(b, fmt))
        return compared & ~unordered if name[0] == "o" else compared | unordered

    def fround(self, a: Lanes, fmt: Format, rounding: Rounding, ftz: bool) -> Lanes:
        if ftz:
            a = flush(a, fmt)
        whole = _ROUND[rounding](widen(a, fmt))
        if fmt is Format.F64:
            return _bits_of(whole, fmt)
        return narrow(whole, fmt, Rounding.RN)

    def fconvert(
        self, a: Lanes, source: Format, fmt: Format, rounding: Rounding, ftz: bool
    ) -> Lanes:
        # `.ftz` concerns f32 only, on either side.
        if ftz and source is Format.F32:
            a = flush(a, source)
        value = widen(a, source)
        if fmt is Format.F64:
            return _bits_of(value, fmt)
        return narrow(value, fmt, rounding, ftz and fmt is Format.F32)

    def float_to_int(
        self, a: Lanes, fmt: Format, width: int, signed: bool, rounding: Rounding, ftz: bool
    ) -> Lanes:
        if ftz:
            a = flush(a, fmt)
        value = _ROUND[rounding](widen(a, fmt))
        low = -(1 << (width - 1)) if signed else 0
        high = (1 << (width - signed)) - 1
        above = value >= float(high + 1)
        inside = (value > float(low)) & ~above
        whole = np.where(inside, value, 0.0).astype(np.int64 if signed else np.uint64)
        bits = as_unsigned(whole) if signed else whole
        bits = bits.astype(dtype_of(width))
        bits = np.where(above, constant(width, high), bits)
        bits = np.where(value <= float(low), constant(width, low), bits)
        return np.where(np.isnan(value), constant(width, 1 << 63), bits)

    def int_to_float(self, a: Lanes, signed: bool, fmt: Format, rounding: Rounding) -> Lanes:
        width = width_of(a)
        top = a.dtype.type(1 << (width - 1))
        negative = (a & top != 0) if signed else np.zeros(a.shape, np.bool_)
        magnitude = np.where(negative, -a, a).astype(np.uint64)
        if fmt is Format.F64:
            return _integer_to_f64(magnitude, negative, rounding)
        # The upper 53 bits are exact in f64; one more bit tells that others were cut off.
        cut = np.uint64((1 << 11) - 1)
        large = magnitude >> np.uint64(53) != 0
        sticky = (magnitude & ~cut) | ((magnitude & cut != 0).astype(np.uint64) << np.uint64(11))
        value = np.where(large, sticky, magnitude).astype(np.float64)
        return narrow(np.where(negative, -value, value), fmt, rounding)


def _integer_to_f64(magnitude: Lanes, negative: Lanes, rounding: Rounding) -> Lanes:
    nearest = magnitude.astype(np.float64)
    if rounding is not Rounding.RN:
        outward = ~negative if rounding is Rounding.RP else negative
        if rounding is Rounding.RZ:
            outward = np.zeros_like(negative)
        # 2^64 does not fit u64; it comes only from rounding up.
        over = nearest >= 2.0**64
        back = np.where(over, 0.0, nearest).astype(np.uint64)
        too_large = over | (back > magnitude)
        too_small = ~over & (back < magnitude)
        bits = nearest.view(np.uint64)
        bits = np.where(too_large & ~outward, bits - np.uint64(1), bits)
        bits = np.where(too_small & outward, bits + np.uint64(1), bits)
        nearest = bits.view(np.float64)
    return np.where(negative, -nearest, nearest).view(np.uint64)
