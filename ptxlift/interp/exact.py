"""Floating-point arithmetic by integers, one number at a time: slow, and right everywhere.

Comes in: bit patterns and a format. Goes out: the correctly rounded bit pattern. It serves what
numpy cannot do by itself: f64 with directed rounding and the corners of f64 fma. It must know
nothing of lanes.
"""

from __future__ import annotations

from math import isqrt

from ptxlift.ir.attributes import Format, Rounding
from ptxlift.records import dataclass

# The quiet NaN that NVIDIA's arithmetic produces.
CANONICAL_NAN = {
    Format.F16: 0x7FFF,
    Format.BF16: 0x7FFF,
    Format.F32: 0x7FFFFFFF,
    Format.F64: 0xFFF8000000000000,
}


@dataclass(frozen=True, slots=True)
class Number:
    """A finite value: (-1)^negative * mantissa * 2^exponent."""

    negative: bool
    mantissa: int
    exponent: int


def is_nan(bits: int, fmt: Format) -> bool:
    infinity = ((1 << fmt.exponent_bits) - 1) << fmt.mantissa_bits
    return bits & ((1 << (fmt.bits - 1)) - 1) > infinity


def infinity(negative: bool, fmt: Format) -> int:
    """The bit pattern of an infinity."""
    return (negative << (fmt.bits - 1)) | ((1 << fmt.exponent_bits) - 1) << fmt.mantissa_bits


def decode(bits: int, fmt: Format) -> Number | None:
    """The value of a bit pattern; None for infinities and NaNs."""
    places = fmt.mantissa_bits
    field = bits >> places & ((1 << fmt.exponent_bits) - 1)
    mantissa = bits & ((1 << places) - 1)
    if field == (1 << fmt.exponent_bits) - 1:
        return None
    if field:
        mantissa |= 1 << places
    bias = (1 << (fmt.exponent_bits - 1)) - 1
    return Number(bool(bits >> (fmt.bits - 1)), mantissa, max(field, 1) - bias - places)


def _rounds_up(number: Number, kept: int, rest: int, half: int, rounding: Rounding) -> bool:
    match rounding:
        case Rounding.RN:
            return rest > half or (rest == half and kept & 1 == 1)
        case Rounding.RNA:
            return rest >= half
        case Rounding.RM:
            return number.negative and rest > 0
        case Rounding.RP:
            return not number.negative and rest > 0
        case Rounding.RZ:
            return False


def encode(number: Number, fmt: Format, rounding: Rounding) -> int:
    """The nearest bit pattern in the rounding's direction; subnormals and overflow included."""
    sign = number.negative << (fmt.bits - 1)
    if number.mantissa == 0:
        return sign
    places = fmt.mantissa_bits
    bias = (1 << (fmt.exponent_bits - 1)) - 1
    top = number.mantissa.bit_length() - 1 + number.exponent
    lowest = max(top, 1 - bias) - places  # exponent of the last kept bit
    shift = lowest - number.exponent
    if shift <= 0:
        kept = number.mantissa << -shift
    else:
        kept = number.mantissa >> shift
        rest = number.mantissa - (kept << shift)
        kept += _rounds_up(number, kept, rest, 1 << (shift - 1), rounding)
    magnitude = ((lowest + places + bias - 1) << places) + kept
    if magnitude >= infinity(False, fmt):
        magnitude = infinity(False, fmt) - (not _overflows(number.negative, rounding))
    return sign | magnitude


def _overflows(negative: bool, rounding: Rounding) -> bool:
    """Whether a value beyond the largest finite one becomes infinite."""
    match rounding:
        case Rounding.RZ:
            return False
        case Rounding.RM:
            return negative
        case Rounding.RP:
            return not negative
        case _:
            return True


def _sum(a: Number, b: Number, rounding: Rounding) -> Number:
    exponent = min(a.exponent, b.exponent)
    total = 0
    for number in (a, b):
        part = number.mantissa << (number.exponent - exponent)
        total += -part if number.negative else part
    if total == 0:
        both = a.negative and b.negative
        different = a.negative != b.negative
        return Number(both or (different and rounding is Rounding.RM), 0, 0)
    return Number(total < 0, abs(total), exponent)


