"""Float addition, multiplication and fused multiply-add in f16, bf16, f32 and f64.

Comes in: bit patterns. Goes out: bit patterns, rounded once in MODE's rounding, with denormals
flushed where MODE says so. It must not know packed halves, source modifiers or clamps.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlift.emulator.valu import double
from ptxlift.emulator.valu.formats import (
    BF16,
    F16,
    F32,
    F64,
    Doubles,
    Format,
    flush,
    flush_in,
    flush_out,
    is_zero,
    narrow,
    sum_rounded,
    to_double,
)
from ptxlift.emulator.valu.kinds import Bits, Ctx, Flags, Rounding
from ptxlift.emulator.valu.table import Row

NEAREST = Rounding.NEAREST_EVEN


def add(fmt: Format, ctx: Ctx, a: Bits, b: Bits) -> Bits:
    if fmt.flushes_in(ctx):
        a = flush(fmt, a)
        b = flush(fmt, b)
    mode = fmt.rounding(ctx)
    if mode is NEAREST and fmt.number is not None:
        total: Bits = (a.view(fmt.number) + b.view(fmt.number)).view(fmt.uint)
    else:
        total = _add_rounded(fmt, a, b, mode)
    return flush(fmt, total) if fmt.flushes_out(ctx) else total


def _add_rounded(fmt: Format, a: Bits, b: Bits, mode: Rounding) -> Bits:
    wide_a = to_double(fmt, a)
    wide_b = to_double(fmt, b)
    if fmt is F64:
        return double.fma(wide_a, np.ones(1), wide_b, mode).view(np.uint64)
    return sum_rounded(fmt, wide_a, wide_b, mode)


def sub(fmt: Format, ctx: Ctx, a: Bits, b: Bits) -> Bits:
    return add(fmt, ctx, a, b ^ fmt.sign)


def subrev(fmt: Format, ctx: Ctx, a: Bits, b: Bits) -> Bits:
    return add(fmt, ctx, b, a ^ fmt.sign)


def mul(fmt: Format, ctx: Ctx, a: Bits, b: Bits) -> Bits:
    if fmt.flushes_in(ctx):
        a = flush(fmt, a)
        b = flush(fmt, b)
    mode = fmt.rounding(ctx)
    if mode is NEAREST and fmt.number is not None:
        product: Bits = (a.view(fmt.number) * b.view(fmt.number)).view(fmt.uint)
    else:
        product = _mul_rounded(fmt, a, b, mode)
    return flush(fmt, product) if fmt.flushes_out(ctx) else product


def _mul_rounded(fmt: Format, a: Bits, b: Bits, mode: Rounding) -> Bits:
    wide_a = to_double(fmt, a)
    wide_b = to_double(fmt, b)
    if fmt is not F64:
        return narrow(fmt, wide_a * wide_b, mode)
    negative = (a ^ b) & fmt.sign
    zero = np.where(negative == 0, 0.0, -0.0)  # keeps the sign of an underflow or zero product
    return double.fma(wide_a, wide_b, zero, mode).view(np.uint64)


def fma(fmt: Format, ctx: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    if fmt.flushes_in(ctx):
        a = flush(fmt, a)
        b = flush(fmt, b)
        c = flush(fmt, c)
    result = fma_rounded(fmt, a, b, c, fmt.rounding(ctx))
    return flush(fmt, result) if fmt.flushes_out(ctx) else result


def fma_rounded(fmt: Format, a: Bits, b: Bits, c: Bits, mode: Rounding) -> Bits:
    """One rounding, no flushing."""
    if fmt is F64:
        x, y, z = (source.view(np.float64) for source in (a, b, c))
        return double.fma(x, y, z, mode).view(np.uint64)
    product = to_double(fmt, a) * to_double(fmt, b)
    if fmt is F32 and mode is NEAREST:
        return _sum_nearest_single(product, to_double(fmt, c))
    return sum_rounded(fmt, product, to_double(fmt, c), mode)


LOST = np.uint64((1 << 29) - 1)  # mantissa bits that f32 does not keep
TIE = np.uint64(1 << 28)
TINY = 2.0**-125


def _sum_nearest_single(a: Doubles, b: Doubles) -> Bits:
    """Rounding twice is wrong only if the first result is a tie of the second: then take care."""
    total = a + b
    risky = (total.view(np.uint64) & LOST) == TIE
    risky |= np.abs(total) < TINY
    if np.count_nonzero(risky):
        return sum_rounded(F32, a, b, NEAREST)
    bits: Bits = total.astype(np.float32).view(np.uint32)
    return bits


def mad(fmt: Format, ctx: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    """Two roundings; the unfused unit of gfx9 and gfx10 never keeps denormals."""
    if fmt is F32 and ctx.round32 is NEAREST:
        return _mad_nearest_single(a, b, c)
    product = flush(fmt, _mul_near(fmt, flush(fmt, a), flush(fmt, b), fmt.rounding(ctx)))
    total = _add_near(fmt, product, flush(fmt, c), fmt.rounding(ctx))
    return flush(fmt, total)


SMALLEST = np.float32(2.0**-126)


def _mad_nearest_single(a: Bits, b: Bits, c: Bits) -> Bits:
    x, y, z = (_flushed(source.view(np.float32)) for source in (a, b, c))
    bits: Bits = _flushed(_flushed(x * y) + z).view(np.uint32)
    return bits


def _flushed(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Denormals as zeros by a multiplication, which keeps signs and NaNs; faster than a choice."""
    return x * (np.abs(x) >= SMALLEST)


