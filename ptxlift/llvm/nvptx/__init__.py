"""IR -> LLVM IR for NVIDIA targets -> optimised PTX text.

Comes in: an `ir.Module`, a target and options. Goes out: LLVM IR text, and PTX through
`llvm.compile`. Every op of the op table has a lowering here.
"""

from ptxlift.llvm.nvptx.backend import NvptxBackend

__all__ = ["NvptxBackend"]
