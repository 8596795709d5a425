"""Packed and mixed-precision operations, 8-bit floats and output modifiers."""

from __future__ import annotations

import bisect
import itertools
import random
import struct
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from valu_calls import run
from valu_reference import Float

from ptxlift.emulator.valu import Ctx, Kind, Omod, apply_clamp, apply_omod, lookup

HALF, BRAIN, SINGLE = Float("f16"), Float("bf16"), Float("f32")
PLAIN2: dict[str, Any] = {
    "op_sel": (0, 0), "op_sel_hi": (1, 1), "neg_lo": (0, 0), "neg_hi": (0, 0),
}  # fmt: skip
PLAIN3: dict[str, Any] = {
    "op_sel": (0, 0, 0), "op_sel_hi": (1, 1, 1), "neg_lo": (0, 0, 0), "neg_hi": (0, 0, 0),
}  # fmt: skip


def f32(value: float) -> int:
    return int.from_bytes(struct.pack("<f", value), "little")


def f16(value: float) -> int:
    return int.from_bytes(struct.pack("<e", value), "little")


def bf16(value: float) -> int:
    return f32(value) >> 16


def h(low: float, high: float) -> int:
    return f16(low) | f16(high) << 16


def test_halves_are_independent() -> None:
    assert run("v_pk_add_f16", Ctx(), [h(1, 2)], [h(3, 5)], **PLAIN2) == [h(4, 7)]
    assert run("v_pk_fma_f16", Ctx(), [h(2, 3)], [h(4, 5)], [h(1, -1)], **PLAIN3) == [h(9, 14)]
    assert run("v_pk_add_u16", Ctx(), [0xFFFF0001], [0x00020003], **PLAIN2) == [0x00010004]


def test_op_sel_picks_for_the_low_result_and_op_sel_hi_for_the_high() -> None:
    swapped = PLAIN2 | {"op_sel": (1, 0), "op_sel_hi": (0, 1)}
    assert run("v_pk_add_f16", Ctx(), [h(1, 2)], [h(10, 20)], **swapped) == [h(12, 21)]
    low_only = PLAIN2 | {"op_sel_hi": (0, 0)}
    assert run("v_pk_mul_f16", Ctx(), [h(3, 9)], [h(5, 9)], **low_only) == [h(15, 15)]


def test_negation_by_result() -> None:
    negated = PLAIN2 | {"neg_lo": (1, 0), "neg_hi": (0, 1)}
    assert run("v_pk_add_f16", Ctx(), [h(1, 2)], [h(10, 20)], **negated) == [h(9, -18)]


def test_scalar_and_vector_operands_broadcast() -> None:
    op = lookup("v_pk_mul_f16")
    assert op is not None
    lanes = np.full((2, 4), h(2, 3), np.uint32)
    result = op.fn(Ctx(), lanes, np.array([[h(4, 5)]], np.uint32), **PLAIN2)
    assert result.shape == (2, 4)
    assert (result == h(8, 15)).all()


PACKED_INTEGER = (
    ("v_pk_sub_u16", 0x00010000, 0x00020000, False, 0xFFFF0000),
    ("v_pk_sub_u16", 0x00010000, 0x00020000, True, 0x00000000),
    ("v_pk_add_i16", 0x7FFF8000, 0x0001FFFF, True, 0x7FFF8000),
    ("v_pk_sub_i16", 0x80007FFF, 0x0001FFFF, True, 0x80007FFF),
)


@pytest.mark.parametrize(("name", "a", "b", "clamp", "want"), PACKED_INTEGER)
def test_packed_integers(name: str, a: int, b: int, clamp: bool, want: int) -> None:
    assert run(name, Ctx(), [a], [b], clamp=clamp, **PLAIN2) == [want]


def test_packed_shifts_and_order() -> None:
    assert run("v_pk_lshlrev_b16", Ctx(), [0x00110001], [0x00010001], **PLAIN2) == [0x00020002]
    assert run("v_pk_ashrrev_i16", Ctx(), [0x000F0001], [0x80008000], **PLAIN2) == [0xFFFFC000]
    assert run("v_pk_max_i16", Ctx(), [0xFFFF0001], [0x0001FFFF], **PLAIN2) == [0x00010001]
    assert run("v_pk_min_u16", Ctx(), [0xFFFF0001], [0x0001FFFF], **PLAIN2) == [0x00010001]
    mad = run("v_pk_mad_u16", Ctx(), [0x00030002], [0x00050007], [0x00010001], **PLAIN3)
    assert mad == [0x0010000F]


def test_packed_single() -> None:
    a, b = f32(1.5) | f32(2.0) << 32, f32(4.0) | f32(-3.0) << 32
    assert run("v_pk_mul_f32", Ctx(), [a], [b], **PLAIN2) == [f32(6.0) | f32(-6.0) << 32]
    crossed = PLAIN2 | {"op_sel": (0, 1), "op_sel_hi": (0, 0)}
    assert run("v_pk_add_f32", Ctx(), [a], [b], **crossed) == [f32(-1.5) | f32(5.5) << 32]


