"""Integer addition, multiplication and selection of the vector ALU, 16 to 64 bits wide.

Comes in: unsigned bit patterns. Goes out: the same, with carries as booleans. It must not know
floating point, lanes or registers. Operations with a clamp bit saturate here, because the caller
can no longer see the overflow.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlift.emulator.valu.kinds import Bits, Ctx, Flags
from ptxlift.emulator.valu.table import Row

SIGNED_OF: dict[Any, type[np.signedinteger[Any]]] = {
    np.dtype(np.uint8): np.int8,
    np.dtype(np.uint16): np.int16,
    np.dtype(np.uint32): np.int32,
    np.dtype(np.uint64): np.int64,
}

M24 = 0xFFFFFF
M32 = 0xFFFFFFFF


def signed(bits: Bits) -> NDArray[Any]:
    """The same bits read as two's complement."""
    return bits.view(SIGNED_OF[bits.dtype])


def to32(wide: Any) -> Bits:
    """The low 32 bits."""
    low: Bits = wide.astype(np.uint32)
    return low


def narrow_unsigned(wide: NDArray[Any], dtype: type[np.generic], clamp: bool) -> Bits:
    """An exact int64 or uint64 result as `dtype`, wrapped or saturated to the unsigned range."""
    if clamp:
        wide = np.clip(wide, 0, np.iinfo(dtype).max)  # type: ignore[type-var]  # unsigned type
    return wide.astype(dtype)


def narrow_signed(wide: NDArray[Any], dtype: type[np.generic], clamp: bool) -> Bits:
    """An exact int64 result as a `dtype` pattern, wrapped or saturated to the signed range."""
    if clamp:
        half = 1 << (8 * np.dtype(dtype).itemsize - 1)
        wide = np.clip(wide, -half, half - 1)
    return wide.astype(dtype)


def add(_: Ctx, a: Bits, b: Bits, clamp: bool = False) -> Bits:
    total = a + b
    return np.where(total < a, ~np.zeros_like(total), total) if clamp else total


def sub(_: Ctx, a: Bits, b: Bits, clamp: bool = False) -> Bits:
    difference = a - b
    return np.where(a < b, np.zeros_like(difference), difference) if clamp else difference


def subrev(ctx: Ctx, a: Bits, b: Bits, clamp: bool = False) -> Bits:
    return sub(ctx, b, a, clamp)


def add_signed(_: Ctx, a: Bits, b: Bits, clamp: bool = False) -> Bits:
    total = a + b
    return _saturate(total, (a ^ total) & (b ^ total), a) if clamp else total


def sub_signed(_: Ctx, a: Bits, b: Bits, clamp: bool = False) -> Bits:
    difference = a - b
    return _saturate(difference, (a ^ b) & (a ^ difference), a) if clamp else difference


def _saturate(result: Bits, overflow: Bits, a: Bits) -> Bits:
    """Where overflow's sign bit is set, the extreme value with the sign of `a`."""
    top = result.dtype.type(1 << (8 * result.dtype.itemsize - 1))
    extreme = np.where(signed(a) < 0, top, top - result.dtype.type(1))
    return np.where(signed(overflow) < 0, extreme, result)


def add_carry(_: Ctx, a: Bits, b: Bits, clamp: bool = False) -> tuple[Bits, Bits]:
    total = a + b
    carry = total < a
    return (np.where(carry, np.uint32(M32), total) if clamp else total), carry


def sub_borrow(_: Ctx, a: Bits, b: Bits, clamp: bool = False) -> tuple[Bits, Bits]:
    difference = a - b
    borrow = a < b
    return (np.where(borrow, np.uint32(0), difference) if clamp else difference), borrow


def subrev_borrow(ctx: Ctx, a: Bits, b: Bits, clamp: bool = False) -> tuple[Bits, Bits]:
    return sub_borrow(ctx, b, a, clamp)


def add_with_carry(_: Ctx, a: Bits, b: Bits, carry: Bits, clamp: bool = False) -> tuple[Bits, Bits]:
    total = a.astype(np.uint64) + b + carry
    out = total > M32
    low = total.astype(np.uint32)
    return (np.where(out, np.uint32(M32), low) if clamp else low), out