def add(a: int, b: int, fmt: Format, rounding: Rounding) -> int:
    """a + b."""
    left, right = decode(a, fmt), decode(b, fmt)
    if left is None or right is None:
        return _special_sum(a, left, b, right, fmt)
    return encode(_sum(left, right, rounding), fmt, rounding)


def _special_sum(a: int, left: Number | None, b: int, right: Number | None, fmt: Format) -> int:
    if is_nan(a, fmt) or is_nan(b, fmt) or (left is None and right is None and a != b):
        return CANONICAL_NAN[fmt]
    return a if left is None else b


def _is_zero(number: Number | None) -> bool:
    return number is not None and number.mantissa == 0


def _sign(bits: int, fmt: Format) -> bool:
    return bool(bits >> (fmt.bits - 1))


def fma(a: int, b: int, c: int, fmt: Format, rounding: Rounding) -> int:
    """a * b + c with one rounding."""
    left, right, addend = decode(a, fmt), decode(b, fmt), decode(c, fmt)
    if is_nan(a, fmt) or is_nan(b, fmt) or is_nan(c, fmt):
        return CANONICAL_NAN[fmt]
    negative = _sign(a, fmt) != _sign(b, fmt)
    if left is None or right is None:
        if _is_zero(left) or _is_zero(right):
            return CANONICAL_NAN[fmt]
        product = infinity(negative, fmt)
        return CANONICAL_NAN[fmt] if addend is None and c != product else product
    if addend is None:
        return c
    exact = Number(negative, left.mantissa * right.mantissa, left.exponent + right.exponent)
    return encode(_sum(exact, addend, rounding), fmt, rounding)


def mul(a: int, b: int, fmt: Format, rounding: Rounding) -> int:
    """a * b."""
    left, right = decode(a, fmt), decode(b, fmt)
    if is_nan(a, fmt) or is_nan(b, fmt):
        return CANONICAL_NAN[fmt]
    negative = _sign(a, fmt) != _sign(b, fmt)
    if left is None or right is None:
        if _is_zero(left) or _is_zero(right):
            return CANONICAL_NAN[fmt]
        return infinity(negative, fmt)
    exact = Number(negative, left.mantissa * right.mantissa, left.exponent + right.exponent)
    return encode(exact, fmt, rounding)


def div(a: int, b: int, fmt: Format, rounding: Rounding) -> int:
    """a / b."""
    left, right = decode(a, fmt), decode(b, fmt)
    negative = _sign(a, fmt) != _sign(b, fmt)
    if is_nan(a, fmt) or is_nan(b, fmt):
        return CANONICAL_NAN[fmt]
    if left is None:
        return CANONICAL_NAN[fmt] if right is None else infinity(negative, fmt)
    if right is None or left.mantissa == 0:
        return CANONICAL_NAN[fmt] if _is_zero(right) else negative << (fmt.bits - 1)
    if right.mantissa == 0:
        return infinity(negative, fmt)
    shift = 2 * fmt.mantissa_bits + 4 + right.mantissa.bit_length()
    quotient, rest = divmod(left.mantissa << shift, right.mantissa)
    sticky = quotient << 1 | (rest != 0)
    return encode(
        Number(negative, sticky, left.exponent - right.exponent - shift - 1), fmt, rounding
    )


def sqrt(a: int, fmt: Format, rounding: Rounding) -> int:
    """The square root; of -0 it is -0, of other negative values a NaN."""
    number = decode(a, fmt)
    if is_nan(a, fmt) or (_sign(a, fmt) and not _is_zero(number)):
        return CANONICAL_NAN[fmt]
    if number is None or number.mantissa == 0:
        return a
    shift = 2 * fmt.mantissa_bits + 6
    shift += (number.exponent - shift) & 1
    scaled = number.mantissa << shift
    root = isqrt(scaled)
    sticky = root << 1 | (root * root != scaled)
    return encode(Number(False, sticky, (number.exponent - shift) // 2 - 1), fmt, rounding)