def test_brain_floats_round_once() -> None:
    rng = random.Random(16)
    triples = [tuple(rng.getrandbits(16) for _ in range(3)) for _ in range(2000)]
    columns = [[v | v << 16 for v in column] for column in zip(*triples, strict=True)]
    got = run("v_pk_fma_bf16", Ctx(), *columns, clamp=False, **PLAIN3)
    for case, actual in zip(triples, got, strict=True):
        want = BRAIN.fma(*case)
        for half in (actual & 0xFFFF, actual >> 16):
            assert BRAIN.is_nan(half) if want is None else half == want, case


def test_brain_floats_clamp_as_brain_floats() -> None:
    a = bf16(0.25) | bf16(3.0) << 16
    got = run("v_pk_add_bf16", Ctx(), [a], [a], clamp=True, **PLAIN2)
    assert got == [bf16(0.5) | bf16(1.0) << 16]


MIX = {"op_sel": (0, 1, 0), "op_sel_hi": (1, 1, 0), "neg_lo": (0, 0, 0), "neg_hi": (0, 0, 0)}


def test_mix_takes_each_source_in_its_own_width() -> None:
    sources = [h(2, 9)], [h(9, 3)], [f32(0.1)]
    want = f32(float(np.float32(6) + np.float32(0.1)))
    assert run("v_fma_mix_f32", Ctx(), *sources, **MIX) == [want]
    negated = MIX | {"neg_lo": (1, 0, 0)}
    assert run("v_fma_mix_f32", Ctx(), [h(2, 9)], [h(9, 3)], [f32(1.0)], **negated) == [f32(-5.0)]
    absolute = MIX | {"neg_hi": (0, 1, 1)}
    assert run("v_fma_mix_f32", Ctx(), [h(2, 9)], [h(9, -3)], [f32(-1.0)], **absolute) == [f32(7.0)]


def test_mix_halves_keep_the_rest_of_the_destination() -> None:
    sources = [h(2, 9)], [h(9, 3)], [f32(1.0)], [0xAAAABBBB]
    assert run("v_fma_mixlo_f16", Ctx(), *sources, clamp=False, **MIX) == [0xAAAA0000 | f16(7.0)]
    assert run("v_fma_mixhi_f16", Ctx(), *sources, clamp=False, **MIX) == [0xBBBB | f16(7.0) << 16]
    assert run("v_fma_mixlo_f16", Ctx(), *sources, clamp=True, **MIX) == [0xAAAA0000 | f16(1.0)]


def test_float_dots() -> None:
    a, b = h(2, 3), h(5, 7)
    assert run("v_dot2_f32_f16", Ctx(), [a], [b], [f32(0.5)], **PLAIN3) == [f32(31.5)]
    assert run("v_dot2c_f32_f16", Ctx(), [a], [b], [f32(0.5)]) == [f32(31.5)]
    assert run("v_dot2_f16_f16", Ctx(), [a], [b], [f16(0.5)]) == [f16(31.5)]
    x, y = bf16(2.0) | bf16(3.0) << 16, bf16(5.0) | bf16(7.0) << 16
    assert run("v_dot2_f32_bf16", Ctx(), [x], [y], [f32(0.5)], **PLAIN3) == [f32(31.5)]
    tiny = 0x00000001
    assert run("v_dot2_f32_f16", Ctx(), [0], [0], [tiny], **PLAIN3) == [0]


def small(exponent_bits: int, mantissa_bits: int, bias: int, pattern: int) -> Fraction:
    exponent = (pattern & 0x7F) >> mantissa_bits
    mantissa = pattern & ((1 << mantissa_bits) - 1)
    mantissa += (1 << mantissa_bits) if exponent else 0
    del exponent_bits
    return Fraction(mantissa) * Fraction(2) ** (max(exponent, 1) - bias - mantissa_bits)


BYTES = (  # target, name, exponent bits, mantissa bits, bias, largest finite pattern
    ("gfx950", "fp8", 4, 3, 7, 0x7E),
    ("gfx1200", "bf8", 5, 2, 15, 0x7B),
    ("gfx942", "fp8", 4, 3, 8, 0x7F),
    ("gfx942", "bf8", 5, 2, 16, 0x7F),
)
LARGEST = {("gfx950", "fp8"): 448, ("gfx1200", "bf8"): 57344, ("gfx942", "fp8"): 240}


@pytest.mark.parametrize(("target", "name", "e", "m", "bias", "largest"), BYTES)
def test_byte_floats_decode(
    target: str, name: str, e: int, m: int, bias: int, largest: int
) -> None:
    ctx = Ctx(target=target)
    got = run(f"v_cvt_f32_{name}", ctx, list(range(256)))
    for pattern in range(largest + 1):
        value = small(e, m, bias, pattern)
        assert SINGLE.value(got[pattern]) == value
        if pattern or target != "gfx942":
            assert got[pattern | 0x80] == got[pattern] | 1 << 31
    assert SINGLE.value(got[largest]) == LARGEST.get((target, name), 57344)
    if target == "gfx942":
        assert SINGLE.is_nan(got[0x80])
    else:
        assert all(SINGLE.is_nan(got[p]) or SINGLE.is_inf(got[p]) for p in range(largest + 1, 128))


