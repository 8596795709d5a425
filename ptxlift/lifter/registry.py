"""Which function lifts a row that has no pure meaning: `@lifts("row name")`.

A lifting function gets the `FunctionLifter` and the instruction and appends IR. Pure rows need
none: their semantics function runs on the builder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ptxlift.chapters import Chapters

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter
    from ptxlift.ptx.module import Inst

Lifting: TypeAlias = "Callable[[FunctionLifter, Inst], None]"

_CHAPTERS = Chapters[Lifting](
    "ptxlift.lifter",
    (
        "moves", "memory", "atomics", "addresses", "async_copy", "bulk_copy", "mbarrier", "warp",
        "matrix_moves", "matrix", "wmma", "sparse", "refused", "barriers", "calls", "hints",
        "images",
    ),
)  # fmt: skip
lifts = _CHAPTERS.register
liftings = _CHAPTERS.table