def _mul_near(fmt: Format, a: Bits, b: Bits, mode: Rounding) -> Bits:
    return narrow(fmt, to_double(fmt, a) * to_double(fmt, b), mode)


def _add_near(fmt: Format, a: Bits, b: Bits, mode: Rounding) -> Bits:
    return sum_rounded(fmt, to_double(fmt, a), to_double(fmt, b), mode)


def mul_legacy(fmt: Format, ctx: Ctx, a: Bits, b: Bits) -> Bits:
    """DX9 rule: zero times anything, even infinity or NaN, is +0."""
    zero = is_zero(fmt, flush_in(fmt, ctx, a)) | is_zero(fmt, flush_in(fmt, ctx, b))
    return np.where(zero, fmt.uint(0), mul(fmt, ctx, a, b))


def fma_legacy(fmt: Format, ctx: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    """DX9 rule: with a zero factor the result is the addend."""
    zero = is_zero(fmt, flush_in(fmt, ctx, a)) | is_zero(fmt, flush_in(fmt, ctx, b))
    addend = flush_out(fmt, ctx, flush_in(fmt, ctx, c))
    return np.where(zero, addend, fma(fmt, ctx, a, b, c))


def mad_legacy(fmt: Format, ctx: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    zero = is_zero(fmt, flush(fmt, a)) | is_zero(fmt, flush(fmt, b))
    return np.where(zero, flush(fmt, c), mad(fmt, ctx, a, b, c))


DP = Flags(f64=True)
ACC = Flags(reads_dst=True)
ACC_DP = Flags(reads_dst=True, f64=True)


def _of(fn: Any) -> tuple[Any, Any, Any]:
    return partial(fn, F16), partial(fn, F32), partial(fn, F64)


add16, add32, add64 = _of(add)
sub16, sub32, sub64 = _of(sub)
subrev16, subrev32, _ = _of(subrev)
mul16, mul32, mul64 = _of(mul)
fma16, fma32, fma64 = _of(fma)
mad16, mad32, _ = _of(mad)
mul_zero32 = partial(mul_legacy, F32)
fma_zero32 = partial(fma_legacy, F32)
mad_zero32 = partial(mad_legacy, F32)
add_bf16 = partial(add, BF16)
mul_bf16 = partial(mul, BF16)
fma_bf16 = partial(fma, BF16)

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("v_add_f16",                           "f16 = f16 f16",     add16),
    Row("v_add_f32",                           "f32 = f32 f32",     add32),
    Row("v_add_f64",                           "f64 = f64 f64",     add64,      DP),
    Row("v_sub_f16",                           "f16 = f16 f16",     sub16),
    Row("v_sub_f32",                           "f32 = f32 f32",     sub32),
    Row("v_subrev_f16",                        "f16 = f16 f16",     subrev16),
    Row("v_subrev_f32",                        "f32 = f32 f32",     subrev32),
    Row("v_mul_f16",                           "f16 = f16 f16",     mul16),
    Row("v_mul_f32",                           "f32 = f32 f32",     mul32),
    Row("v_mul_f64",                           "f64 = f64 f64",     mul64,      DP),
    Row("v_mul_legacy_f32 v_mul_dx9_zero_f32", "f32 = f32 f32",     mul_zero32),
    Row("v_fma_f16 v_fma_legacy_f16",          "f16 = f16 f16 f16", fma16),
    Row("v_fma_f32",                           "f32 = f32 f32 f32", fma32),
    Row("v_fma_f64",                           "f64 = f64 f64 f64", fma64,      DP),
    Row("v_fma_legacy_f32 v_fma_dx9_zero_f32", "f32 = f32 f32 f32", fma_zero32),
    Row("v_fmac_f16",                          "f16 = f16 f16",     fma16,      ACC),
    Row("v_fmac_f32",                          "f32 = f32 f32",     fma32,      ACC),
    Row("v_fmac_f64",                          "f64 = f64 f64",     fma64,      ACC_DP),
    Row("v_fmac_legacy_f32",                   "f32 = f32 f32",     fma_zero32, ACC),
    Row("v_fmac_dx9_zero_f32",                 "f32 = f32 f32",     fma_zero32, ACC),
    Row("v_fmaak_f16 v_fmamk_f16",             "f16 = f16 f16 f16", fma16),
    Row("v_fmaak_f32 v_fmamk_f32",             "f32 = f32 f32 f32", fma32),
    Row("v_fmaak_f64 v_fmamk_f64",             "f64 = f64 f64 f64", fma64,      DP),
    Row("v_mad_f16 v_mad_legacy_f16",          "f16 = f16 f16 f16", mad16),
    Row("v_mad_f32",                           "f32 = f32 f32 f32", mad32),
    Row("v_mad_legacy_f32",                    "f32 = f32 f32 f32", mad_zero32),
    Row("v_mac_f16",                           "f16 = f16 f16",     mad16,      ACC),
    Row("v_mac_f32",                           "f32 = f32 f32",     mad32,      ACC),
    Row("v_mac_legacy_f32",                    "f32 = f32 f32",     mad_zero32, ACC),
    Row("v_madak_f16 v_madmk_f16",             "f16 = f16 f16 f16", mad16),
    Row("v_madak_f32 v_madmk_f32",             "f32 = f32 f32 f32", mad32),
)
