"""Which function lowers an op: `@lowers("op name")` and `table`.

A lowering gets the function's `Emitter` and the op; it writes LLVM instructions and gives every
result of the op a definition. There is one an op; similar ops share a maker.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from ptxlift.ir.core import Op

if TYPE_CHECKING:
    from ptxlift.llvm.amdgpu.emitter import Emitter

Lowering = Callable[["Emitter", Op], None]

_CHAPTERS = (
    "addresses", "integer", "bitfields", "dot", "floating", "extremes", "convert", "approximate",
    "memory", "atomics", "special", "warp", "permute", "barrier", "control",
)  # fmt: skip
_LOWERINGS: dict[str, Lowering] = {}  # filled once by the chapters' decorators


def lowers(*names: str) -> Callable[[Lowering], Lowering]:
    """Registers the lowering of the named ops."""

    def register(function: Lowering) -> Lowering:
        for name in names:
            assert name not in _LOWERINGS, f"two lowerings of {name}"
            _LOWERINGS[name] = function
        return function

    return register


@cache
def table() -> dict[str, Lowering]:
    """Every op's lowering by the op's name."""
    for chapter in _CHAPTERS:
        importlib.import_module(f"ptxlift.llvm.amdgpu.{chapter}")
    return _LOWERINGS
