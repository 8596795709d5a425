"""Which function runs a row: `@runs("row name")` for instructions that go on to the next one.

A step is made once an instruction and then called for every group of lanes that reaches it. Rows
with a semantics function need none here. Ends of code blocks are in `ends`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from ptxlift.interp.state import Selection, State
from ptxlift.interp.values import Operands
from ptxlift.ptx import module as ptx

Step: TypeAlias = Callable[[State, Selection], None]
Maker: TypeAlias = Callable[[Operands, ptx.Inst], Step]

_CHAPTERS = ("access", "atomics", "addresses", "quiet", "copies", "mbarrier", "bulk")
_MAKERS: dict[str, Maker] = {}  # filled once by the chapters' decorators


def runs(*names: str) -> Callable[[Maker], Maker]:
    """Registers the maker of a row's step."""

    def register(maker: Maker) -> Maker:
        for name in names:
            assert name not in _MAKERS, f"two steps for {name}"
            _MAKERS[name] = maker
        return maker

    return register


@cache
def makers() -> dict[str, Maker]:
    """Every maker by row name."""
    for chapter in _CHAPTERS:
        importlib.import_module(f"ptxlift.interp.{chapter}")
    return _MAKERS
