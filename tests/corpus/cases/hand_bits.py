"""Cases of hand-written PTX: carry chains, bit fields, conversions, packed arithmetic.

The references spell out the manual's definitions with Python integers and fractions of no width.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .hand_control import WORD, word_rows
from .model import Array, Case, Inputs


def signed(value: int, bits: int = 32) -> int:
    """The two's complement reading of the low bits."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def split_words(value: int, count: int) -> list[int]:
    return [value >> (32 * k) & WORD for k in range(count)]


def carry_inputs(rng: np.random.Generator) -> Inputs:
    a = rng.integers(0, 2**32, (40, 4), dtype=np.uint32)
    b = rng.integers(0, 2**32, (40, 4), dtype=np.uint32)
    a[:4] = [[WORD] * 4, [0] * 4, [WORD, WORD, 0, 0], [0, 0, 0, 1]]
    b[:4] = [[1, 0, 0, 0], [1, 0, 0, 0], [WORD, 0, WORD, 0], [1, 0, 0, 0]]
    return [a, b, np.zeros((40, 20), np.uint32)]


def carry_row(a_words: Array, b_words: Array) -> list[int]:
    a = int.from_bytes(a_words.tobytes(), "little")
    b = int.from_bytes(b_words.tobytes(), "little")
    borrow = WORD if a < b else 0
    negated = -a % 2**128
    folded = negated % 2**64 + (negated >> 64)
    return [
        *split_words(a + b, 4),
        *split_words(a - b, 4),
        *split_words(a * (b & WORD) + b, 4),
        *split_words(a + b, 4),
        *split_words(folded, 2),
        *(borrow + 5 + (folded >> 64), borrow),
    ]


def carry_reference(inputs: Inputs) -> dict[int, Array]:
    return {2: word_rows([carry_row(a, b) for a, b in zip(*inputs[:2], strict=True)])}


def bitfields_inputs(rng: np.random.Generator) -> Inputs:
    rows = rng.integers(0, 2**32, (96, 4), dtype=np.uint32)
    rows[:64, 2] %= 40
    rows[:64, 3] %= 40
    rows[:6, 0] = [0, WORD, 1, 2**31, 2**31 - 1, 0xFFFFFFFE]
    rows[6:10, 2:] = [[0, 0], [32, 32], [31, 1], [255, 255]]
    return [rows, np.zeros((96, 32), np.uint32)]


def count_of(amount: int, bits: int) -> int:
    """A position or length: its low byte for 32-bit fields, all of it for 64-bit ones (ptxas)."""
    return amount & 255 if bits == 32 else min(amount, bits)


def extract_field(a: int, bits: int, position: int, length: int) -> int:
    """bfe.u: bits outside the word read as zero."""
    mask = (1 << count_of(length, bits)) - 1
    return (a >> count_of(position, bits)) & mask & ((1 << bits) - 1)


def extract_signed_field(a: int, position: int, length: int) -> int:
    """bfe.s32: bits above the field, or above bit 31, repeat the sign."""
    position, length = position & 255, length & 255
    if length == 0:
        return 0
    wide = signed(a) >> min(position, 31)
    top = min(position + length - 1, 31)
    if position > 31:
        return -(a >> 31)
    return signed(wide, top - position + 1)


def insert_field(a: int, b: int, bits: int, position: int, length: int) -> int:
    place = count_of(position, bits)
    mask = ((1 << count_of(length, bits)) - 1) << place & ((1 << bits) - 1)
    return (b & ~mask) | (a << place & mask)


def lookup3(a: int, b: int, c: int, table: int) -> int:
    result = 0
    for at in range(32):
        index = (a >> at & 1) << 2 | (b >> at & 1) << 1 | (c >> at & 1)
        result |= (table >> index & 1) << at
    return result


def permute(a: int, b: int, places: list[int]) -> int:
    """prmt: each place picks a byte of b:a; bit 3 repeats that byte's sign instead."""
    result = 0
    for at, place in enumerate(places):
        octet = (b << 32 | a) >> (8 * (place & 7)) & 255
        if place & 8:
            octet = 255 * (octet >> 7)
        result |= octet << (8 * at)
    return result


PERMUTE_MODES: tuple[Callable[[int, int], int], ...] = (
    lambda s, at: (s + at) & 7,  # f4e
    lambda s, at: (s - at) & 7,  # b4e
    lambda s, at: s,  # rc8
    lambda s, at: max(at, s),  # ecl
    lambda s, at: min(at, s),  # ecr
    lambda s, at: (s & 1) * 2 + (at & 1),  # rc16
)


def funnel_words(a: int, b: int, c: int) -> list[int]:
    wide = b << 32 | a
    clamped, wrapped = min(c, 32), c & 31
    return [
        wide << clamped >> 32 & WORD,
        wide << wrapped >> 32 & WORD,
        wide >> clamped & WORD,
        wide >> wrapped & WORD,
    ]


