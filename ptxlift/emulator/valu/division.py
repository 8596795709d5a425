"""The division helpers: div_scale, div_fmas, div_fixup, and trig_preop's digits of 2/pi.

Comes in: bit patterns. Goes out: bit patterns, and div_scale's mask of lanes to scale back. The
conditions are those of the ISA documents, with two corrections without which the documented
sequences would not be correctly rounded: div_fmas scales by 2**64 (f64: 2**128) up or down by the
quotient's size, not by 2**32, and rounds once after that; and where both 1/d and n/d are denormal,
div_scale makes the denominator smaller, not larger. It must not know those sequences.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from ptxlift.emulator.valu.arithmetic import fma
from ptxlift.emulator.valu.double import fma_by_lane
from ptxlift.emulator.valu.formats import (
    F16,
    F32,
    F64,
    Doubles,
    Format,
    exponent_field,
    flush_in,
    flush_out,
    is_infinite,
    is_nan,
    is_zero,
    magnitude,
    narrow,
    odd_sum,
    to_double,
)
from ptxlift.emulator.valu.integer import signed
from ptxlift.emulator.valu.kinds import Bits, Ctx, Flags
from ptxlift.emulator.valu.table import Row
from ptxlift.records import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The constants in which the f32 and f64 forms differ."""

    scale: int  # power of two the operands are scaled by
    quotient: int  # exponent difference from which the quotient is near overflow
    tiny: int  # exponent field up to which the numerator is tiny
    underflow: int  # exponent difference below which fixup returns zero


LIMITS = {F32: Limits(64, 96, 23, -150), F64: Limits(128, 768, 53, -1075)}


def div_scale(
    fmt: Format, ctx: Ctx, a: Bits, denominator: Bits, numerator: Bits
) -> tuple[Bits, Bits]:
    """`a`, which is one of the other two, scaled so that no step over- or underflows."""
    sources = np.broadcast_arrays(a, denominator, numerator)
    a, denominator, numerator = (flush_in(fmt, ctx, x) for x in sources)
    limits = LIMITS[fmt]
    e_den = exponent_field(fmt, denominator)
    e_num = exponent_field(fmt, numerator)
    apart = e_num - e_den
    easy = (e_num > limits.tiny) & (e_den > 0) & (e_den < 2 * fmt.bias - 1)
    easy &= (apart < limits.quotient) & (apart > 1 - fmt.bias)
    if np.count_nonzero(easy) == easy.size:
        return a, np.zeros(easy.shape, np.bool_)
    zero = is_zero(fmt, denominator) | is_zero(fmt, numerator)
    huge = apart >= limits.quotient
    small_den = (e_den == 0) & ~is_zero(fmt, denominator)
    small_inverse = _reciprocal_is_denormal(fmt, denominator)
    small_quotient = apart <= 1 - fmt.bias
    both = small_inverse & small_quotient
    is_den = a == denominator
    is_num = a == numerator
    conditions = [zero, huge, small_den, both, small_inverse, small_quotient, e_num <= limits.tiny]
    none = np.zeros(1, np.int64)
    up = none + limits.scale
    den_up = np.where(is_den, up, none)
    steps = [none, den_up, up, -den_up, -up, np.where(is_num, up, none), up]
    shift = np.select(conditions, steps)
    mask = np.select(conditions, [True, True, False, True, False, True, False], False)
    scaled = _scaled(fmt, a, shift)
    nan = fmt.exponent | fmt.quiet
    return np.where(zero, nan, scaled), mask


def _scaled(fmt: Format, a: Bits, shift: NDArray[np.int64]) -> Bits:
    return narrow(fmt, np.ldexp(to_double(fmt, a), shift))


def _reciprocal_is_denormal(fmt: Format, denominator: Bits) -> Bits:
    """1 / d below the smallest normal: |d| above 2**(bias - 1)."""
    limit = fmt.uint((2 * fmt.bias - 1) << fmt.mantissa_bits)
    size = magnitude(fmt, denominator)
    small: Bits = (size > limit) & (size < fmt.exponent)
    return small


def div_fmas(fmt: Format, ctx: Ctx, a: Bits, b: Bits, c: Bits, scaled: Bits) -> Bits:
    """fma, scaled back in the lanes of the mask: up if the quotient `c` is at least one."""
    plain = fma(fmt, ctx, a, b, c)
    a, b, c, scaled = np.broadcast_arrays(a, b, c, scaled)
    if not scaled.any():
        return plain
    a, b, c = (flush_in(fmt, ctx, x) for x in (a, b, c))
    result = np.broadcast_to(plain, scaled.shape).copy()
    up = exponent_field(fmt, c) > fmt.bias
    for lanes, sign in ((scaled & up, 1), (scaled & ~up, -1)):
        if lanes.any():
            result[lanes] = _fma_scaled(fmt, ctx, a[lanes], b[lanes], c[lanes], sign)
    return flush_out(fmt, ctx, result)


def _fma_scaled(fmt: Format, ctx: Ctx, a: Bits, b: Bits, c: Bits, sign: int) -> Bits:
    shift = sign * LIMITS[fmt].scale
    mode = fmt.rounding(ctx)
    if fmt is F64:
        x, y, z = (source.view(np.float64) for source in (a, b, c))
        return fma_by_lane(x, y, z, mode, shift).view(np.uint64)
    wide = odd_sum(to_double(fmt, a) * to_double(fmt, b), to_double(fmt, c))
    return narrow(fmt, np.ldexp(wide, shift), mode)


