"""Integer arithmetic beyond C: dot products, saturation, video instructions, high halves."""

from __future__ import annotations

import numpy as np

from catalogue.bits import python, signed
from catalogue.model import Entry


def parts(value: int, width: int, is_signed: bool) -> list[int]:
    pieces = [value >> at & (1 << width) - 1 for at in range(0, 32, width)]
    return [signed(piece, width) for piece in pieces] if is_signed else pieces


def dp4a(a_signed: bool, b_signed: bool) -> object:
    def dot(a: int, b: int, c: int) -> int:
        pairs = zip(parts(a, 8, a_signed), parts(b, 8, b_signed), strict=True)
        return c + sum(x * y for x, y in pairs) & 0xFFFFFFFF

    return python(dot)


def dp2a(high: bool, is_signed: bool) -> object:
    def dot(a: int, b: int, c: int) -> int:
        chosen = parts(b, 8, is_signed)[2 if high else 0 :][:2]
        pairs = zip(parts(a, 16, is_signed), chosen, strict=True)
        return c + sum(x * y for x, y in pairs) & 0xFFFFFFFF

    return python(dot)


def clamp(value: int, low: int, high: int) -> int:
    return min(max(value, low), high)


def each_byte(function: object) -> object:
    def apply(*values: int) -> int:
        split = [parts(value, 8, False) for value in values]
        made = [function(*row) & 255 for row in zip(*split, strict=True)]  # type: ignore[operator]
        return sum(byte << 8 * index for index, byte in enumerate(made))

    return python(apply)


TWO = ("=u32", "u32", "u32")
THREE = ("=u32", "u32", "u32", "u32")
SIGNED = ("=s32", "s32", "s32")
S32 = (-(1 << 31), (1 << 31) - 1)

