"""Which function gives a row its meaning: `@semantics("row name")` and `lookup`.

A semantics function takes the algebra, the instruction's `Form` and the source operands, and
returns the destination value, or a tuple of them in the order of the destinations (pairs and
vectors flattened). Sources have exactly the width of their instruction type; a vector source is a
tuple, an operand that must be a constant a plain number. A row that reads the carry flag gets it as
an i1 after the sources; a row that writes it returns it as the last result. Video rows get the
selectors of their operands besides (`extra_arguments`). Memory, warp, barrier and control rows have
no function here: interpreter and lifter each do those in their own way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ptxlift.chapters import Chapters
from ptxlift.isa import Form, OperandKind
from ptxlift.ptx import module as ptx

Function = Callable[..., Any]  # Any: the value type is the algebra's, not ours

_CHAPTERS = Chapters[Function](
    "ptxlift.semantics",
    (
        "integer", "logic", "compare", "data", "floating", "half", "convert", "narrow",
        "stochastic", "video",
    ),
)  # fmt: skip
semantics = _CHAPTERS.register


def lookup(name: str) -> Function | None:
    """The function of a row name, or None where the row is not a pure one or has none yet."""
    return _CHAPTERS.table().get(name)


def names() -> frozenset[str]:
    """The row names that have a function."""
    return frozenset(_CHAPTERS.table())


def extra_arguments(form: Form, operands: Sequence[ptx.Operand]) -> dict[str, tuple[str, ...]]:
    """What a video row takes besides its sources: the selector of each operand, "" for none.

    A minus in front says that the operand is negated.
    """
    if not any(spec.kind is OperandKind.SELECTED for spec in form.operands):
        return {}
    return {"selectors": tuple(_selector(operand) for operand in operands)}


def _selector(operand: ptx.Operand) -> str:
    if not isinstance(operand, ptx.Selected):
        return ""
    return ("-" if operand.negated else "") + operand.selector
