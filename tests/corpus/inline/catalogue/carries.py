"""Long arithmetic: chains of the carry flag, as big-number libraries write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from catalogue.model import Array, Entry

WORD = 1 << 32


def number(words: Sequence[int], bits: int = 32) -> int:
    return sum(word << bits * index for index, word in enumerate(words))


def words(value: int, count: int, bits: int = 32) -> list[int]:
    return [value >> bits * index & (1 << bits) - 1 for index in range(count)]


def by_thread(function: Callable[..., Sequence[int]]) -> Callable[..., tuple[Array, ...]]:
    """A function of Python integers that gives several, applied to every thread."""

    def apply(*arrays: Array) -> tuple[Array, ...]:
        rows = zip(*(a.tolist() for a in arrays), strict=True)
        columns = zip(*(function(*row) for row in rows), strict=True)
        return tuple(np.array(column, dtype=object) for column in columns)

    return apply


def added(*w: int) -> list[int]:
    half = len(w) // 2
    return words(number(w[:half]) + number(w[half:]), half)


def subtracted(*w: int) -> list[int]:
    half = len(w) // 2
    return words(number(w[:half]) - number(w[half:]), half)


ADD_256 = "\n".join(
    ["add.cc.u32 %0, %0, %8;"]
    + [f"addc.cc.u32 %{i}, %{i}, %{i + 8};" for i in range(1, 7)]
    + ["addc.u32 %7, %7, %15;"]
)
SUB_256 = (
    "sub.cc.u32 %0, %8, %16;\n\t"
    + "".join(f"subc.cc.u32 %{i}, %{i + 8}, %{i + 16};\n\t" for i in range(1, 7))
    + "subc.u32 %7, %15, %23;\n\t"
)
SQUARE_64 = """{
    .reg .u32 lo, hi, m;
    mul.lo.u32 %0, %4, %4;
    mul.hi.u32 %1, %4, %4;
    mad.lo.cc.u32 %1, %4, %5, %1;
    madc.hi.u32 %2, %4, %5, 0;
    mad.lo.cc.u32 %1, %4, %5, %1;
    madc.hi.cc.u32 %2, %4, %5, %2;
    addc.u32 %3, 0, 0;
    mad.lo.cc.u32 %2, %5, %5, %2;
    madc.hi.u32 %3, %5, %5, %3;
}"""


ENTRIES = (
    Entry(
        "add_64",
        "add.cc.u32 %0, %2, %4;\n\taddc.u32 %1, %3, %5;",
        ("=u32", "=u32", "u32", "u32", "u32", "u32"),
        by_thread(added),
    ),
    Entry(
        "add_128",
        "add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, %9; addc.cc.u32 %2, %6, %10;"
        " addc.u32 %3, %7, %11;",
        ("=u32",) * 4 + ("u32",) * 8,
        by_thread(added),
    ),
    Entry("add_256_in_place", ADD_256, ("+u32",) * 8 + ("u32",) * 8, by_thread(added)),
    Entry("sub_256", SUB_256, ("=u32",) * 8 + ("u32",) * 16, by_thread(subtracted)),
    Entry(
        "add_128_of_64",
        "add.cc.u64 %0, %2, %4; addc.u64 %1, %3, %5;",
        ("=u64", "=u64", "u64", "u64", "u64", "u64"),
        by_thread(lambda a, b, c, d: words(number((a, b), 64) + number((c, d), 64), 2, 64)),
    ),
    Entry(
        "sub_128_of_64",
        "sub.cc.u64 %0, %2, %4; subc.u64 %1, %3, %5;",
        ("=u64", "=u64", "u64", "u64", "u64", "u64"),
        by_thread(lambda a, b, c, d: words(number((a, b), 64) - number((c, d), 64), 2, 64)),
    ),
    Entry(
        "carry_out",
        "add.cc.u32 %0, %2, %3;\naddc.u32 %1, 0, 0;",
        ("=u32", "=u32", "u32", "u32"),
        by_thread(lambda a, b: words(a + b, 2)),
    ),
    Entry(
        "borrow_mask",
        "{ sub.cc.u32 %0, %2, %3; subc.u32 %1, 0, 0; }",
        ("=u32", "=u32", "u32", "u32"),
        by_thread(lambda a, b: ((a - b) % WORD, WORD - 1 if a < b else 0)),
    ),
    Entry(
        "carry_out_64",
        "add.cc.u64 %0, %2, %3; addc.u64 %1, 0, 0;",
        ("=u64", "=u64", "u64", "u64"),
        by_thread(lambda a, b: words(a + b, 2, 64)),
    ),
    Entry(
        "multiply_add_64",
        "mad.lo.cc.u32 %0, %2, %3, %4;\n madc.hi.u32 %1, %2, %3, %5;",
        ("=u32", "=u32", "u32", "u32", "u32", "u32"),
        by_thread(lambda a, b, c, d: words(a * b + number((c, d)), 2)),
    ),
    Entry(
        "multiply_accumulate_96",
        "mad.lo.cc.u32 %0, %3, %4, %0; madc.hi.cc.u32 %1, %3, %4, %1; addc.u32 %2, %2, 0;",
        ("+u32", "+u32", "+u32", "u32", "u32"),
        by_thread(lambda a, b, c, x, y: words(number((a, b, c)) + x * y, 3)),
    ),
    Entry(
        "square_64",
        SQUARE_64,
        ("=u32",) * 4 + ("u32", "u32"),
        by_thread(lambda a, b: words(number((a, b)) ** 2, 4)),
    ),
    Entry(
        "multiply_64_of_128",
        "mul.lo.u64 %0, %2, %3; mul.hi.u64 %1, %2, %3;",
        ("=u64", "=u64", "u64", "u64"),
        by_thread(lambda a, b: words(a * b, 2, 64)),
    ),
    Entry(
        "accumulate_192",
        "mad.lo.cc.u64 %0, %3, %4, %0; madc.hi.cc.u64 %1, %3, %4, %1; addc.u64 %2, %2, 0;",
        ("+u64", "+u64", "+u64", "u64", "u64"),
        by_thread(lambda a, b, c, x, y: words(number((a, b, c), 64) + x * y, 3, 64)),
    ),
    Entry(
        "negate_64",
        "sub.cc.u32 %0, 0, %2; subc.u32 %1, 0, %3;",
        ("=u32", "=u32", "u32", "u32"),
        by_thread(lambda a, b: words(-number((a, b)), 2)),
    ),
    Entry(
        "subtract_if_not_less",
        "{ .reg .u32 a, b, m; sub.cc.u32 a, %2, %4; subc.cc.u32 b, %3, %5; subc.u32 m, 0, 0;\n"
        " lop3.b32 %0, %2, a, m, 0xE4; lop3.b32 %1, %3, b, m, 0xE4; }",
        ("=u32", "=u32", "u32", "u32", "u32", "u32"),
        by_thread(
            lambda a, b, c, d: words(
                number((a, b)) - (number((c, d)) if number((a, b)) >= number((c, d)) else 0), 2
            )
        ),
    ),
    Entry(
        "montgomery_step",
        "{ .reg .u32 m; mul.lo.u32 m, %0, %3; mad.lo.cc.u32 %0, m, %2, %0; "
        "madc.hi.u32 %0, m, %2, 0; add.u32 %1, m, 0; }",
        ("+u32", "=u32", "u32", "u32"),
        by_thread(lambda t, p, q: ((t * q % WORD * p + t) >> 32 & WORD - 1, t * q % WORD)),
    ),
    Entry(
        "shift_128",
        "{ .reg .u64 t; shl.b64 %1, %3, 9; shr.b64 t, %2, 55;"
        " or.b64 %1, %1, t; shl.b64 %0, %2, 9; }",
        ("=u64", "=u64", "u64", "u64"),
        by_thread(lambda a, b: words(number((a, b), 64) << 9, 2, 64)),
    ),
    Entry(
        "wide_product",
        "mul.wide.u32 %0, %1, %2;",
        ("=u64", "u32", "u32"),
        lambda a, b: a.astype(np.uint64) * b.astype(np.uint64),
    ),
    Entry(
        "wide_multiply_add",
        "mad.wide.u32 %0, %1, %2, %3;",
        ("=u64", "u32", "u32", "u64"),
        lambda a, b, c: a.astype(np.uint64) * b.astype(np.uint64) + c,
    ),
    Entry(
        "unused_carry",
        "add.cc.u32 %0, %1, %2;",
        ("=u32", "u32", "u32"),
        lambda a, b: a + b,
    ),
)
