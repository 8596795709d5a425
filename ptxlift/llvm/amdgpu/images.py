"""Textures and surfaces by image instructions.

Chips without them never get here: `rewrite.images` has made calls of the ops before, except in
fragments, which are one function.
"""

from __future__ import annotations

from ptxlift.ir.core import Op
from ptxlift.ir.images import IMAGE_OPS
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.target import Feature


@lowers(*sorted(IMAGE_OPS))
def _refuse(e: Emitter, op: Op) -> None:
    what = "a surface access" if op.name.startswith("surface") else "a texture access"
    if e.context.has(Feature.IMAGE):
        text, hint = "by image instructions", "translate for a chip without them, such as gfx942"
    else:
        text, hint = "in an asm statement", "translate the kernel that it stands in"
    raise e.error(op, "PTX302", f"{what} {text} is not translated", hint)
