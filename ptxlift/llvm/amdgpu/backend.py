"""The AMDGPU backend: IR module -> LLVM IR -> relocatable object with its kernel descriptors.

Comes in: an `ir.Module` and a `TargetSpec`. Goes out: text, work orders, objects. LLVM is loaded at
the first compilation.
"""

from __future__ import annotations

from ptxlift.diag import Source
from ptxlift.ir.core import Module
from ptxlift.llvm.amdgpu.fragment import emit_fragment
from ptxlift.llvm.amdgpu.module import emit_module
from ptxlift.llvm.amdgpu.older import for_llvm
from ptxlift.llvm.fragment import Pieces, Signature
from ptxlift.llvm.options import CodegenOptions, Compiled, Emitted, Job
from ptxlift.rewrite.driver import Log
from ptxlift.rewrite.passes import rewrite_module
from ptxlift.target import TargetSpec
from ptxlift.target.model import TRIPLE


class AmdgpuBackend:
    """`llvm.backend.Backend` for AMD chips; holds no state."""

    triple = TRIPLE

    def rewrite(self, module: Module, spec: TargetSpec, log: Log) -> Module:
        """The module with the chip's rewrites done."""
        return rewrite_module(module, spec.target.features, log)

    def emit_module(
        self,
        module: Module,
        spec: TargetSpec,
        options: CodegenOptions,
        source: Source | None = None,
    ) -> Emitted:
        """LLVM IR text of a whole module; unsupported ops raise `PtxError` at their span."""
        return emit_module(module, spec, options, source)

    def emit_fragment(
        self,
        module: Module,
        signature: Signature,
        spec: TargetSpec,
        options: CodegenOptions,
        source: Source,
        llvm_version: int,
    ) -> Pieces:
        """The only function of a module, for other compilers to inline."""
        pieces = emit_fragment(module, signature, spec, options, source)
        (name,) = module.functions
        return for_llvm(pieces, llvm_version, name)

    def job(self, name: str, emitted: Emitted, spec: TargetSpec, options: CodegenOptions) -> Job:
        """The work order that makes an object of emitted text, here or in a worker process."""
        wave_size = options.wave_size or spec.target.default_wave
        features = spec.llvm_features(wave_size)
        level = options.opt_level
        text, pipeline, pairs = emitted.text, emitted.pipeline, emitted.pairs
        return Job(name, text, TRIPLE, spec.cpu, features, level, pipeline, pairs)

    def compile(self, job: Job) -> Compiled:
        """Runs a job in this process."""
        from ptxlift.llvm.compile import run

        return run(job)
