"""Programs on which interpreter and emulator once differed; the file names say why."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.fuzz.compare import compare, inputs
from tests.fuzz.program import Program

FINDS = sorted((Path(__file__).parent / "fuzz").glob("*.ptx"))
TARGETS = (("gfx942", 3), ("gfx1100", 3), ("gfx1100", 0))


@pytest.mark.parametrize("path", FINDS, ids=[path.stem for path in FINDS])
def test_interpreter_and_emulator_agree(path: Path) -> None:
    data = inputs(random.Random(path.stem))
    assert compare(Program(path.read_text()), data, TARGETS) is None
