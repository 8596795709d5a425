"""Double-precision add, multiply and fma with one exact rounding, in all four modes.

Comes in: arrays of doubles. Goes out: the same. Nearest-even fma is vectorised with error-free
transformations (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums"); lanes near
overflow or underflow, and the directed roundings, go through Python's integers, one lane at a
time. It must not know instructions.
"""

from __future__ import annotations

import math

import numpy as np

from ptxlift.emulator.valu.formats import Doubles, odd_sum
from ptxlift.emulator.valu.kinds import Rounding

SPLITTER = 134217729.0  # 2**27 + 1, splits a double into two halves of 26 bits
LARGE = 2.0**990  # above, splitting or the sum may overflow
SMALL = 2.0**-900  # below, the product's error may fall under the smallest denormal


def fma(a: Doubles, b: Doubles, c: Doubles, mode: Rounding = Rounding.NEAREST_EVEN) -> Doubles:
    """a * b + c, rounded once."""
    if mode is not Rounding.NEAREST_EVEN:
        return fma_by_lane(a, b, c, mode)
    product = a * b
    size = np.abs(product)
    easy = (size < LARGE) & (size > SMALL) & (np.abs(c) < LARGE)
    easy &= np.maximum(np.abs(a), np.abs(b)) < LARGE
    result = _fma_inside_range(a, b, c, product)
    if np.count_nonzero(easy) == easy.size:
        return result
    trivial = (a == 0) | (b == 0) | ~(np.isfinite(a) & np.isfinite(b))
    trivial = trivial | (np.isfinite(product) & ~np.isfinite(c))
    result = np.where(easy, result, product + c)
    hard = ~(easy | trivial)
    if hard.any():
        result[hard] = fma_by_lane(_lanes(a, hard), _lanes(b, hard), _lanes(c, hard), mode)
    return result


def _lanes(values: Doubles, mask: Doubles) -> Doubles:
    lanes: Doubles = np.broadcast_to(values, mask.shape)[mask]
    return lanes


def two_product_error(a: Doubles, b: Doubles, product: Doubles) -> Doubles:
    """Dekker: the exact error of `product`, barring overflow and underflow."""
    big_a = a * SPLITTER
    high_a = big_a - (big_a - a)
    low_a = a - high_a
    big_b = b * SPLITTER
    high_b = big_b - (big_b - b)
    low_b = b - high_b
    rest = product - high_a * high_b
    return low_a * low_b - ((rest - low_a * high_b) - high_a * low_b)


def _fma_inside_range(a: Doubles, b: Doubles, c: Doubles, product: Doubles) -> Doubles:
    error = two_product_error(a, b, product)
    high, low = _two_sum(c, error)
    top, middle = _two_sum(product, high)
    return top + odd_sum(middle, low)


def _two_sum(a: Doubles, b: Doubles) -> tuple[Doubles, Doubles]:
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


def fma_by_lane(a: Doubles, b: Doubles, c: Doubles, mode: Rounding, scale: int = 0) -> Doubles:
    """(a * b + c) * 2**scale, rounded once, through Python's integers."""
    a, b, c = np.broadcast_arrays(a, b, c)
    lanes = zip(a.ravel().tolist(), b.ravel().tolist(), c.ravel().tolist(), strict=True)
    out = [_fma_lane(x, y, z, mode, scale) for x, y, z in lanes]
    return np.array(out, np.float64).reshape(a.shape)


def _fma_lane(a: float, b: float, c: float, mode: Rounding, scale: int) -> float:
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c
    if not math.isfinite(c):
        return c + 0.0
    numerator, shift = _exact_sum(a, b, c)
    if numerator == 0:
        return _exact_zero(a, b, c, mode)
    return round_ratio(numerator, shift - scale, mode)


def _exact_sum(a: float, b: float, c: float) -> tuple[int, int]:
    """a * b + c as numerator and power-of-two denominator exponent."""
    a_num, a_den = a.as_integer_ratio()
    b_num, b_den = b.as_integer_ratio()
    c_num, c_den = c.as_integer_ratio()
    product_shift = a_den.bit_length() + b_den.bit_length() - 2
    c_shift = c_den.bit_length() - 1
    shift = max(product_shift, c_shift)
    product = a_num * b_num << (shift - product_shift)
    return product + (c_num << (shift - c_shift)), shift


def _exact_zero(a: float, b: float, c: float, mode: Rounding) -> float:
    """An exactly cancelled or zero sum: -0 if both addends are negative, or rounding down."""
    product_negative = math.copysign(1.0, a) != math.copysign(1.0, b)
    c_negative = math.copysign(1.0, c) < 0
    if product_negative and c_negative:
        return -0.0
    if mode is Rounding.DOWN and (product_negative or c_negative):
        return -0.0
    return 0.0


def round_ratio(numerator: int, shift: int, mode: Rounding) -> float:
    """numerator / 2**shift in double; Python's integer division rounds to nearest even."""
    if shift < 0:
        numerator <<= -shift
        shift = 0
    try:
        near = numerator / (1 << shift)
    except OverflowError:
        near = math.inf if numerator > 0 else -math.inf
    if mode is Rounding.NEAREST_EVEN:
        return near
    return _directed(numerator, shift, near, mode)


def _directed(numerator: int, shift: int, near: float, mode: Rounding) -> float:
    if math.isinf(near):
        error = -1 if near > 0 else 1
    else:
        near_num, near_den = near.as_integer_ratio()
        error = numerator * near_den - (near_num << shift)
    if error == 0:
        return near
    if not _wants_step(error, near, mode):
        return near
    toward = {Rounding.UP: math.inf, Rounding.DOWN: -math.inf, Rounding.ZERO: 0.0}[mode]
    return math.nextafter(near, toward)


def _wants_step(error: int, near: float, mode: Rounding) -> bool:
    match mode:
        case Rounding.UP:
            return error > 0
        case Rounding.DOWN:
            return error < 0
        case _:
            return (error < 0) == (near > 0)
