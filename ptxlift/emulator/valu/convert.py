"""Conversions between integers and f16, bf16, f32, f64, packed and stochastic ones included.

Comes in: bit patterns. Goes out: bit patterns. Float to integer truncates and saturates, and NaN
gives 0. MODE's f32 field rounds integer to f32, its f64/f16 field every other narrowing. It must
not know the 8-bit and smaller floats.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlift.emulator.valu.formats import (
    BF16,
    F16,
    F32,
    F64,
    Format,
    flush_in,
    flush_out,
    is_infinite,
    is_nan,
    narrow,
    quiet,
    to_double,
)
from ptxlift.emulator.valu.integer import narrow_signed, narrow_unsigned, signed
from ptxlift.emulator.valu.kinds import Bits, Ctx, Flags, Rounding
from ptxlift.emulator.valu.table import Row

Shape = Callable[[NDArray[Any]], NDArray[Any]]


def to_integer(fmt: Format, integer: Any, shape: Shape, ctx: Ctx, a: Bits) -> Bits:
    """A float as `integer`, a numpy type: shaped to a whole number, then saturated."""
    whole = shape(to_double(fmt, flush_in(fmt, ctx, a)))
    low, high, unsigned_type = LIMITS[integer]
    number = np.minimum(np.maximum(whole, low), high)
    if np.count_nonzero(number != number):
        number = np.where(np.isnan(number), 0.0, number)
    return number.astype(np.int64).astype(unsigned_type)


LIMITS: dict[Any, tuple[float, float, Any]] = {
    np.uint8: (0.0, 255.0, np.uint8),
    np.int16: (-32768.0, 32767.0, np.uint16),
    np.uint16: (0.0, 65535.0, np.uint16),
    np.int32: (-2147483648.0, 2147483647.0, np.uint32),
    np.uint32: (0.0, 4294967295.0, np.uint32),
}
"""Least, largest, and the unsigned type of the same width."""


def _floor_half_up(x: NDArray[Any]) -> NDArray[Any]:
    half_up: NDArray[Any] = np.floor(x + 0.5)
    return half_up


def from_integer(fmt: Format, is_signed: bool, ctx: Ctx, a: Bits) -> Bits:
    number = signed(a) if is_signed else a
    return narrow(fmt, number.astype(np.float64), fmt.rounding(ctx))


def from_byte(at: int, _: Ctx, a: Bits) -> Bits:
    """Byte `at` of the source as f32, exact."""
    byte = (a >> (8 * at)) & 0xFF
    bits: Bits = byte.astype(np.float32).view(np.uint32)
    return bits


def from_offset(_: Ctx, a: Bits) -> Bits:
    """v_cvt_off_f32_i4: a signed nibble over 16."""
    nibble = signed(a << 28) >> 28
    bits: Bits = (nibble.astype(np.float32) * np.float32(0.0625)).view(np.uint32)
    return bits


def widen(source: Format, target: Format, ctx: Ctx, a: Bits) -> Bits:
    """To a larger format, exact; the machine's own conversions make NaNs quiet."""
    a = flush_in(source, ctx, a)
    return flush_out(target, ctx, narrow(target, to_double(source, a)))


def shrink(source: Format, target: Format, ctx: Ctx, a: Bits) -> Bits:
    """To a smaller format under the f64/f16 rounding field."""
    return _shrink(source, target, ctx.round64, ctx, a)


def _shrink(source: Format, target: Format, mode: Rounding, ctx: Ctx, a: Bits) -> Bits:
    a = flush_in(source, ctx, a)
    return flush_out(target, ctx, narrow(target, to_double(source, a), mode))


def shrink_pair(target: Format, mode: Rounding | None, ctx: Ctx, a: Bits, b: Bits) -> Bits:
    """Two f32 as two halves; `mode` None follows the f64/f16 rounding field."""
    rounding = ctx.round64 if mode is None else mode
    low = _shrink(F32, target, rounding, ctx, a)
    high = _shrink(F32, target, rounding, ctx, b)
    return pack(low, high)


def pack(low: Bits, high: Bits) -> Bits:
    return low.astype(np.uint32) | (high.astype(np.uint32) << 16)


def stochastic(target: Format, ctx: Ctx, a: Bits, noise: Bits) -> Bits:
    """f32 to a half: `noise`, 16 bits in its high half, is added below the kept mantissa."""
    lost = 23 - target.mantissa_bits
    a = flush_in(F32, ctx, a)
    nudged = ((a + (noise >> (32 - lost))) >> lost) << lost
    special = is_nan(F32, a) | is_infinite(F32, a)
    chosen = np.where(special, quiet(F32, a), nudged)
    return flush_out(target, ctx, narrow(target, to_double(F32, chosen), Rounding.ZERO))


