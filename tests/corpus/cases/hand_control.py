"""Cases of hand-written PTX: scopes, jump tables, calls, vectors, warps, barriers."""

from __future__ import annotations

import numpy as np

from .model import Array, Case, Inputs

WORD = 0xFFFFFFFF


def word_rows(rows: list[list[int]]) -> Array:
    """Python integers, negative ones included, as rows of 32-bit words."""
    return np.array([[word & WORD for word in row] for row in rows], np.uint32)


def scopes_inputs(rng: np.random.Generator) -> Inputs:
    n = 90
    values = rng.integers(-300, 300, n, dtype=np.int32)
    values[:6] = [0, 3, -3, 101, 107, 299]
    return [values, np.zeros(n + 6, np.int32), np.uint32(n)]


def scopes_value(a: int) -> int:
    r = 2 * abs(a) + (a >= 0)
    low = a & 7
    big = a > 100
    first = low == 3 and big
    second = low != 3 and big
    r += 1000 * first + 2000 * second
    r ^= 7 if low != 5 or not second else 9
    r += a > 0
    if a < 0:
        return r + 13
    r += 11
    while True:
        r -= 3
        if r <= 500:
            return r


def scopes_reference(inputs: Inputs) -> dict[int, Array]:
    values, out, n = inputs
    out[:n] = [scopes_value(int(value)) for value in values]
    return {1: out}


def jump_inputs(rng: np.random.Generator) -> Inputs:
    choices = rng.integers(0, 8, 64, dtype=np.uint32)
    choices[60:] = [6, 2**31, 2**32 - 1, 5]
    return [choices, np.zeros(64, np.uint32)]


def jump_reference(inputs: Inputs) -> dict[int, Array]:
    def result(choice: int, thread: int) -> int:
        one = 17 * thread
        table = [1 + thread, one, 1 << 12, one, 41 + thread, 1]
        return table[choice] if choice < 6 else ~choice

    rows = [[result(int(choice), thread)] for thread, choice in enumerate(inputs[0])]
    return {1: word_rows(rows).ravel()}


def calls_inputs(rng: np.random.Generator) -> Inputs:
    return [rng.integers(0, 2**32, 64, dtype=np.uint32), np.zeros((64, 8), np.uint32)]


def calls_row(thread: int, v: int) -> list[int]:
    odd = v & 1
    called = -v if odd else 3 * v
    words = [v, thread, 77, called]
    turned = words[1:] + words[:1] if odd else words
    count = (v & 7) + 1
    depot = count * 100 + count - (count >> 1)
    # An odd value leaves the kernel inside a function: the last word stays zero.
    return [v * v, called, *turned, depot, 1 - odd]


def calls_reference(inputs: Inputs) -> dict[int, Array]:
    return {1: word_rows([calls_row(thread, int(v)) for thread, v in enumerate(inputs[0])])}


def vectors_inputs(rng: np.random.Generator) -> Inputs:
    words = rng.standard_normal((48, 4)).astype(np.float32)
    octets = rng.integers(0, 256, (48, 4), dtype=np.uint8)
    return [words, octets, np.zeros((48, 16), np.uint32)]


def vectors_row(thread: int, words: Array, octets: list[int]) -> list[int]:
    def signed(value: int, bits: int) -> int:
        return value - (1 << bits) if value >> (bits - 1) else value

    b0, b1, b2, b3 = octets
    bits = [int(word) for word in words.view(np.uint32)]
    # Both sums are exact in f32 for small thread numbers.
    sums = np.array([thread + 2.0, -3.5 * thread + 0.25], np.float32).view(np.uint32)
    return [
        *bits[::-1],
        b1 * 1000 + b0,
        signed(b1, 8),
        (b1 << 8 | b0) << 16 | b3 << 8 | b2,
        signed(b3 << 8 | b2, 16),
        (1, -2, 3, 127, -128, 65, 0, 0)[thread & 7],
        (20, 40000)[thread & 1],
        *(int(word) for word in sums),
        *(bits[3], bits[0], 7, thread),
    ]


def vectors_reference(inputs: Inputs) -> dict[int, Array]:
    words, octets = inputs[:2]
    rows = [vectors_row(t, words[t], octets[t].tolist()) for t in range(len(words))]
    return {2: word_rows(rows)}


