"""Conversions and rounding to integers against exact fractions and Python's own arithmetic."""

from __future__ import annotations

import math
import random
import struct
from fractions import Fraction

import numpy as np
import pytest
from valu_calls import run
from valu_reference import MODES, Float

from ptxlift.emulator.valu import Ctx, Rounding


def patterns(name: str, count: int = 400) -> list[int]:
    """Edges, halves and integers near the limits of the integer types, random patterns."""
    fmt = Float(name)
    rng = random.Random(name)
    one = fmt.bias << fmt.mantissa_bits
    out = [0, 1, (1 << fmt.mantissa_bits) - 1, 1 << fmt.mantissa_bits, one, one - 1, one + 1]
    out += [
        fmt.infinity - 1,
        fmt.infinity,
        fmt.infinity + 1,
        fmt.infinity | 1 << fmt.mantissa_bits - 1,
    ]
    for exponent in range(-2, 34):
        field = fmt.bias + exponent
        if field < 2 * fmt.bias:
            base = field << fmt.mantissa_bits
            out += [base, base + 1, base - 1, base | 1 << fmt.mantissa_bits - 1]
            out += [base | rng.getrandbits(fmt.mantissa_bits) for _ in range(4)]
    out += [rng.getrandbits(fmt.bits) for _ in range(count)]
    return [v for u in out for v in (u & ~fmt.sign, u | fmt.sign)]


def to_integer(fmt: Float, bits: int, width: int, is_signed: bool) -> int:
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if is_signed else (0, (1 << width) - 1)
    if fmt.is_nan(bits):
        return 0
    if fmt.is_inf(bits):
        return (low if bits & fmt.sign else high) & ((1 << width) - 1)
    return max(low, min(high, math.trunc(fmt.value(bits)))) & ((1 << width) - 1)


TO_INTEGER = (
    ("v_cvt_i32_f32", "f32", 32, True),
    ("v_cvt_u32_f32", "f32", 32, False),
    ("v_cvt_i32_f64", "f64", 32, True),
    ("v_cvt_u32_f64", "f64", 32, False),
    ("v_cvt_i16_f16", "f16", 16, True),
    ("v_cvt_u16_f16", "f16", 16, False),
)


@pytest.mark.parametrize(("name", "kind", "width", "is_signed"), TO_INTEGER)
def test_to_integer_truncates_and_saturates(
    name: str, kind: str, width: int, is_signed: bool
) -> None:
    fmt = Float(kind)
    cases = patterns(kind)
    want = [to_integer(fmt, bits, width, is_signed) for bits in cases]
    assert run(name, Ctx(), cases) == want


INTEGERS = [0, 1, 2, 0x7FFF, 0x8000, 0xFFFF, 0xFFFFFF, 0x1000001, 0x1000003, 0x7FFFFFFF]
INTEGERS += [0x7FFFFFBF, 0x7FFFFFC0, 0x80000000, 0x80000001, 0xFFFFFF7F, 0xFFFFFF80, 0xFFFFFFFF]

FROM_INTEGER = (
    ("v_cvt_f32_i32", "f32", 32, True),
    ("v_cvt_f32_u32", "f32", 32, False),
    ("v_cvt_f64_i32", "f64", 32, True),
    ("v_cvt_f64_u32", "f64", 32, False),
    ("v_cvt_f16_i16", "f16", 16, True),
    ("v_cvt_f16_u16", "f16", 16, False),
)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("name", "kind", "width", "is_signed"), FROM_INTEGER)
def test_from_integer(name: str, kind: str, width: int, is_signed: bool, mode: str) -> None:
    fmt = Float(kind)
    cases = sorted({v & ((1 << width) - 1) for v in INTEGERS} | set(range(2040, 2060)))
    numbers = [v - (1 << width) if is_signed and v >> (width - 1) else v for v in cases]
    want = [fmt.rounded(Fraction(n), mode) if n else 0 for n in numbers]
    rounding = Rounding(MODES.index(mode))
    assert run(name, Ctx(round32=rounding, round64=rounding), cases) == want


NARROWING = (
    ("v_cvt_f16_f32", "f32", "f16"),
    ("v_cvt_f32_f64", "f64", "f32"),
)


def narrowed(source: Float, target: Float, bits: int, mode: str) -> int | None:
    if source.is_nan(bits):
        return None
    sign = target.sign if bits & source.sign else 0
    if source.is_inf(bits):
        return sign | target.infinity
    return target.rounded(source.value(bits), mode) if bits & ~source.sign else sign


def between(source: Float, target: Float) -> list[int]:
    """Ties and near-ties of the target, in the source's bits."""
    rng = random.Random(7)
    drop = source.mantissa_bits - target.mantissa_bits
    out = []
    for _ in range(600):
        exponent = rng.randint(-target.bias - target.mantissa_bits - 2, target.bias + 1)
        field = max(0, source.bias + exponent)
        mantissa = rng.getrandbits(target.mantissa_bits) << drop
        mantissa |= rng.choice((0, 1 << drop - 1, (1 << drop - 1) + 1, (1 << drop - 1) - 1))
        lost = rng.choice((mantissa, mantissa & -(1 << drop + 3), 0))
        out.append(rng.choice((0, source.sign)) | field << source.mantissa_bits | lost)
    return out