def bit_mask(position: int, width: int) -> int:
    return (((1 << min(width, 32)) - 1) << min(position, 32)) & WORD


def bitfields_row(a: int, b: int, c: int, d: int) -> list[int]:
    both = b << 32 | a
    field = extract_field(both, 64, c, d)
    selector = [c >> (4 * at) & 15 for at in range(4)]
    modes = [permute(a, b, [mode(c & 3, at) for at in range(4)]) for mode in PERMUTE_MODES]
    magnitude = ~a & WORD if a >> 31 else a
    return [
        extract_field(a, 32, c, d),
        extract_signed_field(a, c, d),
        insert_field(a, b, 32, c, d),
        *funnel_words(a, b, c),
        *(lookup3(a, b, c, 0xE8), lookup3(a, b, d, 0x96), lookup3(a, b, d, 0x1B)),
        *(permute(a, b, selector), permute(a, b, [3, 5, 13, 9])),
        *modes,
        *(a.bit_length() - 1, 32 - magnitude.bit_length() if magnitude else WORD),
        *(a << min(c, 32), a >> min(c, 32), signed(a) >> min(c, 31), bit_mask(c, d)),
        a if d > 31 else (signed(a, d) if d else 0),
        a & ((1 << (d & 31)) - 1),
        abs(signed(a) - signed(b)) + c,
        (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 16,
        *split_words(field, 2),
        *split_words(insert_field(both, field, 64, 20, d & 31), 2),
    ]


def bitfields_reference(inputs: Inputs) -> dict[int, Array]:
    return {1: word_rows([bitfields_row(*row) for row in inputs[0].tolist()])}


EDGES = (
    *(0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-7, -1e-7, 1e-40, 0.999, -0.3, 127.5, -128.5),
    *(300.0, -200.0, 65535.7, 65504.0, 65519.9, 65520.0, 2147483520.0, 2147483648.0, -2147483648.0),
    *(4294967040.0, 4294967296.0, 9.2e18, 1.9e19, -1e19, 3e38, -3e38, 6.1e-5, 5.9e-8),
    *(np.inf, -np.inf, np.nan, 0.33333, -7.75, 8388609.0),
)


def conversions_inputs(rng: np.random.Generator) -> Inputs:
    values = (rng.standard_normal(64) * 10.0 ** rng.integers(-3, 12, 64)).astype(np.float32)
    values[: len(EDGES)] = EDGES
    return [values, np.zeros((64, 24), np.uint32)]


def clamp(value: float, rounding: Callable[[float], float], low: int, high: int) -> int:
    """A float to an integer: rounded, then clamped; a NaN gives zero."""
    if np.isnan(value):
        return 0
    if np.isinf(value):
        return high if value > 0 else low
    return min(max(int(rounding(value)), low), high)


def clamp64(value: float, low: int, high: int) -> int:
    """To 64 bits a NaN gives the highest bit alone (manual, "cvt", floating-point notes)."""
    return 1 << 63 if np.isnan(value) else clamp(value, np.trunc, low, high)


def half_bits(value: np.float32) -> int:
    return int(np.float16(value).view(np.uint16))


def half_toward_zero(value: np.float32) -> int:
    near = np.float16(value)
    if abs(np.float32(near)) > abs(value):
        near = np.nextafter(near, np.float16(0))
    return int(near.view(np.uint16))


def f32_toward_zero(value: int) -> np.float32:
    near = np.float32(value)
    return np.nextafter(near, np.float32(0)) if int(near) > value else near


def conversions_row(x: np.float32) -> list[int]:
    bits = int(x.view(np.uint32))
    value = float(x)
    # A NaN and -0.0 both give +0.0.
    saturated = min(value, 1.0) if value > 0 else 0.0
    rounded = [np.rint(x), np.trunc(x), np.floor(x), np.ceil(x), saturated, np.float16(x)]
    total = np.float64(x) + np.float64(signed(bits))
    unsigned = np.array([np.float32(bits), f32_toward_zero(bits)], np.float32)
    half = half_bits(x)
    return [
        clamp(value, np.rint, -(2**31), 2**31 - 1),
        clamp(value, np.trunc, -(2**31), 2**31 - 1),
        clamp(value, np.floor, -(2**31), 2**31 - 1),
        clamp(value, np.ceil, 0, 2**32 - 1),
        *np.array(rounded, np.float32).view(np.uint32).tolist(),
        *(clamp(value, np.trunc, -128, 127), clamp(value, np.trunc, 0, 65535)),
        *split_words(clamp64(value, -(2**63), 2**63 - 1) % 2**64, 2),
        *split_words(clamp64(value, 0, 2**64 - 1), 2),
        half | half_toward_zero(x) << 16,
        half_bits(-x) | half << 16,
        *(min(max(signed(bits), -128), 127), signed(bits, 16)),
        *split_words(int(total.view(np.uint64)), 2),
        *unsigned.view(np.uint32).tolist(),
    ]


def conversions_reference(inputs: Inputs) -> dict[int, Array]:
    with np.errstate(over="ignore", invalid="ignore"):
        rows = [conversions_row(x) for x in inputs[0]]
    return {1: unify_nans(word_rows(rows))}


def unify_nans(rows: Array) -> Array:
    """One NaN for every NaN: PTX leaves the payload of these results open."""
    result = rows.copy()
    floats = result[:, 4:10].view(np.float32)
    floats[np.isnan(floats)] = np.nan
    halves = result[:, 16:18].view(np.float16)
    halves[np.isnan(halves)] = np.nan
    doubles = np.ascontiguousarray(result[:, 20:22]).view(np.float64)
    doubles[np.isnan(doubles)] = np.nan
    result[:, 20:22] = doubles.view(np.uint32)
    return result


def packed_inputs(rng: np.random.Generator) -> Inputs:
    rows = rng.integers(0, 2**32, (80, 4), dtype=np.uint32)
    rows[:3, :2] = [[2**31, 2**31], [2**31 - 1, 1], [2**31, WORD]]
    halves = rng.standard_normal((80, 2)).astype(np.float16)
    rows[:, 3] = halves.view(np.uint32)[:, 0]
    return [rows, np.zeros((80, 8), np.uint32)]


def fused_half(a: Array, b: Array, c: Array) -> Array:
    """Products of halves have 22 bits: with the addend they fit f64, so there is one rounding."""
    return (a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)).astype(np.float16)


