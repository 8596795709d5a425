"""Instructions that ptxas does not fold, against the manual's pseudo code over Python integers."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from replay import evaluate
from vector_file import Section, Signature, Vector, width

from ptxlift.interp.numpy_algebra import NumpyAlgebra

COUNT = 300
WORDS = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
         0x12345678, 0x9ABCDEF0, 31, 32, 33, 64, 255, 256)  # fmt: skip
LONGS = (0, 1, 3, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 3, 1 << 32, 0x123456789ABCDEF0)

Reference = Callable[..., "int | tuple[int, ...]"]


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def by_type(value: int, kind: str) -> int:
    bits = int(kind[1:])
    return signed(value, bits) if kind[0] == "s" else value


def rows(signature: Signature, seed: str) -> list[tuple[int, ...]]:
    generator = random.Random(seed)
    found = []
    for number in range(COUNT):
        row = []
        for operand in signature.sources:
            bits = width(operand)
            if number % 3 == 0:
                row.append(generator.getrandbits(bits))
            else:
                edges = LONGS if bits == 64 else WORDS
                row.append(generator.choice(edges) & ((1 << bits) - 1))
        found.append(tuple(row))
    return found


def check(opcode: str, signature: str, reference: Reference) -> None:
    parsed = Signature.parse(signature)
    inputs = rows(parsed, opcode)
    section = Section(opcode, parsed, [Vector(row, ()) for row in inputs])
    results = evaluate(section, NumpyAlgebra())
    for number, row in enumerate(inputs):
        want = reference(*row)
        wanted = want if isinstance(want, tuple) else (want,)
        for result, value, operand in zip(results, wanted, parsed.results, strict=False):
            got = int(np.broadcast_to(result, len(inputs))[number])
            assert got == value & ((1 << width(operand)) - 1), [hex(word) for word in row]


def prmt(a: int, b: int, c: int) -> int:
    """Logic and Shift Instructions: prmt, default mode."""
    source = b << 32 | a
    result = 0
    for place in range(4):
        selector = c >> (4 * place) & 0xF
        byte = source >> (8 * (selector & 7)) & 0xFF
        if selector & 8:
            byte = 0xFF if byte & 0x80 else 0
        result |= byte << (8 * place)
    return result


# The manual's table: for each mode and value of c & 3 the byte numbers, msb first.
PRMT_MODES = {
    "f4e": ("3210", "4321", "5432", "6543"),
    "b4e": ("5670", "6701", "7012", "0123"),
    "rc8": ("0000", "1111", "2222", "3333"),
    "ecl": ("3210", "3211", "3222", "3333"),
    "ecr": ("0000", "1110", "2210", "3210"),
    "rc16": ("1010", "3232", "1010", "3232"),
}


def test_prmt() -> None:
    check("prmt.b32", "32 <- 32 32 32", prmt)


@pytest.mark.parametrize("mode", PRMT_MODES)
def test_prmt_modes(mode: str) -> None:
    def reference(a: int, b: int, c: int) -> int:
        return prmt(a, b, int(PRMT_MODES[mode][c & 3], 16))

    check(f"prmt.b32.{mode}", "32 <- 32 32 32", reference)


@pytest.mark.parametrize("mode", ["clamp", "wrap"])
def test_bmsk(mode: str) -> None:
    def reference(a: int, b: int) -> int:
        """Integer Arithmetic Instructions: bmsk."""
        a1, b1 = a & 0x1F, b & 0x1F
        mask0 = 0xFFFFFFFF << a1 & 0xFFFFFFFF
        total = a1 + b1
        mask1 = 0xFFFFFFFF << total & 0xFFFFFFFF
        if mode == "clamp":
            if a >= 32:
                mask0 = 0
            if b >= 32:
                mask1 = 0
        if total >= 32:
            mask1 = 0
        return mask0 & ~mask1

    check(f"bmsk.{mode}.b32", "32 <- 32 32", reference)


@pytest.mark.parametrize("kind", ["u32", "s32"])
@pytest.mark.parametrize("mode", ["clamp", "wrap"])
def test_szext(mode: str, kind: str) -> None:
    def reference(a: int, b: int) -> int:
        """Integer Arithmetic Instructions: szext."""
        b1 = b & 0x1F
        too_large = b >= 32 and mode == "clamp"
        mask = 0 if too_large else 0xFFFFFFFF << b1 & 0xFFFFFFFF
        sign = not (b1 == 0 or too_large or kind == "u32") and a >> ((b1 - 1) & 0x1F) & 1
        return (a & ~mask) | (mask if sign else 0)

    check(f"szext.{mode}.{kind}", "32 <- 32 32", reference)


@pytest.mark.parametrize("left", ["u32", "s32"])
@pytest.mark.parametrize("right", ["u32", "s32"])
def test_dp4a(left: str, right: str) -> None:
    def reference(a: int, b: int, c: int) -> int:
        """Integer Arithmetic Instructions: dp4a."""
        for place in range(4):
            x = by_type(a >> (8 * place) & 0xFF, left[0] + "8")
            y = by_type(b >> (8 * place) & 0xFF, right[0] + "8")
            c += x * y
        return c

    check(f"dp4a.{left}.{right}", "32 <- 32 32 32", reference)


@pytest.mark.parametrize("mode", ["lo", "hi"])
@pytest.mark.parametrize("left", ["u32", "s32"])
@pytest.mark.parametrize("right", ["u32", "s32"])
def test_dp2a(mode: str, left: str, right: str) -> None:
    def reference(a: int, b: int, c: int) -> int:
        """Integer Arithmetic Instructions: dp2a."""
        for place in range(2):
            byte = place + (2 if mode == "hi" else 0)
            x = by_type(a >> (16 * place) & 0xFFFF, left[0] + "16")
            y = by_type(b >> (8 * byte) & 0xFF, right[0] + "8")
            c += x * y
        return c

    check(f"dp2a.{mode}.{left}.{right}", "32 <- 32 32 32", reference)


@pytest.mark.parametrize("lut", [0x00, 0x1B, 0x80, 0x96, 0xCA, 0xE8, 0xFE, 0xFF])
def test_lop3(lut: int) -> None:
    def reference(a: int, b: int, c: int, table: int) -> int:
        """Logic and Shift Instructions: lop3."""
        result = 0
        for bit in range(32):
            index = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | c >> bit & 1
            result |= (lut >> index & 1) << bit
        return result

    parsed = Signature.parse("32 <- 32 32 32 #8")
    inputs = [(*row[:3], lut) for row in rows(parsed, f"lop3{lut}")]
    section = Section("lop3.b32", parsed, [Vector(row, ()) for row in inputs])
    (result,) = evaluate(section, NumpyAlgebra())
    for number, row in enumerate(inputs):
        assert int(np.broadcast_to(result, len(inputs))[number]) == reference(*row)


@pytest.mark.parametrize("kind", ["u16", "s16", "u32", "s32", "u64", "s64"])
def test_sad(kind: str) -> None:
    bits = int(kind[1:])

    def reference(a: int, b: int, c: int) -> int:
        """Integer Arithmetic Instructions: sad."""
        x, y = by_type(a, kind), by_type(b, kind)
        return c + (y - x if x < y else x - y)

    check(f"sad.{kind}", f"{bits} <- {bits} {bits} {bits}", reference)


@pytest.mark.parametrize("kind", ["u32", "s32", "u64", "s64"])
def test_mad_hi(kind: str) -> None:
    bits = int(kind[1:])

    def reference(a: int, b: int, c: int) -> int:
        """Integer Arithmetic Instructions: mad (.hi)."""
        return (by_type(a, kind) * by_type(b, kind) >> bits) + c

    check(f"mad.hi.{kind}", f"{bits} <- {bits} {bits} {bits}", reference)


@pytest.mark.parametrize("kind", ["u16", "s16", "u32", "s32", "u64", "s64"])
def test_division(kind: str) -> None:
    """Quotients round toward zero; a remainder has the sign of the dividend."""
    bits = int(kind[1:])

    def quotient(a: int, b: int) -> int:
        x, y = by_type(a, kind), by_type(b, kind)
        if y == 0:
            return a  # the manual leaves it open; see ir.ops
        magnitude = abs(x) // abs(y)
        return -magnitude if (x < 0) != (y < 0) else magnitude

    def remainder(a: int, b: int) -> int:
        x, y = by_type(a, kind), by_type(b, kind)
        if y == 0:
            return 0
        return -(abs(x) % abs(y)) if x < 0 else x % abs(y)

    check(f"div.{kind}", f"{bits} <- {bits} {bits}", quotient)
    check(f"rem.{kind}", f"{bits} <- {bits} {bits}", remainder)


@pytest.mark.parametrize("kind", ["u16x2", "s16x2"])
def test_packed_integers(kind: str) -> None:
    def halves(word: int) -> list[int]:
        return [by_type(word >> shift & 0xFFFF, kind[:3]) for shift in (0, 16)]

    def joined(parts: list[int]) -> int:
        return parts[0] & 0xFFFF | (parts[1] & 0xFFFF) << 16

    def apply(function: Callable[[int, int], int]) -> Reference:
        def reference(a: int, b: int) -> int:
            return joined([function(x, y) for x, y in zip(halves(a), halves(b), strict=True)])

        return reference

    check(f"add.{kind}", "32 <- 32 32", apply(lambda x, y: x + y))
    check(f"min.{kind}", "32 <- 32 32", apply(min))
    check(f"max.{kind}", "32 <- 32 32", apply(max))
    if kind == "s16x2":
        check("min.relu.s16x2", "32 <- 32 32", apply(lambda x, y: max(min(x, y), 0)))
        check("max.relu.s16x2", "32 <- 32 32", apply(lambda x, y: max(x, y, 0)))


def test_relu() -> None:
    def smaller(a: int, b: int) -> int:
        return max(min(signed(a, 32), signed(b, 32)), 0)

    def larger(a: int, b: int) -> int:
        return max(signed(a, 32), signed(b, 32), 0)

    check("min.relu.s32", "32 <- 32 32", smaller)
    check("max.relu.s32", "32 <- 32 32", larger)


@pytest.mark.parametrize("kind", ["u2", "s2", "u4", "s4", "u8", "s8"])
def test_cvt_pack_narrow(kind: str) -> None:
    bits = int(kind[1:])
    low = -(1 << (bits - 1)) if kind[0] == "s" else 0
    high = (1 << (bits - (kind[0] == "s"))) - 1

    def reference(a: int, b: int, c: int) -> int:
        """Data Movement and Conversion Instructions: cvt.pack."""
        parts = [min(max(signed(x, 32), low), high) & ((1 << bits) - 1) for x in (a, b)]
        return c << (2 * bits) | parts[0] << bits | parts[1]

    check(f"cvt.pack.sat.{kind}.s32.b32", "32 <- 32 32 32", reference)


def limits(kind: str) -> tuple[int, int]:
    bits = int(kind[1:])
    if kind[0] == "s":
        return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return 0, (1 << bits) - 1


def can_overflow(target: str, source: str) -> bool:
    (low, high), (least, most) = limits(target), limits(source)
    return least < low or high < most


TARGETS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
SATURATING = [(t, s) for t in TARGETS for s in TARGETS[2:] if can_overflow(t, s)]


@pytest.mark.parametrize(("target", "source"), SATURATING)
def test_cvt_integer_saturates(target: str, source: str) -> None:
    bits = int(target[1:])
    low, high = limits(target)

    def reference(a: int) -> int:
        return min(max(by_type(a, source), low), high)

    check(f"cvt.sat.{target}.{source}", f"{max(bits, 16)} <- {source[1:]}", _cut(reference, bits))


def _cut(reference: Callable[[int], int], bits: int) -> Callable[[int], int]:
    """An 8-bit result is compared before the register extends it."""

    def cut(a: int) -> int:
        return reference(a) & ((1 << bits) - 1)

    return cut


@pytest.mark.parametrize("kind", ["u32", "s32", "u64", "s64"])
@pytest.mark.parametrize("opcode", ["add.cc", "sub.cc", "mad.lo.cc", "mad.hi.cc"])
def test_carry_out(opcode: str, kind: str) -> None:
    """Extended-Precision Integer Arithmetic Instructions: the sum and the carry or borrow."""
    bits = int(kind[1:])
    mask = (1 << bits) - 1
    sources = 3 if opcode.startswith("mad") else 2
    parsed = Signature.parse(f"{bits} <- {' '.join([str(bits)] * sources)}")
    inputs = rows(parsed, opcode + kind)
    section = Section(f"{opcode}.{kind}", parsed, [Vector(row, ()) for row in inputs])
    result, carry = evaluate(section, NumpyAlgebra())
    for number, row in enumerate(inputs):
        if opcode == "sub.cc":
            exact = row[0] - row[1]
        elif opcode == "add.cc":
            exact = row[0] + row[1]
        else:
            product = by_type(row[0], kind) * by_type(row[1], kind)
            half = product >> bits if opcode == "mad.hi.cc" else product
            exact = (half & mask) + row[2]
        assert int(result[number]) == exact & mask
        assert bool(carry[number]) == (exact > mask or exact < 0)
