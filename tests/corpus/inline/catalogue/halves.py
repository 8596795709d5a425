"""Half precision and bfloat16, packed and alone."""

from __future__ import annotations

import numpy as np

from catalogue.model import Array, Entry

F16, F32 = np.float16, np.float32
PACKED = ("=f16x2", "f16x2", "f16x2")


def split(a: Array) -> Array:
    """Two half-precision numbers of each word."""
    return a.view(F16).reshape(-1, 2)


def join(a: Array) -> Array:
    return np.ascontiguousarray(a.astype(F16)).view(np.uint32).reshape(-1)


def packed(function: object) -> object:
    def apply(*arrays: Array) -> Array:
        wide = [split(a).astype(np.float64) for a in arrays]
        return join(function(*wide))  # type: ignore[operator]

    return apply


def half_words(*values: float) -> Array:
    return np.array(values * 2, F16)[: len(values) // 2 * 2].view(np.uint32)


def to_bf16(a: Array) -> Array:
    """Rounded to nearest even; no NaNs here."""
    bits = a.astype(F32).view(np.uint32).astype(np.uint64)
    return (
        (bits + np.uint64(0x7FFF) + (bits >> np.uint64(16) & np.uint64(1))) >> np.uint64(16)
    ).astype(np.uint32)


def from_bf16(bits: Array) -> Array:
    return (bits.astype(np.uint32) << 16).view(F32)


def bf16_pairs(a: Array) -> tuple[Array, Array]:
    return from_bf16(a & 0xFFFF), from_bf16(a >> 16)


def packed_bf16(function: object) -> object:
    def apply(*arrays: Array) -> Array:
        pairs = [bf16_pairs(a) for a in arrays]
        low, high = (function(*(p[i].astype(np.float64) for p in pairs)) for i in (0, 1))  # type: ignore[operator]
        return to_bf16(low) | to_bf16(high) << 16

    return apply


NUMBERS = half_words(1.0, 2.5, -0.75, 3.25, 100.0, -8.0, 0.125, 6.5)
OTHERS = half_words(0.5, -1.25, 2.0, 7.0, -3.5, 0.25)
THIRDS = half_words(4.0, 1.0, -2.0, 0.75)
BF = np.array([0x3F804000, 0xBF00C0A0, 0x41203E80, 0x3FC0BF80], np.uint32)
BF2 = np.array([0x40003F00, 0x3F80C040, 0xC1003E00], np.uint32)
FLOATS = [1.0, -2.5, 0.333, 1e-3, 65000.0, 3.14159, -7.0]

ENTRIES = (
    Entry(
        "add",
        "add.f16x2 %0, %1, %2;",
        PACKED,
        packed(lambda a, b: a + b),
        data={1: NUMBERS, 2: OTHERS},
    ),
    Entry(
        "sub",
        "sub.f16x2 %0, %1, %2;\n",
        PACKED,
        packed(lambda a, b: a - b),
        data={1: NUMBERS, 2: OTHERS},
    ),
    Entry(
        "mul",
        "mul.f16x2 %0, %1, %2;",
        PACKED,
        packed(lambda a, b: a * b),
        data={1: NUMBERS, 2: OTHERS},
    ),
    Entry(
        "fma",
        "fma.rn.f16x2 %0, %1, %2, %3;\n",
        ("=f16x2", "f16x2", "f16x2", "f16x2"),
        packed(lambda a, b, c: a * b + c),
        data={1: NUMBERS, 2: OTHERS, 3: THIRDS},
    ),
    Entry(
        "fma_of_words",
        "fma.rn.f16x2 %0, %1, %2, %3;",
        ("=u32", "u32", "u32", "u32"),
        packed(lambda a, b, c: a * b + c),
        data={1: NUMBERS, 2: OTHERS, 3: THIRDS},
    ),
    Entry(
        "fma_relu",
        "fma.rn.relu.f16x2 %0, %1, %2, %3;",
        ("=f16x2", "f16x2", "f16x2", "f16x2"),
        packed(lambda a, b, c: np.maximum(a * b + c, 0.0)),
        data={1: NUMBERS, 2: OTHERS, 3: THIRDS},
    ),
    Entry("larger", "max.f16x2 %0, %1, %2;", PACKED, packed(np.fmax), data={1: NUMBERS, 2: OTHERS}),
    Entry(
        "smaller", "min.f16x2 %0, %1, %2;", PACKED, packed(np.fmin), data={1: NUMBERS, 2: OTHERS}
    ),
    Entry("negate", "neg.f16x2 %0, %1;", ("=f16x2", "f16x2"), lambda a: a ^ 0x80008000),
    Entry("absolute", "abs.f16x2 %0, %1;", ("=f16x2", "f16x2"), lambda a: a & 0x7FFF7FFF),
    Entry("scalar_add", "add.f16 %0, %1, %2;", ("=f16", "f16", "f16"), lambda a, b: a + b),
    Entry(
        "scalar_fma",
        "fma.rn.f16 %0, %1, %2, %3;",
        ("=f16", "f16", "f16", "f16"),
        lambda a, b, c: (a.astype(np.float64) * b + c).astype(F16),
        data={1: [1.5, -2.0, 3.0], 2: [0.5, 7.0], 3: [1.0, -4.5, 0.25, 8.0, 2.0]},
    ),
    Entry(
        "from_shorts",
        "{add.f16 %0,%1,%2;\n}",
        ("=u16", "u16", "u16"),
        lambda a, b: (a.view(F16) + b.view(F16)).view(np.uint16),
        data={
            1: np.array([1.0, 2.5, -3.0], F16).view(np.uint16),
            2: np.array([0.5, 8.0], F16).view(np.uint16),
        },
    ),
    Entry(
        "to_half",
        "cvt.rn.f16.f32 %0, %1;",
        ("=f16", "f32"),
        lambda a: a.astype(F16),
        data={1: FLOATS},
    ),
    Entry("from_half", "cvt.f32.f16 %0, %1;", ("=f32", "f16"), lambda a: a.astype(F32)),
    Entry(
        "pair_to_halves",
        "cvt.rn.f16x2.f32 %0, %1, %2;\n",
        ("=u32", "f32", "f32"),
        lambda hi, lo: join(np.stack([lo, hi], 1)),
        data={1: FLOATS, 2: FLOATS[::-1]},
    ),
    Entry(
        "pair_to_bfloats",
        "cvt.rn.bf16x2.f32 %0, %1, %2;\n",
        ("=u32", "f32", "f32"),
        lambda hi, lo: to_bf16(lo) | to_bf16(hi) << 16,
        data={1: FLOATS, 2: FLOATS[::-1]},
    ),
    Entry(
        "pair_to_positive_bfloats",
        "cvt.rn.relu.bf16x2.f32 %0, %1, %2;",
        ("=u32", "f32", "f32"),
        lambda hi, lo: to_bf16(np.maximum(lo, F32(0))) | to_bf16(np.maximum(hi, F32(0))) << 16,
        data={1: FLOATS, 2: FLOATS[::-1]},
    ),
    Entry("to_bfloat", "cvt.rn.bf16.f32 %0, %1;", ("=bf16", "f32"), to_bf16, data={1: FLOATS}),
    Entry(
        "from_bfloat",
        "cvt.f32.bf16 %0, %1;",
        ("=f32", "bf16"),
        from_bf16,
        data={1: np.array([0x3F80, 0xC000, 0x7F00, 0x0001], np.uint16)},
    ),
    Entry(
        "bfloat_by_shift",
        "{ .reg .b32 t; mov.b32 t, {0, %1}; mov.b32 %0, t; }",
        ("=f32", "u16"),
        from_bf16,
        data={1: np.array([0x3F80, 0xC000, 0x4110], np.uint16)},
    ),
    Entry(
        "bfloat_fma",
        "fma.rn.bf16x2 %0, %1, %2, %3;\n",
        ("=u32", "u32", "u32", "u32"),
        packed_bf16(lambda a, b, c: a * b + c),
        data={1: BF, 2: BF2, 3: BF},
    ),
    Entry(
        "bfloat_product_by_fma",
        "{ .reg .b32 c; mov.b32 c, 0x80008000U;\n fma.rn.bf16x2 %0,%1,%2,c; }",
        ("=u32", "u32", "u32"),
        packed_bf16(lambda a, b: a * b),
        data={1: BF, 2: BF2},
    ),
    Entry(
        "bfloat_larger",
        "max.bf16x2 %0, %1, %2;",
        ("=u32", "u32", "u32"),
        packed_bf16(np.fmax),
        data={1: BF, 2: BF2},
    ),
    Entry(
        "dequantise_int4",
        "{ .reg .b32 t; lop3.b32 t, %1, 0x000f000f, 0x64006400, 0xEA;\n  sub.f16x2 %0, t, %2; }",
        ("=u32", "u32", "u32"),
        lambda q, zero: join(split(q & 0x000F000F | 0x64006400).astype(np.float64) - split(zero)),
        data={2: half_words(1032.0, 1032.0)},
    ),
    Entry(
        "dequantise_high_int4",
        "{ .reg .b32 t; lop3.b32 t, %1, 0x00f000f0, 0x64006400, 0xEA;\n"
        "  fma.rn.f16x2 %0, t, %2, %3; }",
        ("=u32", "u32", "u32", "u32"),
        lambda q, m, c: join(
            split(q & 0x00F000F0 | 0x64006400).astype(np.float64) * split(m) + split(c)
        ),
        data={2: half_words(0.0625, 0.0625), 3: half_words(-72.0, -72.0)},
    ),
    Entry(
        "mask_of_comparison",
        "set.gt.u32.f16 %0, %1, %2;",
        ("=u32", "f16", "f16"),
        lambda a, b: np.where(a > b, np.uint32(0xFFFFFFFF), np.uint32(0)),
    ),
    Entry(
        "ones_of_comparison",
        "set.gt.f16x2.f16x2 %0, %1, %2;",
        PACKED,
        packed(lambda a, b: (a > b).astype(np.float64)),
        data={1: NUMBERS, 2: OTHERS},
    ),
    Entry(
        "compare",
        "{ .reg .pred p; setp.lt.f16 p, %1, %2; selp.b16 %0, %1, %2, p; }",
        ("=f16", "f16", "f16"),
        lambda a, b: np.where(a < b, a, b),
    ),
    Entry(
        "exponential",
        "ex2.approx.f16 %0, %1;",
        ("=f16", "f16"),
        check=lambda a, r: bool(np.allclose(np.exp2(a.astype(F32)), r.astype(F32), rtol=2**-9)),
        data={1: [0.0, 1.0, -1.5, 3.0, 0.1]},
    ),
)
