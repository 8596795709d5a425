"""LLVM's division sequences, run on the operations, against exact quotients.

The sequences are the contract of div_scale, div_fmas and div_fixup: with any reciprocal inside its
documented error they give the correctly rounded quotient.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from valu_calls import run
from valu_reference import Float

from ptxlift.emulator.valu import Approx, Ctx, Kind, dtype_of, lookup

ONE = {"f32": 0x3F800000, "f64": 0x3FF0000000000000}


def call(name: str, ctx: Ctx, *sources: Any) -> Any:
    op = lookup(name)
    assert op is not None
    with np.errstate(all="ignore"):
        return op.fn(ctx, *sources)


def divide(kind: str, ctx: Ctx, num: Any, den: Any) -> Any:
    """The instructions that LLVM 22 emits for an IEEE fdiv."""
    minus = num.dtype.type(1 << (8 * num.dtype.itemsize - 1))
    one = np.array([ONE[kind]], num.dtype)

    def fma(a: Any, b: Any, c: Any) -> Any:
        return call(f"v_fma_{kind}", ctx, a, b, c)

    d, _ = call(f"v_div_scale_{kind}", ctx, den, den, num)
    n, mask = call(f"v_div_scale_{kind}", ctx, num, den, num)
    r = call(f"v_rcp_{kind}", ctx, d)
    r = fma(fma(d ^ minus, r, one), r, r)
    if kind == "f64":
        r = fma(r, fma(d ^ minus, r, one), r)
    q = call(f"v_mul_{kind}", ctx, n, r)
    if kind == "f32":
        q = fma(fma(d ^ minus, q, n), r, q)
    rest = fma(d ^ minus, q, n)
    quotient = call(f"v_div_fmas_{kind}", ctx, rest, r, q, mask)
    return call(f"v_div_fixup_{kind}", ctx, quotient, den, num)


def operands(fmt: Float) -> list[tuple[int, int]]:
    """Every exponent region against every other, and random patterns."""
    rng = random.Random(22)
    special = [0, 1, 2, (1 << fmt.mantissa_bits) - 1, fmt.infinity - 1, fmt.infinity]
    special.append(fmt.infinity + 5)
    fields = [*range(25), *range(fmt.bias - 2, fmt.bias + 3)]
    fields += list(range(2 * fmt.bias - 25, 2 * fmt.bias + 1))
    values = special + [
        field << fmt.mantissa_bits | rng.getrandbits(fmt.mantissa_bits) for field in fields
    ]
    pairs = [(a, b | rng.choice((0, fmt.sign))) for a in values for b in values]
    return pairs + [(rng.getrandbits(fmt.bits), rng.getrandbits(fmt.bits)) for _ in range(500)]


def exact_quotient(fmt: Float, a: int, b: int) -> int | None:
    sign = (a ^ b) & fmt.sign
    a_zero, b_zero = a & ~fmt.sign == 0, b & ~fmt.sign == 0
    if fmt.is_nan(a) or fmt.is_nan(b) or (a_zero and b_zero):
        return None
    if fmt.is_inf(a):
        return None if fmt.is_inf(b) else sign | fmt.infinity
    if a_zero or fmt.is_inf(b):
        return sign
    if b_zero:
        return sign | fmt.infinity
    return fmt.rounded(fmt.value(a) / fmt.value(b))


@pytest.mark.parametrize("approx", Approx)
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_sequence_is_correctly_rounded(kind: str, approx: Approx) -> None:
    fmt = Float(kind)
    pairs = operands(fmt)
    dtype = dtype_of(Kind(kind))
    num, den = (np.array(column, dtype) for column in zip(*pairs, strict=True))
    got = divide(kind, Ctx(approx=approx), num, den).tolist()
    for (a, b), actual in zip(pairs, got, strict=True):
        want = exact_quotient(fmt, a, b)
        if want is None:
            assert fmt.is_nan(actual), (hex(a), hex(b), hex(actual))
        else:
            assert actual == want, (hex(a), hex(b), hex(actual), hex(want))


SCALE_MASKS = (  # scaled operand is the numerator; denominator, numerator, result or None, mask
    (0x40800000, 0x3F800000, 0x3F800000, False),  # 1 / 4
    (0x00000000, 0x3F800000, None, True),  # 1 / 0
    (0x3F800000, 0x00000000, None, True),  # 0 / 1
    (0x3F800000, 0x7F7FFFFF, 0x7F7FFFFF, True),  # largest / 1: only the denominator grows
    (0x3F800000, 0x00800000, 0x20800000, True),  # 2**-126 / 1, times 2**64
)


@pytest.mark.parametrize(("den", "num", "want", "mask"), SCALE_MASKS)
def test_div_scale_as_measured_on_rdna3(den: int, num: int, want: int | None, mask: bool) -> None:
    n, d = np.array([num], np.uint32), np.array([den], np.uint32)
    result, lanes = call("v_div_scale_f32", Ctx(), n, d, n)
    assert lanes.tolist() == [mask]
    assert Float("f32").is_nan(int(result[0])) if want is None else result[0] == want


def test_div_scale_grows_the_denominator_near_overflow() -> None:
    d, n = np.array([0x3F800000], np.uint32), np.array([0x7F7FFFFF], np.uint32)
    assert call("v_div_scale_f32", Ctx(), d, d, n)[0][0] == 0x5F800000  # 2**64


def test_div_fmas_scales_by_the_size_of_the_addend() -> None:
    one, two, three = (np.array([v], np.uint32) for v in (0x3F800000, 0x40000000, 0x40400000))
    mask = np.array([True])
    up = call("v_div_fmas_f32", Ctx(), one, one, two, mask)
    down = call("v_div_fmas_f32", Ctx(), two, three, one, mask)
    plain = call("v_div_fmas_f32", Ctx(), two, three, one, ~mask)
    assert up[0] == 0x40400000 + (64 << 23)  # 3 * 2**64
    assert down[0] == 0x40E00000 - (64 << 23)  # 7 * 2**-64
    assert plain[0] == 0x40E00000


FIXUP = (  # quotient, denominator, numerator, result
    (0x40400000, 0xC0000000, 0x40C00000, 0xC0400000),  # sign of 6 / -2
    (0x3F800000, 0x00000000, 0x00000000, 0xFFC00000),  # 0 / 0
    (0x3F800000, 0x7F800000, 0x7F800000, 0xFFC00000),  # inf / inf
    (0x3F800000, 0x80000000, 0x3F800000, 0xFF800000),  # 1 / -0
    (0x3F800000, 0x3F800000, 0x7FA00000, 0x7FE00000),  # sNaN / 1 is quieted
    (0x7FC00000, 0x3F800000, 0x3F800000, 0x7F800000),  # lost estimate
    (0x3F800000, 0x7F000000, 0x00000001, 0x00000000),  # far below the smallest denormal
)


@pytest.mark.parametrize(("q", "den", "num", "want"), FIXUP)
def test_div_fixup(q: int, den: int, num: int, want: int) -> None:
    assert run("v_div_fixup_f32", Ctx(), [q], [den], [num]) == [want]


def test_div_fixup_f16() -> None:
    """0/0, x/inf, and the sign."""
    quotients, dens, nums = [0x3C00] * 3, [0, 0x7C00, 0xC000], [0, 0x3C00, 0x4000]
    assert run("v_div_fixup_f16", Ctx(), quotients, dens, nums) == [0xFE00, 0, 0xBC00]


def test_flushed_denominator_counts_as_zero() -> None:
    ctx = Ctx(flush_in32=True)
    assert run("v_div_fixup_f32", ctx, [0x3F800000], [1], [0x3F800000]) == [0x7F800000]


TWO_OVER_PI = (  # Payne and Hanek's table: 24 bits a word
    0xA2F983, 0x6E4E44, 0x1529FC, 0x2757D1, 0xF534DD, 0xC0DB62, 0x95993C, 0x439041,
)  # fmt: skip


def test_trig_preop_gives_53_bit_segments_of_two_over_pi() -> None:
    op = lookup("v_trig_preop_f64")
    assert op is not None
    one = np.array([ONE["f64"]], np.uint64)
    digits = 0
    for word in TWO_OVER_PI:
        digits = digits << 24 | word
    for segment in range(3):
        value = op.fn(Ctx(), one, np.array([segment], np.uint32)).view(np.float64)[0]
        first = 53 * segment
        bits = digits >> (24 * len(TWO_OVER_PI) - first - 53) & ((1 << 53) - 1)
        assert value == np.ldexp(float(bits), -53 - first)