def warp_inputs(rng: np.random.Generator) -> Inputs:
    values = rng.integers(0, 2**32, 64, dtype=np.uint32)
    # The second warp agrees on everything that is voted on.
    values[32:] |= 3
    return [values, np.zeros((64, 20), np.uint32)]


def warp_row(v: list[int], lane: int) -> list[int]:
    up = lane - 3 if lane >= 3 else lane
    down = lane + 5
    bit = 1 << lane
    odd = sum((value & 1) << at for at, value in enumerate(v))
    same = sum(((value ^ v[lane]) & 3 == 0) << at for at, value in enumerate(v))
    upper = lane >= 16
    half = v[16:] if upper else v[:16]
    folded = 0
    for value in half:
        folded = folded | value if upper else folded ^ value
    return [
        *(v[up], lane >= 3),
        *(v[down] if down <= lane | 3 else v[lane], down <= lane | 3),
        *(v[lane ^ 19], v[(lane & 24) | (v[lane] & 7)], v[8]),
        v[lane - 1] if lane & 7 else v[lane],
        *(odd, odd == WORD, odd != WORD, odd in (0, WORD)),
        *(same, WORD if same == WORD else 0, sum(v), max(v)),
        ~odd & 0xFFFF0000 if upper else odd & 0xFFFF,
        *(folded, lane, -bit),
    ]


def warp_reference(inputs: Inputs) -> dict[int, Array]:
    warps = inputs[0].reshape(2, 32).tolist()
    return {1: word_rows([warp_row(v, lane) for v in warps for lane in range(32)])}


def barriers_inputs(rng: np.random.Generator) -> Inputs:
    values = rng.integers(0, 10000, (2, 128), dtype=np.uint32)
    values[1] &= 0xFFFE
    return [values, np.zeros((2, 128, 8), np.uint32), np.array([9], np.uint32)]


def barriers_reference(inputs: Inputs) -> dict[int, Array]:
    values, out, total = inputs
    for block, own in enumerate(values):
        odd = int((own & 1).sum())
        out[block, :, :3] = [odd, odd > 0, odd == 0]
        out[block, :, 3] = own[np.arange(128) ^ 63]
        # inc counts 100..200 and wraps: 101 steps to zero, 27 more remain of 128.
        out[block, :, 4:] = [100 + own.sum(), max(100, own.max()), 27, 55]
    return {1: out, 2: total + values.sum(dtype=np.uint32)}


def named_inputs(rng: np.random.Generator) -> Inputs:
    return [rng.integers(0, 2**32, 128, dtype=np.uint32), np.zeros(128, np.uint32)]


def named_reference(inputs: Inputs) -> dict[int, Array]:
    return {1: inputs[0][np.arange(128) ^ 63]}


CASES = (
    Case(
        name="named_barriers",
        source="hand/named_barriers.ptx",
        kernel="named_barriers",
        grid=(1, 1, 1),
        block=(128, 1, 1),
        make_inputs=named_inputs,
        reference=named_reference,
    ),
    Case(
        name="scopes",
        source="hand/scopes.ptx",
        kernel="scopes",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        make_inputs=scopes_inputs,
        reference=scopes_reference,
    ),
    Case(
        name="jump_table",
        source="hand/jump_table.ptx",
        kernel="jump_table",
        grid=(1, 1, 1),
        block=(64, 1, 1),
        make_inputs=jump_inputs,
        reference=jump_reference,
    ),
    Case(
        name="calls",
        source="hand/calls.ptx",
        kernel="calls",
        grid=(1, 1, 1),
        block=(64, 1, 1),
        make_inputs=calls_inputs,
        reference=calls_reference,
    ),
    Case(
        name="vectors",
        source="hand/vectors.ptx",
        kernel="vectors",
        grid=(1, 1, 1),
        block=(48, 1, 1),
        make_inputs=vectors_inputs,
        reference=vectors_reference,
    ),
    Case(
        name="warp",
        source="hand/warp.ptx",
        kernel="warp",
        grid=(1, 1, 1),
        block=(64, 1, 1),
        make_inputs=warp_inputs,
        reference=warp_reference,
    ),
    Case(
        name="barriers",
        source="hand/barriers.ptx",
        kernel="barriers",
        grid=(2, 1, 1),
        block=(128, 1, 1),
        shared=512,
        make_inputs=barriers_inputs,
        reference=barriers_reference,
    ),
)
