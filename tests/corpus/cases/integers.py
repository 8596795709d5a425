"""Cases of integer work: hashes, wide products, generators, bit moving, dynamic programming."""

from __future__ import annotations

import hashlib
import zlib

import numpy as np

from .model import Array, Case, Inputs


def message_inputs(rng: np.random.Generator, count: int, room: int, longest: int) -> Inputs:
    """Messages of every kind of length, the empty and the longest one first."""
    messages = rng.integers(0, 256, (count, room), dtype=np.uint8)
    lengths = rng.integers(0, longest + 1, count, dtype=np.int32)
    lengths[:2] = [0, longest]
    return [messages, lengths]


def digest_messages(inputs: Inputs, algorithm: str) -> list[bytes]:
    messages, lengths = inputs[:2]
    pairs = zip(messages, lengths, strict=True)
    return [hashlib.new(algorithm, row[:size].tobytes()).digest() for row, size in pairs]


def sha256_inputs(rng: np.random.Generator) -> Inputs:
    n = 70
    return [*message_inputs(rng, n, 64, 55), np.zeros((n, 8), np.uint32), np.int32(n)]


def sha256_reference(inputs: Inputs) -> dict[int, Array]:
    digests = digest_messages(inputs, "sha256")
    words = [np.frombuffer(digest, ">u4").astype(np.uint32) for digest in digests]
    return {2: np.array(words)}


def keccak_inputs(rng: np.random.Generator) -> Inputs:
    n = 40
    return [*message_inputs(rng, n, 136, 135), np.zeros((n, 4), np.uint64), np.int32(n)]


def keccak_reference(inputs: Inputs) -> dict[int, Array]:
    digests = digest_messages(inputs, "sha3_256")
    return {2: np.array([np.frombuffer(digest, "<u8") for digest in digests])}


def crc32_inputs(rng: np.random.Generator) -> Inputs:
    n, size = 90, 23
    data = rng.integers(0, 256, (n, size), dtype=np.uint8)
    return [data, np.int32(size), np.zeros(n, np.uint32), np.int32(n)]


def crc32_reference(inputs: Inputs) -> dict[int, Array]:
    return {2: np.array([zlib.crc32(row.tobytes()) for row in inputs[0]], np.uint32)}


def mul256_inputs(rng: np.random.Generator) -> Inputs:
    n = 50
    a = rng.integers(0, 2**32, (n, 8), dtype=np.uint32)
    b = rng.integers(0, 2**32, (n, 8), dtype=np.uint32)
    a[:3] = [[2**32 - 1] * 8, [1, *[0] * 7], [0, 2**32 - 1, 0, 0, 2**31, 0, 0, 1]]
    b[:3] = [[2**32 - 1] * 8, [2**32 - 1] * 8, [2**32 - 1, 0, 1, 0, 2**31, 0, 0, 0]]
    return [a, b, np.zeros((n, 16), np.uint32), np.int32(n)]


def mul256_reference(inputs: Inputs) -> dict[int, Array]:
    def number(limbs: Array) -> int:
        return int.from_bytes(limbs.tobytes(), "little")

    pairs = zip(*inputs[:2], strict=True)
    products = b"".join((number(a) * number(b)).to_bytes(64, "little") for a, b in pairs)
    return {2: np.frombuffer(products, np.uint32).reshape(-1, 16)}


def monte_carlo_inputs(rng: np.random.Generator) -> Inputs:
    hits = np.zeros(1, np.uint32)
    return [np.uint32(20240229), np.int32(12), hits, np.zeros(128, np.uint32)]


def monte_carlo_reference(inputs: Inputs) -> dict[int, Array]:
    seed, samples, hits, last = inputs
    for thread in range(len(last)):
        a = int(seed) ^ (thread * 0x9E3779B9 + 1) % 2**32
        b = (1664525 * (int(seed) + thread) + 1013904223) % 2**32
        for _ in range(samples):
            b = (1664525 * b + 1013904223) % 2**32
            a ^= a << 13 & 0xFFFFFFFF
            a ^= a >> 17
            a ^= a << 5 & 0xFFFFFFFF
            x, y = a >> 16, b >> 16
            # The kernel rounds y * y to f32 before the sum; 1 - 2^-25 and above round to one.
            square = float(np.float32(y * y / 2**32))
            hits[0] += np.float32(x * x / 2**32 + square) < 1
        last[thread] = a ^ b
    return {2: hits, 3: last}


