"""The interface of a backend: IR module -> LLVM IR text -> object.

Comes in: an `ir.Module` and a target. Goes out: text, then bytes. AMDGPU is the first instance and
NVPTX the second; the callers must know neither.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from ptxlift.diag import Source
from ptxlift.ir.core import Module
from ptxlift.llvm.options import CodegenOptions, Compiled, Emitted, Job

Spec = TypeVar("Spec", contravariant=True)


class Backend(Protocol[Spec]):
    """What the driver needs of a target family."""

    def emit_module(
        self, module: Module, spec: Spec, options: CodegenOptions, source: Source | None = None
    ) -> Emitted:
        """LLVM IR text of a whole module; unsupported ops raise `PtxError` at their span."""
        ...

    def job(self, name: str, emitted: Emitted, spec: Spec, options: CodegenOptions) -> Job:
        """The work order that makes an object of emitted text, here or in a worker process."""
        ...

    def compile(self, job: Job) -> Compiled:
        """Runs a job in this process."""
        ...
