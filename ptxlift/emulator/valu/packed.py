"""Packed operations: two halves (or two f32) at once, mixed-precision fma, float dot products.

Comes in: whole registers and the VOP3P modifiers: for the low result op_sel picks the half of a
source and neg_lo negates it, for the high result op_sel_hi and neg_hi do. Goes out: whole
registers. The halves become a trailing axis of two and go through the scalar operation. It must
not know their arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ptxlift.emulator.valu import bitwise, integer, minmax, small_floats
from ptxlift.emulator.valu.arithmetic import add, fma, fma_rounded, mad, mul
from ptxlift.emulator.valu.convert import shrink
from ptxlift.emulator.valu.formats import (
    BF16,
    F16,
    F32,
    Format,
    flush,
    flush_in,
    flush_out,
    narrow,
    sum_rounded,
    to_double,
)
from ptxlift.emulator.valu.kinds import Bits, Ctx, Flags, Kind, Rounding
from ptxlift.emulator.valu.modifiers import apply_clamp
from ptxlift.emulator.valu.table import Row

Selectors = tuple[int, ...]
NEAR = Rounding.NEAREST_EVEN


def split(part: Any, bits: Bits, selectors: tuple[int, int], negated: tuple[int, int]) -> Bits:
    """A register as a trailing axis of its low and high part, chosen and negated."""
    halves: Bits = np.ascontiguousarray(bits)[..., None].view(part)
    if selectors != (0, 1):
        halves = halves[..., [int(selectors[0]), int(selectors[1])]]
    if any(negated):
        sign = 1 << (8 * np.dtype(part).itemsize - 1)
        halves = halves ^ np.array([sign if n else 0 for n in negated], part)
    return halves


def join(whole: Any, halves: Bits) -> Bits:
    joined: Bits = np.ascontiguousarray(halves).view(whole)[..., 0]
    return joined


def packed(
    fn: Callable[..., Bits],
    part: Any,
    whole: Any,
    ctx: Ctx,
    *sources: Bits,
    op_sel: Selectors,
    op_sel_hi: Selectors,
    neg_lo: Selectors,
    neg_hi: Selectors,
    **keywords: bool,
) -> Bits:
    """`fn` on both parts of every source."""
    halves = [
        split(part, source, (op_sel[i], op_sel_hi[i]), (neg_lo[i], neg_hi[i]))
        for i, source in enumerate(sources)
    ]
    return join(whole, fn(ctx, *halves, **keywords))


def packed_bf16(
    fn: Callable[..., Bits], ctx: Ctx, *sources: Bits, clamp: bool, **bits: Any
) -> Bits:
    """The caller clamps packed halves as f16, so bf16 is clamped here."""

    def clamped(ctx: Ctx, *halves: Bits) -> Bits:
        result = fn(ctx, *halves)
        return apply_clamp(Kind.BF16, result, ctx=ctx) if clamp else result

    return packed(clamped, np.uint16, np.uint32, ctx, *sources, **bits)


def fmac_pair(ctx: Ctx, a: Bits, b: Bits, old: Bits) -> Bits:
    """v_pk_fmac_f16 has no modifiers."""
    halves = [split(np.uint16, x, (0, 1), (0, 0)) for x in (a, b, old)]
    return join(np.uint32, fma(F16, ctx, *halves))


def mixed_sources(
    half: Format,
    ctx: Ctx,
    sources: tuple[Bits, ...],
    op_sel: Selectors,
    op_sel_hi: Selectors,
    neg_lo: Selectors,
    neg_hi: Selectors,
) -> list[Bits]:
    """Each source as f32: the whole register, or where op_sel_hi is set the half op_sel names.

    neg_hi is the absolute value here, neg_lo the negation after it.
    """
    out = []
    for i, source in enumerate(sources):
        value = source
        if op_sel_hi[i]:
            value = flush_in(half, ctx, (source >> (16 if op_sel[i] else 0)).astype(np.uint16))
            value = narrow(F32, to_double(half, value))
        if neg_hi[i]:
            value = value & ~F32.sign
        if neg_lo[i]:
            value = value ^ F32.sign
        out.append(value)
    return out


def mix(
    fn: Callable[..., Bits],
    half: Format,
    ctx: Ctx,
    *sources: Bits,
    op_sel: Selectors,
    op_sel_hi: Selectors,
    neg_lo: Selectors,
    neg_hi: Selectors,
) -> Bits:
    """fma or mad in f32 on sources of either width."""
    return fn(F32, ctx, *mixed_sources(half, ctx, sources, op_sel, op_sel_hi, neg_lo, neg_hi))


def mix_half(
    fn: Callable[..., Bits],
    half: Format,
    at: int,
    ctx: Ctx,
    *sources: Bits,
    clamp: bool = False,
    **modifiers: Selectors,
) -> Bits:
    """The f32 result rounded again to a half, written into the old destination (last source)."""
    *factors, old = sources
    result = shrink(F32, half, ctx, mix(fn, half, ctx, *factors, **modifiers))
    if clamp:
        result = apply_clamp(half.kind, result, ctx=ctx)
    written: Bits = (old & np.uint32(0xFFFF0000 >> at)) | (result.astype(np.uint32) << at)
    return written


def dot2(
    half: Format,
    ctx: Ctx,
    a: Bits,
    b: Bits,
    c: Bits,
    *,
    op_sel: Selectors = (0, 0, 0),
    op_sel_hi: Selectors = (1, 1, 1),
    neg_lo: Selectors = (0, 0, 0),
    neg_hi: Selectors = (0, 0, 0),
) -> Bits:
    """Two half products added to an f32, the low one first; denormals always flush."""
    xs = split(np.uint16, a, (op_sel[0], op_sel_hi[0]), (neg_lo[0], neg_hi[0]))
    ys = split(np.uint16, b, (op_sel[1], op_sel_hi[1]), (neg_lo[1], neg_hi[1]))
    products = to_double(half, flush(half, xs)) * to_double(half, flush(half, ys))
    total = flush(F32, c ^ F32.sign if neg_lo[2] else c)
    for i in range(2):
        total = flush(F32, sum_rounded(F32, products[..., i], to_double(F32, total), NEAR))
    del ctx
    return total


def dot2_half(half: Format, ctx: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    """Two half products added to a half, one fma after the other."""
    total = c
    for at in (0, 16):
        x, y = ((source >> at).astype(np.uint16) for source in (a, b))
        total = fma(half, ctx, x, y, total)
    return flush_out(half, ctx, total)


def dot4_bytes(first: str, second: str, ctx: Ctx, a: Bits, b: Bits, c: Bits, **_: Any) -> Bits:
    """Four products of 8-bit floats added to an f32, the lowest first."""
    x_table = small_floats.values(small_floats.FORMATS[first](ctx))
    y_table = small_floats.values(small_floats.FORMATS[second](ctx))
    total = c
    for at in range(0, 32, 8):
        x, y = (narrow(F32, t[(s >> at) & 0xFF]) for t, s in ((x_table, a), (y_table, b)))
        total = fma_rounded(F32, x, y, total, NEAR)
    return total


PK = Flags(packed=True)
PKC = Flags(packed=True, int_clamp=True)
PKS = Flags(packed=True, int_clamp=True, signed=True)
ACC = Flags(reads_dst=True)
HALF = Flags(packed=True, reads_dst=True, int_clamp=True)


def h16(fn: Callable[..., Any]) -> Callable[..., Bits]:
    return partial(packed, fn, np.uint16, np.uint32)


def w32(fn: Callable[..., Any]) -> Callable[..., Bits]:
    return partial(packed, partial(fn, F32), np.uint32, np.uint64)


add_bf16 = partial(packed_bf16, partial(add, BF16))
mul_bf16 = partial(packed_bf16, partial(mul, BF16))
fma_bf16 = partial(packed_bf16, partial(fma, BF16))
min_bf16 = partial(packed_bf16, minmax.min_number_bf16)
max_bf16 = partial(packed_bf16, minmax.max_number_bf16)

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("v_pk_add_u16",       "p16 = p16 p16",       h16(integer.add),                  PKC),
    Row("v_pk_add_i16",       "p16 = p16 p16",       h16(integer.add_signed),           PKS),
    Row("v_pk_sub_u16",       "p16 = p16 p16",       h16(integer.sub),                  PKC),
    Row("v_pk_sub_i16",       "p16 = p16 p16",       h16(integer.sub_signed),           PKS),
    Row("v_pk_mul_lo_u16",    "p16 = p16 p16",       h16(integer.mul_lo),               PK),
    Row("v_pk_mad_u16",       "p16 = p16 p16 p16",   h16(integer.mad_u16),              PKC),
    Row("v_pk_mad_i16",       "p16 = p16 p16 p16",   h16(integer.mad_i16),              PKS),
    Row("v_pk_min_u16",       "p16 = p16 p16",       h16(integer.minimum),              PK),
    Row("v_pk_max_u16",       "p16 = p16 p16",       h16(integer.maximum),              PK),
    Row("v_pk_min_i16",       "p16 = p16 p16",       h16(integer.smin),                 PK),
    Row("v_pk_max_i16",       "p16 = p16 p16",       h16(integer.smax),                 PK),
    Row("v_pk_min3_u16",      "p16 = p16 p16 p16",   h16(integer.minimum3),             PK),
    Row("v_pk_max3_u16",      "p16 = p16 p16 p16",   h16(integer.maximum3),             PK),
    Row("v_pk_min3_i16",      "p16 = p16 p16 p16",   h16(integer.smin3),                PK),
    Row("v_pk_max3_i16",      "p16 = p16 p16 p16",   h16(integer.smax3),                PK),
    Row("v_pk_add_min_u16",   "p16 = p16 p16 p16",   h16(integer.add_umin),             PKC),
    Row("v_pk_add_max_u16",   "p16 = p16 p16 p16",   h16(integer.add_umax),             PKC),
    Row("v_pk_add_min_i16",   "p16 = p16 p16 p16",   h16(integer.add_smin),             PKS),
    Row("v_pk_add_max_i16",   "p16 = p16 p16 p16",   h16(integer.add_smax),             PKS),
    Row("v_pk_lshlrev_b16",   "p16 = p16 p16",       h16(bitwise.shift_left),           PK),
    Row("v_pk_lshrrev_b16",   "p16 = p16 p16",       h16(bitwise.shift_right),          PK),
    Row("v_pk_ashrrev_i16",   "p16 = p16 p16",       h16(bitwise.shift_right_signed),   PK),
    Row("v_pk_add_f16",       "p16 = p16 p16",       h16(partial(add, F16)),            PK),
    Row("v_pk_mul_f16",       "p16 = p16 p16",       h16(partial(mul, F16)),            PK),
    Row("v_pk_fma_f16",       "p16 = p16 p16 p16",   h16(partial(fma, F16)),            PK),
    Row("v_pk_fmac_f16",      "p16 = p16 p16",       fmac_pair,                         ACC),
    Row("v_pk_min_f16",       "p16 = p16 p16",       h16(minmax.min_legacy16),          PK),
    Row("v_pk_max_f16",       "p16 = p16 p16",       h16(minmax.max_legacy16),          PK),
    Row("v_pk_min_num_f16",   "p16 = p16 p16",       h16(minmax.min_number16),          PK),
    Row("v_pk_max_num_f16",   "p16 = p16 p16",       h16(minmax.max_number16),          PK),
    Row("v_pk_minimum_f16",   "p16 = p16 p16",       h16(minmax.min_propagate16),       PK),
    Row("v_pk_maximum_f16",   "p16 = p16 p16",       h16(minmax.max_propagate16),       PK),
    Row("v_pk_min3_num_f16",  "p16 = p16 p16 p16",   h16(minmax.min3_number16),         PK),
    Row("v_pk_max3_num_f16",  "p16 = p16 p16 p16",   h16(minmax.max3_number16),         PK),
    Row("v_pk_minimum3_f16",  "p16 = p16 p16 p16",   h16(minmax.min3_propagate16),      PK),
    Row("v_pk_maximum3_f16",  "p16 = p16 p16 p16",   h16(minmax.max3_propagate16),      PK),
    Row("v_pk_add_bf16",      "p16 = p16 p16",       add_bf16,                          PKC),
    Row("v_pk_mul_bf16",      "p16 = p16 p16",       mul_bf16,                          PKC),
    Row("v_pk_fma_bf16",      "p16 = p16 p16 p16",   fma_bf16,                          PKC),
    Row("v_pk_min_num_bf16",  "p16 = p16 p16",       min_bf16,                          PKC),
    Row("v_pk_max_num_bf16",  "p16 = p16 p16",       max_bf16,                          PKC),
    Row("v_pk_add_f32",       "p32 = p32 p32",       w32(add),                          PK),
    Row("v_pk_mul_f32",       "p32 = p32 p32",       w32(mul),                          PK),
    Row("v_pk_fma_f32",       "p32 = p32 p32 p32",   w32(fma),                          PK),
    Row("v_fma_mix_f32",      "f32 = b32 b32 b32",   partial(mix, fma, F16),            PK),
    Row("v_mad_mix_f32",      "f32 = b32 b32 b32",   partial(mix, mad, F16),            PK),
    Row("v_fma_mix_f32_bf16", "f32 = b32 b32 b32",   partial(mix, fma, BF16),           PK),
    Row("v_fma_mixlo_f16",    "b32 = b32 b32 b32",   partial(mix_half, fma, F16, 0),    HALF),
    Row("v_fma_mixhi_f16",    "b32 = b32 b32 b32",   partial(mix_half, fma, F16, 16),   HALF),
    Row("v_mad_mixlo_f16",    "b32 = b32 b32 b32",   partial(mix_half, mad, F16, 0),    HALF),
    Row("v_mad_mixhi_f16",    "b32 = b32 b32 b32",   partial(mix_half, mad, F16, 16),   HALF),
    Row("v_fma_mixlo_bf16",   "b32 = b32 b32 b32",   partial(mix_half, fma, BF16, 0),   HALF),
    Row("v_fma_mixhi_bf16",   "b32 = b32 b32 b32",   partial(mix_half, fma, BF16, 16),  HALF),
    Row("v_dot2_f32_f16",     "f32 = p16 p16 f32",   partial(dot2, F16),                PK),
    Row("v_dot2_f32_bf16",    "f32 = p16 p16 f32",   partial(dot2, BF16),               PK),
    Row("v_dot2c_f32_f16",    "f32 = p16 p16",       partial(dot2, F16),                ACC),
    Row("v_dot2acc_f32_f16",  "f32 = p16 p16",       partial(dot2, F16),                ACC),
    Row("v_dot2c_f32_bf16",   "f32 = p16 p16",       partial(dot2, BF16),               ACC),
    Row("v_dot2acc_f32_bf16", "f32 = p16 p16",       partial(dot2, BF16),               ACC),
    Row("v_dot2_f16_f16",     "f16 = p16 p16 f16",   partial(dot2_half, F16)),
    Row("v_dot2_bf16_bf16",   "bf16 = p16 p16 bf16", partial(dot2_half, BF16)),
    Row("v_dot4_f32_fp8_fp8", "f32 = b32 b32 f32",   partial(dot4_bytes, "fp8", "fp8"), PK),
    Row("v_dot4_f32_fp8_bf8", "f32 = b32 b32 f32",   partial(dot4_bytes, "fp8", "bf8"), PK),
    Row("v_dot4_f32_bf8_fp8", "f32 = b32 b32 f32",   partial(dot4_bytes, "bf8", "fp8"), PK),
    Row("v_dot4_f32_bf8_bf8", "f32 = b32 b32 f32",   partial(dot4_bytes, "bf8", "bf8"), PK),
)
