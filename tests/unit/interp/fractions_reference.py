"""Rounding by search: the two neighbours of an exact fraction are found among all bit patterns.

Uses `fractions.Fraction` and the definition of the formats only; nothing of ptxlift's arithmetic.
"""

from __future__ import annotations

from fractions import Fraction

from ptxlift.ir.attributes import Format, Rounding


def value_of(bits: int, fmt: Format) -> Fraction | None:
    """The value of a bit pattern; None for infinities and NaNs."""
    places = fmt.mantissa_bits
    exponent = bits >> places & ((1 << fmt.exponent_bits) - 1)
    fraction = Fraction(bits & ((1 << places) - 1), 1 << places)
    bias = (1 << (fmt.exponent_bits - 1)) - 1
    if exponent == (1 << fmt.exponent_bits) - 1:
        return None
    if exponent == 0:
        magnitude = fraction * Fraction(2) ** (1 - bias)
    else:
        magnitude = (1 + fraction) * Fraction(2) ** (exponent - bias)
    return -magnitude if bits >> (fmt.bits - 1) else magnitude


def _below(magnitude: Fraction, fmt: Format) -> int:
    """The largest finite pattern whose value is at most `magnitude`."""
    low, high = 0, (((1 << fmt.exponent_bits) - 1) << fmt.mantissa_bits) - 1
    while low < high:
        middle = (low + high + 1) // 2
        value = value_of(middle, fmt)
        assert value is not None
        if value <= magnitude:
            low = middle
        else:
            high = middle - 1
    return low


def rounded(value: Fraction, fmt: Format, rounding: Rounding, zero_sign: bool = False) -> int:
    """The bit pattern of a fraction under a rounding."""
    sign = 1 << (fmt.bits - 1)
    if value == 0:
        return sign if zero_sign else 0
    negative = value < 0
    magnitude = abs(value)
    low = _below(magnitude, fmt)
    exact = value_of(low, fmt)
    if exact == magnitude:
        return low | (sign if negative else 0)
    up = _goes_up(magnitude, low, negative, fmt, rounding)
    return (low + up) | (sign if negative else 0)


def _goes_up(
    magnitude: Fraction, low: int, negative: bool, fmt: Format, rounding: Rounding
) -> bool:
    if rounding is Rounding.RZ:
        return False
    if rounding in (Rounding.RM, Rounding.RP):
        return negative == (rounding is Rounding.RM)
    lower, upper = value_of(low, fmt), value_of(low + 1, fmt)
    assert lower is not None
    if upper is None:  # the next pattern is infinity: it stands where the format would go on
        below = value_of(low - 1, fmt)
        assert below is not None
        upper = lower + (lower - below)
    middle = (lower + upper) / 2
    if magnitude == middle:
        return low & 1 == 1 or rounding is Rounding.RNA
    return magnitude > middle