def alignment_inputs(rng: np.random.Generator) -> Inputs:
    pairs = 4
    left = rng.choice(np.frombuffer(b"ACGT", np.int8), (pairs, 32))
    right = np.roll(left, 3, axis=1)
    right[:, ::7] = ord("A")
    return [left, right, np.zeros(pairs, np.int32), np.int32(2), np.int32(-1), np.int32(-2)]


def alignment_reference(inputs: Inputs) -> dict[int, Array]:
    left, right, scores, match, miss, gap = inputs
    for pair, (a, b) in enumerate(zip(left, right, strict=True)):
        above = [int(gap) * j for j in range(len(b) + 1)]
        for i, x in enumerate(a):
            row = [int(gap) * (i + 1)]
            for j, y in enumerate(b):
                along = above[j] + int(match if x == y else miss)
                row.append(max(along, above[j + 1] + int(gap), row[j] + int(gap)))
            above = row
        scores[pair] = above[-1]
    return {2: scores}


def bit_inputs(rng: np.random.Generator) -> Inputs:
    n = 130
    values = rng.integers(0, 2**32, n, dtype=np.uint32)
    values[:4] = [0, 1, 2**31, 2**32 - 1]
    out = [np.zeros((n, 6), np.uint32), np.zeros(n, np.uint64), np.zeros(n, np.int16)]
    return [values, *out, np.int32(n)]


def reverse32(value: int) -> int:
    return int(f"{value:032b}"[::-1], 2)


def lowest_bit(value: int) -> int:
    """One-based place of the lowest set bit, 0 for none."""
    return (value & -value).bit_length()


def saturated_byte(value: int) -> int:
    real = np.uint32((value & 0x3FFFFFFF) + 0x20000000).view(np.float32)
    return int(np.float32(min(max(real, np.float32(0)), np.float32(1))) * np.float32(255))


def bit_row(at: int, v: int, w: int) -> list[int]:
    both = v << 32 | w
    counts = v.bit_count() | (32 - v.bit_length()) << 8 | lowest_bit(v) << 16
    funnel = ((w << 32 | v) << (at & 31)) >> 32 & 0xFFFFFFFF
    mixed = (v & w) ^ (~v & reverse32(w)) ^ (w | at)
    return [
        (counts | both.bit_count() << 24) & 0xFFFFFFFF,
        reverse32(v),
        funnel,
        v * w >> 32,
        mixed & 0xFFFFFFFF,
        saturated_byte(v),
    ]


def bit_reference(inputs: Inputs) -> dict[int, Array]:
    values = [int(value) for value in inputs[0]]
    rows, wide = [], []
    for at, v in enumerate(values):
        w = values[(at + 1) % len(values)]
        both = v << 32 | w
        rows.append(bit_row(at, v, w))
        wide.append(both * (both | 1) >> 64 ^ both >> (at & 63))
    signed = inputs[0].astype(np.int8).astype(np.int64)
    narrow = signed * np.roll(inputs[0], -1).astype(np.int16)
    return {
        1: np.array(rows, np.uint32),
        2: np.array(wide, np.uint64),
        3: narrow.astype(np.int16),
    }


def wide_inputs(rng: np.random.Generator) -> Inputs:
    n = 100
    a = rng.integers(-(2**63), 2**63, n, dtype=np.int64) >> rng.integers(0, 60, n)
    b = rng.integers(-(2**63), 2**63, n, dtype=np.int64) >> rng.integers(0, 60, n)
    a[:4] = [-(2**63), 2**63 - 1, -1, 0]
    b[:4] = [3, -1, -(2**63), 7]
    b[b == 0] = 1
    outputs = [np.zeros((n, 4), np.int64), np.zeros((n, 4), np.uint64), np.zeros((n, 2), np.uint16)]
    return [a, b, *outputs, np.int32(n)]


