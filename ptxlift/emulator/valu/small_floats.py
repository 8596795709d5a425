"""8-bit floats: fp8 (4 exponent bits) and bf8 (5), to and from f32 and f16.

Comes in: bit patterns, bytes among them. Goes out: bit patterns. gfx940 to gfx942 have the "fnuz"
forms (no infinity, no -0, 0x80 is the NaN, bias one higher), later chips the OCP forms. A value
beyond the largest becomes NaN (infinity in OCP bf8): nothing saturates here. It must not know byte
selection by SDWA.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from ptxlift.emulator.valu.formats import (
    F16,
    F32,
    Doubles,
    Format,
    flush_in,
    is_infinite,
    is_nan,
    narrow,
    to_double,
)
from ptxlift.emulator.valu.kinds import Bits, Ctx, Flags
from ptxlift.emulator.valu.table import Row
from ptxlift.records import dataclass

FNUZ_TARGETS = frozenset({"gfx940", "gfx941", "gfx942", "gfx9-4-generic"})


@dataclass(frozen=True, slots=True)
class Byte:
    """An 8-bit format."""

    exponent_bits: int
    mantissa_bits: int
    bias: int
    largest: int  # pattern of the largest finite value
    overflow: int  # pattern of what lies beyond
    nan: int
    infinity: int | None
    fnuz: bool


FP8_OCP = Byte(4, 3, 7, 0x7E, 0x7F, 0x7F, None, False)
BF8_OCP = Byte(5, 2, 15, 0x7B, 0x7C, 0x7F, 0x7C, False)
FP8_FNUZ = Byte(4, 3, 8, 0x7F, 0x80, 0x80, None, True)
BF8_FNUZ = Byte(5, 2, 16, 0x7F, 0x80, 0x80, None, True)


def fp8(ctx: Ctx) -> Byte:
    return FP8_FNUZ if ctx.target in FNUZ_TARGETS else FP8_OCP


def bf8(ctx: Ctx) -> Byte:
    return BF8_FNUZ if ctx.target in FNUZ_TARGETS else BF8_OCP


FORMATS = {"fp8": fp8, "bf8": bf8}


@cache
def values(byte: Byte) -> Doubles:
    """The 256 values of a format."""
    return np.array([_value(byte, pattern) for pattern in range(256)], np.float64)


def _value(byte: Byte, pattern: int) -> float:
    size = pattern & 0x7F
    negative = pattern >> 7
    if byte.fnuz and pattern == byte.nan:
        return float("nan")
    if size == byte.infinity:
        return float("-inf") if negative else float("inf")
    if size > byte.largest:
        return float("nan")
    exponent = size >> byte.mantissa_bits
    mantissa = size & ((1 << byte.mantissa_bits) - 1)
    if exponent:
        mantissa += 1 << byte.mantissa_bits
    number = mantissa * 2.0 ** (max(exponent, 1) - byte.bias - byte.mantissa_bits)
    return -number if negative else number


def encode(byte: Byte, x: Doubles) -> NDArray[np.uint8]:
    """Doubles rounded to nearest even."""
    size = np.abs(x)
    _, power = np.frexp(size)
    lowest = 1 - byte.bias
    exponent = np.where(size == 0, lowest, np.maximum(power - 1, lowest))
    steps = np.rint(np.ldexp(size, byte.mantissa_bits - exponent))
    field = (exponent - lowest) << byte.mantissa_bits
    code = field + np.where(np.isfinite(steps), steps, 0).astype(np.int64)
    code = np.where((code > byte.largest) | np.isinf(x), byte.overflow, code)
    code = code | np.where(np.signbit(x), 0x80, 0)
    if byte.fnuz:
        code = np.where(code == 0x80, np.where(size < 1, 0, 0x80), code)  # no -0
    code = np.where(np.isnan(x), byte.nan, code)
    return code.astype(np.uint8)


def decode(name: str, target: Format, ctx: Ctx, a: Bits, byte_sel: int = 0) -> Bits:
    """Byte `byte_sel` of the source as a float."""
    index = (a >> (8 * byte_sel)) & 0xFF
    return narrow(target, values(FORMATS[name](ctx))[index])


def decode_pair(name: str, target: Format, ctx: Ctx, a: Bits) -> Bits:
    """The two bytes of a half as two floats, the first in the low part."""
    table = values(FORMATS[name](ctx))
    low = narrow(target, table[a & 0xFF])
    high = narrow(target, table[a >> 8])
    if target is F16:
        return low.astype(np.uint32) | (high.astype(np.uint32) << 16)
    return low.astype(np.uint64) | (high.astype(np.uint64) << 32)


def encode_pair(name: str, ctx: Ctx, a: Bits, b: Bits) -> Bits:
    """Two f32 as the two bytes of a half."""
    byte = FORMATS[name](ctx)
    low, high = (encode(byte, to_double(F32, flush_in(F32, ctx, x))) for x in (a, b))
    return low.astype(np.uint16) | (high.astype(np.uint16) << 8)


def encode_half_pair(name: str, ctx: Ctx, a: Bits) -> Bits:
    """Two f16 in one register as the two bytes of a half."""
    byte = FORMATS[name](ctx)
    halves = (a.astype(np.uint16), (a >> 16).astype(np.uint16))
    low, high = (encode(byte, to_double(F16, flush_in(F16, ctx, x))) for x in halves)
    return low.astype(np.uint16) | (high.astype(np.uint16) << 8)


def encode_stochastic(
    name: str,
    source: Format,
    ctx: Ctx,
    a: Bits,
    noise: Bits,
    old: Bits,
    *,
    byte_sel: int = 0,
    op_sel: tuple[int, ...] = (),
    **_unused: object,
) -> Bits:
    """The noise's top bits are added below the kept mantissa; one byte of the result is written."""
    byte = FORMATS[name](ctx)
    at = 8 * (byte_sel | _selected(op_sel))
    lost = source.mantissa_bits - byte.mantissa_bits
    a = flush_in(source, ctx, a)
    mantissa = (a & source.mantissa) + (noise >> (32 - lost)).astype(source.uint)
    nudged = (a & ~source.mantissa) | (mantissa & source.mantissa)  # a carry wraps, as documented
    special = is_nan(source, a) | is_infinite(source, a)
    code = encode(byte, to_double(source, np.where(special, a, nudged))).astype(np.uint32)
    return (old & ~np.uint32(0xFF << at)) | (code << at)