ENTRIES = (
    Entry("dp4a_ss", "dp4a.s32.s32 %0, %1, %2, %3;", THREE, dp4a(True, True)),
    Entry("dp4a_uu", "dp4a.u32.u32 %0, %1, %2, %3;", THREE, dp4a(False, False)),
    Entry("dp4a_us", "dp4a.u32.s32 %0, %1, %2, %3;", THREE, dp4a(False, True)),
    Entry(
        "dp4a_accumulate",
        "dp4a.s32.s32 %0, %1, %2, %0;",
        ("+u32", "u32", "u32"),
        lambda c, a, b: dp4a(True, True)(a, b, c),  # type: ignore[operator]
    ),
    Entry("dp2a_low", "dp2a.lo.s32.s32 %0, %1, %2, %3;", THREE, dp2a(False, True)),
    Entry("dp2a_high", "dp2a.hi.u32.u32 %0, %1, %2, %3;", THREE, dp2a(True, False)),
    Entry("high_product", "mul.hi.u32 %0, %1, %2;", TWO, python(lambda a, b: a * b >> 32)),
    Entry(
        "high_signed_product", "mul.hi.s32 %0, %1, %2;", SIGNED, python(lambda a, b: a * b >> 32)
    ),
    Entry(
        "high_product_64",
        "mul.hi.u64 %0, %1, %2;",
        ("=u64", "u64", "u64"),
        python(lambda a, b: a * b >> 64),
    ),
    Entry("multiply_add", "mad.lo.s32 %0, %1, %2, %3;", THREE, lambda a, b, c: a * b + c),
    Entry(
        "multiply_24",
        "mul24.lo.u32 %0, %1, %2;",
        TWO,
        python(lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF) & 0xFFFFFFFF),
    ),
    Entry(
        "multiply_add_24",
        "mad24.lo.u32 %0, %1, %2, %3;",
        THREE,
        python(lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) + c & 0xFFFFFFFF),
    ),
    Entry(
        "add_saturated", "add.sat.s32 %0, %1, %2;", SIGNED, python(lambda a, b: clamp(a + b, *S32))
    ),
    Entry(
        "sub_saturated", "sub.sat.s32 %0, %1, %2;", SIGNED, python(lambda a, b: clamp(a - b, *S32))
    ),
    Entry("absolute", "abs.s32 %0, %1;", ("=s32", "s32"), python(lambda a: signed(abs(a), 32))),
    Entry(
        "sum_of_differences",
        "sad.u32 %0, %1, %2, %3;",
        THREE,
        python(lambda a, b, c: c + abs(a - b) & 0xFFFFFFFF),
    ),
    Entry(
        "signed_difference",
        "sad.s32 %0, %1, %2, %3;",
        ("=s32", "s32", "s32", "s32"),
        python(lambda a, b, c: signed(c + abs(a - b) & 0xFFFFFFFF, 32)),
    ),
    Entry("smaller", "min.s32 %0, %1, %2;", SIGNED, np.minimum),
    Entry("larger_unsigned", "max.u32 %0, %1, %2;", TWO, np.maximum),
    Entry(
        "clamp",
        "max.s32 %0, %1, -128; min.s32 %0, %0, 127;",
        ("=s32", "s32"),
        lambda a: np.clip(a, -128, 127),
    ),
    Entry("to_byte", "cvt.sat.u8.s32 %0, %1;", ("=u32", "s32"), lambda a: np.clip(a, 0, 255)),
    Entry(
        "pack_bytes",
        "cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;",
        ("=u32", "s32", "s32", "u32"),
        python(lambda a, b, c: (c << 16 | clamp(a, 0, 255) << 8 | clamp(b, 0, 255)) & 0xFFFFFFFF),
    ),
    Entry(
        "sign_extend_byte",
        "cvt.s32.s8 %0, %1;",
        ("=s32", "u32"),
        python(lambda a: signed(a & 255, 8)),
    ),
    Entry(
        "divide",
        "div.u32 %0, %1, %2;",
        TWO,
        lambda a, b: a // b,
        data={2: [1, 2, 3, 7, 10, 1000, 0x80000000, 0xFFFFFFFF]},
    ),
    Entry(
        "remainder",
        "rem.s32 %0, %1, %2;",
        SIGNED,
        python(lambda a, b: int(np.fmod(a, b))),
        data={1: [7, -7, 100, -100, 12345, -1], 2: [1, 2, -3, 10, 127]},
    ),
    Entry("short_sum", "add.u16 %0, %1, %2;", ("=u16", "u16", "u16"), lambda a, b: a + b),
    Entry(
        "short_product",
        "mul.wide.s16 %0, %1, %2;",
        ("=s32", "s16", "s16"),
        lambda a, b: a.astype(np.int32) * b.astype(np.int32),
    ),
    Entry(
        "differences_of_bytes",
        "vabsdiff4.u32.u32.u32 %0, %1, %2, %3;",
        THREE,
        each_byte(lambda a, b, c: abs(a - b)),
        data={3: [0]},
    ),
    Entry(
        "sum_of_byte_differences",
        "vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;",
        THREE,
        python(
            lambda a, b, c: (
                c
                + sum(
                    abs(x - y) for x, y in zip(parts(a, 8, False), parts(b, 8, False), strict=True)
                )
                & 0xFFFFFFFF
            )
        ),
    ),
    Entry(
        "bytes_added",
        "vadd4.u32.u32.u32 %0, %1, %2, %3;",
        THREE,
        each_byte(lambda a, b, c: a + b),
        data={3: [0]},
    ),
    Entry(
        "larger_bytes",
        "vmax4.u32.u32.u32 %0, %1, %2, %3;",
        THREE,
        each_byte(lambda a, b, c: max(a, b)),
        data={3: [0]},
    ),
    Entry(
        "larger_pairs",
        "vmax2.s32.s32.s32 %0, %1, %2, %3;",
        THREE,
        python(
            lambda a, b, c: sum(
                (max(x, y) & 0xFFFF) << 16 * i
                for i, (x, y) in enumerate(zip(parts(a, 16, True), parts(b, 16, True), strict=True))
            )
        ),
        data={3: [0]},
    ),
    Entry(
        "address_of_element",
        "mad.wide.s32 %0, %1, 8, %2;",
        ("=u64", "s32", "u64"),
        lambda i, base: (i.astype(np.int64) * 8).astype(np.uint64) + base,
    ),
    Entry(
        "select_by_sign",
        "slct.s32.s32 %0, %1, %2, %3;",
        ("=s32", "s32", "s32", "s32"),
        lambda a, b, c: np.where(c >= 0, a, b),
    ),
)
