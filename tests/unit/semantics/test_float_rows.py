"""Floating-point rows against exact fractions: every modifier of every arithmetic form.

The references are written from the manual: a result is rounded once; `.ftz` takes subnormal inputs
for zero and drops results below the smallest normal number after rounding to full precision; `.sat`
clamps to [0, 1]; `.relu` clamps to 0.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from fractions_reference import rounded, value_of
from replay import evaluate
from vector_file import Section, Signature, Vector

from ptxlift.interp.numpy_algebra import NumpyAlgebra
from ptxlift.ir.attributes import Format, Rounding

COUNT = 40
FORMATS = {"f16": Format.F16, "bf16": Format.BF16, "f32": Format.F32, "f64": Format.F64}
ROUNDINGS = {"rn": Rounding.RN, "rz": Rounding.RZ, "rm": Rounding.RM, "rp": Rounding.RP}
Exact = Callable[..., "Fraction | None"]


def numbers(fmt: Format, generator: random.Random) -> int:
    """A finite number, often near 1, near the smallest normal number or near the largest."""
    bias = (1 << (fmt.exponent_bits - 1)) - 1
    center = generator.choice([bias, bias, bias - 3, 1, 2 * bias - 1, bias // 2])
    exponent = min(max(center + generator.randrange(-2, 3), 0), 2 * bias)
    mantissa = generator.choice([0, 1, -1, generator.getrandbits(52)])
    mantissa &= (1 << fmt.mantissa_bits) - 1
    return generator.getrandbits(1) << (fmt.bits - 1) | exponent << fmt.mantissa_bits | mantissa


def smallest(fmt: Format) -> Fraction:
    return Fraction(2) ** (2 - (1 << (fmt.exponent_bits - 1)))


def flushed(value: Fraction, fmt: Format, ftz: bool) -> Fraction:
    return Fraction(0) if ftz and abs(value) < smallest(fmt) else value


def at_full_precision(value: Fraction, fmt: Format, rounding: Rounding) -> Fraction:
    """Rounded as if exponents had no end below."""
    scale = 0
    while abs(value) * Fraction(2) ** scale < 1:
        scale += 1
    bits = rounded(value * Fraction(2) ** scale, fmt, rounding)
    near = value_of(bits, fmt)
    assert near is not None
    return near / Fraction(2) ** scale


def finish(exact: Fraction, fmt: Format, rounding: Rounding, words: str) -> int | None:
    """The result of an operation whose exact value is not zero."""
    bits = rounded(exact, fmt, rounding)
    if "ftz" in words and abs(exact) < 2 * smallest(fmt):
        near = at_full_precision(exact, fmt, rounding)
        if abs(near) < smallest(fmt):
            bits = bits & 1 << (fmt.bits - 1)
    value = value_of(bits, fmt)
    one = rounded(Fraction(1), fmt, Rounding.RN)
    negative = bool(bits >> (fmt.bits - 1))
    if "sat" in words:
        if negative or value == 0:
            return 0
        return one if value is None or value > 1 else bits
    return 0 if "relu" in words and negative else bits


def run(opcode: str, signature: str, inputs: list[tuple[int, ...]]) -> list[int]:
    section = Section(opcode, Signature.parse(signature), [Vector(row, ()) for row in inputs])
    (result,) = evaluate(section, NumpyAlgebra())
    return [int(word) for word in np.broadcast_to(result, len(inputs))]


def check(opcode: str, kinds: list[str], result: str, rounding: str, exact: Exact) -> None:
    """Scalar forms: `kinds` of the sources, the result's format."""
    generator = random.Random(opcode)
    fmt = FORMATS[result]
    sources = [FORMATS[kind] for kind in kinds]
    inputs = [tuple(numbers(f, generator) for f in sources) for _ in range(COUNT)]
    signature = f"{fmt.bits} <- {' '.join(str(f.bits) for f in sources)}"
    checked = 0
    for row, got in zip(inputs, run(opcode, signature, inputs), strict=True):
        values = [value_of(bits, f) for bits, f in zip(row, sources, strict=True)]
        finite = [v for v in values if v is not None]
        ftz = "ftz" in opcode
        value = exact(*(flushed(v, f, ftz) for v, f in zip(finite, sources, strict=True)))
        if value is None or value == 0:
            continue
        assert got == finish(value, fmt, ROUNDINGS[rounding], opcode), [hex(b) for b in row]
        checked += 1
    assert checked > COUNT // 5


def add(a: Fraction, b: Fraction) -> Fraction:
    return a + b


