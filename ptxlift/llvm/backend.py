"""The interface of a backend: IR module -> LLVM IR text -> object or assembly text.

Comes in: an `ir.Module` and a target. Goes out: text, then bytes. AMDGPU and NVPTX are its two
instances; callers take a `Toolchain` and know neither.
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from ptxlift.diag import Source
from ptxlift.ir.core import Module
from ptxlift.llvm.fragment import Pieces, Signature
from ptxlift.llvm.options import CodegenOptions, Compiled, Emitted, Job
from ptxlift.records import dataclass
from ptxlift.rewrite.driver import Log

Spec = TypeVar("Spec", contravariant=True)
Own = TypeVar("Own")


class Backend(Protocol[Spec]):
    """What the driver needs of a target family."""

    triple: str

    def rewrite(self, module: Module, spec: Spec, log: Log) -> Module:
        """The module with the target's rewrites done."""
        ...

    def emit_module(
        self, module: Module, spec: Spec, options: CodegenOptions, source: Source | None = None
    ) -> Emitted:
        """LLVM IR text of a whole module; unsupported ops raise `PtxError` at their span."""
        ...

    def emit_fragment(
        self,
        module: Module,
        signature: Signature,
        spec: Spec,
        options: CodegenOptions,
        source: Source,
        llvm_version: int,
    ) -> Pieces:
        """The only function of a module, for other compilers to inline, in words that an older
        LLVM reads.
        """
        ...

    def job(self, name: str, emitted: Emitted, spec: Spec, options: CodegenOptions) -> Job:
        """The work order that compiles emitted text, here or in a worker process."""
        ...

    def compile(self, job: Job) -> Compiled:
        """Runs a job in this process."""
        ...


@dataclass(frozen=True, slots=True)
class Toolchain(Generic[Own]):
    """A backend and the target it is to work for."""

    backend: Backend[Own]
    spec: Own

    def rewrite(self, module: Module, log: Log) -> Module:
        """`Backend.rewrite`."""
        return self.backend.rewrite(module, self.spec, log)

    def emit(
        self, name: str, module: Module, options: CodegenOptions, source: Source | None
    ) -> tuple[Emitted, Job]:
        """A module's text, and the job that compiles it."""
        emitted = self.backend.emit_module(module, self.spec, options, source)
        return emitted, self.backend.job(name, emitted, self.spec, options)

    def emit_fragment(
        self,
        module: Module,
        signature: Signature,
        options: CodegenOptions,
        source: Source,
        llvm_version: int,
    ) -> Pieces:
        """`Backend.emit_fragment`."""
        return self.backend.emit_fragment(
            module, signature, self.spec, options, source, llvm_version
        )
