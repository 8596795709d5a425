"""Add, multiply and fma of all formats and roundings against exact fractions."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest
from valu_calls import run
from valu_reference import MODES, SHAPES, Float

from ptxlift.emulator.valu import Ctx, Rounding, lookup

ONE = {"f16": 0x3C00, "bf16": 0x3F80, "f32": 0x3F800000, "f64": 0x3FF0000000000000}
MINUS = {name: bits | 1 << (Float(name).bits - 1) for name, bits in ONE.items()}


def context(mode: str) -> Ctx:
    rounding = Rounding(MODES.index(mode))
    return Ctx(round32=rounding, round64=rounding)


def edges(fmt: Float) -> list[int]:
    """Zeros, denormals, ones, neighbours of one, largest, infinity, a NaN; both signs."""
    one = fmt.bias << fmt.mantissa_bits
    low = [0, 1, 2, (1 << fmt.mantissa_bits) - 1, 1 << fmt.mantissa_bits]
    middle = [one - 1, one, one + 1, one + (1 << (fmt.mantissa_bits - 1))]
    high = [fmt.infinity - 1, fmt.infinity, fmt.infinity + (1 << (fmt.mantissa_bits - 1))]
    return [v | s for v in low + middle + high for s in (0, fmt.sign)]


def near_cancelling(fmt: Float, rng: random.Random) -> tuple[int, int, int]:
    """Factors of moderate size and an addend close to minus their product, or far away from it."""
    top = 1 << fmt.bits
    one = fmt.bias << fmt.mantissa_bits
    spread = fmt.bias // 3
    a, b = (
        (rng.randrange(top) & (fmt.sign | (1 << fmt.mantissa_bits) - 1))
        | (fmt.bias + rng.randint(-spread, spread)) << fmt.mantissa_bits
        for _ in range(2)
    )
    product = fmt.fma(a, b, 0)
    assert product is not None
    c = product ^ fmt.sign ^ rng.choice((0, 0, 1, 2, 3, fmt.sign))
    if rng.random() < 0.5:
        shift = rng.randint(-3 * fmt.mantissa_bits, 3 * fmt.mantissa_bits)
        c = max(0, min(fmt.infinity - 1, (c & ~fmt.sign) + (shift << fmt.mantissa_bits)))
        c |= rng.choice((0, fmt.sign))
    return a, b, c if one else 0


def triples(name: str, count: int) -> list[tuple[int, int, int]]:
    fmt = Float(name)
    rng = random.Random(name)
    edge = edges(fmt)
    out = [(a, b, c) for a in edge[::3] for b in edge[::2] for c in edge[1::3]]
    for _ in range(count):
        out.append((rng.getrandbits(fmt.bits), rng.getrandbits(fmt.bits), rng.choice(edge)))
        out.append((rng.choice(edge), rng.getrandbits(fmt.bits), rng.getrandbits(fmt.bits)))
        out.append(near_cancelling(fmt, rng))
    return out


def assert_same(fmt: Float, got: list[int], want: list[int | None], inputs: object) -> None:
    for actual, expected, case in zip(got, want, inputs, strict=True):  # type: ignore[call-overload]
        if expected is None:
            assert fmt.is_nan(actual), f"{case}: {actual:#x} is not a NaN"
        else:
            assert actual == expected, f"{[hex(v) for v in case]}: {actual:#x} != {expected:#x}"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["f16", "f32", "f64"])
def test_fma(name: str, mode: str) -> None:
    fmt = Float(name)
    cases = triples(name, 700)
    got = run(f"v_fma_{name}", context(mode), *map(list, zip(*cases, strict=True)))
    assert_same(fmt, got, [fmt.fma(*case, mode) for case in cases], cases)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["f16", "f32", "f64"])
def test_add_and_mul(name: str, mode: str) -> None:
    fmt = Float(name)
    cases = [(a, c) for a, _, c in triples(name, 500)] + [(a, b) for a, b, _ in triples(name, 300)]
    columns = [list(column) for column in zip(*cases, strict=True)]
    got = run(f"v_add_{name}", context(mode), *columns)
    assert_same(fmt, got, [fmt.fma(a, ONE[name], b, mode) for a, b in cases], cases)
    got = run(f"v_mul_{name}", context(mode), *columns)
    zeros = [((a ^ b) & fmt.sign) for a, b in cases]
    want = [fmt.fma(a, b, z, mode) for (a, b), z in zip(cases, zeros, strict=True)]
    assert_same(fmt, got, want, cases)


@pytest.mark.parametrize("name", ["f16", "f32"])
def test_sub_and_subrev(name: str) -> None:
    fmt = Float(name)
    cases = [(a, c) for a, _, c in triples(name, 200)]
    columns = [list(column) for column in zip(*cases, strict=True)]
    got = run(f"v_sub_{name}", Ctx(), *columns)
    assert_same(fmt, got, [fmt.fma(b, MINUS[name], a) for a, b in cases], cases)
    got = run(f"v_subrev_{name}", Ctx(), *columns)
    assert_same(fmt, got, [fmt.fma(a, MINUS[name], b) for a, b in cases], cases)


def bits32(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def test_fma_f64_scalar_operands_broadcast() -> None:
    op = lookup("v_fma_f64")
    assert op is not None
    a = np.array([3.0], np.float64).view(np.uint64)
    b = np.array([1.0, 2.0, 5e-324], np.float64).view(np.uint64)
    result = op.fn(Ctx(), a, b, a).view(np.float64)
    assert result.tolist() == [6.0, 9.0, 3.0]


DENORMAL = 0x00400000
TINY = 0x00800000  # the smallest normal f32


def test_flush_of_inputs_keeps_the_sign() -> None:
    ctx = Ctx(flush_in32=True)
    assert run("v_add_f32", ctx, [DENORMAL], [0]) == [0]
    assert run("v_mul_f32", ctx, [DENORMAL | 1 << 31], [bits32(1.0)]) == [0x80000000]
    assert run("v_fma_f32", ctx, [bits32(1.0)], [bits32(1.0)], [DENORMAL]) == [bits32(1.0)]


def test_flush_of_outputs() -> None:
    half = bits32(0.5)
    assert run("v_mul_f32", Ctx(), [TINY], [half]) == [DENORMAL]
    assert run("v_mul_f32", Ctx(flush_out32=True), [TINY], [half]) == [0]
    assert run("v_mul_f32", Ctx(flush_out64=True), [TINY], [half]) == [DENORMAL]
    assert run("v_mul_f16", Ctx(flush_out64=True), [0x0400], [0x3800]) == [0]


def test_mad_rounds_twice_and_flushes() -> None:
    """(1 + 2^-12)^2 - 1 loses 2^-24 in the product."""
    a, minus_one = bits32(1 + 2**-12), bits32(-1.0)
    assert run("v_mad_f32", Ctx(), [a], [a], [minus_one]) == [bits32(2**-11)]
    assert run("v_fma_f32", Ctx(), [a], [a], [minus_one]) == [bits32(2**-11 + 2**-24)]
    assert run("v_mad_f32", Ctx(), [TINY], [bits32(0.5)], [0]) == [0]


def test_dx9_zero() -> None:
    infinity, nan = 0x7F800000, 0x7FC00000
    assert run("v_mul_dx9_zero_f32", Ctx(), [0x80000000, infinity], [nan, 0]) == [0, 0]
    three = bits32(3.0)
    assert run("v_fma_dx9_zero_f32", Ctx(), [0], [nan], [three]) == [three]
    assert run("v_fma_dx9_zero_f32", Ctx(), [three], [three], [three]) == [bits32(12.0)]


def test_shapes_are_ieee() -> None:
    assert SHAPES["f32"] == (8, 23)
    assert Float("f32").value(bits32(-0.15625)) == -5 / 32
