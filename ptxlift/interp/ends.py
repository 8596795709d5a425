"""Which function ends a code block: `@ends("row name")` for branches, calls, waits and exits.

An end is made once an instruction. It returns the block where all its lanes go on, or None when it
has noted each lane's place, or its waiting, in the state.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from ptxlift.interp.state import Selection, State
from ptxlift.interp.values import Operands
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.interp.code import Code

End: TypeAlias = Callable[[State, Selection], "int | None"]
Labels: TypeAlias = "dict[ptx.Label, int]"
# code, operands of the function, its labels, instruction (None: behind the last), next block
EndMaker: TypeAlias = "Callable[[Code, Operands, Labels, ptx.Inst | None, int], End]"

_CHAPTERS = ("control", "calls", "warp", "barriers", "matrix_moves", "matrix", "wmma")
_MAKERS: dict[str, EndMaker] = {}  # filled once by the chapters' decorators


def ends(*names: str) -> Callable[[EndMaker], EndMaker]:
    """Registers the maker of a row's end."""

    def register(maker: EndMaker) -> EndMaker:
        for name in names:
            assert name not in _MAKERS, f"two ends for {name}"
            _MAKERS[name] = maker
        return maker

    return register


@cache
def endings() -> dict[str, EndMaker]:
    """Every maker by row name."""
    for chapter in _CHAPTERS:
        importlib.import_module(f"ptxlift.interp.{chapter}")
    return _MAKERS