def _all_ordinary(fmt: Format, quotient: Bits, denominator: Bits, numerator: Bits) -> bool:
    """No zero, denormal, infinity or NaN among the operands, no underflow, no lost estimate."""
    den = signed(denominator & fmt.exponent)  # compared in place, not shifted down
    num = signed(numerator & fmt.exponent)
    top = signed(fmt.exponent)
    ordinary = (den > 0) & (den < top) & (num > 0) & (num < top)
    ordinary = ordinary & (num - den >= LIMITS[fmt].underflow << fmt.mantissa_bits)
    ordinary = ordinary & (quotient & fmt.exponent != fmt.exponent)
    return bool(ordinary.all())


def div_fixup(fmt: Format, ctx: Ctx, quotient: Bits, denominator: Bits, numerator: Bits) -> Bits:
    """The quotient with its sign, or the special value that the operands demand."""
    quotient, denominator, numerator = (
        flush_in(fmt, ctx, x) for x in (quotient, denominator, numerator)
    )
    sign = (denominator ^ numerator) & fmt.sign
    if fmt in LIMITS and _all_ordinary(fmt, quotient, denominator, numerator):
        ordinary: Bits = magnitude(fmt, quotient) | sign
        return ordinary
    den_zero, num_zero = is_zero(fmt, denominator), is_zero(fmt, numerator)
    den_inf, num_inf = is_infinite(fmt, denominator), is_infinite(fmt, numerator)
    invalid = (den_zero & num_zero) | (den_inf & num_inf)
    infinite = den_zero | num_inf
    zero = den_inf | num_zero
    if fmt in LIMITS:
        difference = exponent_field(fmt, numerator) - exponent_field(fmt, denominator)
        zero = zero | (difference < LIMITS[fmt].underflow)
    infinity = fmt.exponent
    indefinite = fmt.sign | fmt.exponent | fmt.quiet
    size = np.where(is_nan(fmt, quotient), infinity, magnitude(fmt, quotient))
    result = np.where(zero, sign, size | sign)
    result = np.where(infinite, infinity | sign, result)
    result = np.where(invalid, indefinite, result)
    result = np.where(is_nan(fmt, denominator), denominator | fmt.quiet, result)
    fixed: Bits = np.where(is_nan(fmt, numerator), numerator | fmt.quiet, result)
    return fixed


TWO_OVER_PI_BITS = 1201


@cache
def two_over_pi() -> int:
    """The first 1201 fraction bits of 2 / pi, from Machin's formula in integers."""
    guard = 64
    unit = 1 << (TWO_OVER_PI_BITS + guard)
    pi = 4 * (4 * _arctan_inverse(5, unit) - _arctan_inverse(239, unit))
    return (2 * unit * unit // pi) >> guard


def _arctan_inverse(x: int, unit: int) -> int:
    """arctan(1 / x) * unit."""
    power = unit // x
    total = power
    divisor = 1
    while power:
        power //= -x * x
        divisor += 2
        total += power // divisor
        if abs(power) <= 1:
            break
    return total


def trig_preop(_: Ctx, a: Bits, segment: Bits) -> Bits:
    """Segment 0, 1 or 2 of 2 / pi, 53 bits each, that matters for an argument of a's size."""
    a, segment = np.broadcast_arrays(a, segment)
    exponents = exponent_field(F64, a).ravel().tolist()
    segments = (segment & 31).ravel().tolist()
    lanes = [_preop_lane(e, s) for e, s in zip(exponents, segments, strict=True)]
    digits: Doubles = np.array(lanes, np.float64)
    return digits.reshape(a.shape).view(np.uint64)


def _preop_lane(exponent: int, segment: int) -> float:
    shift = segment * 53 + max(0, exponent - 1077)
    bits = (two_over_pi() << shift) >> (TWO_OVER_PI_BITS - 53) & ((1 << 53) - 1)
    scale = -53 - shift + (128 if exponent >= 1968 else 0)
    return float(np.ldexp(float(bits), scale))


FMAS = Flags(implicit_vcc=True)
FMAS64 = Flags(implicit_vcc=True, f64=True)
DP = Flags(f64=True)

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("v_div_scale_f32",        "f32 mask = f32 f32 f32", partial(div_scale, F32)),
    Row("v_div_scale_f64",        "f64 mask = f64 f64 f64", partial(div_scale, F64), DP),
    Row("v_div_fmas_f32",         "f32 = f32 f32 f32",      partial(div_fmas, F32),  FMAS),
    Row("v_div_fmas_f64",         "f64 = f64 f64 f64",      partial(div_fmas, F64),  FMAS64),
    Row("v_div_fixup_f16",        "f16 = f16 f16 f16",      partial(div_fixup, F16)),
    Row("v_div_fixup_legacy_f16", "f16 = f16 f16 f16",      partial(div_fixup, F16)),
    Row("v_div_fixup_f32",        "f32 = f32 f32 f32",      partial(div_fixup, F32)),
    Row("v_div_fixup_f64",        "f64 = f64 f64 f64",      partial(div_fixup, F64), DP),
    Row("v_trig_preop_f64",       "f64 = f64 b32",          trig_preop,              DP),
)
