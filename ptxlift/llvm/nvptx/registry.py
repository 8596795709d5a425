"""Which function lowers an op for NVIDIA targets: `@lowers("op name")` and `table`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ptxlift.chapters import Chapters
from ptxlift.ir.core import Op
from ptxlift.llvm.plain.registry import SHARED

if TYPE_CHECKING:
    from ptxlift.llvm.nvptx.emitter import Emitter

Lowering = Callable[["Emitter", Op], None]

_CHAPTERS = Chapters[Lowering](
    "ptxlift.llvm.nvptx",
    (
        "addresses", "integer", "carries", "logic", "floating", "convert", "memory", "special",
        "warp", "block", "control",
    ),
    shared=SHARED,
)  # fmt: skip
lowers = _CHAPTERS.register
table = _CHAPTERS.table