def stochastic_pair(target: Format, ctx: Ctx, a: Bits, b: Bits, noise: Bits) -> Bits:
    """The first source takes the noise's low half, the second its high half."""
    return pack(stochastic(target, ctx, a, noise << 16), stochastic(target, ctx, b, noise))


def pack_saturated(is_signed: bool, _: Ctx, a: Bits, b: Bits) -> Bits:
    """Two 32-bit integers saturated to 16 bits."""
    if is_signed:
        low, high = (np.clip(signed(x), -0x8000, 0x7FFF).astype(np.uint16) for x in (a, b))
    else:
        low, high = (np.minimum(x, np.uint32(0xFFFF)).astype(np.uint16) for x in (a, b))
    return pack(low, high)


def float_pair_to_integers(integer: Any, ctx: Ctx, a: Bits, b: Bits) -> Bits:
    """v_cvt_pk_[iu]16_f32."""
    return pack(*(to_integer(F32, integer, np.trunc, ctx, x) for x in (a, b)))


def normalise(fmt: Format, is_signed: bool, ctx: Ctx, a: Bits) -> Bits:
    """A float in -1..1 (0..1) scaled to the whole 16-bit range, rounded to nearest even."""
    low, top = (-1.0, 32767.0) if is_signed else (0.0, 65535.0)
    x = np.clip(to_double(fmt, flush_in(fmt, ctx, a)), low, 1.0) * top
    whole = np.rint(np.where(np.isnan(x), 0.0, x)).astype(np.int64)
    return narrow_signed(whole, np.uint16, False)


def normalise_pair(fmt: Format, is_signed: bool, ctx: Ctx, a: Bits, b: Bits) -> Bits:
    return pack(normalise(fmt, is_signed, ctx, a), normalise(fmt, is_signed, ctx, b))


def insert_byte(ctx: Ctx, a: Bits, position: Bits, old: Bits) -> Bits:
    """v_cvt_pk_u8_f32: a float as one unsigned byte of an integer."""
    byte = to_integer(F32, np.uint8, np.trunc, ctx, a).astype(np.uint32)
    at = 8 * (position & 3)
    inserted: Bits = (old & ~(np.uint32(0xFF) << at)) | (byte << at)
    return inserted


def saturate_bytes(_: Ctx, a: Bits) -> Bits:
    """v_sat_pk_u8_i16: two signed halves as two unsigned bytes."""
    low, high = (signed((a >> at).astype(np.uint16)).astype(np.int64) for at in (0, 16))
    byte_low = narrow_unsigned(low, np.uint8, True).astype(np.uint16)
    return byte_low | (narrow_unsigned(high, np.uint8, True).astype(np.uint16) << 8)


def shift_saturate_pair(is_signed: bool, _: Ctx, a: Bits, b: Bits, amount: Bits) -> Bits:
    """v_ashr_pk_[iu]8_i32: two shifted integers saturated to bytes of the low half."""
    low, high = (signed(x).astype(np.int64) >> (amount & 31).astype(np.int64) for x in (a, b))
    limits = (-128, 127) if is_signed else (0, 255)
    byte_low, byte_high = (np.clip(x, *limits).astype(np.uint16) & 0xFF for x in (low, high))
    both: Bits = byte_low | (byte_high << 8)
    return both


I = Flags(signed=True)  # noqa: E741
DP = Flags(f64=True)
DPI = Flags(f64=True, signed=True)
NEAR = Rounding.NEAREST_EVEN
f32_to_f16_pair = partial(shrink_pair, F16, Rounding.ZERO)
f32_to_u16_pair = partial(float_pair_to_integers, np.uint16)
f32_to_i16_pair = partial(float_pair_to_integers, np.int16)


def to_int(fmt: Format, integer: Any, shape: Shape = np.trunc) -> Callable[..., Any]:
    return partial(to_integer, fmt, integer, shape)


