"""The fuzzer's parts: a death is a find, each sequence gives the same, reasons name rows."""

from __future__ import annotations

import os
import random
import signal

import pytest

import ptxlift
from tests.fuzz import exercised
from tests.fuzz.apart import apart
from tests.fuzz.compare import compare, inputs
from tests.fuzz.memory_forms import SEQUENCES, TOGETHER
from tests.fuzz.program import Program, random_program

TARGETS = (("gfx942", 2), ("gfx1100", 2))


def test_the_end_of_a_process_is_a_find() -> None:
    outcome = apart(lambda: os.kill(os.getpid(), signal.SIGKILL))
    assert (outcome.kind, outcome.is_find) == ("died", True)
    assert "SIGKILL" in outcome.text


def test_what_came_of_the_work_is_told() -> None:
    assert not apart(lambda: None).is_find
    assert str(apart(lambda: "word 3")) == "differs: word 3"
    assert apart(lambda: 1 // 0).kind == "fault"
    assert apart(lambda: ptxlift.parse("what")).kind == "refused"


def test_reasons_name_rows() -> None:
    assert exercised.CANNOT.keys() <= exercised.names_of_table()


def test_report_counts_lowered_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exercised, "lowered", lambda: frozenset({"mma", "ld", "st", "add_int"}))
    lines = exercised.describe({"ld", "add_int"}).splitlines()
    assert lines[0] == "2 of 4 lowered rows exercised"
    assert lines[1].endswith(": mma")
    assert lines[2] == "not yet in this run: st"


@pytest.mark.sampled(6)
@pytest.mark.parametrize("form", (*SEQUENCES, *TOGETHER))
def test_a_sequence_gives_the_same_everywhere(form: str) -> None:
    """Each by itself in a program that does nothing else."""
    rng = random.Random("sequences")
    program = random_program(rng, 0)
    names = {"a": "%r0", "b": "%r1", "p": "%p0", "q": "%p1", "m": "%m7", "n": "0"}
    start = "bar.warp.sync %m7;\n"
    before, after = program.text.split(start)
    text = f"{before}{start}{form.format(**names)}\n{after}"
    found = compare(Program(text, arguments=program.arguments), inputs(rng), TARGETS)
    assert found is None
