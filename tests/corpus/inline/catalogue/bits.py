"""Bit fiddling: lop3, prmt, fields, shifts, packing."""

from __future__ import annotations

import numpy as np

from catalogue.model import Array, Entry

MASK = np.uint64(0xFFFFFFFF)


def wide(a: Array) -> Array:
    return a.astype(np.uint64)


def python(function: object) -> object:
    """A function of Python integers applied to every thread."""

    def apply(*arrays: Array) -> Array:
        rows = zip(*(a.tolist() for a in arrays), strict=True)
        return np.array([function(*row) for row in rows], dtype=object)  # type: ignore[operator]

    return apply


def lop3(lut: int) -> object:
    def apply(a: Array, b: Array, c: Array) -> Array:
        out = np.zeros_like(a)
        for i in range(8):
            if lut >> i & 1:
                term = a if i & 4 else ~a
                term = term & (b if i & 2 else ~b)
                out |= term & (c if i & 1 else ~c)
        return out

    return apply


def prmt(a: int, b: int, selector: int) -> int:
    data, out = b << 32 | a, 0
    for i in range(4):
        nibble = selector >> 4 * i & 15
        byte = data >> 8 * (nibble & 7) & 255
        if nibble & 8:
            byte = 255 if byte & 128 else 0
        out |= byte << 8 * i
    return out


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) & 1 else value


def bfe_u(a: int, position: int, length: int) -> int:
    position, length = position & 255, length & 255
    return (a >> position) & ((1 << length) - 1)


def bfe_s(a: int, position: int, length: int) -> int:
    position, length = position & 255, length & 255
    if length == 0:
        return 0
    a = signed(a & 0xFFFFFFFF, 32)
    field = (a >> position) & ((1 << length) - 1)
    return signed(field, length) & 0xFFFFFFFF


def bfi(a: int, b: int, position: int, length: int, width: int = 32) -> int:
    position, length = position & 255, length & 255
    mask = (((1 << length) - 1) << position) & ((1 << width) - 1)
    return (b & ~mask) | (a << position & mask)


def rotl32(a: int, n: int) -> int:
    n &= 31
    return (a << n | a >> (32 - n)) & 0xFFFFFFFF


def bfind(a: int, width: int = 32, is_signed: bool = False) -> int:
    a &= (1 << width) - 1
    if is_signed and a >> (width - 1):
        a = ~a & ((1 << width) - 1)
    return a.bit_length() - 1 & 0xFFFFFFFF


def fns(mask: int, base: int, offset: int) -> int:
    """Integer Arithmetic Instructions: fns, as its pseudo code says."""
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    step = 1 if offset > 0 else -1
    position, left = base, abs(offset)
    while 0 <= position < 32:
        if mask >> position & 1:
            left -= 1
            if left == 0:
                return position
        position += step
    return 0xFFFFFFFF