def assert_narrowed(got: list[int], want: list[int | None], fmt: Float, cases: list[int]) -> None:
    for actual, expected, bits in zip(got, want, cases, strict=True):
        if expected is None:
            assert fmt.is_nan(actual), hex(bits)
        else:
            assert actual == expected, (hex(bits), hex(actual), hex(expected))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("name", "source", "target"), NARROWING)
def test_narrowing_follows_the_double_mode_field(
    name: str, source: str, target: str, mode: str
) -> None:
    wide, narrow = Float(source), Float(target)
    cases = patterns(source) + between(wide, narrow)
    got = run(name, Ctx(round64=Rounding(MODES.index(mode))), cases)
    assert_narrowed(got, [narrowed(wide, narrow, b, mode) for b in cases], narrow, cases)


PAIRS = (
    ("v_cvt_pkrtz_f16_f32", "f16", "rtz"),
    ("v_cvt_pk_f16_f32", "f16", "rne"),
    ("v_cvt_pk_bf16_f32", "bf16", "rne"),
)


@pytest.mark.parametrize(("name", "target", "mode"), PAIRS)
def test_pairs(name: str, target: str, mode: str) -> None:
    wide, narrow = Float("f32"), Float(target)
    cases = patterns("f32") + between(wide, narrow)
    both = run(name, Ctx(), cases, cases[::-1])
    want = [narrowed(wide, narrow, b, mode) for b in cases]
    assert_narrowed([v & 0xFFFF for v in both], want, narrow, cases)
    assert_narrowed([v >> 16 for v in both], want[::-1], narrow, cases[::-1])


@pytest.mark.parametrize(
    ("name", "source", "target"),
    [
        ("v_cvt_f32_f16", "f16", "f32"),
        ("v_cvt_f64_f32", "f32", "f64"),
        ("v_cvt_f32_bf16", "bf16", "f32"),
    ],
)
def test_widening_is_exact(name: str, source: str, target: str) -> None:
    narrow, wide = Float(source), Float(target)
    cases = patterns(source)
    assert_narrowed(
        run(name, Ctx(), cases), [narrowed(narrow, wide, b, "rne") for b in cases], wide, cases
    )


def test_widening_flushes_by_the_source_format() -> None:
    assert run("v_cvt_f32_f16", Ctx(flush_in64=True), [0x8001]) == [0x80000000]
    assert run("v_cvt_f32_f16", Ctx(flush_in32=True, flush_out32=True), [0x0001]) == [0x33800000]


@pytest.mark.parametrize("kind", ["f16", "f32", "f64"])
@pytest.mark.parametrize("word", ["trunc", "ceil", "floor", "rndne"])
def test_round_to_integer(word: str, kind: str) -> None:
    fmt = Float(kind)
    shapes = {"trunc": math.trunc, "ceil": math.ceil, "floor": math.floor, "rndne": round}
    cases = [b for b in patterns(kind) if not fmt.is_nan(b) and not fmt.is_inf(b)]
    want = []
    for bits in cases:
        whole = shapes[word](fmt.value(bits))
        want.append(fmt.rounded(Fraction(whole)) if whole else bits & fmt.sign)
    assert run(f"v_{word}_{kind}", Ctx(), cases) == want


@pytest.mark.parametrize("kind", ["f16", "f32", "f64"])
def test_fract_stays_below_one(kind: str) -> None:
    fmt = Float(kind)
    cases = [b for b in patterns(kind) if not fmt.is_nan(b) and not fmt.is_inf(b)]
    largest = (fmt.bias << fmt.mantissa_bits) - 1
    want = []
    for bits in cases:
        rest = fmt.value(bits) - math.floor(fmt.value(bits))
        want.append(min(fmt.rounded(rest), largest) if rest else 0)
    assert run(f"v_fract_{kind}", Ctx(), cases) == want


EXPONENTS = {"f16": "i16_f16", "f32": "i32_f32", "f64": "i32_f64"}


@pytest.mark.parametrize("kind", ["f16", "f32", "f64"])
def test_frexp_takes_a_number_apart(kind: str) -> None:
    fmt = Float(kind)
    cases = patterns(kind)
    mantissas = run(f"v_frexp_mant_{kind}", Ctx(), cases)
    exponents = run(f"v_frexp_exp_{EXPONENTS[kind]}", Ctx(), cases)
    width = 16 if kind == "f16" else 32
    for bits, mantissa, exponent in zip(cases, mantissas, exponents, strict=True):
        power = exponent - (1 << width) if exponent >> (width - 1) else exponent
        if fmt.is_nan(bits):
            assert fmt.is_nan(mantissa)
            assert power == 0
        elif fmt.is_inf(bits) or bits & ~fmt.sign == 0:
            assert (mantissa, power) == (bits, 0)
        else:
            assert Fraction(1, 2) <= abs(fmt.value(mantissa)) < 1
            assert fmt.value(mantissa) * Fraction(2) ** power == fmt.value(bits)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["f16", "f32", "f64"])