def _selected(op_sel: tuple[int, ...]) -> int:
    """The byte that op_sel's third and fourth bits name."""
    low, high = (*op_sel[2:], 0, 0)[:2]
    return int(low) + 2 * int(high)


BYTE_SEL = Flags(keywords=("byte_sel",))
ONE_BYTE = Flags(keywords=("byte_sel",), packed=True, reads_dst=True)


def rows() -> tuple[Row, ...]:
    """fp8 and bf8 have the same forms."""
    out: list[Row] = []
    for name in FORMATS:
        to16, to32 = partial(decode, name, F16), partial(decode, name, F32)
        pair16, pair32 = partial(decode_pair, name, F16), partial(decode_pair, name, F32)
        sr16 = partial(encode_stochastic, name, F16)
        sr32 = partial(encode_stochastic, name, F32)
        out += [
            Row(f"v_cvt_f32_{name}", "f32 = b32", to32, BYTE_SEL),
            Row(f"v_cvt_f16_{name}", "f16 = b32", to16, BYTE_SEL),
            Row(f"v_cvt_pk_f32_{name}", "p32 = b16", pair32),
            Row(f"v_cvt_pk_f16_{name}", "p16 = b16", pair16),
            Row(f"v_cvt_pk_{name}_f32", "b16 = f32 f32", partial(encode_pair, name)),
            Row(f"v_cvt_pk_{name}_f16", "b16 = p16", partial(encode_half_pair, name)),
            Row(f"v_cvt_sr_{name}_f32", "b32 = f32 b32", sr32, ONE_BYTE),
            Row(f"v_cvt_sr_{name}_f16", "b32 = f16 b32", sr16, ONE_BYTE),
        ]
    return tuple(out)
