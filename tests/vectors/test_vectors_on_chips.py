"""A sample of the vectors as machine code, each on one chip; `make vectors` runs them all."""

from __future__ import annotations

import pytest
from chips import TARGETS, differences
from test_replay import all_sections
from vector_file import Section

_STEP = 23
SAMPLE = all_sections()[::_STEP]


@pytest.mark.parametrize("number", range(len(SAMPLE)), ids=lambda n: SAMPLE[n].opcode)
def test_machine_code_gives_what_nvidia_computes(number: int) -> None:
    section: Section = SAMPLE[number]
    assert differences(section, TARGETS[number % len(TARGETS)]) == []
