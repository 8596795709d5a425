"""Every catalogue entry: raised and emulated, interpreted, and as its author expects."""

from __future__ import annotations

import numpy as np
import pytest
from catalogue import CHAPTERS
from catalogue.model import Array, Entry, data_for
from inline_harness import (
    Outcome,
    emulate,
    expected,
    inputs_of,
    interpret,
    load_chapter,
)

TARGETS = ("gfx942", "gfx1100")
ALL = [(chapter, entry) for chapter, entries in CHAPTERS.items() for entry in entries]
IDS = [f"{chapter}-{entry.name}" for chapter, entry in ALL]


def bits(array: Array) -> Array:
    return array.view(f"<u{array.dtype.itemsize}")


def agree(entry: Entry, found: Outcome, wanted: Outcome) -> None:
    for number, (one, other) in enumerate(zip(found.outputs, wanted.outputs, strict=True)):
        if entry.exact:
            np.testing.assert_array_equal(bits(one), bits(other), err_msg=f"output {number}")
        else:
            np.testing.assert_allclose(one, other, rtol=2e-6, atol=1e-6)
    np.testing.assert_array_equal(found.buffer, wanted.buffer, err_msg="the buffer")


@pytest.mark.parametrize(("chapter", "entry"), ALL, ids=IDS)
def test_interpreter_gives_what_the_author_expects(chapter: str, entry: Entry) -> None:
    judge(entry, interpret(chapter, entry))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("chapter", "entry"), ALL, ids=IDS)
def test_raised_code_gives_what_the_author_expects(chapter: str, entry: Entry, target: str) -> None:
    found = emulate(load_chapter(chapter, target), entry)
    judge(entry, found)
    if entry.check is None:
        agree(entry, found, interpret(chapter, entry))


def judge(entry: Entry, found: Outcome) -> None:
    if entry.check is not None:
        inputs = [data_for(entry, n) for n in inputs_of(entry)]
        assert entry.check(*inputs, *found.outputs)
    else:
        agree(entry, found, expected(entry))


def test_catalogue_is_large_and_has_no_twins() -> None:
    statements = {(entry.template, entry.operands) for _, entry in ALL}
    assert len(statements) == len(set(IDS)) == len(ALL) >= 150
