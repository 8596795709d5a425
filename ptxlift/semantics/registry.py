"""Which function gives a row its meaning: `@semantics("row name")` and `lookup`.

A semantics function takes the algebra, the instruction's `Form` and the source operands, and
returns the destination value, or a tuple of them in the order of the destinations (pairs and
vectors flattened). Sources have exactly the width of their instruction type; a vector source is a
tuple, an operand that must be a constant a plain number. A row that reads the carry flag gets it as an i1 after the sources; a row that writes it
returns it as the last result. Memory, warp, barrier and control rows have no function here:
interpreter and lifter each do those in their own way.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

Function = Callable[..., Any]  # Any: the value type is the algebra's, not ours

_CHAPTERS = ("integer", "logic", "compare", "data", "floating", "half", "convert", "video")
_FUNCTIONS: dict[str, Function] = {}  # filled once by the chapters' decorators


def semantics(*names: str) -> Callable[[Function], Function]:
    """Registers a function under the names of the rows it defines."""

    def register(function: Function) -> Function:
        for name in names:
            assert name not in _FUNCTIONS, f"two semantics functions for {name}"
            _FUNCTIONS[name] = function
        return function

    return register


@cache
def _load() -> dict[str, Function]:
    for chapter in _CHAPTERS:
        importlib.import_module(f"ptxlift.semantics.{chapter}")
    return _FUNCTIONS


def lookup(name: str) -> Function | None:
    """The function of a row name, or None where the row is not a pure one or has none yet."""
    return _load().get(name)


def names() -> frozenset[str]:
    """The row names that have a function."""
    return frozenset(_load())
