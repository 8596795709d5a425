"""Every opcode has a summary, and no other word has."""

from __future__ import annotations

from ptxlift import isa
from ptxlift.isa.summaries import SUMMARIES


def test_every_opcode_has_a_sentence() -> None:
    assert set(SUMMARIES) == set(isa.opcodes())
    assert all(text.endswith(".") for text in SUMMARIES.values())
