"""Approximate operations: special values of the ISA documents, and the error under every mode."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable

import numpy as np
import pytest
from valu_calls import run
from valu_reference import Float

from ptxlift.emulator.valu import Approx, Ctx

NAN, INF, NINF = 0x7FC00000, 0x7F800000, 0xFF800000

SPECIAL = (  # operation, operand, result; a NaN result is any NaN
    ("rcp", NINF, 0x80000000),
    ("rcp", 0xC0000000, 0xBF000000),
    ("rcp", 0x80000000, NINF),
    ("rcp", 0x00000000, INF),
    ("rcp", INF, 0x00000000),
    ("rsq", NINF, NAN),
    ("rsq", 0x80000000, NINF),
    ("rsq", 0x00000000, INF),
    ("rsq", 0x40800000, 0x3F000000),
    ("rsq", INF, 0x00000000),
    ("sqrt", NINF, NAN),
    ("sqrt", 0x80000000, 0x80000000),
    ("sqrt", 0x40800000, 0x40000000),
    ("sqrt", INF, INF),
    ("exp", NINF, 0x00000000),
    ("exp", 0x80000000, 0x3F800000),
    ("exp", INF, INF),
    ("log", NINF, NAN),
    ("log", 0xBF800000, NAN),
    ("log", 0x80000000, NINF),
    ("log", 0x00000000, NINF),
    ("log", 0x3F800000, 0x00000000),
    ("log", INF, INF),
    ("sin", NINF, NAN),
    ("sin", 0xFF7FFFFF, 0x00000000),
    ("sin", 0x80000000, 0x80000000),
    ("sin", 0x3E800000, 0x3F800000),
    ("cos", 0xFF7FFFFF, 0x3F800000),
    ("cos", 0x80000000, 0x3F800000),
    ("cos", 0x3E800000, 0x00000000),
    ("cos", INF, NAN),
)


@pytest.mark.parametrize("major", [9, 12])
@pytest.mark.parametrize(("word", "operand", "want"), SPECIAL)
def test_special_values(word: str, operand: int, want: int, major: int) -> None:
    (got,) = run(f"v_{word}_f32", Ctx(major=major), [operand])
    if want == NAN:
        assert Float("f32").is_nan(got)
    else:
        assert got & ~(1 << 31) == want & ~(1 << 31)
        assert got == want or (word == "sin" and got & ~(1 << 31) == 0)


FUNCTIONS: dict[str, Callable[[float], float]] = {
    "rcp": lambda x: 1 / x,
    "rsq": lambda x: 1 / math.sqrt(x),
    "sqrt": math.sqrt,
    "exp": lambda x: math.exp2(x) if hasattr(math, "exp2") else 2.0**x,
    "log": math.log2,
    "tanh": math.tanh,
    "sin": lambda x: math.sin(2 * math.pi * x),
    "cos": lambda x: math.cos(2 * math.pi * x),
}
SINGLE, HALF = Float("f32"), Float("f16")
BOUND = {"f32": 1.0, "f16": 0.51}


def operands(kind: str) -> list[int]:
    rng = random.Random(kind)
    low, high = (0x3D000000, 0x42000000) if kind == "f32" else (0x2C00, 0x4800)
    return [rng.randrange(low, high) for _ in range(500)]


def error_in_ulps(fmt: Float, bits: int, exact: float) -> float:
    _, power = math.frexp(exact)
    ulp = 2.0 ** max(power - 1 - fmt.mantissa_bits, 1 - fmt.bias - fmt.mantissa_bits)
    return abs(float(fmt.value(bits)) - exact) / ulp


@pytest.mark.parametrize("kind", ["f32", "f16"])
@pytest.mark.parametrize("approx", Approx)
@pytest.mark.parametrize("word", FUNCTIONS)
def test_error_stays_inside_the_bound(word: str, approx: Approx, kind: str) -> None:
    fmt = Float(kind)
    cases = operands(kind)
    got = run(f"v_{word}_{kind}", Ctx(approx=approx), cases)
    worst = 0.0
    for bits, actual in zip(cases, got, strict=True):
        exact = FUNCTIONS[word](float(fmt.value(bits)))
        if abs(exact) > 1e-6:  # near a zero of sin and cos Python's own 2 pi is not exact
            worst = max(worst, error_in_ulps(fmt, actual, exact))
    limit = 0.5 if approx is Approx.EXACT else BOUND[kind]
    assert worst <= limit + 1e-4
    if approx in (Approx.PLUS, Approx.MINUS) and kind == "f32":
        assert worst > 0.9


def test_bounds_lie_on_their_sides() -> None:
    cases = operands("f32")
    exact, plus, minus = (
        run("v_log_f32", Ctx(approx=a), cases) for a in (Approx.EXACT, Approx.PLUS, Approx.MINUS)
    )
    for e, p, m in zip(exact, plus, minus, strict=True):
        assert SINGLE.value(m) <= SINGLE.value(e) <= SINGLE.value(p)
        assert SINGLE.value(m) < SINGLE.value(p) or SINGLE.value(e) == SINGLE.value(p)


def test_random_is_reproducible_by_seed() -> None:
    cases = operands("f32")
    first, second, third = (
        run("v_exp_f32", Ctx(approx=Approx.RANDOM, rng=np.random.default_rng(seed)), cases)
        for seed in (1, 1, 2)
    )
    assert first == second
    assert first != third


def test_exact_results_stay_exact_in_every_mode() -> None:
    """The hardware is exact for powers of two, so no mode moves what is representable."""
    for approx in Approx:
        assert run("v_rcp_f32", Ctx(approx=approx), [0x40000000]) == [0x3F000000]
        assert run("v_sqrt_f32", Ctx(approx=approx), [0x40800000]) == [0x40000000]


def test_single_precision_flushes_denormals_in_any_mode() -> None:
    assert run("v_rcp_f32", Ctx(), [0x00000001, 0x7F000001]) == [INF, 0]
    assert run("v_log_f32", Ctx(), [0x00000001]) == [NINF]
    assert run("v_exp_f32", Ctx(), [int.from_bytes(struct.pack("<f", -140.0), "little")]) == [0]
    assert run("v_sqrt_f32", Ctx(), [0x80000001]) == [0x80000000]


def test_half_precision_keeps_denormals_unless_flushed() -> None:
    assert run("v_sqrt_f16", Ctx(), [0x0001]) == [0x0C00]  # sqrt(2**-24) = 2**-12
    assert run("v_sqrt_f16", Ctx(flush_in64=True), [0x0001]) == [0]


@pytest.mark.parametrize("word", ["rcp", "rsq", "sqrt"])
def test_double_is_a_seed(word: str) -> None:
    """Inside 2**29 ulp, and really off by nearly that much at the bounds."""
    values = [1.5, 3.0, 1e10, 7e-100]
    cases = [int.from_bytes(struct.pack("<d", v), "little") for v in values]
    exact = run(f"v_{word}_f64", Ctx(), cases)
    for approx in (Approx.PLUS, Approx.MINUS, Approx.RANDOM):
        got = run(f"v_{word}_f64", Ctx(approx=approx), cases)
        assert all(abs(g - e) < 1 << 29 for g, e in zip(got, exact, strict=True))
        if approx is not Approx.RANDOM:
            assert all(abs(g - e) > 1 << 28 for g, e in zip(got, exact, strict=True))
    numbers = [struct.unpack("<d", e.to_bytes(8, "little"))[0] for e in exact]
    for value, number in zip(values, numbers, strict=True):
        assert number == pytest.approx(FUNCTIONS[word](value), rel=1e-15)


def test_gfx9_takes_256_revolutions_only() -> None:
    beyond = int.from_bytes(struct.pack("<f", 256.25), "little")
    assert run("v_sin_f32", Ctx(major=9), [beyond]) == [0]
    assert run("v_sin_f32", Ctx(major=11), [beyond]) == [0x3F800000]
