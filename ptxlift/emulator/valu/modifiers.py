"""Output modifiers of float results: omod (times 2, 4, one half) and clamp (to 0..1).

Comes in: a result's kind and bit patterns. Goes out: bit patterns. Integer clamps saturate in the
operation itself and pass through here unchanged. It must not know instructions.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from ptxlift.emulator.valu.arithmetic import mul
from ptxlift.emulator.valu.formats import BF16, F16, F32, F64, Format, is_nan
from ptxlift.emulator.valu.kinds import Bits, Ctx, Kind


class Omod(Enum):
    """The output multiplier, by its encoding."""

    NONE = 0
    TIMES_2 = 1
    TIMES_4 = 2
    HALF = 3


FORMATS: dict[Kind, Format] = {
    Kind.F16: F16,
    Kind.BF16: BF16,
    Kind.F32: F32,
    Kind.F64: F64,
    Kind.P16: F16,
    Kind.P32: F32,
}
"""Packed kinds are clamped half by half."""

EXPONENT_STEP = {Omod.TIMES_2: 1, Omod.TIMES_4: 2, Omod.HALF: -1}


def apply_omod(kind: Kind, bits: Bits, omod: int, ctx: Ctx | None = None) -> Bits:
    """The result times 2, 4 or one half, rounded and flushed like a multiplication."""
    ctx = Ctx() if ctx is None else ctx
    step = EXPONENT_STEP.get(Omod(omod))
    fmt = FORMATS.get(kind)
    if step is None or fmt is None:
        return bits
    factor = np.array([(fmt.bias + step) << fmt.mantissa_bits], fmt.uint)
    parts = _parts(fmt, kind, bits)
    return _whole(kind, bits, mul(fmt, ctx, parts, factor))


def apply_clamp(kind: Kind, bits: Bits, signed: bool = False, ctx: Ctx | None = None) -> Bits:
    """Floats limited to 0..1; a NaN becomes 0 under DX10_CLAMP. Integers stay as they are."""
    del signed
    nan_is_zero = ctx is None or ctx.dx10_clamp
    fmt = FORMATS.get(kind)
    if fmt is None:
        return bits
    parts = _parts(fmt, kind, bits)
    one = fmt.uint(fmt.bias << fmt.mantissa_bits)
    negative = parts & fmt.sign != 0
    clamped = np.where(negative, fmt.uint(0), np.minimum(parts, one))
    nan = is_nan(fmt, parts)
    clamped = np.where(nan, fmt.uint(0) if nan_is_zero else parts, clamped)
    return _whole(kind, bits, clamped)


def _parts(fmt: Format, kind: Kind, bits: Bits) -> Bits:
    """Packed results with a trailing axis of two; others as they are."""
    if kind not in (Kind.P16, Kind.P32):
        return bits
    return np.ascontiguousarray(bits)[..., None].view(fmt.uint)


def _whole(kind: Kind, like: Bits, parts: Bits) -> Bits:
    if kind not in (Kind.P16, Kind.P32):
        return parts
    whole: Bits = np.ascontiguousarray(parts).view(like.dtype)[..., 0]
    return whole