def divide_toward_zero(x: int, y: int) -> int:
    quotient = abs(x) // abs(y)
    return -quotient if (x < 0) != (y < 0) else quotient


def wide_row(at: int, x: int, y: int) -> tuple[list[int], list[int], list[int]]:
    ux, uy = x % 2**64, y % 2**64
    p, q = x % 2**16, y % 2**16
    quotient = divide_toward_zero(x, y)
    signed_out = [
        *(quotient, x - quotient * y, min(x, y) + (x >> (at & 63))),
        max(x, y) * 3 - (x if y <= 0 else -x),
    ]
    unsigned_out = [
        *(ux // uy, ux % uy, min(ux, uy) ^ ux << (at & 63)),
        x % 2**32 // (y % 2**32 | 1) + (ux >= uy),
    ]
    smaller = (p ^ 2**15) < (q ^ 2**15)
    return signed_out, unsigned_out, [p * q + (p >> 3), p // (q | 1) if smaller else p % (q | 1)]


def wide_reference(inputs: Inputs) -> dict[int, Array]:
    pairs = zip(inputs[0].tolist(), inputs[1].tolist(), strict=True)
    columns = zip(*(wide_row(at, x, y) for at, (x, y) in enumerate(pairs)), strict=True)
    signed_out, unsigned_out, narrow = columns
    wrapped = np.array([[word % 2**64 for word in row] for row in signed_out], np.uint64)
    unsigned_rows = [[word % 2**64 for word in row] for row in unsigned_out]
    narrow_rows = [[word % 2**16 for word in row] for row in narrow]
    return {
        2: wrapped.view(np.int64),
        3: np.array(unsigned_rows, np.uint64),
        4: np.array(narrow_rows, np.uint16),
    }


CASES = (
    Case(
        name="wide_integers",
        source="cuda/wide_integers.cu",
        kernel="wide_integers",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        make_inputs=wide_inputs,
        reference=wide_reference,
    ),
    Case(
        name="sha256",
        source="cuda/sha256.cu",
        kernel="sha256",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        make_inputs=sha256_inputs,
        reference=sha256_reference,
    ),
    Case(
        name="keccak",
        source="cuda/keccak.cu",
        kernel="keccak",
        grid=(1, 1, 1),
        block=(64, 1, 1),
        make_inputs=keccak_inputs,
        reference=keccak_reference,
    ),
    Case(
        name="crc32",
        source="cuda/crc32.cu",
        kernel="crc32",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        make_inputs=crc32_inputs,
        reference=crc32_reference,
    ),
    Case(
        name="mul256_plain",
        source="cuda/mul256_plain.cu",
        kernel="mul256_plain",
        grid=(1, 1, 1),
        block=(64, 1, 1),
        make_inputs=mul256_inputs,
        reference=mul256_reference,
    ),
    Case(
        name="mul256_carry",
        source="cuda/mul256_carry.cu",
        kernel="mul256_carry",
        grid=(1, 1, 1),
        block=(64, 1, 1),
        make_inputs=mul256_inputs,
        reference=mul256_reference,
    ),
    Case(
        name="monte_carlo",
        source="cuda/monte_carlo.cu",
        kernel="monte_carlo",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        make_inputs=monte_carlo_inputs,
        reference=monte_carlo_reference,
    ),
    Case(
        name="needleman_wunsch",
        source="cuda/needleman_wunsch.cu",
        kernel="needleman_wunsch",
        grid=(4, 1, 1),
        block=(32, 1, 1),
        make_inputs=alignment_inputs,
        reference=alignment_reference,
    ),
    Case(
        name="bit_tricks",
        source="cuda/bit_tricks.cu",
        kernel="bit_tricks",
        grid=(3, 1, 1),
        block=(64, 1, 1),
        make_inputs=bit_inputs,
        reference=bit_reference,
    ),
)
