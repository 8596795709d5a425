"""IR -> LLVM IR for AMDGPU.

Comes in: an `ir.Module`, a target and options. Goes out: LLVM IR text, and objects through
`llvm.compile`. Every op of the op table has a lowering here.
"""

from ptxlift.llvm.amdgpu.backend import AmdgpuBackend

__all__ = ["AmdgpuBackend"]
