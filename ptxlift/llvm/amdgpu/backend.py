"""The AMDGPU backend: IR module -> LLVM IR -> relocatable object with its kernel descriptors.

Comes in: an `ir.Module` and a `TargetSpec`. Goes out: text, work orders, objects. LLVM is loaded at
the first compilation.
"""

from __future__ import annotations

from ptxlift.diag import Source
from ptxlift.ir.core import Module
from ptxlift.llvm.amdgpu.module import emit_module
from ptxlift.llvm.options import CodegenOptions, Compiled, Emitted, Job
from ptxlift.target import TargetSpec
from ptxlift.target.model import TRIPLE


class AmdgpuBackend:
    """`llvm.backend.Backend` for AMD chips; holds no state."""

    def emit_module(
        self,
        module: Module,
        spec: TargetSpec,
        options: CodegenOptions,
        source: Source | None = None,
    ) -> Emitted:
        """LLVM IR text of a whole module; unsupported ops raise `PtxError` at their span."""
        return emit_module(module, spec, options, source)

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
