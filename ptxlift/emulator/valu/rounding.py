"""Rounding to integers, fraction, and taking exponents and mantissas apart, in f16, f32 and f64.

Comes in: bit patterns. Goes out: bit patterns, or integers for exponents. It must not know
conversions to integer types.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlift.emulator.valu.double import fma_by_lane
from ptxlift.emulator.valu.formats import (
    F16,
    F32,
    F64,
    Doubles,
    Format,
    flush_in,
    flush_out,
    is_infinite,
    is_nan,
    narrow,
    quiet,
    to_double,
)
from ptxlift.emulator.valu.integer import signed
from ptxlift.emulator.valu.kinds import Bits, Ctx, Flags, Rounding
from ptxlift.emulator.valu.table import Row

Shape = Callable[[NDArray[Any]], NDArray[Any]]
FARTHEST = 2200  # a shift that takes any double to zero or infinity


def round_to_integer(fmt: Format, shape: Shape, ctx: Ctx, a: Bits) -> Bits:
    """trunc, ceil, floor, rndne; a zero result keeps the sign."""
    rounded: Bits = shape(flush_in(fmt, ctx, a).view(fmt.number)).view(fmt.uint)
    return rounded


def fraction(fmt: Format, ctx: Ctx, a: Bits) -> Bits:
    """x - floor(x), kept below one even where the difference rounds to one."""
    x = flush_in(fmt, ctx, a).view(fmt.number)
    below_one = fmt.number(1) - np.finfo(fmt.number).epsneg
    bits: Bits = np.minimum(x - np.floor(x), below_one).view(fmt.uint)
    return flush_out(fmt, ctx, bits)


def _not_finite(fmt: Format, a: Bits) -> Bits:
    return is_nan(fmt, a) | is_infinite(fmt, a)


def mantissa(fmt: Format, ctx: Ctx, a: Bits) -> Bits:
    """The number scaled to [0.5, 1), with its sign; zero, infinity and NaN as they are."""
    a = flush_in(fmt, ctx, a)
    fractional, _ = np.frexp(to_double(fmt, a))
    return np.where(_not_finite(fmt, a), quiet(fmt, a), narrow(fmt, fractional))


def exponent(fmt: Format, integer: Any, ctx: Ctx, a: Bits) -> Bits:
    """The power that goes with the mantissa; 0 for zero, infinity and NaN."""
    a = flush_in(fmt, ctx, a)
    _, power = np.frexp(to_double(fmt, a))
    return np.where(_not_finite(fmt, a), integer(0), power.astype(integer))


def scale(fmt: Format, ctx: Ctx, a: Bits, power: Bits) -> Bits:
    """a * 2**power with one rounding."""
    a = flush_in(fmt, ctx, a)
    if fmt.rounding(ctx) is Rounding.NEAREST_EVEN:
        near: Bits = np.ldexp(a.view(fmt.number), signed(power).astype(np.int32)).view(fmt.uint)
        return flush_out(fmt, ctx, near)
    steps = np.clip(signed(power).astype(np.int64), -FARTHEST, FARTHEST)
    if fmt is F64:
        scaled = _scale_double(a.view(np.float64), steps, ctx.round64).view(np.uint64)
    else:  # any shift past 400 gives zero or infinity, and up to that double is exact
        wide = np.ldexp(to_double(fmt, a), np.clip(steps, -400, 400))
        scaled = narrow(fmt, wide, fmt.rounding(ctx))
    return flush_out(fmt, ctx, scaled)


def _scale_double(a: Doubles, steps: NDArray[np.int64], mode: Rounding) -> Doubles:
    a, steps = np.broadcast_arrays(a, steps)
    lanes = zip(a.ravel(), steps.ravel().tolist(), strict=True)
    one = np.ones(1)
    zero = np.copysign(0.0, a.ravel())
    out = [
        fma_by_lane(np.array([x]), one, zero[i : i + 1], mode, step)[0]
        for i, (x, step) in enumerate(lanes)
    ]
    return np.array(out).reshape(a.shape)


DP = Flags(f64=True)
SIGNED = Flags(signed=True)
SIGNED_DP = Flags(signed=True, f64=True)
SHAPES: tuple[tuple[str, Shape], ...] = (
    ("trunc", np.trunc),
    ("ceil", np.ceil),
    ("floor", np.floor),
    ("rndne", np.rint),
)
FORMATS = ((F16, "f16", Flags()), (F32, "f32", Flags()), (F64, "f64", DP))

# fmt: off
FIXED: tuple[Row, ...] = (
    Row("v_frexp_exp_i16_f16", "b16 = f16",     partial(exponent, F16, np.uint16), SIGNED),
    Row("v_frexp_exp_i32_f32", "b32 = f32",     partial(exponent, F32, np.uint32), SIGNED),
    Row("v_frexp_exp_i32_f64", "b32 = f64",     partial(exponent, F64, np.uint32), SIGNED_DP),
    Row("v_ldexp_f16",         "f16 = f16 b16", partial(scale, F16)),
    Row("v_ldexp_f32",         "f32 = f32 b32", partial(scale, F32)),
    Row("v_ldexp_f64",         "f64 = f64 b32", partial(scale, F64),               DP),
)
# fmt: on


def rows() -> tuple[Row, ...]:
    """The table above and the forms that exist alike in all three formats."""
    out = list(FIXED)
    for fmt, kind, flags in FORMATS:
        signature = f"{kind} = {kind}"
        for word, shape in SHAPES:
            fn = partial(round_to_integer, fmt, shape)
            out.append(Row(f"v_{word}_{kind}", signature, fn, flags))
        out.append(Row(f"v_fract_{kind}", signature, partial(fraction, fmt), flags))
        out.append(Row(f"v_frexp_mant_{kind}", signature, partial(mantissa, fmt), flags))
    return tuple(out)
