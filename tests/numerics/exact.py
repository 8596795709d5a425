"""Whether quotients and square roots are rounded right, decided in integers.

Comes in: bits of operands and of results. Goes out: which results are wrong. Every comparison is
between integers of up to 128 bits held as two words, so nothing here rounds. A result m * 2^e is
right if the exact value lies between two bounds, counted in quarters of its last place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ptxlift.ir.attributes import Format, Rounding

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
Bits = NDArray[np.unsignedinteger]

REALS = {Format.F32: np.float32, Format.F64: np.float64}
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@dataclass(frozen=True, slots=True)
class _Wide:
    """high * 2^64 + low."""

    high: Words
    low: Words

    def shifted(self, amount: Counts) -> _Wide:
        """Times 2^amount, 0 <= amount < 64."""
        up = amount.astype(np.uint64)
        carried = (self.low >> np.uint64(1)) >> (np.uint64(63) - up)
        return _Wide(self.high << up | carried, self.low << up)

    def below(self, other: _Wide) -> Flags:
        less: Flags = (self.high < other.high) | (
            (self.high == other.high) & (self.low < other.low)
        )
        return less


def _product(a: Words, b: Words) -> _Wide:
    """For factors below 2^57."""
    a0, a1, b0, b1 = a & _LOW, a >> _HALF, b & _LOW, b >> _HALF
    low, middle = a0 * b0, a1 * b0 + a0 * b1
    total = low + (middle << _HALF)
    carry = (total < low).astype(np.uint64)
    return _Wide(a1 * b1 + (middle >> _HALF) + carry, total)


def _fields(bits: Bits, fmt: Format) -> tuple[Counts, Words]:
    """Exponent field and fraction."""
    wide = bits.astype(np.uint64)
    fraction = wide & np.uint64((1 << fmt.mantissa_bits) - 1)
    field = wide >> np.uint64(fmt.mantissa_bits) & np.uint64((1 << fmt.exponent_bits) - 1)
    return field.astype(np.int64), fraction


def _place(field: Counts, fmt: Format) -> Counts:
    """The exponent of the last place."""
    bias = (1 << (fmt.exponent_bits - 1)) - 1
    place: Counts = np.maximum(field, 1) - bias - fmt.mantissa_bits
    return place


def _with_hidden_bit(field: Counts, fraction: Words, fmt: Format) -> Words:
    return fraction | (field > 0).astype(np.uint64) << np.uint64(fmt.mantissa_bits)


def _normalised(bits: Bits, fmt: Format) -> tuple[Words, Counts]:
    """m and e of a finite number m * 2^e, m with its top bit set."""
    field, fraction = _fields(bits, fmt)
    mantissa = _with_hidden_bit(field, fraction, fmt)
    _, length = np.frexp(mantissa.astype(np.float64))
    missing = (fmt.mantissa_bits + 1 - length).astype(np.int64)
    return mantissa << missing.astype(np.uint64), _place(field, fmt) - missing


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Where the exact value may lie, in quarters of the last place 2^place."""

    lower: Words
    lower_counts: Flags  # the bound itself is allowed
    upper: Words
    upper_counts: Flags
    open: Flags  # no upper bound
    place: Counts

    def exclude(self, compare_lower: Counts, compare_upper: Counts) -> Flags:
        """The signs of exact - lower and of exact - upper tell what is outside."""
        low = (compare_lower < 0) | ((compare_lower == 0) & ~self.lower_counts)
        high = (compare_upper > 0) | ((compare_upper == 0) & ~self.upper_counts)
        return low | (high & ~self.open)


def _bounds(got: Bits, fmt: Format, down: Flags, up: Flags, ftz: bool) -> _Bounds:
    """`down`, `up`: rounding toward and away from zero; nearest where neither."""
    field, fraction = _fields(got, fmt)
    mantissa = _with_hidden_bit(field, fraction, fmt)
    # Below a power of two the numbers lie twice as dense, but for subnormals. A flushed result
    # is rounded as if its exponent had no end, so there the smallest normal number is like others.
    dense = (fraction == 0) & (field > (0 if ftz else 1))
    four = mantissa << np.uint64(2)
    even = mantissa & np.uint64(1) == 0
    nearest = ~(down | up)
    below = np.where(nearest, np.where(dense, 1, 2), np.where(down, 0, np.where(dense, 2, 4)))
    above = np.where(nearest, 2, np.where(down, 4, 0))
    zero = mantissa == 0
    lower = np.where(zero, 0, four - np.minimum(below.astype(np.uint64), four))
    upper = four + above.astype(np.uint64)
    upper_counts = (nearest & even) | up
    if ftz:
        smallest = np.uint64(4 << fmt.mantissa_bits)
        reach = np.where(nearest, 1, np.where(down, 0, 2)).astype(np.uint64)
        upper = np.where(zero, smallest - reach, upper)
        upper_counts = np.where(zero, up, upper_counts)
    top = (1 << fmt.exponent_bits) - 1
    largest = (field == top - 1) & (fraction == (1 << fmt.mantissa_bits) - 1)
    endless = ((field == top) & ~down) | (largest & down)
    lower_counts = (nearest & even) | down | zero
    return _Bounds(lower, lower_counts, upper, upper_counts, endless, _place(field, fmt))


