"""Which function lifts a row that has no pure meaning: `@lifts("row name")`.

A lifting function gets the `FunctionLifter` and the instruction and appends IR. Pure rows need
none: their semantics function runs on the builder.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter
    from ptxlift.ptx.module import Inst

Lifting: TypeAlias = "Callable[[FunctionLifter, Inst], None]"

_CHAPTERS = (
    "moves",
    "memory",
    "atomics",
    "addresses",
    "async_copy",
    "bulk_copy",
    "mbarrier",
    "warp",
    "matrix_moves",
    "matrix",
    "wmma",
    "refused",
    "barriers",
    "calls",
    "hints",
)
_LIFTINGS: dict[str, Lifting] = {}  # filled once by the chapters' decorators


def lifts(*names: str) -> Callable[[Lifting], Lifting]:
    """Registers a lifting function under row names."""

    def register(function: Lifting) -> Lifting:
        for name in names:
            assert name not in _LIFTINGS, f"two lifting functions for {name}"
            _LIFTINGS[name] = function
        return function

    return register


@cache
def liftings() -> dict[str, Lifting]:
    """All lifting functions by row name."""
    for chapter in _CHAPTERS:
        importlib.import_module(f"ptxlift.lifter.{chapter}")
    return _LIFTINGS