# fmt: off
ROWS: tuple[Row, ...] = (
    Row("v_cvt_i32_f32",         "b32 = f32",         to_int(F32, np.int32),                 I),
    Row("v_cvt_u32_f32",         "b32 = f32",         to_int(F32, np.uint32)),
    Row("v_cvt_i32_f64",         "b32 = f64",         to_int(F64, np.int32),                 DPI),
    Row("v_cvt_u32_f64",         "b32 = f64",         to_int(F64, np.uint32),                DP),
    Row("v_cvt_i16_f16",         "b16 = f16",         to_int(F16, np.int16),                 I),
    Row("v_cvt_u16_f16",         "b16 = f16",         to_int(F16, np.uint16)),
    Row("v_cvt_rpi_i32_f32",     "b32 = f32",         to_int(F32, np.int32, _floor_half_up), I),
    Row("v_cvt_nearest_i32_f32", "b32 = f32",         to_int(F32, np.int32, _floor_half_up), I),
    Row("v_cvt_flr_i32_f32",     "b32 = f32",         to_int(F32, np.int32, np.floor),       I),
    Row("v_cvt_floor_i32_f32",   "b32 = f32",         to_int(F32, np.int32, np.floor),       I),
    Row("v_cvt_f32_i32",         "f32 = b32",         partial(from_integer, F32, True)),
    Row("v_cvt_f32_u32",         "f32 = b32",         partial(from_integer, F32, False)),
    Row("v_cvt_f64_i32",         "f64 = b32",         partial(from_integer, F64, True),      DP),
    Row("v_cvt_f64_u32",         "f64 = b32",         partial(from_integer, F64, False),     DP),
    Row("v_cvt_f16_i16",         "f16 = b16",         partial(from_integer, F16, True)),
    Row("v_cvt_f16_u16",         "f16 = b16",         partial(from_integer, F16, False)),
    Row("v_cvt_f32_ubyte0",      "f32 = b32",         partial(from_byte, 0)),
    Row("v_cvt_f32_ubyte1",      "f32 = b32",         partial(from_byte, 1)),
    Row("v_cvt_f32_ubyte2",      "f32 = b32",         partial(from_byte, 2)),
    Row("v_cvt_f32_ubyte3",      "f32 = b32",         partial(from_byte, 3)),
    Row("v_cvt_off_f32_i4",      "f32 = b32",         from_offset),
    Row("v_cvt_f32_f16",         "f32 = f16",         partial(widen, F16, F32)),
    Row("v_cvt_f32_bf16",        "f32 = bf16",        partial(widen, BF16, F32)),
    Row("v_cvt_f64_f32",         "f64 = f32",         partial(widen, F32, F64),              DP),
    Row("v_cvt_f16_f32",         "f16 = f32",         partial(shrink, F32, F16)),
    Row("v_cvt_f32_f64",         "f32 = f64",         partial(shrink, F64, F32),             DP),
    Row("v_cvt_pkrtz_f16_f32",   "p16 = f32 f32",     f32_to_f16_pair),
    Row("v_cvt_pk_rtz_f16_f32",  "p16 = f32 f32",     f32_to_f16_pair),
    Row("v_cvt_pk_f16_f32",      "p16 = f32 f32",     partial(shrink_pair, F16, None)),
    Row("v_cvt_pk_bf16_f32",     "b32 = f32 f32",     partial(shrink_pair, BF16, NEAR)),
    Row("v_cvt_sr_f16_f32",      "f16 = f32 b32",     partial(stochastic, F16)),
    Row("v_cvt_sr_bf16_f32",     "bf16 = f32 b32",    partial(stochastic, BF16)),
    Row("v_cvt_sr_pk_f16_f32",   "b32 = f32 f32 b32", partial(stochastic_pair, F16)),
    Row("v_cvt_sr_pk_bf16_f32",  "b32 = f32 f32 b32", partial(stochastic_pair, BF16)),
    Row("v_cvt_pk_u16_u32",      "b32 = b32 b32",     partial(pack_saturated, False)),
    Row("v_cvt_pk_i16_i32",      "b32 = b32 b32",     partial(pack_saturated, True)),
    Row("v_cvt_pk_u16_f32",      "b32 = f32 f32",     f32_to_u16_pair),
    Row("v_cvt_pk_i16_f32",      "b32 = f32 f32",     f32_to_i16_pair),
    Row("v_cvt_norm_i16_f16",    "b16 = f16",         partial(normalise, F16, True),         I),
    Row("v_cvt_norm_u16_f16",    "b16 = f16",         partial(normalise, F16, False)),
    Row("v_cvt_pknorm_i16_f32",  "b32 = f32 f32",     partial(normalise_pair, F32, True)),
    Row("v_cvt_pk_norm_i16_f32", "b32 = f32 f32",     partial(normalise_pair, F32, True)),
    Row("v_cvt_pknorm_u16_f32",  "b32 = f32 f32",     partial(normalise_pair, F32, False)),
    Row("v_cvt_pk_norm_u16_f32", "b32 = f32 f32",     partial(normalise_pair, F32, False)),
    Row("v_cvt_pknorm_i16_f16",  "b32 = f16 f16",     partial(normalise_pair, F16, True)),
    Row("v_cvt_pk_norm_i16_f16", "b32 = f16 f16",     partial(normalise_pair, F16, True)),
    Row("v_cvt_pknorm_u16_f16",  "b32 = f16 f16",     partial(normalise_pair, F16, False)),
    Row("v_cvt_pk_norm_u16_f16", "b32 = f16 f16",     partial(normalise_pair, F16, False)),
    Row("v_cvt_pk_u8_f32",       "b32 = f32 b32 b32", insert_byte),
    Row("v_sat_pk_u8_i16",       "b16 = b32",         saturate_bytes),
    Row("v_ashr_pk_i8_i32",      "b16 = b32 b32 b32", partial(shift_saturate_pair, True)),
    Row("v_ashr_pk_u8_i32",      "b16 = b32 b32 b32", partial(shift_saturate_pair, False)),
)
