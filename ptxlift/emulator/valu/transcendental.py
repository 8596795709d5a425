"""Approximate operations: rcp, rsq, sqrt, exp2, log2, sin, cos, tanh in f16, bf16, f32 and f64.

Comes in: bit patterns. Goes out: bit patterns within AMD's documented error: below 1 ulp in f32,
0.51 ulp in f16, 2**29 ulp in f64. `Ctx.approx` chooses the exact value, either bound or a random
value between, so that code which relies on more than the bound is found out. f32 flushes denormals
on both sides whatever MODE says, f16 and f64 keep them. It must not know the sequences built from
these.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

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
    narrow,
    to_double,
)
from ptxlift.emulator.valu.kinds import Approx, Bits, Ctx, Flags
from ptxlift.emulator.valu.table import Row
from ptxlift.records import replace

Function = Callable[[Doubles], Doubles]

ULPS: dict[Format, float] = {F16: 0.51, BF16: 1.0, F32: 1.0}
"""Error bounds of the ISA documents, as distance from the exact value."""

BOUND64 = 2**29 - 1  # f64's rcp, rsq and sqrt are seeds for Newton steps
SINE_RANGE = 256.0  # gfx9 takes only -256..256 revolutions


def reciprocal(x: Doubles) -> Doubles:
    return 1.0 / x


def reciprocal_root(x: Doubles) -> Doubles:
    return 1.0 / np.sqrt(x)


def sine(x: Doubles) -> Doubles:
    """sin(2 pi x); the argument is reduced exactly before it meets pi."""
    turn = x - np.rint(x)
    turn = np.where(np.abs(turn) > 0.25, np.copysign(0.5, turn) - turn, turn)
    turn = np.where(x == 0, x, turn)  # the ISA documents give -0 for -0
    value: Doubles = np.sin(2 * np.pi * turn)
    return value


def cosine(x: Doubles) -> Doubles:
    turn = np.abs(x - np.rint(x))
    value: Doubles = np.sin(2 * np.pi * (0.25 - turn))
    return value


def approximate(fmt: Format, function: Function, ctx: Ctx, a: Bits) -> Bits:
    """A function's value in a narrow format, with the error that `ctx.approx` asks for."""
    a = flush(fmt, a) if fmt is F32 else flush_in(fmt, ctx, a)
    exact = function(to_double(fmt, a))
    result = narrow(fmt, _disturbed(fmt, ctx, exact))
    return flush(fmt, result) if fmt is F32 else flush_out(fmt, ctx, result)


def _disturbed(fmt: Format, ctx: Ctx, exact: Doubles) -> Doubles:
    """Moved before rounding, so that with the rounding error the bound is just met.

    Representable results stay: an error below one ulp could move a power of two downwards only.
    """
    if ctx.approx is Approx.EXACT:
        return exact
    _, power = np.frexp(exact)
    lowest = 2 - fmt.bias - fmt.mantissa_bits
    ulp = np.ldexp(1.0, np.maximum(power - 1 - fmt.mantissa_bits, lowest - 1))
    moved = exact + (ULPS[fmt] - 0.5) * ulp * _direction(ctx, exact.shape)
    moved = np.copysign(np.maximum(moved * np.sign(exact), 0.0), exact)  # never past zero
    representable = to_double(fmt, narrow(fmt, exact)) == exact
    return np.where(np.isfinite(exact) & ~representable, moved, exact)


def reciprocal_single(ctx: Ctx, a: Bits) -> Bits:
    """f32's rcp, whose error never makes a power of two of another number's reciprocal.

    That follows from LLVM's IEEE division, which AMD says is right: from a reciprocal of 2 - 2^-23
    that is rounded down to 1/2 it would make 1/2 of 1 / (2 - 2^-23), one unit off.
    """
    result = approximate(F32, reciprocal, ctx, a)
    nearest = approximate(F32, reciprocal, replace(ctx, approx=Approx.EXACT), a)
    is_power = result & F32.mantissa == 0
    return np.where(is_power, nearest, result)


def _direction(ctx: Ctx, shape: tuple[int, ...]) -> Doubles:
    match ctx.approx:
        case Approx.PLUS:
            return np.ones(shape)
        case Approx.MINUS:
            return -np.ones(shape)
        case Approx.RANDOM:
            return ctx.rng.uniform(-1.0, 1.0, shape)
        case _:
            return np.zeros(shape)


def approximate_double(function: Function, ctx: Ctx, a: Bits) -> Bits:
    """f64 forms: special values exact, others off by up to 2**29 ulp."""
    result = function(flush_in(F64, ctx, a).view(np.float64))
    bits: Bits = result.view(np.uint64)
    if ctx.approx is not Approx.EXACT:
        steps = (_direction(ctx, result.shape) * BOUND64).astype(np.int64)
        normal = np.isfinite(result) & (np.abs(result) > 2.0**-1000) & (np.abs(result) < 2.0**1000)
        bits = np.where(normal, bits + steps.view(np.uint64), bits)
    return flush_out(F64, ctx, bits)


def trigonometric(fmt: Format, function: Function, outside: float, ctx: Ctx, a: Bits) -> Bits:
    """sin and cos; on gfx9 an argument out of range gives the value at zero."""
    result = approximate(fmt, function, ctx, a)
    if ctx.major > 9:
        return result
    wide = np.abs(to_double(fmt, a))
    beyond = (wide > SINE_RANGE) & np.isfinite(wide)
    return np.where(beyond, narrow(fmt, np.array([outside])), result)


T = Flags(trans=True)
TD = Flags(trans=True, f64=True)

NARROW: tuple[tuple[str, Function], ...] = (
    ("rcp", reciprocal),
    ("rsq", reciprocal_root),
    ("sqrt", np.sqrt),
    ("exp", np.exp2),
    ("log", np.log2),
    ("tanh", np.tanh),
)
SCALAR_RESULT = ("rcp", "rsq", "sqrt", "exp", "log")  # have v_s_ forms on gfx12
FORMATS = ((F16, "f16"), (BF16, "bf16"), (F32, "f32"))
LEGACY = {"exp_f32": " v_exp_legacy_f32", "log_f32": " v_log_legacy_f32"}
IFLAG = {"rcp_f32": " v_rcp_iflag_f32"}


def rows() -> tuple[Row, ...]:
    """Every function in every format it has."""
    out = [
        Row("v_rcp_f64", "f64 = f64", partial(approximate_double, reciprocal), TD),
        Row("v_rsq_f64", "f64 = f64", partial(approximate_double, reciprocal_root), TD),
        Row("v_sqrt_f64", "f64 = f64", partial(approximate_double, np.sqrt), TD),
    ]
    for fmt, kind in FORMATS:
        signature = f"{kind} = {kind}"
        for word, function in NARROW:
            fn: Callable[[Ctx, Bits], Bits] = partial(approximate, fmt, function)
            if fmt is F32 and function is reciprocal:
                fn = reciprocal_single
            out.append(Row(_names(word, kind), signature, fn, T))
        for word, function, outside in (("sin", sine, 0.0), ("cos", cosine, 1.0)):
            fn = partial(trigonometric, fmt, function, outside)
            out.append(Row(f"v_{word}_{kind}", signature, fn, T))
    return tuple(out)


def _names(word: str, kind: str) -> str:
    stem = f"{word}_{kind}"
    names = f"v_{stem}" + LEGACY.get(stem, "") + IFLAG.get(stem, "")
    return f"{names} v_s_{stem}" if word in SCALAR_RESULT and kind != "bf16" else names