def sub_with_borrow(
    _: Ctx, a: Bits, b: Bits, borrow: Bits, clamp: bool = False
) -> tuple[Bits, Bits]:
    taken = b.astype(np.uint64) + borrow
    out = taken > a
    low = (a - taken).astype(np.uint32)
    return (np.where(out, np.uint32(0), low) if clamp else low), out


def subrev_with_borrow(
    ctx: Ctx, a: Bits, b: Bits, borrow: Bits, clamp: bool = False
) -> tuple[Bits, Bits]:
    return sub_with_borrow(ctx, b, a, borrow, clamp)


def mul_lo(_: Ctx, a: Bits, b: Bits) -> Bits:
    return a * b


def mul_hi_unsigned(_: Ctx, a: Bits, b: Bits) -> Bits:
    return to32((a.astype(np.uint64) * b) >> 32)


def mul_hi_signed(_: Ctx, a: Bits, b: Bits) -> Bits:
    product = signed(a).astype(np.int64) * signed(b)
    return to32(product >> 32)


def low24(bits: Bits) -> NDArray[Any]:
    """The low 24 bits, zero-extended, as int64."""
    return (bits & M24).astype(np.int64)


def low24_signed(bits: Bits) -> NDArray[Any]:
    """The low 24 bits, sign-extended, as int64."""
    extended: NDArray[Any] = signed(bits << 8) >> 8
    return extended.astype(np.int64)


def mul_u24(_: Ctx, a: Bits, b: Bits, clamp: bool = False) -> Bits:
    return narrow_unsigned(low24(a) * low24(b), np.uint32, clamp)


def mul_i24(_: Ctx, a: Bits, b: Bits, clamp: bool = False) -> Bits:
    return narrow_signed(low24_signed(a) * low24_signed(b), np.uint32, clamp)


def mul_hi_u24(_: Ctx, a: Bits, b: Bits) -> Bits:
    return to32((low24(a) * low24(b)) >> 32)


def mul_hi_i24(_: Ctx, a: Bits, b: Bits) -> Bits:
    return to32((low24_signed(a) * low24_signed(b)) >> 32)


def mad_u24(_: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False) -> Bits:
    return narrow_unsigned(low24(a) * low24(b) + c, np.uint32, clamp)


def mad_i24(_: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False) -> Bits:
    return narrow_signed(low24_signed(a) * low24_signed(b) + signed(c), np.uint32, clamp)


def mad_u16(_: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False) -> Bits:
    """16-bit factors; the addend's width decides the result's."""
    return narrow_unsigned(a.astype(np.int64) * b + c, c.dtype.type, clamp)


def mad_i16(_: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False) -> Bits:
    """16-bit factors; the addend's width decides the result's."""
    return narrow_signed(signed(a).astype(np.int64) * signed(b) + signed(c), c.dtype.type, clamp)


