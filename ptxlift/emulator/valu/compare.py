"""Comparisons: every v_cmp and v_cmpx predicate of every type, and the class tests.

Comes in: bit patterns. Goes out: one bool a lane. It must not know EXEC or VCC; v_cmpx differs from
v_cmp only in what the caller writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ptxlift.emulator.valu.formats import (
    F16,
    F32,
    F64,
    Format,
    flush,
    is_infinite,
    is_nan,
    is_signalling,
    is_zero,
)
from ptxlift.emulator.valu.integer import signed
from ptxlift.emulator.valu.kinds import Bits, Ctx
from ptxlift.emulator.valu.table import Row

Test = Callable[[Any, Any], Any]


def _never(a: Any, b: Any) -> Any:
    return np.zeros(np.broadcast_shapes(a.shape, b.shape), np.bool_)


def _always(a: Any, b: Any) -> Any:
    return ~_never(a, b)


def _less_or_greater(a: Any, b: Any) -> Any:
    return (a < b) | (a > b)


def _ordered(a: Any, b: Any) -> Any:
    return (a == a) & (b == b)


ORDER: tuple[tuple[str, Test], ...] = (
    ("f", _never),
    ("lt", np.less),
    ("eq", np.equal),
    ("le", np.less_equal),
    ("gt", np.greater),
    ("ge", np.greater_equal),
)

INTEGER_TESTS: tuple[tuple[str, Test], ...] = (*ORDER, ("ne", np.not_equal), ("t", _always))

FLOAT_TESTS: tuple[tuple[str, Test], ...] = (
    *ORDER,
    ("lg", _less_or_greater),
    ("o", _ordered),
    ("tru", _always),
    ("t", _always),
)

NEGATED_TESTS: tuple[tuple[str, Test], ...] = (
    ("u", _ordered),
    ("nge", np.greater_equal),
    ("nlg", _less_or_greater),
    ("ngt", np.greater),
    ("nle", np.less_equal),
    ("neq", np.equal),
    ("nlt", np.less),
)


def compare_unsigned(test: Test, _: Ctx, a: Bits, b: Bits) -> Bits:
    result: Bits = test(a, b)
    return result


def compare_signed(test: Test, _: Ctx, a: Bits, b: Bits) -> Bits:
    result: Bits = test(signed(a), signed(b))
    return result


def compare_float(fmt: Format, test: Test, ctx: Ctx, a: Bits, b: Bits) -> Bits:
    if fmt.flushes_in(ctx):
        a = flush(fmt, a)
        b = flush(fmt, b)
    result: Bits = test(a.view(fmt.number), b.view(fmt.number))
    return result


def compare_float_negated(fmt: Format, test: Test, ctx: Ctx, a: Bits, b: Bits) -> Bits:
    return ~compare_float(fmt, test, ctx, a, b)


def classify(fmt: Format, _: Ctx, a: Bits, mask: Bits) -> Bits:
    """True where the class of `a` is in the mask: bit numbers as in `_class_bit`."""
    chosen: Bits = (mask.astype(np.uint32) >> _class_bit(fmt, a)) & 1 == 1
    return chosen


def _class_bit(fmt: Format, a: Bits) -> Bits:
    """0 sNaN, 1 qNaN, then upwards: 2 -inf, -normal, -denormal, 5 -0, 6 +0, ..., 9 +inf."""
    negative = a & fmt.sign != 0
    denormal = (a & fmt.exponent == 0) & ~is_zero(fmt, a)
    size = np.where(is_infinite(fmt, a), 3, 2)  # distance from zero of the class
    size = np.where(denormal, 1, np.where(is_zero(fmt, a), 0, size))
    ordered = np.where(negative, 5 - size, 6 + size)
    nan = np.where(is_signalling(fmt, a), 0, 1)
    return np.where(is_nan(fmt, a), nan, ordered).astype(np.uint32)


INTEGERS = (
    ("u16", "b16", compare_unsigned),
    ("u32", "b32", compare_unsigned),
    ("u64", "b64", compare_unsigned),
    ("i16", "b16", compare_signed),
    ("i32", "b32", compare_signed),
    ("i64", "b64", compare_signed),
)

FLOATS = (("f16", F16, "b16"), ("f32", F32, "b32"), ("f64", F64, "b32"))  # kind of a class mask


def rows() -> Iterator[Row]:
    """The product of predicates and types; cmp and cmpx share a row."""
    for name, kind, fn in INTEGERS:
        for word, test in INTEGER_TESTS:
            yield _row(word, name, f"mask = {kind} {kind}", partial(fn, test))
    for name, fmt, mask_kind in FLOATS:
        for word, test in FLOAT_TESTS:
            yield _row(word, name, f"mask = {name} {name}", partial(compare_float, fmt, test))
        for word, test in NEGATED_TESTS:
            fn = partial(compare_float_negated, fmt, test)
            yield _row(word, name, f"mask = {name} {name}", fn)
        yield _row("class", name, f"mask = {name} {mask_kind}", partial(classify, fmt))


def _row(word: str, name: str, signature: str, fn: Callable[..., Any]) -> Row:
    return Row(f"v_cmp_{word}_{name} v_cmpx_{word}_{name}", signature, fn)
