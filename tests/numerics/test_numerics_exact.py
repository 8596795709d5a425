"""The integer judgement of quotients and roots agrees with fractions, at results and neighbours."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ptxlift.ir.attributes import Format, Rounding
from tests.numerics.exact import REALS, Bits, wrong_quotients, wrong_roots
from tests.numerics.operands import quotients, roots

COUNT = 400
ROUNDINGS = (Rounding.RN, Rounding.RZ, Rounding.RM, Rounding.RP)


def _value(bits: int, fmt: Format) -> Fraction:
    """Infinity counts as the next power of two."""
    field = bits >> fmt.mantissa_bits & ((1 << fmt.exponent_bits) - 1)
    fraction = bits & ((1 << fmt.mantissa_bits) - 1)
    bias = (1 << (fmt.exponent_bits - 1)) - 1
    mantissa = fraction + ((1 << fmt.mantissa_bits) if field else 0)
    value = Fraction(mantissa) * Fraction(2) ** (max(field, 1) - bias - fmt.mantissa_bits)
    return -value if bits >> (fmt.bits - 1) else value


def _is_right(
    sign: int, holds: list[bool], got: int, fmt: Format, rounding: Rounding, odd: bool
) -> bool:
    """`holds`: exact size >= got, > got, < next, above the tie below got, below the tie above it,
    at either tie, > the number before got.
    """
    at_least, above, below_next, over, under, tie, over_last = holds
    if rounding is Rounding.RN:
        return (over and under) or (tie and not odd)
    away = rounding is not Rounding.RZ and (rounding is Rounding.RM) == bool(sign)
    return (over_last and not above) if away else (at_least and below_next)


def _reference(compare: object, sign: int, got: int, fmt: Format, rounding: Rounding) -> bool:
    """`compare(x)`: the sign of exact size - x."""
    assert callable(compare)
    magnitude = got & ((1 << (fmt.bits - 1)) - 1)
    infinity = ((1 << fmt.exponent_bits) - 1) << fmt.mantissa_bits
    if magnitude > infinity or got >> (fmt.bits - 1) != sign:
        return False
    here = _value(magnitude, fmt)
    before = _value(max(magnitude - 1, 0), fmt)
    ends = magnitude == infinity
    after = here if ends else _value(magnitude + 1, fmt)
    lower, upper = (here + before) / 2, (here + after) / 2
    no_upper = ends or (magnitude == infinity - 1 and rounding is not Rounding.RN)
    at, low, high = compare(here), compare(lower), compare(upper)
    holds = [
        at >= 0,
        at > 0,
        no_upper or compare(after) < 0,
        low > 0 or magnitude == 0,
        ends or high < 0,
        (low == 0 and magnitude > 0) or (high == 0 and not ends),
        compare(before) > 0 or magnitude == 0,
    ]
    if ends and rounding is not Rounding.RN:
        away = rounding is not Rounding.RZ and (rounding is Rounding.RM) == bool(sign)
        return away and compare(before) > 0
    return _is_right(sign, holds, magnitude, fmt, rounding, bool(magnitude & 1))


def _neighbours(results: Bits) -> list[Bits]:
    one = results.dtype.type(1)
    return [results, results + one, results - one]


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("fmt", REALS)
def test_judgement_of_quotients(fmt: Format, rounding: Rounding) -> None:
    a, b = quotients(fmt, COUNT, np.random.default_rng(1))
    x, y = a.view(REALS[fmt]), b.view(REALS[fmt])
    with np.errstate(all="ignore"):
        plain = np.isfinite(x) & np.isfinite(y) & (x != 0) & (y != 0)
        nearest = (x / y).view(a.dtype)
    rights = 0
    for got in _neighbours(nearest):
        wrong = wrong_quotients(a, b, got, fmt, rounding, ftz=False)
        for index in np.flatnonzero(plain):
            exact = _value(int(a[index]), fmt) / _value(int(b[index]), fmt)
            sign, size = int(exact < 0), abs(exact)
            right = _reference(
                lambda v, size=size: (size > v) - (size < v), sign, int(got[index]), fmt, rounding
            )
            assert right == (not wrong[index]), (hex(a[index]), hex(b[index]), hex(got[index]))
            rights += right
    assert rights == plain.sum()  # one of the three is right, and only one


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("fmt", REALS)
def test_judgement_of_roots(fmt: Format, rounding: Rounding) -> None:
    (a,) = roots(fmt, COUNT, np.random.default_rng(2))
    x = a.view(REALS[fmt])
    with np.errstate(all="ignore"):
        plain = np.isfinite(x) & (x > 0)
        nearest = np.sqrt(x).view(a.dtype)
    rights = 0
    for got in _neighbours(nearest):
        wrong = wrong_roots(a, got, fmt, rounding, ftz=False)
        for index in np.flatnonzero(plain):
            square = _value(int(a[index]), fmt)
            right = _reference(
                lambda v, square=square: (square > v * v) - (square < v * v),
                0,
                int(got[index]),
                fmt,
                rounding,
            )
            assert right == (not wrong[index]), (hex(a[index]), hex(got[index]))
            rights += right
    assert rights == plain.sum()
