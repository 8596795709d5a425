"""Sums over bytes, halves and nibbles: absolute differences, averages and integer dot products.

Comes in: 32-bit patterns that hold several small integers. Goes out: 32 bits (64 or 128 for the
quad forms). It must not know floating point, lanes or registers.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlift.emulator.valu.integer import narrow_signed, narrow_unsigned, to32
from ptxlift.emulator.valu.kinds import Bits, Ctx, Flags
from ptxlift.emulator.valu.table import Row

NO_NEGATION = (0, 0, 0)


def nibbles(bits: Bits, is_signed: bool = False) -> list[NDArray[Any]]:
    """The eight 4-bit fields of a pattern as int64, the lowest first."""
    wide = bits.astype(np.int64)
    if is_signed:
        return [(wide << (60 - at)) >> 60 for at in range(0, 32, 4)]
    return [(wide >> at) & 15 for at in range(0, 32, 4)]


_UNSIGNED = {8: np.uint8, 16: np.uint16}
_SIGNED = {8: np.int8, 16: np.int16}


def fields(bits: Bits, width: int, is_signed: bool = False) -> NDArray[Any]:
    """Bytes or halves of a pattern along a new last axis, as int64."""
    small = _SIGNED[width] if is_signed else _UNSIGNED[width]
    return np.ascontiguousarray(bits)[..., None].view(small).astype(np.int64)


def sad_bytes(_: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False) -> Bits:
    return narrow_unsigned(_sad(a, b, 8) + c, np.uint32, clamp)


def sad_bytes_high(_: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False) -> Bits:
    return narrow_unsigned((_sad(a, b, 8) << 16) + c, np.uint32, clamp)


def sad_halves(_: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False) -> Bits:
    return narrow_unsigned(_sad(a, b, 16) + c, np.uint32, clamp)


def sad_words(_: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False) -> Bits:
    return narrow_unsigned(_sad(a, b, 32) + c, np.uint32, clamp)


def masked_sad_bytes(_: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False) -> Bits:
    """Bytes of `b` that are zero do not count."""
    return narrow_unsigned(_masked_sad(a, b) + c, np.uint32, clamp)


def _sad(a: Bits, b: Bits, width: int) -> NDArray[Any]:
    if width == 32:
        return np.abs(a.astype(np.int64) - b.astype(np.int64))
    apart: NDArray[Any] = np.abs(fields(a, width) - fields(b, width)).sum(axis=-1)
    return apart


def _masked_sad(a: Bits, b: Bits) -> NDArray[Any]:
    reference = fields(b, 8)
    apart: NDArray[Any] = (np.abs(fields(a, 8) - reference) * (reference != 0)).sum(axis=-1)
    return apart


def quad_sad(sad: Any, ctx: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False) -> Bits:
    """Four 16-bit sums over windows of `a` that start one byte later each."""
    result = np.zeros_like(c)
    for i in range(4):
        window = to32(a >> (8 * i))
        addend = (c >> (16 * i)).astype(np.uint16)
        total = narrow_unsigned(sad(window, b) + addend, np.uint16, clamp)
        result = result | (total.astype(np.uint64) << (16 * i))
    return result


def quad_masked_sad_words(_: Ctx, a: Bits, b: Bits, c: Bits, clamp: bool = False) -> Bits:
    """Four 32-bit sums; the last axis of `c` and of the result holds the four words."""
    words = []
    for i in range(4):
        window = to32(a >> (8 * i))
        words.append(narrow_unsigned(_masked_sad(window, b) + c[..., i], np.uint32, clamp))
    return np.stack(np.broadcast_arrays(*words), axis=-1)


def average_bytes(_: Ctx, a: Bits, b: Bits, rounding: Bits) -> Bits:
    """v_lerp_u8: (a + b + lsb of the rounding byte) >> 1 in each byte."""
    odd = a ^ b
    average: Bits = (a & b) + ((odd >> 1) & 0x7F7F7F7F) + (odd & rounding & 0x01010101)
    return average


def dot(
    width: int,
    fixed_sign: bool | None,
    _: Ctx,
    a: Bits,
    b: Bits,
    c: Bits,
    *,
    clamp: bool = False,
    neg_lo: tuple[int, ...] = NO_NEGATION,
    **_unused: Any,
) -> Bits:
    """Sum of products of small integers plus `c`; in the `iu` forms neg_lo marks signed sources."""
    sign_a = bool(neg_lo[0]) if fixed_sign is None else fixed_sign
    sign_b = bool(neg_lo[1]) if fixed_sign is None else fixed_sign
    unsigned = fixed_sign is False
    total: NDArray[Any] = c.astype(np.int64) if unsigned else c.view(np.int32).astype(np.int64)
    total = total + _products(a, b, width, sign_a, sign_b)
    narrow = narrow_unsigned if unsigned else narrow_signed
    return narrow(total, np.uint32, clamp)


def _products(a: Bits, b: Bits, width: int, sign_a: bool, sign_b: bool) -> NDArray[Any]:
    """The sum of the products of all fields."""
    if width in _SIGNED:
        whole: NDArray[Any] = (fields(a, width, sign_a) * fields(b, width, sign_b)).sum(axis=-1)
        return whole
    pairs = zip(nibbles(a, sign_a), nibbles(b, sign_b), strict=True)
    total = np.zeros(1, np.int64)
    for x, y in pairs:
        total = total + x * y
    return total


C = Flags(int_clamp=True)
DOT_U = Flags(int_clamp=True, packed=True)
DOT_S = Flags(int_clamp=True, packed=True, signed=True)
DOT_ACC = Flags(int_clamp=True, reads_dst=True, signed=True)

dot2_s = partial(dot, 16, True)
dot2_u = partial(dot, 16, False)
dot4_s = partial(dot, 8, True)
dot4_u = partial(dot, 8, False)
dot4_m = partial(dot, 8, None)
dot8_s = partial(dot, 4, True)
dot8_u = partial(dot, 4, False)
dot8_m = partial(dot, 4, None)
qsad = partial(quad_sad, partial(_sad, width=8))
mqsad = partial(quad_sad, _masked_sad)

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("v_sad_u8",          "b32 = b32 b32 b32",   sad_bytes,             C),
    Row("v_sad_hi_u8",       "b32 = b32 b32 b32",   sad_bytes_high,        C),
    Row("v_sad_u16",         "b32 = b32 b32 b32",   sad_halves,            C),
    Row("v_sad_u32",         "b32 = b32 b32 b32",   sad_words,             C),
    Row("v_msad_u8",         "b32 = b32 b32 b32",   masked_sad_bytes,      C),
    Row("v_qsad_pk_u16_u8",  "b64 = b64 b32 b64",   qsad,                  C),
    Row("v_mqsad_pk_u16_u8", "b64 = b64 b32 b64",   mqsad,                 C),
    Row("v_mqsad_u32_u8",    "b128 = b64 b32 b128", quad_masked_sad_words, C),
    Row("v_lerp_u8",         "b32 = b32 b32 b32",   average_bytes),
    Row("v_dot2_i32_i16",    "b32 = b32 b32 b32",   dot2_s,                DOT_S),
    Row("v_dot2_u32_u16",    "b32 = b32 b32 b32",   dot2_u,                DOT_U),
    Row("v_dot4_i32_i8",     "b32 = b32 b32 b32",   dot4_s,                DOT_S),
    Row("v_dot4_u32_u8",     "b32 = b32 b32 b32",   dot4_u,                DOT_U),
    Row("v_dot4_i32_iu8",    "b32 = b32 b32 b32",   dot4_m,                DOT_S),
    Row("v_dot8_i32_i4",     "b32 = b32 b32 b32",   dot8_s,                DOT_S),
    Row("v_dot8_u32_u4",     "b32 = b32 b32 b32",   dot8_u,                DOT_U),
    Row("v_dot8_i32_iu4",    "b32 = b32 b32 b32",   dot8_m,                DOT_S),
    Row("v_dot2c_i32_i16",   "b32 = b32 b32",       dot2_s,                DOT_ACC),
    Row("v_dot4c_i32_i8",    "b32 = b32 b32",       dot4_s,                DOT_ACC),
    Row("v_dot8c_i32_i4",    "b32 = b32 b32",       dot8_s,                DOT_ACC),
)