def mad_u32(_: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    return a * b + c


def mad_u64(_: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False) -> tuple[Bits, Bits]:
    total = a.astype(np.uint64) * b + c
    carry = total < c
    return (np.where(carry, ~np.zeros_like(total), total) if clamp else total), carry


def mad_i64(_: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False) -> tuple[Bits, Bits]:
    """The mask is bit 64 of the 65-bit sum, that is its sign before wrapping."""
    product = (signed(a).astype(np.int64) * signed(b)).view(np.uint64)
    total = product + c
    overflow = (product ^ total) & (c ^ total)
    result = _saturate(total, overflow, product) if clamp else total
    return result, signed(total ^ overflow) < 0


def mad_u64_only(ctx: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False) -> Bits:
    return mad_u64(ctx, a, b, c, clamp)[0]


def mad_i64_only(ctx: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False) -> Bits:
    return mad_i64(ctx, a, b, c, clamp)[0]


def add3(_: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    return a + b + c


def minimum(_: Ctx, a: Bits, b: Bits) -> Bits:
    return np.minimum(a, b)


def maximum(_: Ctx, a: Bits, b: Bits) -> Bits:
    return np.maximum(a, b)


def minimum3(_: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    return np.minimum(np.minimum(a, b), c)


def maximum3(_: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    return np.maximum(np.maximum(a, b), c)


def median(_: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    low = np.minimum(a, b)
    high = np.maximum(a, b)
    return np.maximum(low, np.minimum(high, c))


def min_max(_: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    return np.maximum(np.minimum(a, b), c)


def max_min(_: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    return np.minimum(np.maximum(a, b), c)


def on_signed(fn: Any, ctx: Ctx, *sources: Bits) -> Bits:
    """An order-based operation on the sources read as two's complement."""
    result: NDArray[Any] = fn(ctx, *(signed(source) for source in sources))
    return result.view(sources[0].dtype)


def add_then(
    fn: Any, addition: Any, ctx: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False
) -> Bits:
    """gfx1250's fused add and min or max; only the addition saturates."""
    result: Bits = fn(ctx, addition(ctx, a, b, clamp), c)
    return result


smin = partial(on_signed, minimum)
smax = partial(on_signed, maximum)
smin3 = partial(on_signed, minimum3)
smax3 = partial(on_signed, maximum3)
smedian = partial(on_signed, median)
smin_max = partial(on_signed, min_max)
smax_min = partial(on_signed, max_min)
add_umin = partial(add_then, minimum, add)
add_umax = partial(add_then, maximum, add)
add_smin = partial(add_then, smin, add_signed)
add_smax = partial(add_then, smax, add_signed)

C = Flags(int_clamp=True)
CS = Flags(int_clamp=True, signed=True)
S = Flags(signed=True)

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("v_add_u32 v_add_nc_u32",         "b32 = b32 b32",           add,                C),
    Row("v_add_u16 v_add_nc_u16",         "b16 = b16 b16",           add,                C),
    Row("v_add_nc_u64 v_add_u64",         "b64 = b64 b64",           add,                C),
    Row("v_add_i32 v_add_nc_i32",         "b32 = b32 b32",           add_signed,         CS),
    Row("v_add_i16 v_add_nc_i16",         "b16 = b16 b16",           add_signed,         CS),
    Row("v_sub_u32 v_sub_nc_u32",         "b32 = b32 b32",           sub,                C),
    Row("v_sub_u16 v_sub_nc_u16",         "b16 = b16 b16",           sub,                C),
    Row("v_sub_nc_u64 v_sub_u64",         "b64 = b64 b64",           sub,                C),
    Row("v_sub_i32 v_sub_nc_i32",         "b32 = b32 b32",           sub_signed,         CS),
    Row("v_sub_i16 v_sub_nc_i16",         "b16 = b16 b16",           sub_signed,         CS),
    Row("v_subrev_u32 v_subrev_nc_u32",   "b32 = b32 b32",           subrev,             C),
    Row("v_subrev_u16",                   "b16 = b16 b16",           subrev,             C),
    Row("v_add_co_u32",                   "b32 mask = b32 b32",      add_carry,          C),
    Row("v_sub_co_u32",                   "b32 mask = b32 b32",      sub_borrow,         C),
    Row("v_subrev_co_u32",                "b32 mask = b32 b32",      subrev_borrow,      C),
    Row("v_addc_co_u32 v_add_co_ci_u32",  "b32 mask = b32 b32 mask", add_with_carry,     C),
    Row("v_subb_co_u32 v_sub_co_ci_u32",  "b32 mask = b32 b32 mask", sub_with_borrow,    C),
    Row("v_subbrev_co_u32",               "b32 mask = b32 b32 mask", subrev_with_borrow, C),
    Row("v_subrev_co_ci_u32",             "b32 mask = b32 b32 mask", subrev_with_borrow, C),
    Row("v_add3_u32",                     "b32 = b32 b32 b32",       add3),
    Row("v_mul_lo_u32 v_mul_lo_i32",      "b32 = b32 b32",           mul_lo),
    Row("v_mul_lo_u16",                   "b16 = b16 b16",           mul_lo),
    Row("v_mul_u64",                      "b64 = b64 b64",           mul_lo),
    Row("v_mul_hi_u32",                   "b32 = b32 b32",           mul_hi_unsigned),
    Row("v_mul_hi_i32",                   "b32 = b32 b32",           mul_hi_signed,      S),
    Row("v_mul_u32_u24",                  "b32 = b32 b32",           mul_u24,            C),
    Row("v_mul_i32_i24",                  "b32 = b32 b32",           mul_i24,            CS),
    Row("v_mul_hi_u32_u24",               "b32 = b32 b32",           mul_hi_u24),
    Row("v_mul_hi_i32_i24",               "b32 = b32 b32",           mul_hi_i24,         S),
    Row("v_mad_u32_u24",                  "b32 = b32 b32 b32",       mad_u24,            C),
    Row("v_mad_i32_i24",                  "b32 = b32 b32 b32",       mad_i24,            CS),
    Row("v_mad_u16 v_mad_legacy_u16",     "b16 = b16 b16 b16",       mad_u16,            C),
    Row("v_mad_i16 v_mad_legacy_i16",     "b16 = b16 b16 b16",       mad_i16,            CS),
    Row("v_mad_u32_u16",                  "b32 = b16 b16 b32",       mad_u16,            C),
    Row("v_mad_i32_i16",                  "b32 = b16 b16 b32",       mad_i16,            CS),
    Row("v_mad_u32",                      "b32 = b32 b32 b32",       mad_u32),
    Row("v_mad_u64_u32 v_mad_co_u64_u32", "b64 mask = b32 b32 b64",  mad_u64,            C),
    Row("v_mad_i64_i32 v_mad_co_i64_i32", "b64 mask = b32 b32 b64",  mad_i64,            CS),
    Row("v_mad_nc_u64_u32",               "b64 = b32 b32 b64",       mad_u64_only,       C),
    Row("v_mad_nc_i64_i32",               "b64 = b32 b32 b64",       mad_i64_only,       CS),
    Row("v_min_u32",                      "b32 = b32 b32",           minimum),
    Row("v_max_u32",                      "b32 = b32 b32",           maximum),
    Row("v_min_i32",                      "b32 = b32 b32",           smin,               S),
    Row("v_max_i32",                      "b32 = b32 b32",           smax,               S),
    Row("v_min_u16",                      "b16 = b16 b16",           minimum),
    Row("v_max_u16",                      "b16 = b16 b16",           maximum),
    Row("v_min_i16",                      "b16 = b16 b16",           smin,               S),
    Row("v_max_i16",                      "b16 = b16 b16",           smax,               S),
    Row("v_min_u64",                      "b64 = b64 b64",           minimum),
    Row("v_max_u64",                      "b64 = b64 b64",           maximum),
    Row("v_min_i64",                      "b64 = b64 b64",           smin,               S),
    Row("v_max_i64",                      "b64 = b64 b64",           smax,               S),
    Row("v_min3_u32",                     "b32 = b32 b32 b32",       minimum3),
    Row("v_max3_u32",                     "b32 = b32 b32 b32",       maximum3),
    Row("v_min3_u16",                     "b16 = b16 b16 b16",       minimum3),
    Row("v_max3_u16",                     "b16 = b16 b16 b16",       maximum3),
    Row("v_min3_i32",                     "b32 = b32 b32 b32",       smin3,              S),
    Row("v_max3_i32",                     "b32 = b32 b32 b32",       smax3,              S),
    Row("v_min3_i16",                     "b16 = b16 b16 b16",       smin3,              S),
    Row("v_max3_i16",                     "b16 = b16 b16 b16",       smax3,              S),
    Row("v_med3_u32",                     "b32 = b32 b32 b32",       median),
    Row("v_med3_u16",                     "b16 = b16 b16 b16",       median),
    Row("v_med3_i32",                     "b32 = b32 b32 b32",       smedian,            S),
    Row("v_med3_i16",                     "b16 = b16 b16 b16",       smedian,            S),
    Row("v_minmax_u32",                   "b32 = b32 b32 b32",       min_max),
    Row("v_maxmin_u32",                   "b32 = b32 b32 b32",       max_min),
    Row("v_minmax_i32",                   "b32 = b32 b32 b32",       smin_max,           S),
    Row("v_maxmin_i32",                   "b32 = b32 b32 b32",       smax_min,           S),
    Row("v_add_min_u32",                  "b32 = b32 b32 b32",       add_umin,           C),
    Row("v_add_max_u32",                  "b32 = b32 b32 b32",       add_umax,           C),
    Row("v_add_min_i32",                  "b32 = b32 b32 b32",       add_smin,           CS),
    Row("v_add_max_i32",                  "b32 = b32 b32 b32",       add_smax,           CS),
)
