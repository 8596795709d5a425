"""A sample of the vectors as machine code, each on one chip; `make vectors` runs them all."""

from __future__ import annotations

import pytest
from chips import TARGETS, differences
from test_replay import all_sections
from vector_file import Section

SECTIONS = all_sections()


@pytest.mark.sampled(len(SECTIONS) // 23)
@pytest.mark.parametrize("number", range(len(SECTIONS)), ids=lambda n: SECTIONS[n].opcode)
def test_machine_code_gives_what_nvidia_computes(number: int) -> None:
    section: Section = SECTIONS[number]
    assert differences(section, TARGETS[number % len(TARGETS)]) == []
