"""Nothing is half-added: whoever names a row names one that exists, and the page shows it."""

from __future__ import annotations

from ptxlift import isa
from ptxlift.interp.ends import endings
from ptxlift.interp.steps import makers
from ptxlift.lifter.cfg import EXITS
from ptxlift.lifter.registry import liftings
from ptxlift.semantics import registry as semantics

NAMES = {row.name for row in isa.rows()}


def test_semantics_functions_belong_to_rows() -> None:
    assert semantics.names() <= NAMES


def test_liftings_belong_to_rows_that_have_no_semantics_function() -> None:
    assert liftings().keys() | EXITS.keys() <= NAMES
    assert not liftings().keys() & semantics.names()


def test_steps_of_the_interpreter_belong_to_rows() -> None:
    assert makers().keys() | endings().keys() <= NAMES


def test_pure_rows_with_a_meaning_have_no_effect() -> None:
    for row in isa.rows():
        if row.name in semantics.names():
            assert isa.Effect.MEMORY not in row.effect, row.pattern