def packed_row(a: int, b: int, c: int, pair: int) -> list[int]:
    a_bytes = list(a.to_bytes(4, "little"))
    b_bytes = list(b.to_bytes(4, "little"))
    a_signed = [signed(octet, 8) for octet in a_bytes]
    b_signed = [signed(octet, 8) for octet in b_bytes]
    a_halves = [a & 0xFFFF, a >> 16]
    x = np.array([pair], np.uint32).view(np.float16)
    fused = fused_half(x, x, x)
    added = fused_half(fused, np.ones(2, np.float16), x)
    product = fused_half(added, fused, np.zeros(2, np.float16))
    return [
        c + sum(x * y for x, y in zip(a_bytes, b_bytes, strict=True)),
        c + sum(x * y for x, y in zip(a_signed, b_bytes, strict=True)),
        c + signed(a_halves[0], 16) * b_signed[0] + signed(a_halves[1], 16) * b_signed[1],
        c + a_halves[0] * b_signed[2] + a_halves[1] * b_signed[3],
        *(int(value.view(np.uint32)[0]) for value in (fused, added, product)),
        c + sum(x * y for x, y in zip(a_bytes, b_signed, strict=True)),
    ]


def packed_reference(inputs: Inputs) -> dict[int, Array]:
    return {1: word_rows([packed_row(*row) for row in inputs[0].tolist()])}


def video_row(a: int, b: int, c: int, d: int) -> list[int]:
    a_bytes = list(a.to_bytes(4, "little"))
    b_bytes = list(b.to_bytes(4, "little"))
    total = min(max(signed(a) + signed(b), -(2**31)), 2**31 - 1)
    return [
        total,
        abs(a_bytes[1] - b_bytes[3]) + c,
        max(signed(a, 16), signed(b >> 16, 16)),
        signed(a_bytes[0], 8) * signed(b_bytes[2], 8) + c,
        c + sum(abs(x - y) for x, y in zip(a_bytes, b_bytes, strict=True)),
        max((a >> 16) - (b & 0xFFFF), signed(d)),
        min(a_bytes[2], b_bytes[0], c),
        a << min(b_bytes[1], 32),
    ]


def video_reference(inputs: Inputs) -> dict[int, Array]:
    return {1: word_rows([video_row(*row) for row in inputs[0].tolist()])}


CASES = (
    Case(
        name="carry_chain",
        source="hand/carry_chain.ptx",
        kernel="carry_chain",
        grid=(1, 1, 1),
        block=(40, 1, 1),
        make_inputs=carry_inputs,
        reference=carry_reference,
    ),
    Case(
        name="bitfields",
        source="hand/bitfields.ptx",
        kernel="bitfields",
        grid=(1, 1, 1),
        block=(96, 1, 1),
        make_inputs=bitfields_inputs,
        reference=bitfields_reference,
    ),
    Case(
        name="conversions",
        source="hand/conversions.ptx",
        kernel="conversions",
        grid=(1, 1, 1),
        block=(64, 1, 1),
        make_inputs=conversions_inputs,
        reference=conversions_reference,
        canonical={1: unify_nans},
    ),
    Case(
        name="packed_math",
        source="hand/packed_math.ptx",
        kernel="packed_math",
        grid=(1, 1, 1),
        block=(80, 1, 1),
        make_inputs=packed_inputs,
        reference=packed_reference,
    ),
    Case(
        name="video",
        source="hand/video.ptx",
        kernel="video",
        grid=(1, 1, 1),
        block=(80, 1, 1),
        make_inputs=packed_inputs,
        reference=video_reference,
    ),
)
