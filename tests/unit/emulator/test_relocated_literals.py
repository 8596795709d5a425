"""A relocated literal has the width that its relocation says, whatever its offset is."""

from __future__ import annotations

import pytest

from ptxlift.emulator.operands import Const, Form, _parse_number

WORDS = (0x820FFF0F, 0x00000011)


@pytest.mark.parametrize("offset", [4, 64, 164])
def test_offsets_say_nothing_of_the_width(offset: int) -> None:
    found = _parse_number(f"table@rel32@hi+{offset}", WORDS)
    assert found == Const(0x11, Form.LITERAL)


def test_wide_relocations_take_two_words() -> None:
    found = _parse_number("table@abs64+4", WORDS)
    assert found == Const(0x820FFF0F | 0x11 << 32, Form.LITERAL64)
