"""Runs one program in the interpreter and in the emulator and compares all memory."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

import ptxlift
from tests.fuzz.memory_forms import THREADS
from tests.fuzz.program import WORDS, Program

_EDGES = (
    0, 1, 2, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000,
    0xFFFFFFFF, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x00000001,
    0x007FFFFF, 0x00800000, 0x3C00, 0x7C00, 0x7E00, 0x0001, 0x3F80, 0x7F80, 0x7FC0,
    0x3FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000,
    0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, 0x0000000000000001,
    0x3F8000003F800000, 0x3C003C003C003C00,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a target's result differs first. `word`: index in the thread's output."""

    target: str
    thread: int
    word: int
    expected: int
    found: int

    def __str__(self) -> str:
        return (
            f"{self.target}: thread {self.thread}, word {self.word}: interpreter "
            f"{self.expected:#018x}, emulator {self.found:#018x}"
        )


def inputs(rng: random.Random) -> np.ndarray:
    """Edge values and random bits for every thread's registers."""
    values = [
        rng.choice(_EDGES) if rng.random() < 0.5 else rng.getrandbits(rng.choice((8, 16, 32, 64)))
        for _ in range(THREADS * WORDS)
    ]
    return np.array(values, np.uint64)


def launch(program: Program, data: np.ndarray, device: str, target: str, opt: int) -> np.ndarray:
    """The output words after one launch of 64 threads."""
    out = np.zeros_like(data)
    arguments = [data.copy(), out, *program.arguments]
    options = ptxlift.Options(opt_level=opt)
    loaded = (
        program.text
        if device == "interpreter"
        else ptxlift.lift(program.text, target, options=options)
    )
    ptxlift.run(loaded, "fuzz", 1, THREADS, arguments, device=device, max_steps=10_000_000)
    return out


def compare(
    program: Program, data: np.ndarray, targets: tuple[tuple[str, int], ...]
) -> Difference | None:
    """The first difference between the interpreter and any (target, optimisation level)."""
    expected = launch(program, data, "interpreter", "", 0)
    for target, opt in targets:
        found = launch(program, data, "emulator", target, opt)
        different = np.flatnonzero(expected != found)
        if different.size:
            at = int(different[0])
            name = f"{target} -O{opt}"
            return Difference(name, at // WORDS, at % WORDS, int(expected[at]), int(found[at]))
    return None
