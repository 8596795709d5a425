"""Ops that only other backends make or take; PTX's own instructions come as `native`."""

from __future__ import annotations

from ptxlift.ir.core import Op
from ptxlift.llvm.nvptx.emitter import Emitter
from ptxlift.llvm.nvptx.registry import lowers

AMD_ONLY = (
    "permute", "wave_permute", "move_lanes", "reduce_warp", "is_among", "matrix_core", "mma",
    "matrix_load",
)  # fmt: skip


@lowers(*AMD_ONLY)
def _absent(e: Emitter, op: Op) -> None:
    raise e.error(
        op,
        "PTX202",
        f"this program was lifted for AMD GPUs: its op {op.name} has no counterpart in PTX",
        "lift the text for the NVIDIA target; its own instructions then stay as they are",
    )
