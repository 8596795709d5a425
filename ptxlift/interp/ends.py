"""Which function ends a code block: `@ends("row name")` for branches, calls, waits and exits.

An end is made once an instruction. It returns the block where all its lanes go on, or None when it
has noted each lane's place, or its waiting, in the state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ptxlift.chapters import Chapters
from ptxlift.interp.state import Selection, State
from ptxlift.interp.values import Operands
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.interp.code import Code

End: TypeAlias = Callable[[State, Selection], "int | None"]
Labels: TypeAlias = "dict[ptx.Label, int]"
# code, operands of the function, its labels, instruction (None: behind the last), next block
EndMaker: TypeAlias = "Callable[[Code, Operands, Labels, ptx.Inst | None, int], End]"

_CHAPTERS = Chapters[EndMaker](
    "ptxlift.interp",
    (
        "control", "calls", "warp", "barriers", "matrix_moves", "matrix", "wmma", "sparse",
    ),
)  # fmt: skip
ends = _CHAPTERS.register
endings = _CHAPTERS.table
