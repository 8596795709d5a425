"""Ops that only other backends make or take; PTX's own instructions come as `native`.

What moves values between lanes in a chip's own ways, and matrix products, are made by passes for
AMD chips alone, so that whatever has no lowering here is one of those.
"""

from __future__ import annotations

from collections import UserDict

from ptxlift.ir.core import Op
from ptxlift.llvm.nvptx.emitter import Emitter
from ptxlift.llvm.nvptx.registry import Lowering


def _refuse(e: Emitter, op: Op) -> None:
    raise e.error(
        op,
        "PTX202",
        f"this program was lifted for AMD GPUs: its op {op.name} has no counterpart in PTX",
        "lift the text for the NVIDIA target; its own instructions then stay as they are",
    )


class Complete(UserDict[str, Lowering]):
    """The lowerings, and a refusal for every other op."""

    def __missing__(self, name: str) -> Lowering:
        return _refuse