def nearest_byte(table: list[Fraction], value: Fraction) -> int:
    """The pattern of the nearest entry, ties to the even pattern."""
    at = bisect.bisect_left(table, value)
    candidates = [p for p in (at - 1, at) if 0 <= p < len(table)]
    return min(candidates, key=lambda p: (abs(table[p] - value), p & 1))


@pytest.mark.parametrize(("target", "name", "e", "m", "bias", "largest"), BYTES)
def test_byte_floats_encode(
    target: str, name: str, e: int, m: int, bias: int, largest: int
) -> None:
    rng = random.Random(8)
    table = [small(e, m, bias, p) for p in range(largest + 1)]
    limit = table[-1]
    values = [float(t) for t in table]
    values += [float((a + b) / 2) for a, b in itertools.pairwise(table)]
    values += [v * (1 + 2**-20) for v in values]
    values += [rng.uniform(0, float(limit)) for _ in range(300)]
    values = [v for v in values if v <= limit]
    cases = [f32(v) for v in values]
    got = run(f"v_cvt_pk_{name}_f32", Ctx(target=target), cases, [c | 1 << 31 for c in cases])
    for bits, pair in zip(cases, got, strict=True):
        want = nearest_byte(table, SINGLE.value(bits))
        minus = want | 0x80 if want or target != "gfx942" else 0
        assert pair == want | minus << 8


def test_byte_floats_beyond_the_largest() -> None:
    infinity, big, nan = 0x7F800000, f32(1e6), 0x7FC00000
    for target, name, want in (
        ("gfx950", "fp8", 0x7F), ("gfx950", "bf8", 0x7C),
        ("gfx942", "fp8", 0x80), ("gfx942", "bf8", 0x80),
    ):  # fmt: skip
        ctx = Ctx(target=target)
        assert run(f"v_cvt_pk_{name}_f32", ctx, [big], [infinity]) == [want | want << 8]
    assert run("v_cvt_pk_bf8_f32", Ctx(target="gfx950"), [nan], [0]) == [0x7F]


def test_byte_selection() -> None:
    ctx = Ctx(target="gfx1200")
    one, two = 0x38, 0x40  # fp8
    assert run("v_cvt_f32_fp8", ctx, [one | two << 16], byte_sel=2) == [f32(2.0)]
    assert run("v_cvt_pk_f32_fp8", ctx, [one | two << 8]) == [f32(1.0) | f32(2.0) << 32]
    args: tuple[list[int], ...] = ([f32(1.0)], [0], [0x11223344])
    assert run("v_cvt_sr_fp8_f32", ctx, *args, byte_sel=2) == [0x11383344]
    assert run("v_cvt_sr_fp8_f32", ctx, *args, op_sel=(0, 0, 0, 1)) == [0x11383344]
    assert run("v_cvt_sr_fp8_f32", ctx, *args, op_sel=(0, 0, 1, 0)) == [0x11223844]


def test_stochastic_byte_uses_the_noise_above_the_lost_bits() -> None:
    """1 + 2**-5 is a quarter of the way to fp8's next value 1.125."""
    ctx = Ctx(target="gfx950")
    value = f32(1 + 2**-5)
    for noise, want in ((0, 0x38), (0xFFFFFFFF, 0x39)):
        assert run("v_cvt_sr_fp8_f32", ctx, [value], [noise], [0]) == [want]


def test_clamp() -> None:
    values = [f32(v) for v in (-1.0, -0.0, 0.25, 1.0, 7.0, float("inf"))] + [0x7FC00000]
    bits = np.array(values, np.uint32)
    want = [0, 0, f32(0.25), f32(1.0), f32(1.0), f32(1.0), 0]
    assert apply_clamp(Kind.F32, bits).tolist() == want
    kept = apply_clamp(Kind.F32, bits, ctx=Ctx(dx10_clamp=False)).tolist()
    assert kept == [*want[:-1], 0x7FC00000]
    pair = np.array([h(-3, 2), h(0.5, 0.25)], np.uint32)
    assert apply_clamp(Kind.P16, pair).tolist() == [h(0, 1), h(0.5, 0.25)]
    assert apply_clamp(Kind.B32, bits).tolist() == values


def test_output_multiplier() -> None:
    bits = np.array([f32(3.0)], np.uint32)
    factors = ((Omod.NONE, 3.0), (Omod.TIMES_2, 6.0), (Omod.TIMES_4, 12.0), (Omod.HALF, 1.5))
    for omod, want in factors:
        assert apply_omod(Kind.F32, bits, omod.value).tolist() == [f32(want)]
    half = np.array([f16(3.0)], np.uint16)
    assert apply_omod(Kind.F16, half, 3).tolist() == [f16(1.5)]
