"""Float minimum, maximum and median, by the three rules that AMD's generations have.

Comes in: bit patterns. Goes out: bit patterns. The rules differ in NaNs only; in all of them -0 is
less than +0. Before gfx12 v_min/v_max quieten and return a signalling NaN in IEEE mode and else
return the number; gfx12's min_num returns the number always; minimum propagates NaNs. It must not
know source modifiers or clamps.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ptxlift.emulator.valu.formats import (
    BF16,
    F16,
    F32,
    F64,
    Format,
    flush_in,
    flush_out,
    is_nan,
    is_signalling,
    is_zero,
)
from ptxlift.emulator.valu.integer import signed
from ptxlift.emulator.valu.kinds import Bits, Ctx, Flags
from ptxlift.emulator.valu.table import Row

Pick = Callable[[Format, Bits, Bits], Bits]
NanRule = Callable[[Format, Ctx, Bits, Bits, Bits], Bits]


def smaller(fmt: Format, a: Bits, b: Bits) -> Bits:
    """The lesser of two numbers; zeros of different signs need care, other numbers do not."""
    if fmt.number is None:
        return np.where(_key(fmt, a) < _key(fmt, b), a, b)
    least: Bits = np.fmin(a.view(fmt.number), b.view(fmt.number)).view(fmt.uint)
    if np.count_nonzero(a ^ b == fmt.sign):
        return np.where(is_zero(fmt, a | b), a | b, least)
    return least


def greater(fmt: Format, a: Bits, b: Bits) -> Bits:
    if fmt.number is None:
        return np.where(_key(fmt, a) < _key(fmt, b), b, a)
    most: Bits = np.fmax(a.view(fmt.number), b.view(fmt.number)).view(fmt.uint)
    if np.count_nonzero(a ^ b == fmt.sign):
        return np.where(is_zero(fmt, a | b), a & b, most)
    return most


def _key(fmt: Format, a: Bits) -> Any:
    """Signed integers in the order of the floats."""
    return signed(np.where(a & fmt.sign != 0, a ^ ~fmt.sign, a))


def nan_legacy(fmt: Format, ctx: Ctx, a: Bits, b: Bits, number: Bits) -> Bits:
    """v_min and v_max up to gfx11: signalling first in IEEE mode, else the other operand."""
    result = np.where(is_nan(fmt, b), a, number)
    result = np.where(is_nan(fmt, a), b, result)
    if ctx.ieee:
        result = np.where(is_signalling(fmt, b), b | fmt.quiet, result)
        result = np.where(is_signalling(fmt, a), a | fmt.quiet, result)
    return result


def nan_number(fmt: Format, _: Ctx, a: Bits, b: Bits, number: Bits) -> Bits:
    """gfx12's min_num and max_num, IEEE 754-2019 minimumNumber."""
    a_nan = is_nan(fmt, a)
    b_nan = is_nan(fmt, b)
    one_number = np.where(a_nan, b, np.where(b_nan, a, number))
    return np.where(a_nan & b_nan, a | fmt.quiet, one_number)


def nan_propagate(fmt: Format, _: Ctx, a: Bits, b: Bits, number: Bits) -> Bits:
    """IEEE 754-2019 minimum: signalling NaNs first, then quiet ones, the first operand first."""
    result = np.where(is_nan(fmt, b), b, number)
    result = np.where(is_nan(fmt, a), a, result)
    result = np.where(is_signalling(fmt, b), b | fmt.quiet, result)
    return np.where(is_signalling(fmt, a), a | fmt.quiet, result)


def _all_ordered(fmt: Format, a: Bits, b: Bits) -> bool:
    """No NaN in sight; may say False for opposite infinities, which costs time only."""
    if fmt.number is None:
        return not bool(np.any(is_nan(fmt, a) | is_nan(fmt, b)))
    total = a.view(fmt.number) + b.view(fmt.number)
    return not np.count_nonzero(total != total)


def _either(fmt: Format, pick: Pick, rule: NanRule, ctx: Ctx, a: Bits, b: Bits) -> Bits:
    """One step, denormals already flushed."""
    number = pick(fmt, a, b)
    return number if _all_ordered(fmt, a, b) else rule(fmt, ctx, a, b, number)


def select2(fmt: Format, pick: Pick, rule: NanRule, ctx: Ctx, a: Bits, b: Bits) -> Bits:
    a = flush_in(fmt, ctx, a)
    b = flush_in(fmt, ctx, b)
    return flush_out(fmt, ctx, _either(fmt, pick, rule, ctx, a, b))


