"""Which backend works for a target. Comes in: a target's facts. Goes out: its `Toolchain`."""

from __future__ import annotations

from ptxlift.llvm.amdgpu import AmdgpuBackend
from ptxlift.llvm.backend import Toolchain
from ptxlift.llvm.nvptx import NvptxBackend
from ptxlift.target import AnySpec, NvidiaSpec, TargetSpec


def toolchain_for(spec: AnySpec) -> Toolchain[TargetSpec] | Toolchain[NvidiaSpec]:
    """The backend for a target, with it."""
    if isinstance(spec, NvidiaSpec):
        return Toolchain(NvptxBackend(), spec)
    return Toolchain(AmdgpuBackend(), spec)
