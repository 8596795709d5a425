"""Single and double precision: rounding, approximations, conversions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from catalogue.model import Array, Entry

F32 = np.float32


def directed(value: Fraction, rounding: str) -> np.float32:
    """An exact value rounded to single precision."""
    near = F32(float(value))  # the double is within half an ulp of a half: fix below
    with np.errstate(over="ignore"):
        below = near if Fraction(float(near)) <= value else np.nextafter(near, F32(-np.inf))
        above = near if Fraction(float(near)) >= value else np.nextafter(near, F32(np.inf))
    toward_zero = below if value >= 0 else above
    return {"rm": below, "rp": above, "rz": toward_zero}[rounding]


def exactly(function: object, rounding: str) -> object:
    def apply(*arrays: Array) -> Array:
        rows = zip(*(a.tolist() for a in arrays), strict=True)
        return np.array(
            [
                directed(function(*map(Fraction, row)), rounding)  # type: ignore[operator]
                for row in rows
            ],
            F32,
        )

    return apply


PLAIN = [1.0, 1.5, -2.25, 3.0, 0.1, -7.5, 1e6, 3e-5, 123.456, -0.3333]
OTHER = [3.0, 0.7, 1.1, -5.25, 1e-3, 42.0, -9.75]
THIRD = [0.11, -4.625, 1e4, 7.0, -0.013]
POSITIVE = [1.0, 2.0, 0.5, 3.0, 10.0, 0.1, 1234.5, 1e-3, 7.25]
DATA = {1: PLAIN, 2: OTHER, 3: THIRD}
ONE = ("=f32", "f32")
TWO = ("=f32", "f32", "f32")
THREE = ("=f32", "f32", "f32", "f32")


def fused(a: Array, b: Array, c: Array) -> Array:
    """Rounded once: the exact sum is rounded to double, which loses no tie for these inputs."""
    rows = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    return np.array([F32(float(Fraction(x) * Fraction(y) + Fraction(z))) for x, y, z in rows], F32)


ENTRIES = (
    Entry("fma", "fma.rn.f32 %0, %1, %2, %3;", THREE, fused, data=DATA),
    Entry(
        "fma_in_place",
        "fma.rn.f32 %0, %1, %2, %0;",
        ("+f32", "f32", "f32"),
        lambda c, a, b: fused(a, b, c),
        data={0: THIRD, 1: PLAIN, 2: OTHER},
    ),
    Entry(
        "fma_up",
        "fma.rp.f32 %0, %1, %2, %3;",
        THREE,
        exactly(lambda a, b, c: a * b + c, "rp"),
        data=DATA,
    ),
    Entry(
        "fma_down",
        "fma.rm.f32 %0, %1, %2, %3;",
        THREE,
        exactly(lambda a, b, c: a * b + c, "rm"),
        data=DATA,
    ),
    Entry(
        "sum_to_zero", "add.rz.f32 %0, %1, %2;", TWO, exactly(lambda a, b: a + b, "rz"), data=DATA
    ),
    Entry("sum_up", "add.rp.f32 %0, %1, %2;", TWO, exactly(lambda a, b: a + b, "rp"), data=DATA),
    Entry(
        "product_down", "mul.rm.f32 %0, %1, %2;", TWO, exactly(lambda a, b: a * b, "rm"), data=DATA
    ),
    Entry(
        "product_up", "mul.rp.f32 %0, %1, %2;", TWO, exactly(lambda a, b: a * b, "rp"), data=DATA
    ),
    Entry(
        "flushing_product",
        "mul.ftz.f32 %0, %1, %2;",
        TWO,
        lambda a, b: np.where(np.abs(a * b) < F32(1.17549435e-38), a * b * F32(0), a * b),
        data={1: [1e-20, -1e-20, 2.0], 2: [1e-20, 1e-22, 3.0]},
    ),
    Entry(
        "product_of_subnormals",
        "mul.f32 %0, %1, %2;",
        TWO,
        lambda a, b: a * b,
        data={1: [1e-20, -1e-20, 2.0], 2: [1e-20, 1e-22, 3.0]},
    ),
    Entry(
        "sum_saturated",
        "add.sat.f32 %0, %1, %2;",
        TWO,
        lambda a, b: np.clip(a + b, F32(0), F32(1)),
        data={1: [0.1, 0.7, -3.0, 2.0], 2: [0.2, 0.6, 1.0]},
    ),
    Entry("quotient", "div.rn.f32 %0, %1, %2;", TWO, lambda a, b: a / b, data=DATA),
    Entry("root", "sqrt.rn.f32 %0, %1;", ONE, np.sqrt, data={1: POSITIVE}),
    Entry("reciprocal", "rcp.rn.f32 %0, %1;", ONE, lambda a: F32(1) / a, data={1: PLAIN}),
    Entry(
        "fast_reciprocal",
        "rcp.approx.ftz.f32 %0, %1;",
        ONE,
        lambda a: F32(1) / a,
        data={1: PLAIN},
        exact=False,
    ),
    Entry(
        "fast_quotient",
        "div.approx.f32 %0, %1, %2;",
        TWO,
        lambda a, b: a / b,
        data=DATA,
        exact=False,
    ),
    Entry("exponential", "ex2.approx.f32 %0, %1;", ONE, np.exp2, data={1: OTHER}, exact=False),
    Entry(
        "exponential_ftz", "ex2.approx.ftz.f32 %0, %1;", ONE, np.exp2, data={1: OTHER}, exact=False
    ),
    Entry("logarithm", "lg2.approx.f32 %0, %1;", ONE, np.log2, data={1: POSITIVE}, exact=False),
    Entry(
        "reciprocal_root",
        "rsqrt.approx.f32 %0, %1;",
        ONE,
        lambda a: F32(1) / np.sqrt(a),
        data={1: POSITIVE},
        exact=False,
    ),
    Entry("fast_root", "sqrt.approx.f32 %0, %1;", ONE, np.sqrt, data={1: POSITIVE}, exact=False),
    Entry(
        "sine",
        "sin.approx.f32 %0, %1;",
        ONE,
        check=lambda a, s: bool(np.all(abs(np.sin(a) - s) < 1e-5)),
        data={1: [0.0, 0.5, 1.0, -1.5, 3.0]},
    ),
    Entry(
        "hyperbolic_tangent",
        "tanh.approx.f32 %0, %1;",
        ONE,
        check=lambda a, t: bool(np.all(abs(np.tanh(a) - t) < 6e-4)),
        data={1: PLAIN},
    ),
    Entry(
        "logistic",
        "{ .reg .f32 t; mul.f32 t, %1, 0fBFB8AA3B; ex2.approx.f32 t, t;\n"
        "add.f32 t, t, 0f3F800000; rcp.approx.f32 %0, t; }",
        ONE,
        lambda a: 1 / (1 + np.exp(-a.astype(np.float64))),
        data={1: [0.5, -2.0, 1.0, 4.0]},
        exact=False,
    ),
    Entry("smaller", "min.f32 %0, %1, %2;", TWO, np.fmin, data=DATA),
    Entry(
        "smaller_or_nan",
        "min.NaN.f32 %0, %1, %2;",
        TWO,
        lambda a, b: np.where(
            np.isnan(a) | np.isnan(b), np.array(0x7FFFFFFF, np.uint32).view(F32), np.minimum(a, b)
        ),
        data={1: [1.0, np.nan, -3.0], 2: [2.0, 1.0, np.nan, 5.0]},
    ),
    Entry(
        "rectified",
        "max.f32 %0, %1, 0f00000000;",
        ONE,
        lambda a: np.fmax(a, F32(0)),
        data={1: [1.0, -1.0, 2.5, -2.5, np.nan]},
    ),
    Entry("absolute", "abs.f32 %0, %1;", ONE, np.abs, data={1: PLAIN}),
    Entry(
        "sign_copied", "copysign.f32 %0, %1, %2;", TWO, lambda a, b: np.copysign(b, a), data=DATA
    ),
    Entry(
        "is_finite",
        "{ .reg .pred p; testp.finite.f32 p, %1; selp.u32 %0, 1, 0, p; }",
        ("=u32", "f32"),
        lambda a: np.isfinite(a),
        data={1: [1.0, np.inf, -np.inf, np.nan, 0.0]},
    ),
    Entry(
        "compare",
        "{ .reg .pred p; setp.lt.f32 p, %1, %2; selp.f32 %0, %1, %2, p; }",
        TWO,
        lambda a, b: np.where(a < b, a, b),
        data=DATA,
    ),
    Entry(
        "mask_of_comparison",
        "set.gt.u32.f32 %0, %1, %2;",
        ("=u32", "f32", "f32"),
        lambda a, b: np.where(a > b, np.uint32(0xFFFFFFFF), np.uint32(0)),
        data=DATA,
    ),
    Entry(
        "nearest_integer",
        "cvt.rni.s32.f32 %0, %1;",
        ("=s32", "f32"),
        lambda a: np.rint(a),
        data={1: [0.5, 1.5, 2.5, -0.5, -1.5, 100.2]},
    ),
    Entry("round_float", "cvt.rni.f32.f32 %0, %1;", ONE, np.rint, data={1: [0.5, 1.5, -2.5, 7.7]}),
    Entry(
        "truncate",
        "cvt.rzi.u32.f32 %0, %1;",
        ("=u32", "f32"),
        lambda a: np.clip(np.trunc(a), 0, 2**32),
        data={1: [0.9, 1.99, -0.5, 1e6]},
    ),
    Entry("from_integer", "cvt.rn.f32.s32 %0, %1;", ("=f32", "s32"), lambda a: a.astype(F32)),
    Entry(
        "from_integer_down", "cvt.rm.f32.u32 %0, %1;", ("=f32", "u32"), exactly(lambda a: a, "rm")
    ),
    Entry(
        "saturate",
        "cvt.sat.f32.f32 %0, %1;",
        ONE,
        lambda a: np.clip(a, F32(0), F32(1)),
        data={1: [0.5, -1.0, 2.0, 1.0, 0.25]},
    ),
    Entry("bits_of_float", "mov.b32 %0, %1;", ("=u32", "f32"), lambda a: a.view(np.uint32)),
    Entry("float_of_bits", "mov.b32 %0, %1;", ("=f32", "u32"), lambda a: a.view(F32)),
    Entry(
        "double_fma",
        "fma.rn.f64 %0, %1, %2, %3;",
        ("=f64", "f64", "f64", "f64"),
        lambda a, b, c: np.array(
            [
                float(Fraction(x) * Fraction(y) + Fraction(z))
                for x, y, z in zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
            ]
        ),
        data=DATA,
    ),
    Entry("double_root", "sqrt.rn.f64 %0, %1;", ("=f64", "f64"), np.sqrt, data={1: POSITIVE}),
    Entry(
        "words_of_double",
        "mov.b64 {%0, %1}, %2;",
        ("=u32", "=u32", "f64"),
        lambda a: (a.view(np.uint64) & np.uint64(0xFFFFFFFF), a.view(np.uint64) >> np.uint64(32)),
    ),
    Entry(
        "double_of_words",
        "mov.b64 %0, {%1, %2};",
        ("=f64", "u32", "u32"),
        lambda lo, hi: (lo.astype(np.uint64) | hi.astype(np.uint64) << np.uint64(32)).view(
            np.float64
        ),
        data={2: [0x3FF00000, 0x40000000, 0xBFE00000]},
    ),
    Entry("to_double", "cvt.f64.f32 %0, %1;", ("=f64", "f32"), lambda a: a.astype(np.float64)),
    Entry("from_double", "cvt.rn.f32.f64 %0, %1;", ("=f32", "f64"), lambda a: a.astype(F32)),
)