def sub(a: Fraction, b: Fraction) -> Fraction:
    return a - b


def mul(a: Fraction, b: Fraction) -> Fraction:
    return a * b


def fma(a: Fraction, b: Fraction, c: Fraction) -> Fraction:
    return a * b + c


def div(a: Fraction, b: Fraction) -> Fraction | None:
    return a / b if b else None


def rcp(a: Fraction) -> Fraction | None:
    return 1 / a if a else None


def sqrt(a: Fraction) -> Fraction | None:
    """300 binary places, and a mark where more follow."""
    if a <= 0:
        return None
    root = Fraction(math.isqrt(a.numerator * a.denominator << 600), a.denominator << 300)
    return root if root * root == a else root + Fraction(1, a.denominator << 301)


TWO = {"add": add, "sub": sub, "mul": mul}


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("words", ["", ".ftz", ".sat", ".ftz.sat"])
def test_f32(name: str, rounding: str, words: str) -> None:
    check(f"{name}.{rounding}{words}.f32", ["f32", "f32"], "f32", rounding, TWO[name])


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("words", ["", ".ftz", ".sat"])
def test_fma_f32(rounding: str, words: str) -> None:
    for name in ("fma", "mad"):
        check(f"{name}.{rounding}{words}.f32", ["f32"] * 3, "f32", rounding, fma)


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("words", ["", ".ftz"])
def test_quotients_f32(rounding: str, words: str) -> None:
    check(f"div.{rounding}{words}.f32", ["f32", "f32"], "f32", rounding, div)
    check(f"rcp.{rounding}{words}.f32", ["f32"], "f32", rounding, rcp)
    check(f"sqrt.{rounding}{words}.f32", ["f32"], "f32", rounding, sqrt)


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_f64(rounding: str) -> None:
    for name, exact in TWO.items():
        check(f"{name}.{rounding}.f64", ["f64", "f64"], "f64", rounding, exact)
    check(f"fma.{rounding}.f64", ["f64"] * 3, "f64", rounding, fma)
    check(f"mad.{rounding}.f64", ["f64"] * 3, "f64", rounding, fma)
    check(f"div.{rounding}.f64", ["f64", "f64"], "f64", rounding, div)
    check(f"rcp.{rounding}.f64", ["f64"], "f64", rounding, rcp)
    check(f"sqrt.{rounding}.f64", ["f64"], "f64", rounding, sqrt)


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("words", ["", ".ftz", ".sat", ".ftz.sat"])
def test_f16(name: str, words: str) -> None:
    check(f"{name}.rn{words}.f16", ["f16", "f16"], "f16", "rn", TWO[name])


@pytest.mark.parametrize("words", ["", ".ftz", ".sat", ".relu", ".ftz.relu"])
def test_fma_f16(words: str) -> None:
    check(f"fma.rn{words}.f16", ["f16"] * 3, "f16", "rn", fma)


def test_bf16() -> None:
    for name, exact in TWO.items():
        check(f"{name}.rn.bf16", ["bf16", "bf16"], "bf16", "rn", exact)
    check("fma.rn.bf16", ["bf16"] * 3, "bf16", "rn", fma)
    check("fma.rn.relu.bf16", ["bf16"] * 3, "bf16", "rn", fma)


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("half", ["f16", "bf16"])
@pytest.mark.parametrize("words", ["", ".sat"])
def test_mixed(rounding: str, half: str, words: str) -> None:
    check(f"add.{rounding}{words}.f32.{half}", [half, "f32"], "f32", rounding, add)
    check(f"sub.{rounding}{words}.f32.{half}", [half, "f32"], "f32", rounding, sub)
    check(f"fma.{rounding}{words}.f32.{half}", [half, half, "f32"], "f32", rounding, fma)