def _order(exact: Words, scale: Counts, bound: _Wide, fmt: Format) -> Counts:
    """The sign of exact * 2^scale - bound. Scales beyond the clipped ones decide alike."""
    left = _Wide(np.zeros_like(exact), exact)
    left = left.shifted(np.clip(scale, 0, fmt.mantissa_bits + 7))
    right = bound.shifted(np.clip(-scale, 0, 3))
    return right.below(left).astype(np.int64) - left.below(right).astype(np.int64)


def _directions(negative: Flags, rounding: Rounding) -> tuple[Flags, Flags]:
    """Where magnitudes are rounded down and where up."""
    none = np.zeros_like(negative)
    match rounding:
        case Rounding.RZ:
            return ~none, none
        case Rounding.RM:
            return ~negative, negative
        case Rounding.RP:
            return negative, ~negative
        case _:
            return none, none


def flush(bits: Bits, fmt: Format) -> Bits:
    """Subnormals become zeros of their sign."""
    sign = bits.dtype.type(1 << (fmt.bits - 1))
    flushed: Bits = np.where(_fields(bits, fmt)[0] == 0, bits & sign, bits)
    return flushed


def _negative(bits: Bits, fmt: Format) -> Flags:
    signs: Flags = bits >> bits.dtype.type(fmt.bits - 1) != 0
    return signs


def _differs(got: Bits, want: Bits, fmt: Format) -> Flags:
    """Other bits, unless both are NaN."""
    real = REALS[fmt]
    both = np.isnan(got.view(real)) & np.isnan(want.view(real))
    return (got != want) & ~both


def wrong_quotients(
    a: Bits, b: Bits, got: Bits, fmt: Format, rounding: Rounding, ftz: bool
) -> Flags:
    """Which of `got` are not a / b."""
    if ftz:
        a, b = flush(a, fmt), flush(b, fmt)
    x, y = a.view(REALS[fmt]), b.view(REALS[fmt])
    with np.errstate(all="ignore"):
        special = ~(np.isfinite(x) & np.isfinite(y) & (x != 0) & (y != 0))
        simple = _differs(got, (x / y).view(a.dtype), fmt)
    negative = _negative(a ^ b, fmt)
    bounds = _bounds(got, fmt, *_directions(negative, rounding), ftz)
    above, top = _normalised(np.where(special, b.dtype.type(1), a), fmt)
    below, bottom = _normalised(np.where(special, b.dtype.type(1), b), fmt)
    scale = top - bottom - bounds.place + 2
    orders = [
        _order(above, scale, _product(bound, below), fmt) for bound in (bounds.lower, bounds.upper)
    ]
    real = got.view(REALS[fmt])
    wrong = bounds.exclude(*orders) | np.isnan(real) | (_negative(got, fmt) != negative)
    if ftz:
        wrong |= flush(got, fmt) != got
    return np.where(special, simple, wrong)


def wrong_roots(a: Bits, got: Bits, fmt: Format, rounding: Rounding, ftz: bool) -> Flags:
    """Which of `got` are not the square root of a."""
    if ftz:
        a = flush(a, fmt)
    x = a.view(REALS[fmt])
    with np.errstate(all="ignore"):
        special = ~(np.isfinite(x) & (x > 0))
        simple = _differs(got, np.sqrt(x).view(a.dtype), fmt)
    bounds = _bounds(got, fmt, *_directions(np.zeros(len(a), np.bool_), rounding), ftz)
    mantissa, exponent = _normalised(np.where(special, a.dtype.type(1), a), fmt)
    odd = exponent & 1
    mantissa, exponent = mantissa << odd.astype(np.uint64), exponent - odd
    scale = exponent - 2 * bounds.place + 4
    orders = [
        _order(mantissa, scale, _product(bound, bound), fmt)
        for bound in (bounds.lower, bounds.upper)
    ]
    wrong = bounds.exclude(*orders) | np.isnan(got.view(REALS[fmt])) | _negative(got, fmt)
    return np.where(special, simple, wrong)