SMALL = [0, 1, 2, 4, 8, 15, 16, 24, 31]
ENTRIES = (
    Entry("xor3", "lop3.b32 %0, %1, %2, %3, 0x96;", ("=u32", "u32", "u32", "u32"), lop3(0x96)),
    Entry("majority", "lop3.b32 %0, %1, %2, %3, 0xE8;", ("=u32", "u32", "u32", "u32"), lop3(0xE8)),
    Entry("choose", "lop3.b32 %0, %1, %2, %3, 0xCA;", ("=u32", "u32", "u32", "u32"), lop3(0xCA)),
    Entry(
        "lut_as_constant",
        "lop3.b32 %0, %1, %2, %3, %4;\n",
        ("=u32", "u32", "u32", "u32", 0xEA),
        lop3(0xEA),
    ),
    Entry(
        "dequantise_low",
        "lop3.b32 %0, %1, %2, %3, %4;\n",
        ("=u32", "u32", 0x000F000F, 0x64006400, 0xEA),
        lambda q: q & 0x000F000F | 0x64006400,
    ),
    Entry(
        "dequantise_high",
        "lop3.b32 %0, %1, %2, %3, %4;\n",
        ("=u32", "u32", 0x00F000F0, 0x64006400, (0xF0 & 0xCC) | 0xAA),
        lambda q: q & 0x00F000F0 | 0x64006400,
    ),
    Entry("xor_in_place", "lop3.b32 %0, %0, %1, %2, 0x96;", ("+u32", "u32", "u32"), lop3(0x96)),
    Entry(
        "lop3_or_predicate",
        "{ .reg .pred p, t; setp.ne.u32 t, %1, %1;\n"
        "  lop3.or.b32 _|p, %1, %2, %3, 0x80, t; selp.u32 %0, 1, 0, p; }",
        ("=u32", "u32", "u32", "u32"),
        lambda a, b, c: (a & b & c != 0).astype(np.uint32),
    ),
    Entry(
        "prmt_reverse_bytes",
        "prmt.b32 %0, %1, 0, 0x0123;",
        ("=u32", "u32"),
        lambda a: a.byteswap(),
    ),
    Entry(
        "prmt_interleave_low",
        "prmt.b32 %0, %1, %2, 0x5140;",
        ("=u32", "u32", "u32"),
        python(lambda a, b: prmt(a, b, 0x5140)),
    ),
    Entry(
        "prmt_widen",
        "prmt.b32 %0,%1,%2,%3;\n",
        ("=u32", "u32", 0x64646464, 0x5250),
        python(lambda a: prmt(a, 0x64646464, 0x5250)),
    ),
    Entry(
        "prmt_selector_in_register",
        "prmt.b32 %0, %1, %2, %3;",
        ("=u32", "u32", "u32", "u32"),
        python(prmt),
    ),
    Entry(
        "prmt_sign_bytes",
        "prmt.b32 %0, %1, 0, 0xba98;",
        ("=u32", "u32"),
        python(lambda a: prmt(a, 0, 0xBA98)),
    ),
    Entry(
        "funnel_bytes",
        "prmt.b32.f4e %0, %1, %2, %3;",
        ("=u32", "u32", "u32", "u32"),
        python(lambda a, b, c: (b << 32 | a) >> 8 * (c & 3) & 0xFFFFFFFF),
    ),
    Entry(
        "field",
        "bfe.u32 %0, %1, %2, %3;",
        ("=u32", "u32", "u32", "u32"),
        python(bfe_u),
        data={2: SMALL, 3: [1, 2, 3, 5, 8, 31, 32, 40]},
    ),
    Entry(
        "signed_field",
        "bfe.s32 %0, %1, %2, %3;",
        ("=u32", "u32", "u32", "u32"),
        python(bfe_s),
        data={2: [0, 1, 2, 4, 8, 15, 16], 3: [1, 2, 3, 5, 8, 16]},
    ),
    Entry(
        "nibble_five",
        "bfe.u32 %0, %1, 20, 4;",
        ("=u32", "u32"),
        lambda a: a >> 20 & 15,
    ),
    Entry(
        "field_of_64",
        "bfe.u64 %0, %1, %2, %3;",
        ("=u64", "u64", "u32", "u32"),
        python(bfe_u),
        data={2: [0, 1, 17, 32, 63], 3: [1, 7, 20, 64]},
    ),
    Entry(
        "insert_field",
        "bfi.b32 %0, %1, %2, %3, %4;",
        ("=u32", "u32", "u32", "u32", "u32"),
        python(bfi),
        data={3: SMALL, 4: [1, 2, 3, 5, 8]},
    ),
    Entry(
        "insert_in_place",
        "bfi.b32 %0, %1, %0, 8, 8;",
        ("+u32", "u32"),
        python(lambda b, a: bfi(a, b, 8, 8)),
    ),
    Entry(
        "insert_field_64",
        "bfi.b64 %0, %1, %2, 24, 16;",
        ("=u64", "u64", "u64"),
        python(lambda a, b: bfi(a, b, 24, 16, 64)),
    ),
    Entry(
        "reverse",
        "brev.b32 %0, %1;",
        ("=u32", "u32"),
        python(lambda a: int(f"{a:032b}"[::-1], 2)),
    ),
    Entry(
        "reverse_64",
        "brev.b64 %0, %1;",
        ("=u64", "u64"),
        python(lambda a: int(f"{a:064b}"[::-1], 2)),
    ),
    Entry(
        "leading_zeros",
        "clz.b32 %0, %1;",
        ("=u32", "u32"),
        python(lambda a: 32 - a.bit_length()),
    ),
    Entry(
        "leading_zeros_64",
        "clz.b64 %0, %1;",
        ("=u32", "u64"),
        python(lambda a: 64 - a.bit_length()),
    ),
    Entry("ones", "popc.b32 %0, %1;", ("=u32", "u32"), python(lambda a: a.bit_count())),
    Entry("ones_64", "popc.b64 %0, %1;", ("=u32", "u64"), python(lambda a: a.bit_count())),
    Entry("highest_bit", "bfind.u32 %0, %1;", ("=u32", "u32"), python(bfind)),
    Entry(
        "highest_signed",
        "bfind.s32 %0, %1;",
        ("=u32", "s32"),
        python(lambda a: bfind(a, 32, True)),
    ),
    Entry(
        "highest_bit_64",
        "bfind.u64 %0, %1;",
        ("=u32", "u64"),
        python(lambda a: bfind(a, 64)),
    ),
    Entry(
        "normalising_shift",
        "bfind.shiftamt.u32 %0, %1;",
        ("=u32", "u32"),
        python(lambda a: 31 - bfind(a) if a else 0xFFFFFFFF),
    ),
    Entry(
        "rotate_left",
        "shf.l.wrap.b32 %0, %1, %1, %2;",
        ("=u32", "u32", "u32"),
        python(rotl32),
    ),
    Entry(
        "rotate_right_by_constant",
        "shf.r.wrap.b32 %0, %1, %1, 7;",
        ("=u32", "u32"),
        python(lambda a: rotl32(a, 25)),
    ),
    Entry(
        "funnel_left",
        "shf.l.clamp.b32 %0, %1, %2, %3;",
        ("=u32", "u32", "u32", "u32"),
        python(lambda a, b, c: ((b << 32 | a) << min(c, 32)) >> 32 & 0xFFFFFFFF),
        data={3: [0, 1, 5, 31, 32, 33, 100]},
    ),
    Entry(
        "funnel_right",
        "shf.r.wrap.b32 %0, %1, %2, %3;",
        ("=u32", "u32", "u32", "u32"),
        python(lambda a, b, c: (b << 32 | a) >> (c & 31) & 0xFFFFFFFF),
    ),
    Entry(
        "pack_64",
        "mov.b64 %0, {%1, %2};",
        ("=u64", "u32", "u32"),
        lambda lo, hi: wide(lo) | wide(hi) << np.uint64(32),
    ),
    Entry(
        "unpack_64",
        "mov.b64 {%0, %1}, %2;",
        ("=u32", "=u32", "u64"),
        lambda a: (a & MASK, a >> np.uint64(32)),
    ),
    Entry(
        "high_word",
        "{ .reg .b32 lo; mov.b64 {lo, %0}, %1; }",
        ("=u32", "u64"),
        lambda a: a >> np.uint64(32),
    ),
    Entry(
        "swap_words",
        "{\n\t.reg .b32 lo, hi;\n\tmov.b64 {lo, hi}, %1;\n\tmov.b64 %0, {hi, lo};\n}",
        ("=u64", "u64"),
        lambda a: a << np.uint64(32) | a >> np.uint64(32),
    ),
    Entry(
        "rotate_64",
        "{ .reg .b32 a, b, c, d; mov.b64 {a, b}, %1;\n"
        " shf.l.wrap.b32 c, b, a, 13; shf.l.wrap.b32 d, a, b, 13; mov.b64 %0, {c, d}; }",
        ("=u64", "u64"),
        lambda a: a << np.uint64(13) | a >> np.uint64(51),
    ),
    Entry(
        "pack_halves",
        "mov.b32 %0, {%1, %2};",
        ("=u32", "u16", "u16"),
        lambda lo, hi: lo.astype(np.uint32) | hi.astype(np.uint32) << 16,
    ),
    Entry(
        "unpack_halves",
        "mov.b32 {%0, %1}, %2;",
        ("=u16", "=u16", "u32"),
        lambda a: (a & 0xFFFF, a >> 16),
    ),
    Entry(
        "broadcast_half",
        "{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, h}; }",
        ("=u32", "u32"),
        lambda a: a >> 16 | (a >> 16) << 16,
    ),
    Entry(
        "mask_of_bits",
        "bmsk.clamp.b32 %0, %1, %2;",
        ("=u32", "u32", "u32"),
        python(lambda a, b: ((1 << b) - 1) << a & 0xFFFFFFFF),
        data={1: SMALL, 2: [1, 2, 3, 7, 16]},
    ),
    Entry(
        "extend_sign",
        "szext.wrap.s32 %0, %1, %2;",
        ("=u32", "u32", "u32"),
        python(lambda a, b: signed(a & (1 << b) - 1, b) & 0xFFFFFFFF),
        data={2: [1, 4, 8, 16, 24, 31]},
    ),
    Entry(
        "nth_set_bit",
        "fns.b32 %0, %1, %2, %3;",
        ("=u32", "u32", "u32", "s32"),
        python(fns),
        data={2: [0, 3, 16, 31], 3: [0, 1, 2, 5, -1, -3, 30]},
    ),
    Entry("is_zero", "cnot.b32 %0, %1;", ("=u32", "u32"), lambda a: (a == 0).astype(np.uint32)),
    Entry(
        "shift_too_far",
        "shl.b32 %0, %1, %2;",
        ("=u32", "u32", "u32"),
        python(lambda a, n: a << n & 0xFFFFFFFF if n < 32 else 0),
        data={2: [0, 1, 31, 32, 33, 255]},
    ),
    Entry(
        "arithmetic_shift",
        "shr.s32 %0, %1, %2;",
        ("=s32", "s32", "u32"),
        python(lambda a, n: a >> min(n, 31)),
        data={2: [0, 1, 31, 32, 33, 255]},
    ),
    Entry(
        "not_and",
        "{ .reg .b32 t; not.b32 t, %2; and.b32 %0, %1, t; }",
        ("=u32", "u32", "u32"),
        lambda a, b: a & ~b,
    ),
    Entry(
        "two_results",
        "and.b32 %0, %2, %3; xor.b32 %1, %2, %3;",
        ("=u32", "=u32", "u32", "u32"),
        lambda a, b: (a & b, a ^ b),
    ),
)