PACKED = [
    (name, kind, sources)
    for (name, sources), kind in itertools.product(
        [("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)], ["f16x2", "bf16x2", "f32x2"]
    )
]


@pytest.mark.parametrize(("name", "kind", "sources"), PACKED)
def test_packed_lanes_are_scalars(name: str, kind: str, sources: int) -> None:
    """Each lane of a packed form gives what the scalar form gives."""
    scalar = kind[:-2]
    width = FORMATS[scalar].bits
    generator = random.Random(f"{name}{kind}")
    whole = [
        tuple(
            numbers(FORMATS[scalar], generator) << width | numbers(FORMATS[scalar], generator)
            for _ in range(sources)
        )
        for _ in range(COUNT)
    ]
    packed = run(f"{name}.rn.{kind}", _same(2 * width, sources), whole)
    mask = (1 << width) - 1
    for shift in (0, width):
        lanes = [tuple(word >> shift & mask for word in row) for row in whole]
        want = run(f"{name}.rn.{scalar}", _same(width, sources), lanes)
        assert [word >> shift & mask for word in packed] == want


def _same(width: int, sources: int) -> str:
    return f"{width} <- {' '.join([str(width)] * sources)}"


NAN, INFINITY, MINUS_ZERO = 0x7FC00123, 0x7F800000, 0x80000000
ONE, TWO_, MINUS_TWO = 0x3F800000, 0x40000000, 0xC0000000


@pytest.mark.parametrize(
    ("opcode", "row", "want"),
    [
        # Floating Point Instructions: min, max: a number beats a NaN, -0 is below +0.
        ("min.f32", (NAN, ONE, TWO_), ONE),
        ("max.f32", (MINUS_ZERO, 0, NAN), 0),
        ("min.f32", (0, MINUS_ZERO, NAN), MINUS_ZERO),
        ("max.f32", (NAN, NAN, NAN), 0x7FFFFFFF),
        ("min.NaN.f32", (ONE, NAN, TWO_), 0x7FFFFFFF),
        # .abs compares and gives magnitudes.
        ("max.abs.f32", (ONE, MINUS_TWO, MINUS_ZERO), TWO_),
        ("min.abs.f32", (MINUS_TWO, MINUS_ZERO, ONE), 0),
        ("max.ftz.f32", (1, MINUS_ZERO, 0x807FFFFF), 0),
    ],
)
def test_three_input_extremes(opcode: str, row: tuple[int, ...], want: int) -> None:
    assert run(opcode, "32 <- 32 32 32", [row]) == [want]


@pytest.mark.parametrize(
    ("opcode", "row", "want"),
    [
        # .xorsign.abs: the smaller magnitude with the product of the signs.
        ("min.xorsign.abs.f32", (MINUS_TWO, ONE), 0xBF800000),
        ("max.xorsign.abs.f32", (MINUS_TWO, 0xBF800000), TWO_),
        ("max.xorsign.abs.f32", (NAN, MINUS_TWO), MINUS_TWO),
        ("min.NaN.xorsign.abs.f32", (NAN, MINUS_TWO), 0x7FFFFFFF),
        # copysign d, a, b: the sign of a and the magnitude of b.
        ("copysign.f32", (MINUS_ZERO, TWO_), MINUS_TWO),
        ("copysign.f32", (ONE, MINUS_TWO), TWO_),
        # div.approx: 2^126 < |b| < 2^128 gives 0, or NaN where a is infinite.
        ("div.approx.f32", (ONE, 0x7F000000), 0),
        ("div.approx.f32", (INFINITY, 0x7F000000), 0x7FFFFFFF),
        ("div.full.f32", (INFINITY, 0x7F000000), INFINITY),
    ],
)
def test_pairs(opcode: str, row: tuple[int, ...], want: int) -> None:
    assert run(opcode, "32 <- 32 32", [row]) == [want]


@pytest.mark.parametrize(
    ("opcode", "row", "want"),
    [
        # rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write the upper 32 bits.
        ("rcp.approx.ftz.f64", 0x4000000000000000, 0x3FE0000000000000),
        ("rcp.approx.ftz.f64", 0x3FF00000FFFFFFFF, 0x3FF0000000000000),
        ("rcp.approx.ftz.f64", 0x0000000000000001, 0x7FF0000000000000),
        ("rcp.approx.ftz.f64", 0xFFF0000000000000, 0x8000000000000000),
        ("rsqrt.approx.ftz.f64", 0x4010000000000000, 0x3FE0000000000000),
        ("rsqrt.approx.f64", 0x4010000000000000, 0x3FE0000000000000),
    ],
)
def test_approximate_f64(opcode: str, row: int, want: int) -> None:
    assert run(opcode, "64 <- 64", [(row,)]) == [want]


@pytest.mark.parametrize(
    ("opcode", "value", "want"),
    [
        ("tanh.approx.f16", 0x0000, 0x0000),
        ("tanh.approx.f16", 0x7C00, 0x3C00),
        ("tanh.approx.f16", 0xFC00, 0xBC00),
        ("tanh.approx.bf16", 0x7F80, 0x3F80),
        ("ex2.approx.f16", 0x0000, 0x3C00),
        ("ex2.approx.f16", 0x4000, 0x4400),
        ("ex2.approx.f16", 0xFC00, 0x0000),
        ("ex2.approx.ftz.bf16", 0xC000, 0x3E80),
    ],
)
def test_half_functions(opcode: str, value: int, want: int) -> None:
    assert run(opcode, "16 <- 16", [(value,)]) == [want]


@pytest.mark.parametrize(
    ("value", "want"),
    [(0, 0), (INFINITY, ONE), (0xFF800000, 0xBF800000), (NAN, 0x7FFFFFFF)],
)
def test_tanh_f32(value: int, want: int) -> None:
    assert run("tanh.approx.f32", "32 <- 32", [(value,)]) == [want]


COMPARES = {
    "eq": (lambda a, b: a == b, False), "ne": (lambda a, b: a != b, False),
    "lt": (lambda a, b: a < b, False), "le": (lambda a, b: a <= b, False),
    "gt": (lambda a, b: a > b, False), "ge": (lambda a, b: a >= b, False),
    "equ": (lambda a, b: a == b, True), "neu": (lambda a, b: a != b, True),
    "ltu": (lambda a, b: a < b, True), "leu": (lambda a, b: a <= b, True),
    "gtu": (lambda a, b: a > b, True), "geu": (lambda a, b: a >= b, True),
    "num": (lambda a, b: True, False), "nan": (lambda a, b: False, True),
}  # fmt: skip
HALVES = {"f16": (0x3C00, 0xC000, 0x8000, 0x0000, 0x0001, 0x7C00, 0x7E00, 0x7BFF),
          "bf16": (0x3F80, 0xC000, 0x8000, 0x0000, 0x0001, 0x7F80, 0x7FC0, 0x7F7F)}  # fmt: skip
TRUE = {"u16": 0xFFFF, "u32": 0xFFFFFFFF, "f16": 0x3C00}


def ordered(word: str, a: int, b: int, fmt: Format) -> bool:
    """`a word b`; infinities stand for themselves."""
    compare, unordered = COMPARES[word]
    numbers_ = []
    for bits in (a, b):
        value = value_of(bits, fmt)
        if value is None:
            infinite = bits & ((1 << fmt.mantissa_bits) - 1) == 0
            if not infinite:
                return unordered
            numbers_.append(-math.inf if bits >> (fmt.bits - 1) else math.inf)
        else:
            numbers_.append(float(value))
    return bool(compare(*numbers_))


@pytest.mark.parametrize("word", COMPARES)
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_half_compares(word: str, kind: str) -> None:
    pairs = list(itertools.product(HALVES[kind], repeat=2))
    truths = [ordered(word, a, b, FORMATS[kind]) for a, b in pairs]
    for result in ("u16", "u32"):
        got = run(f"set.{word}.{result}.{kind}", f"{result[1:]} <- 16 16", pairs)
        assert got == [TRUE[result] if truth else 0 for truth in truths]
    section = Section(
        f"setp.{word}.{kind}", Signature.parse("p <- 16 16"), [Vector(p, ()) for p in pairs]
    )
    assert evaluate(section, NumpyAlgebra())[0].tolist() == truths
    if kind == "f16":
        got = run(f"set.{word}.f16.f16", "16 <- 16 16", pairs)
        assert got == [0x3C00 if truth else 0 for truth in truths]


@pytest.mark.parametrize("kind", ["f16x2", "bf16x2"])
def test_packed_compares(kind: str) -> None:
    """p and q, or the two halves of a mask, are the compares of the low and the high halves."""
    values = HALVES[kind[:-2]]
    words = [a << 16 | b for a, b in zip(values, reversed(values), strict=True)]
    pairs = list(itertools.product(words, repeat=2))
    fmt = FORMATS[kind[:-2]]
    low = [ordered("lt", a & 0xFFFF, b & 0xFFFF, fmt) for a, b in pairs]
    high = [ordered("lt", a >> 16, b >> 16, fmt) for a, b in pairs]
    masks = run(f"set.lt.u32.{kind}", "32 <- 32 32", pairs)
    want = [
        (0xFFFF if y else 0) << 16 | (0xFFFF if x else 0) for x, y in zip(low, high, strict=True)
    ]
    assert masks == want
    section = Section(
        f"setp.lt.{kind}", Signature.parse("p p <- 32 32"), [Vector(p, ()) for p in pairs]
    )
    first, second = evaluate(section, NumpyAlgebra())
    assert (first.tolist(), second.tolist()) == (low, high)
