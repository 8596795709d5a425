"""A few fixed random programs: interpreter and emulator agree on all memory, bit for bit.

`make fuzz` runs many more, with a printed seed and a shrunk program for each difference.
"""

from __future__ import annotations

import random

import pytest

from tests.fuzz.compare import compare, inputs
from tests.fuzz.program import random_program

TARGETS = (("gfx942", 2), ("gfx1100", 2))


@pytest.mark.parametrize("seed", range(4))
def test_interpreter_and_emulator_agree(seed: int) -> None:
    rng = random.Random(f"fixed/{seed}")
    program = random_program(rng, length=60)
    assert compare(program, inputs(rng), TARGETS) is None
