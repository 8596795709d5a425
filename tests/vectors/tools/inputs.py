"""Operand values worth trying: edges first, then random ones."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

_AMOUNTS = (0, 1, 2, 5, 7, 8, 15, 16, 17, 24, 30, 31, 32, 33, 40, 63, 64, 65, 95, 127, 128, 200,
            254, 255, 256, 257, 288, 0x7FFFFFFF, 0x80000000, 0xFFFFFFE0, 0xFFFFFFFF)  # fmt: skip
_FORMATS = {"f16": (16, 5, 10), "bf16": (16, 8, 7), "f32": (32, 8, 23), "f64": (64, 11, 52)}


def integer_edges(bits: int) -> list[int]:
    """0, 1, -1, limits, single bits and patterns."""
    top = 1 << (bits - 1)
    mask = (1 << bits) - 1
    pattern = 0x8123456789ABCDEF >> (64 - bits)
    small = [0, 1, 2, 3, mask, mask - 1, top, top - 1, top + 1, top >> 1, mask >> 1, pattern]
    masks = [0x5555555555555555 & mask, 0xAAAAAAAAAAAAAAAA & mask, 0x00FF00FF00FF00FF & mask]
    return list(dict.fromkeys([*small, *masks, 0x80 & mask, 0x7F & mask, 0xFF & mask]))


def float_edges(kind: str) -> list[int]:
    """Zeros, ones, subnormals, limits, infinities, NaNs, halves, and values near integers."""
    bits, exponent_bits, places = _FORMATS[kind]
    bias = (1 << (exponent_bits - 1)) - 1
    infinity = ((1 << exponent_bits) - 1) << places
    one = bias << places

    def power(exponent: int) -> int:
        return min(max(exponent + bias, 0), (1 << exponent_bits) - 2) << places

    positive = [0, 1, 2, (1 << places) - 1, 1 << places, (1 << places) + 1, one, one + 1, one - 1,
                one | 1 << (places - 1), power(-1), power(-1) + 1, power(-1) - 1,
                power(1) | 1 << (places - 2), power(places), power(places) + 1, power(7), power(8),
                power(15), power(16), power(30) | 1, power(31), power(32), power(63), power(64),
                infinity - 1, infinity - 2, power(2 - bias), infinity, infinity | 1,
                infinity | 1 << (places - 1), infinity | 1 << (places - 1) | 5]  # fmt: skip
    sign = 1 << (bits - 1)
    return list(dict.fromkeys([*positive, *(value | sign for value in positive)]))


def edges(kind: str) -> list[int]:
    """Edge values of `f32`, `i64`, `amount` or `p`."""
    if kind.startswith("nonzero:"):
        return [value for value in edges(kind.split(":")[1]) if value]
    if kind in _FORMATS:
        return float_edges(kind)
    if kind == "lane":
        return list(range(32))
    if kind == "amount":
        return list(_AMOUNTS)
    if kind == "p":
        return [0, 1]
    return integer_edges(int(kind[1:]))


def _random(kind: str, generator: random.Random) -> int:
    if kind.startswith("nonzero:"):
        return _random(kind.split(":")[1], generator) or 1
    if kind in _FORMATS:
        return generator.getrandbits(_FORMATS[kind][0])
    if kind == "lane":
        return generator.randrange(32)
    if kind == "amount":
        return generator.choice([generator.randrange(70), generator.getrandbits(32)])
    return 1 if kind == "p" else generator.getrandbits(int(kind[1:]))


def rows(kinds: Sequence[str], limit: int, seed: str) -> list[tuple[int, ...]]:
    """At most `limit` rows: edge combinations, sampled where there are too many, then random."""
    generator = random.Random(seed)
    every = [edges(kind) for kind in kinds]
    total = 1
    for values in every:
        total *= len(values)
    room = limit * 3 // 4
    if total <= room:
        found = list(itertools.product(*every))
    else:
        found = [tuple(generator.choice(values) for values in every) for _ in range(room)]
    while len(found) < limit:
        found.append(tuple(_random(kind, generator) for kind in kinds))
    return list(dict.fromkeys(found))
