"""Every rounded operation against exact fractions, in every format and rounding."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from fractions_reference import rounded, value_of

from ptxlift.interp.lanes import Lanes, dtype_of
from ptxlift.interp.numpy_algebra import NumpyAlgebra
from ptxlift.ir.attributes import Format, Rounding

ALGEBRA = NumpyAlgebra()
ROUNDINGS = (Rounding.RN, Rounding.RZ, Rounding.RM, Rounding.RP)
CASES = [(fmt, rounding) for fmt in Format for rounding in ROUNDINGS]
COUNT = 120


def operand_columns(fmt: Format, count: int, columns: int) -> list[Lanes]:
    """Finite numbers: near each other, near the ends of the range, and anywhere."""
    generator = random.Random(f"{fmt}{columns}")
    bias = (1 << (fmt.exponent_bits - 1)) - 1
    largest = (1 << fmt.exponent_bits) - 2
    rows = []
    for number in range(count):
        center = (bias, 1, largest, bias + fmt.mantissa_bits, bias // 2)[number % 5]
        row = []
        for _ in range(columns):
            exponent = min(max(center + generator.randrange(-3, 4), 0), largest)
            mantissa = generator.choice([0, 1, -1, generator.getrandbits(52)])
            mantissa &= (1 << fmt.mantissa_bits) - 1
            sign = generator.getrandbits(1) << (fmt.bits - 1)
            row.append(sign | exponent << fmt.mantissa_bits | mantissa)
        rows.append(row)
    return [
        np.array(column, np.uint64).astype(dtype_of(fmt.bits)) for column in zip(*rows, strict=True)
    ]


def check(
    fmt: Format,
    rounding: Rounding,
    columns: list[Lanes],
    got: Lanes,
    exact: Callable[..., Fraction | None],
) -> None:
    """Compares lanes with the rounded exact value; None skips a lane."""
    checked = 0
    for lane, result in enumerate(got):
        inputs = [int(column[lane]) for column in columns]
        value = exact(*(value_of(bits, fmt) for bits in inputs))
        if value is None or value == 0:
            continue
        want = rounded(value, fmt, rounding)
        assert int(result) == want, [hex(bits) for bits in inputs]
        checked += 1
    assert checked > COUNT // 4


@pytest.mark.parametrize(("fmt", "rounding"), CASES)
def test_add_sub_mul(fmt: Format, rounding: Rounding) -> None:
    a, b = operand_columns(fmt, COUNT, 2)
    with np.errstate(all="ignore"):
        total = ALGEBRA.fadd(a, b, fmt, rounding, False)
        difference = ALGEBRA.fsub(a, b, fmt, rounding, False)
        product = ALGEBRA.fmul(a, b, fmt, rounding, False)
    check(fmt, rounding, [a, b], total, lambda x, y: x + y)
    check(fmt, rounding, [a, b], difference, lambda x, y: x - y)
    check(fmt, rounding, [a, b], product, lambda x, y: x * y)


@pytest.mark.parametrize(("fmt", "rounding"), CASES)
def test_fma(fmt: Format, rounding: Rounding) -> None:
    a, b, c = operand_columns(fmt, 2 * COUNT, 3)
    with np.errstate(all="ignore"):
        # Half of the lanes cancel almost all of the product.
        near = ALGEBRA.fneg(ALGEBRA.fmul(a, b, fmt, Rounding.RN, False), fmt)
        finite = np.array([value_of(int(bits), fmt) is not None for bits in near])
        c = np.where(finite & (np.arange(len(c)) % 2 == 0), near, c)
        got = ALGEBRA.ffma(a, b, c, fmt, rounding, False)
    check(fmt, rounding, [a, b, c], got, lambda x, y, z: x * y + z)


@pytest.mark.parametrize(("fmt", "rounding"), CASES)
def test_div(fmt: Format, rounding: Rounding) -> None:
    a, b = operand_columns(fmt, COUNT, 2)
    with np.errstate(all="ignore"):
        got = ALGEBRA.fdiv(a, b, fmt, rounding, False)
    check(fmt, rounding, [a, b], got, lambda x, y: x / y if y else None)


@pytest.mark.parametrize(("fmt", "rounding"), CASES)
def test_sqrt(fmt: Format, rounding: Rounding) -> None:
    (a,) = operand_columns(fmt, COUNT, 1)
    a = ALGEBRA.fabs(a, fmt)
    with np.errstate(all="ignore"):
        got = ALGEBRA.fsqrt(a, fmt, rounding, False)
    for bits, root in zip(a.tolist(), got.tolist(), strict=True):
        value = value_of(bits, fmt)
        assert value is not None
        # 200 more bits of the root than any format has, and a mark that more follow.
        scaled = math.isqrt(value.numerator * value.denominator << 600)
        exact = Fraction(scaled, value.denominator << 300)
        if exact * exact != value:
            exact += Fraction(1, value.denominator << 301)
        assert root == rounded(exact, fmt, rounding), hex(bits)


@pytest.mark.parametrize(("fmt", "rounding"), CASES)
@pytest.mark.parametrize("source", list(Format))
def test_convert(source: Format, fmt: Format, rounding: Rounding) -> None:
    (a,) = operand_columns(source, COUNT, 1)
    with np.errstate(all="ignore"):
        got = ALGEBRA.fconvert(a, source, fmt, rounding, False)
    for bits, result in zip(a.tolist(), got.tolist(), strict=True):
        value = value_of(bits, source)
        assert value is not None
        want = rounded(value, fmt, rounding, bool(bits >> (source.bits - 1)))
        assert result == want, hex(bits)


@pytest.mark.parametrize(("fmt", "rounding"), CASES)
def test_integral(fmt: Format, rounding: Rounding) -> None:
    (a,) = operand_columns(fmt, COUNT, 1)
    with np.errstate(all="ignore"):
        got = ALGEBRA.fround(a, fmt, rounding, False)
    for bits, result in zip(a.tolist(), got.tolist(), strict=True):
        value = value_of(bits, fmt)
        assert value is not None
        want = rounded(
            Fraction(whole(value, rounding)), fmt, Rounding.RN, bool(bits >> (fmt.bits - 1))
        )
        assert result == want, hex(bits)


def whole(value: Fraction, rounding: Rounding) -> int:
    """A fraction as an integer; Python rounds ties to even."""
    match rounding:
        case Rounding.RN:
            return round(value)
        case Rounding.RZ:
            return math.trunc(value)
        case Rounding.RM:
            return math.floor(value)
        case _:
            return math.ceil(value)


@pytest.mark.parametrize(("fmt", "rounding"), CASES)
@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("signed", [False, True])
def test_to_integer(fmt: Format, rounding: Rounding, width: int, signed: bool) -> None:
    (a,) = operand_columns(fmt, COUNT, 1)
    with np.errstate(all="ignore"):
        got = ALGEBRA.float_to_int(a, fmt, width, signed, rounding, False)
    low = -(1 << (width - 1)) if signed else 0
    high = (1 << (width - signed)) - 1
    for bits, result in zip(a.tolist(), got.tolist(), strict=True):
        value = value_of(bits, fmt)
        assert value is not None
        want = min(max(whole(value, rounding), low), high)
        assert result == want & ((1 << width) - 1), hex(bits)


@pytest.mark.parametrize(("fmt", "rounding"), CASES)
@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("signed", [False, True])
def test_from_integer(fmt: Format, rounding: Rounding, width: int, signed: bool) -> None:
    generator = random.Random(f"{fmt}{width}{signed}")
    values = [0, 1, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1]
    values += [generator.getrandbits(generator.randrange(1, width + 1)) for _ in range(COUNT)]
    values += [((1 << 54) + 1) << k & ((1 << width) - 1) for k in range(9)]
    a = np.array(values, np.uint64).astype(dtype_of(width))
    got = ALGEBRA.int_to_float(a, signed, fmt, rounding)
    numbers = a.view(f"i{width // 8}") if signed else a
    for number, result in zip(numbers.tolist(), got.tolist(), strict=True):
        assert result == rounded(Fraction(number), fmt, rounding), number


@pytest.mark.parametrize("fmt", [Format.F16, Format.F32])
def test_narrowing_agrees_with_numpy(fmt: Format) -> None:
    numbers = np.random.default_rng(7).integers(0, 1 << 64, 4000, dtype=np.uint64)
    values = numbers.view(np.float64)
    with np.errstate(all="ignore"):
        numpys = values.astype(np.float16 if fmt is Format.F16 else np.float32)
        got = ALGEBRA.fconvert(numbers, Format.F64, fmt, Rounding.RN, False)
    number = ~np.isnan(values)
    np.testing.assert_array_equal(got[number], numpys.view(got.dtype)[number])
