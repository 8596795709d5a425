"""Which function lowers an op: `@lowers("op name")` and `table`.

A lowering gets the function's `Emitter` and the op; it writes LLVM instructions and gives every
result of the op a definition. There is one an op; similar ops share a maker.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ptxlift.chapters import Chapters
from ptxlift.ir.core import Op
from ptxlift.llvm.plain.registry import SHARED

if TYPE_CHECKING:
    from ptxlift.llvm.amdgpu.emitter import Emitter

Lowering = Callable[["Emitter", Op], None]

_CHAPTERS = Chapters[Lowering](
    "ptxlift.llvm.amdgpu",
    (
        "addresses", "integer", "bitfields", "bytes", "logic", "dot", "floating", "extremes",
        "convert", "approximate", "memory", "atomics", "special", "warp", "permute", "shuffle",
        "reduce", "barrier", "control", "matrix.lower",
        "images.textures", "images.surfaces", "images.queries",
    ),
    shared=SHARED,
)  # fmt: skip
lowers = _CHAPTERS.register
table = _CHAPTERS.table
