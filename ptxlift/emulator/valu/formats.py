"""Floating-point formats as bit patterns: masks, denormal flushing, and rounding out of double.

Comes in: bit patterns, or exact doubles. Goes out: bit patterns of a format. The narrow formats
compute in double: a sum is rounded to odd first, so that the second rounding is the only one that
counts. It must not know instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlift.emulator.valu.kinds import Bits, Ctx, Kind, Rounding
from ptxlift.records import dataclass

Doubles = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Format:
    """One floating-point format; masks are numpy scalars of its unsigned type."""

    kind: Kind
    uint: Any  # numpy unsigned type of the pattern
    number: Any  # numpy float type, None for bf16
    exponent_bits: int
    mantissa_bits: int
    double_mode: bool  # MODE's f64/f16 fields govern it, not the f32 fields
    sign: Any
    exponent: Any
    mantissa: Any
    quiet: Any  # the mantissa bit that tells quiet from signalling NaNs
    one: Any  # the pattern 1, for steps to neighbours

    @property
    def bits(self) -> int:
        return 1 + self.exponent_bits + self.mantissa_bits

    @property
    def bias(self) -> int:
        return (1 << (self.exponent_bits - 1)) - 1

    def flushes_in(self, ctx: Ctx) -> bool:
        return ctx.flush_in64 if self.double_mode else ctx.flush_in32

    def flushes_out(self, ctx: Ctx) -> bool:
        return ctx.flush_out64 if self.double_mode else ctx.flush_out32

    def rounding(self, ctx: Ctx) -> Rounding:
        return ctx.round64 if self.double_mode else ctx.round32


def _format(kind: Kind, uint: Any, number: Any, exponent: int, mantissa: int, dp: bool) -> Format:
    sign = uint(1 << (exponent + mantissa))
    exponent_mask = uint(((1 << exponent) - 1) << mantissa)
    mantissa_mask = uint((1 << mantissa) - 1)
    quiet = uint(1 << (mantissa - 1))
    masks = (sign, exponent_mask, mantissa_mask, quiet, uint(1))
    return Format(kind, uint, number, exponent, mantissa, dp, *masks)


F16 = _format(Kind.F16, np.uint16, np.float16, 5, 10, True)
BF16 = _format(Kind.BF16, np.uint16, None, 8, 7, True)
F32 = _format(Kind.F32, np.uint32, np.float32, 8, 23, False)
F64 = _format(Kind.F64, np.uint64, np.float64, 11, 52, True)

ALL_FORMATS = (F16, BF16, F32, F64)


def flush(fmt: Format, bits: Bits) -> Bits:
    """Denormals as zeros of the same sign."""
    return np.where(bits & fmt.exponent == 0, bits & fmt.sign, bits)


def flush_in(fmt: Format, ctx: Ctx, bits: Bits) -> Bits:
    return flush(fmt, bits) if fmt.flushes_in(ctx) else bits


def flush_out(fmt: Format, ctx: Ctx, bits: Bits) -> Bits:
    return flush(fmt, bits) if fmt.flushes_out(ctx) else bits


def magnitude(fmt: Format, bits: Bits) -> Bits:
    """The pattern without its sign."""
    unsigned: Bits = bits & ~fmt.sign
    return unsigned


def is_nan(fmt: Format, bits: Bits) -> Bits:
    above: Bits = magnitude(fmt, bits) > fmt.exponent
    return above


def is_signalling(fmt: Format, bits: Bits) -> Bits:
    loud: Bits = is_nan(fmt, bits) & (bits & fmt.quiet == 0)
    return loud


def is_infinite(fmt: Format, bits: Bits) -> Bits:
    same: Bits = magnitude(fmt, bits) == fmt.exponent
    return same


def is_zero(fmt: Format, bits: Bits) -> Bits:
    same: Bits = magnitude(fmt, bits) == 0
    return same


def quiet(fmt: Format, bits: Bits) -> Bits:
    """NaNs made quiet, all else as it is."""
    return np.where(is_nan(fmt, bits), bits | fmt.quiet, bits)


def exponent_field(fmt: Format, bits: Bits) -> NDArray[np.int64]:
    field: NDArray[np.int64] = ((bits & fmt.exponent) >> fmt.uint(fmt.mantissa_bits)).astype(
        np.int64
    )
    return field


def to_double(fmt: Format, bits: Bits) -> Doubles:
    """The exact value; every format fits in double."""
    if fmt is BF16:
        bits = bits.astype(np.uint32) << 16
        number: NDArray[Any] = bits.view(np.float32)
    else:
        number = bits.view(fmt.number)
    return number.astype(np.float64)


_ONE = np.int64(1)
_SIGN_SHIFT = np.int64(63)


def odd(total: Doubles, error: Doubles) -> Doubles:
    """`total + error` (an exact TwoSum or TwoProduct pair) rounded to odd."""
    bits = total.view(np.int64)
    away = ((bits ^ error.view(np.int64)) >> _SIGN_SHIFT) | _ONE
    even_and_inexact = (np.abs(error) > 0.0) > (bits & _ONE)
    return (bits + away * even_and_inexact).view(np.float64)


def odd_sum(a: Doubles, b: Doubles) -> Doubles:
    """The exact sum rounded to odd (Knuth's TwoSum gives the error)."""
    total = a + b
    b_part = total - a
    return odd(total, (a - (total - b_part)) + (b - b_part))


def narrow(fmt: Format, wide: Doubles, mode: Rounding = Rounding.NEAREST_EVEN) -> Bits:
    """A double, exact or rounded to odd, in a narrower format by one of the four roundings."""
    near = _nearest(fmt, wide)
    if mode is Rounding.NEAREST_EVEN:
        return near
    return _directed(fmt, near, to_double(fmt, near), wide, mode)


def _nearest(fmt: Format, wide: Doubles) -> Bits:
    if fmt is BF16:
        return _nearest_bf16(wide)
    bits: Bits = wide.astype(fmt.number).view(fmt.uint)
    return bits


def _nearest_bf16(wide: Doubles) -> Bits:
    """By way of single precision, rounded to odd; the low half then decides."""
    single = wide.astype(np.float32)
    bits = single.view(np.int32)
    error = wide - single.astype(np.float64)
    away = np.where((error < 0) == (bits < 0), 1, -1)
    bits = bits + np.where((np.abs(error) > 0) > (bits & 1), away, 0)
    return bf16_from_single(bits.astype(np.int32).view(np.uint32))


def bf16_from_single(bits: Bits) -> Bits:
    """The upper half of a single-precision pattern, rounded to nearest even."""
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    halves: Bits = np.where(is_nan(F32, bits), (bits >> 16) | 0x40, rounded).astype(np.uint16)
    return halves


def _directed(fmt: Format, near: Bits, value: Doubles, wide: Doubles, mode: Rounding) -> Bits:
    """From the nearest value of `wide` to the directed one: at most one step."""
    match mode:
        case Rounding.UP:
            step = (value < wide).astype(np.int8)
        case Rounding.DOWN:
            step = -(value > wide).astype(np.int8)
        case _:
            toward_zero: Bits = near - (np.abs(value) > np.abs(wide)).astype(fmt.uint)
            return toward_zero
    outward = np.where(near & fmt.sign == 0, step, -step)
    stepped: Bits = near + outward.astype(fmt.uint)
    return stepped


def sum_rounded(fmt: Format, a: Doubles, b: Doubles, mode: Rounding) -> Bits:
    """The exact sum of two doubles in a narrower format; rounding down, x - x is -0."""
    wide = odd_sum(a, b)
    total = narrow(fmt, wide, mode)
    if mode is not Rounding.DOWN:
        return total
    minus = (wide == 0) & (np.signbit(a) | np.signbit(b))
    return np.where(minus, fmt.sign, total)