def test_ldexp_rounds_once(kind: str, mode: str) -> None:
    fmt = Float(kind)
    rng = random.Random(3)
    width = 16 if kind == "f16" else 32
    bits = [b for b in patterns(kind, 100) if not fmt.is_nan(b)]
    span = 2 * fmt.bias + fmt.mantissa_bits
    steps = [rng.choice((rng.randint(-span, span), -32768, 32767, 0, -1)) for _ in bits]
    want = []
    for b, step in zip(bits, steps, strict=True):
        if fmt.is_inf(b) or b & ~fmt.sign == 0:
            want.append(b)
        else:
            want.append(fmt.rounded(fmt.value(b) * Fraction(2) ** step, mode))
    rounding = Rounding(MODES.index(mode))
    ctx = Ctx(round32=rounding, round64=rounding)
    assert run(f"v_ldexp_{kind}", ctx, bits, [s & ((1 << width) - 1) for s in steps]) == want


def f32(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def test_nearest_and_floor() -> None:
    values = [f32(v) for v in (0.5, 1.5, -0.5, -1.5, 2.49, 1e10, -1e10)]
    nearest = [1, 2, 0, 0xFFFFFFFF, 2, 0x7FFFFFFF, 0x80000000]
    assert run("v_cvt_nearest_i32_f32", Ctx(), values) == nearest
    floors = [0, 1, 0xFFFFFFFF, 0xFFFFFFFE, 2, 0x7FFFFFFF, 0x80000000]
    assert run("v_cvt_floor_i32_f32", Ctx(), values) == floors


def test_bytes_to_float() -> None:
    for at, byte in enumerate((0x04, 0x03, 0x02, 0x01)):
        assert run(f"v_cvt_f32_ubyte{at}", Ctx(), [0x01020304]) == [f32(float(byte))]


def test_offset_of_a_nibble_is_sixteenths() -> None:
    want = [f32((n if n < 8 else n - 16) / 16) for n in range(16)]
    assert run("v_cvt_off_f32_i4", Ctx(), list(range(16))) == want


def test_packed_saturation() -> None:
    assert run("v_cvt_pk_u16_u32", Ctx(), [0x12345], [0x1234]) == [0x1234FFFF]
    assert run("v_cvt_pk_i16_i32", Ctx(), [0x80000000], [0x7FFFFFFF]) == [0x7FFF8000]
    assert run("v_cvt_pk_i16_f32", Ctx(), [f32(-1.9)], [f32(1e9)]) == [0x7FFFFFFF]
    assert run("v_cvt_pk_u16_f32", Ctx(), [f32(-1.9)], [f32(1e9)]) == [0xFFFF0000]
    assert run("v_sat_pk_u8_i16", Ctx(), [0x0100FFFF]) == [0xFF00]
    assert run("v_ashr_pk_i8_i32", Ctx(), [0x7FFF], [0xFFFFFF00], [4]) == [0xF07F]
    assert run("v_ashr_pk_u8_i32", Ctx(), [0x7F0], [0xFFFFFF00], [4]) == [0x007F]


def test_normalised() -> None:
    """1 maps to the largest integer, -1 to minus the largest; out of range saturates."""
    values, other = [f32(v) for v in (1.0, -1.0, 2.0, 0.0)], [0] * 4
    got = run("v_cvt_pknorm_i16_f32", Ctx(), values, other)
    assert got == [0x7FFF, 0x8001, 0x7FFF, 0]
    assert run("v_cvt_pknorm_u16_f32", Ctx(), values, other) == [0xFFFF, 0, 0xFFFF, 0]


def test_byte_insert() -> None:
    assert run("v_cvt_pk_u8_f32", Ctx(), [f32(200.0)], [2], [0x11223344]) == [0x11C83344]
    assert run("v_cvt_pk_u8_f32", Ctx(), [f32(300.0)], [0], [0]) == [0xFF]


def test_stochastic_rounding_depends_on_the_noise() -> None:
    """1 + 2**-9 lies a quarter of the way up to bf16's next value."""
    value = f32(1 + 2**-9)
    noise = [0, 0xBFFF0000, 0xC0000000, 0xFFFF0000]
    got = run("v_cvt_sr_bf16_f32", Ctx(), [value] * 4, noise)
    assert got == [0x3F80, 0x3F80, 0x3F81, 0x3F81]
    assert run("v_cvt_sr_pk_bf16_f32", Ctx(), [value], [value], [0xFFFF0000]) == [0x3F813F80]


def test_every_f16_survives_a_round_trip() -> None:
    numbers = [b for b in range(1 << 16) if not Float("f16").is_nan(b)]
    single = run("v_cvt_f32_f16", Ctx(), numbers)
    assert np.array(single, np.uint32).view(np.float32).tolist() == (
        np.array(numbers, np.uint16).view(np.float16).tolist()
    )
    assert run("v_cvt_f16_f32", Ctx(), single) == numbers
