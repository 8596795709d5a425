"""Minimum, maximum and median by the pseudocode of the ISA documents, and every comparison."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from valu_calls import run
from valu_reference import Float

from ptxlift.emulator.valu import Ctx, lookup


def edges(fmt: Float) -> list[int]:
    one = fmt.bias << fmt.mantissa_bits
    quiet = 1 << fmt.mantissa_bits - 1
    sizes = [0, 1, 1 << fmt.mantissa_bits, one, one + 1, fmt.infinity - 1, fmt.infinity]
    sizes += [fmt.infinity + 1, fmt.infinity | quiet, fmt.infinity | quiet | 3]
    return [v | s for v in sizes for s in (0, fmt.sign)]


def signalling(fmt: Float, bits: int) -> bool:
    return fmt.is_nan(bits) and not bits & 1 << fmt.mantissa_bits - 1


def quiet(fmt: Float, bits: int) -> int:
    return bits | 1 << fmt.mantissa_bits - 1


def key(fmt: Float, bits: int) -> tuple[int, int]:
    """Sorts numbers; -0 before +0."""
    size = bits & ~fmt.sign
    return (-size, 0) if bits & fmt.sign else (size, 1)


def legacy(fmt: Float, pick: Callable[..., int], a: int, b: int, ieee: bool = True) -> int:
    if ieee and signalling(fmt, a):
        return quiet(fmt, a)
    if ieee and signalling(fmt, b):
        return quiet(fmt, b)
    if fmt.is_nan(a):
        return b
    if fmt.is_nan(b):
        return a
    return pick(a, b, key=lambda v: key(fmt, v))


def number(fmt: Float, pick: Callable[..., int], a: int, b: int) -> int:
    if fmt.is_nan(a) and fmt.is_nan(b):
        return quiet(fmt, a)
    if fmt.is_nan(a):
        return b
    if fmt.is_nan(b):
        return a
    return pick(a, b, key=lambda v: key(fmt, v))


def propagate(fmt: Float, pick: Callable[..., int], a: int, b: int) -> int:
    for wanted in (signalling, lambda f, v: f.is_nan(v)):
        for value in (a, b):
            if wanted(fmt, value):
                return quiet(fmt, value)
    return pick(a, b, key=lambda v: key(fmt, v))


RULES: tuple[tuple[str, str, Callable[..., int]], ...] = (
    ("v_min_{}", "v_max_{}", legacy),
    ("v_min_num_{}", "v_max_num_{}", number),
    ("v_minimum_{}", "v_maximum_{}", propagate),
)


@pytest.mark.parametrize("kind", ["f16", "f32", "f64"])
@pytest.mark.parametrize(("low", "high", "rule"), RULES)
def test_two_operands(low: str, high: str, rule: Callable[..., int], kind: str) -> None:
    fmt = Float(kind)
    pairs = list(itertools.product(edges(fmt), repeat=2))
    columns = [list(column) for column in zip(*pairs, strict=True)]
    assert run(low.format(kind), Ctx(), *columns) == [rule(fmt, min, a, b) for a, b in pairs]
    assert run(high.format(kind), Ctx(), *columns) == [rule(fmt, max, a, b) for a, b in pairs]


def test_without_ieee_mode_a_signalling_nan_is_no_number_either() -> None:
    fmt = Float("f32")
    pairs = list(itertools.product(edges(fmt), repeat=2))
    columns = [list(column) for column in zip(*pairs, strict=True)]
    want = [legacy(fmt, min, a, b, ieee=False) for a, b in pairs]
    assert run("v_min_f32", Ctx(ieee=False), *columns) == want


@pytest.mark.parametrize("kind", ["f16", "f32"])
def test_three_operands(kind: str) -> None:
    fmt = Float(kind)
    triples = list(itertools.product(edges(fmt), repeat=3))
    columns = [list(column) for column in zip(*triples, strict=True)]

    def compose(first: Callable[..., int], second: Callable[..., int]) -> list[int]:
        inner = [number(fmt, first, a, b) for a, b, _ in triples]
        return [number(fmt, second, i, c) for i, (_, _, c) in zip(inner, triples, strict=True)]

    assert run(f"v_min3_num_{kind}", Ctx(), *columns) == compose(min, min)
    assert run(f"v_max3_num_{kind}", Ctx(), *columns) == compose(max, max)
    assert run(f"v_minmax_num_{kind}", Ctx(), *columns) == compose(min, max)
    assert run(f"v_maxmin_num_{kind}", Ctx(), *columns) == compose(max, min)


@pytest.mark.parametrize("kind", ["f16", "f32"])
def test_median(kind: str) -> None:
    """The middle one; with a NaN, min3."""
    fmt = Float(kind)
    triples = list(itertools.product(edges(fmt), repeat=3))
    columns = [list(column) for column in zip(*triples, strict=True)]
    want = []
    for a, b, c in triples:
        if any(fmt.is_nan(v) for v in (a, b, c)):
            want.append(number(fmt, min, number(fmt, min, a, b), c))
        else:
            want.append(sorted((a, b, c), key=lambda v: key(fmt, v))[1])
    assert run(f"v_med3_num_{kind}", Ctx(), *columns) == want


def test_flushing() -> None:
    assert run("v_max_f32", Ctx(flush_in32=True), [1], [0x80000000]) == [0]
    assert run("v_max_f32", Ctx(), [1], [0x80000000]) == [1]


ORDERED: dict[str, Callable[[float, float], bool]] = {
    "lt": lambda a, b: a < b,
    "eq": lambda a, b: a == b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "lg": lambda a, b: a < b or a > b,
    "ge": lambda a, b: a >= b,
    "o": lambda a, b: a == a and b == b,
}
NEGATED = {"u": "o", "nge": "ge", "nlg": "lg", "ngt": "gt", "nle": "le", "neq": "eq", "nlt": "lt"}
WIDTHS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


@pytest.mark.parametrize("kind", WIDTHS)
def test_float_predicates(kind: str) -> None:
    fmt = Float(kind)
    pairs = list(itertools.product(edges(fmt), repeat=2))
    columns = [list(column) for column in zip(*pairs, strict=True)]
    dtype = np.dtype(f"u{fmt.bits // 8}")
    with np.errstate(all="ignore"):
        numbers = [np.array(c, dtype).view(WIDTHS[kind]).astype(float).tolist() for c in columns]
    for word, test in ORDERED.items():
        want = [test(a, b) for a, b in zip(*numbers, strict=True)]
        assert run(f"v_cmp_{word}_{kind}", Ctx(), *columns) == want
        assert run(f"v_cmpx_{word}_{kind}", Ctx(), *columns) == want
    for word, opposite in NEGATED.items():
        want = [not ORDERED[opposite](a, b) for a, b in zip(*numbers, strict=True)]
        assert run(f"v_cmp_{word}_{kind}", Ctx(), *columns) == want


INTEGER: dict[str, Callable[[int, int], bool]] = {
    "f": lambda a, b: False,
    "lt": lambda a, b: a < b,
    "eq": lambda a, b: a == b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ne": lambda a, b: a != b,
    "ge": lambda a, b: a >= b,
    "t": lambda a, b: True,
}


@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("word", INTEGER)
def test_integer_predicates(word: str, width: int) -> None:
    values = [0, 1, 2, (1 << width - 1) - 1, 1 << width - 1, (1 << width) - 1]
    pairs = list(itertools.product(values, repeat=2))
    columns = [list(column) for column in zip(*pairs, strict=True)]
    test = INTEGER[word]
    assert run(f"v_cmp_{word}_u{width}", Ctx(), *columns) == [test(a, b) for a, b in pairs]
    signed = [[v - (1 << width) if v >> width - 1 else v for v in pair] for pair in pairs]
    assert run(f"v_cmp_{word}_i{width}", Ctx(), *columns) == [test(a, b) for a, b in signed]


def test_comparison_flushes_inputs() -> None:
    assert run("v_cmp_gt_f32", Ctx(flush_in32=True), [1], [0]) == [0]
    assert run("v_cmp_gt_f32", Ctx(), [1], [0]) == [1]


CLASSES = (  # sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf
    0x7F800001, 0x7FC00000, 0xFF800000, 0xBF800000, 0x80000001,
    0x80000000, 0x00000000, 0x00000001, 0x3F800000, 0x7F800000,
)  # fmt: skip


def test_class_bits() -> None:
    for bit, pattern in enumerate(CLASSES):
        for mask_bit in range(10):
            got = run("v_cmp_class_f32", Ctx(), [pattern], [1 << mask_bit])
            assert got == [bit == mask_bit], (bit, mask_bit)
    assert run("v_cmp_class_f16", Ctx(), [0xFE00, 0x7D00], [2, 1]) == [1, 1]
    assert run("v_cmp_class_f64", Ctx(), [1 << 63, 1], [1 << 5, 1 << 7]) == [1, 1]


def test_predicates_broadcast() -> None:
    op = lookup("v_cmp_f_f32")
    assert op is not None
    assert op.fn(Ctx(), np.zeros((2, 3), np.uint32), np.zeros(1, np.uint32)).shape == (2, 3)
