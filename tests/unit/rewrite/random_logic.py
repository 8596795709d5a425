"""Random straight-line bitwise code, and what it computes by numpy.

Comes in: a seed. Goes out: a body for `run_ir`. It must know nothing of the rewriter.
"""

from __future__ import annotations

import random
from typing import Any

from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Value

INPUTS = 4
_OPS = ("and_", "or_", "xor", "and_", "or_", "xor", "not_", "bitwise3", "xor")


def _choices(seed: int, ops: int) -> list[tuple[str, list[int], int]]:
    """Op names, places of their operands among the values so far, truth tables."""
    rng = random.Random(seed)
    made = []
    inputs = rng.choice((3, 3, INPUTS))
    for count in range(ops):
        name = rng.choice(_OPS)
        wanted = {"not_": 1, "bitwise3": 3}.get(name, 2)
        recent = list(range(inputs)) + list(range(INPUTS, INPUTS + count))
        places = [rng.choice(recent[-5:] + recent[:inputs]) for _ in range(wanted)]
        made.append((name, places, rng.randrange(256)))
    return made


def body(seed: int, ops: int) -> Any:
    """Results: the last value, and sometimes an inner one."""

    def write(b: Builder, values: list[Value]) -> list[Value]:
        found = list(values)
        for name, places, lut in _choices(seed, ops):
            operands = [found[place] for place in places]
            extra = (lut,) if name == "bitwise3" else ()
            found.append(getattr(b, name)(*operands, *extra))
        return [found[-1], found[-3]] if seed % 3 == 0 else [found[-1], values[0]]

    return write


def computed(seed: int, ops: int, values: list[Any]) -> list[Any]:
    """The same by numpy."""
    found = list(values)
    for name, places, lut in _choices(seed, ops):
        found.append(_one(name, [found[place] for place in places], lut))
    return [found[-1], found[-3]] if seed % 3 == 0 else [found[-1], values[0]]


def _one(name: str, x: list[Any], lut: int) -> Any:
    match name:
        case "and_":
            return x[0] & x[1]
        case "or_":
            return x[0] | x[1]
        case "xor":
            return x[0] ^ x[1]
        case "not_":
            return ~x[0]
    result = x[0] ^ x[0]
    for row in range(8):
        if lut >> row & 1:
            chosen = [v if row >> 2 - n & 1 else ~v for n, v in enumerate(x)]
            result = result | (chosen[0] & chosen[1] & chosen[2])
    return result
