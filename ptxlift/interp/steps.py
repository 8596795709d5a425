"""Which function runs a row: `@runs("row name")` for instructions that go on to the next one.

A step is made once an instruction and then called for every group of lanes that reaches it. Rows
with a semantics function need none here. Ends of code blocks are in `ends`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ptxlift.chapters import Chapters
from ptxlift.interp.state import Selection, State
from ptxlift.interp.values import Operands
from ptxlift.ptx import module as ptx

Step: TypeAlias = Callable[[State, Selection], None]
Maker: TypeAlias = Callable[[Operands, ptx.Inst], Step]

_CHAPTERS = Chapters[Maker](
    "ptxlift.interp",
    (
        "access", "atomics", "addresses", "quiet", "copies", "mbarrier", "bulk", "images",
    ),
)  # fmt: skip
runs = _CHAPTERS.register
makers = _CHAPTERS.table
