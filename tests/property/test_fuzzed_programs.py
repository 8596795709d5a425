"""A few fixed random programs: interpreter and emulator agree on all memory, bit for bit.

`make fuzz` runs many more, with a printed seed and a shrunk program for each difference.
"""

from __future__ import annotations

import random
import re

import pytest

from tests.fuzz import llvm_compare
from tests.fuzz.compare import compare, inputs
from tests.fuzz.llvm_compare import compare_llvm, shrink_llvm
from tests.fuzz.llvm_program import LlvmProgram, Step, random_llvm_program
from tests.fuzz.program import random_program

TARGETS = (("gfx942", 2), ("gfx1100", 2))


@pytest.mark.parametrize("seed", range(4))
def test_interpreter_and_emulator_agree(seed: int) -> None:
    rng = random.Random(f"fixed/{seed}")
    program = random_program(rng, length=60)
    assert compare(program, inputs(rng), TARGETS) is None


@pytest.mark.parametrize("seed", range(6))
def test_this_machine_and_the_emulator_agree(seed: int) -> None:
    """LLVM IR compiled here against the same by way of PTX."""
    rng = random.Random(f"fixed/{seed}")
    program, level = random_llvm_program(rng, length=40), 2 * (seed % 2)
    targets = (("gfx942", level), ("gfx1100", level), ("sm_90", level))
    assert compare_llvm(program, inputs(rng), targets) is None


def test_a_wrong_translation_is_found_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """PTX in which every 32-bit exclusive or has become an or: of all steps one stays."""
    right = llvm_compare.to_ptx

    def broken(program: LlvmProgram, level: int) -> str:
        return re.sub(r"\bxor\.b32", "or.b32", right(program, level))

    monkeypatch.setattr(llvm_compare, "to_ptx", broken)
    rng = random.Random("shrinking")
    steps = random_llvm_program(rng, 6).steps
    xor = Step("binary", (2, 5, 0, 1, 0, 0))  # of two i32 values; seen in a word of the output
    program = LlvmProgram((*steps, xor), True)
    data, targets = inputs(rng), (("sm_90", 2),)
    assert compare_llvm(program, data, targets) is not None
    small = shrink_llvm(program, data, targets)
    assert small.steps and len(small.steps) <= 2 and "xor i32" in small.body
    monkeypatch.setattr(llvm_compare, "to_ptx", right)
    assert compare_llvm(small, data, targets) is None