def select3(
    fmt: Format, first: Pick, second: Pick, rule: NanRule, ctx: Ctx, a: Bits, b: Bits, c: Bits
) -> Bits:
    """`second(first(a, b), c)`: min3, max3, minmax and maxmin."""
    a, b, c = (flush_in(fmt, ctx, x) for x in (a, b, c))
    inner = _either(fmt, first, rule, ctx, a, b)
    return flush_out(fmt, ctx, _either(fmt, second, rule, ctx, inner, c))


def median(fmt: Format, rule: NanRule, ctx: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    """The middle of three numbers; with a NaN among them, min3."""
    a, b, c = (flush_in(fmt, ctx, x) for x in (a, b, c))
    low = smaller(fmt, a, b)
    high = greater(fmt, a, b)
    middle = greater(fmt, low, smaller(fmt, high, c))
    if _all_ordered(fmt, a, b) and _all_ordered(fmt, c, c):
        return flush_out(fmt, ctx, middle)
    any_nan = is_nan(fmt, a) | is_nan(fmt, b) | is_nan(fmt, c)
    inner = _either(fmt, smaller, rule, ctx, a, b)
    least = _either(fmt, smaller, rule, ctx, inner, c)
    return flush_out(fmt, ctx, np.where(any_nan, least, middle))


RULES = (
    ("min", "max", nan_legacy, "_f"),
    ("min", "max", nan_number, "_num_f"),
    ("minimum", "maximum", nan_propagate, "_f"),
)
"""Words for minimum and maximum, their NaN rule, and what joins the word to the width."""

FORMATS = ((F16, "f16", Flags()), (F32, "f32", Flags()), (F64, "f64", Flags(f64=True)))


def rows() -> tuple[Row, ...]:
    """Every rule for every format; three-operand forms exist for f16 and f32."""
    out = []
    for fmt, kind, flags in FORMATS:
        for low, high, rule, join in RULES:
            suffix = join + kind[1:]
            out += _two(fmt, kind, flags, (low, high), rule, suffix)
            if fmt is not F64:
                out += _three(fmt, kind, (low, high), rule, suffix)
    return tuple(out)


def _two(
    fmt: Format, kind: str, flags: Flags, words: tuple[str, str], rule: NanRule, suffix: str
) -> list[Row]:
    signature = f"{kind} = {kind} {kind}"
    picks = zip(words, (smaller, greater), strict=True)
    return [
        Row(f"v_{word}{suffix}", signature, partial(select2, fmt, pick, rule), flags)
        for word, pick in picks
    ]


def _three(fmt: Format, kind: str, words: tuple[str, str], rule: NanRule, suffix: str) -> list[Row]:
    low, high = words
    signature = f"{kind} = {kind} {kind} {kind}"
    forms = (
        (f"v_{low}3{suffix}", partial(select3, fmt, smaller, smaller, rule)),
        (f"v_{high}3{suffix}", partial(select3, fmt, greater, greater, rule)),
        (f"v_{low}{high}{suffix}", partial(select3, fmt, smaller, greater, rule)),
        (f"v_{high}{low}{suffix}", partial(select3, fmt, greater, smaller, rule)),
    )
    out = [Row(name, signature, fn) for name, fn in forms]
    if rule is not nan_propagate:
        out.append(Row(f"v_med3{suffix}", signature, partial(median, fmt, rule)))
    return out


min_legacy16 = partial(select2, F16, smaller, nan_legacy)
max_legacy16 = partial(select2, F16, greater, nan_legacy)
min_number16 = partial(select2, F16, smaller, nan_number)
max_number16 = partial(select2, F16, greater, nan_number)
min_propagate16 = partial(select2, F16, smaller, nan_propagate)
max_propagate16 = partial(select2, F16, greater, nan_propagate)
min_number_bf16 = partial(select2, BF16, smaller, nan_number)
max_number_bf16 = partial(select2, BF16, greater, nan_number)
min3_number16 = partial(select3, F16, smaller, smaller, nan_number)
max3_number16 = partial(select3, F16, greater, greater, nan_number)
min3_propagate16 = partial(select3, F16, smaller, smaller, nan_propagate)
max3_propagate16 = partial(select3, F16, greater, greater, nan_propagate)
