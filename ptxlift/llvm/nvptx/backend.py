"""The NVPTX backend: IR module -> LLVM IR -> optimised PTX text.

Comes in: an `ir.Module` and an `NvidiaSpec`. Goes out: text, work orders, PTX. LLVM is loaded at
the first compilation.
"""

from __future__ import annotations

import re

from ptxlift.diag import Source
from ptxlift.ir.core import Module
from ptxlift.llvm.fragment import Pieces, Signature
from ptxlift.llvm.nvptx.fragment import emit_fragment
from ptxlift.llvm.nvptx.module import emit_module
from ptxlift.llvm.options import CodegenOptions, Compiled, Emitted, Job
from ptxlift.rewrite.driver import Log
from ptxlift.rewrite.passes import rewrite_for_ptx
from ptxlift.target.nvidia import TRIPLE, NvidiaFeature, NvidiaSpec

_NOISE = re.compile(r"^\s*//.*\n", re.MULTILINE)
_BLANK = re.compile(r"\n{3,}")


class NvptxBackend:
    """`llvm.backend.Backend` for NVIDIA targets; holds no state."""

    triple = TRIPLE

    def rewrite(self, module: Module, spec: NvidiaSpec, log: Log) -> Module:
        """The module with the target's rewrites done."""
        return rewrite_for_ptx(module, spec.target.has(NvidiaFeature.REDUX), log)

    def emit_module(
        self,
        module: Module,
        spec: NvidiaSpec,
        options: CodegenOptions,
        source: Source | None = None,
    ) -> Emitted:
        """LLVM IR text of a whole module; unsupported ops raise `PtxError` at their span."""
        return emit_module(module, spec, options, source)

    def emit_fragment(
        self,
        module: Module,
        signature: Signature,
        spec: NvidiaSpec,
        options: CodegenOptions,
        source: Source,
        llvm_version: int,
    ) -> Pieces:
        """The only function of a module, for other compilers to inline; every intrinsic in it is
        older than any LLVM that may read it.
        """
        return emit_fragment(module, signature, spec, options, source)

    def job(self, name: str, emitted: Emitted, spec: NvidiaSpec, options: CodegenOptions) -> Job:
        """The work order that makes PTX of emitted text, here or in a worker process."""
        level = options.opt_level
        text, features, pairs = emitted.text, emitted.features, emitted.pairs
        pipeline = emitted.pipeline
        return Job(name, text, TRIPLE, spec.cpu, features, level, pipeline, pairs, is_text=True)

    def compile(self, job: Job) -> Compiled:
        """Runs a job in this process."""
        from ptxlift.llvm.compile import run

        return run(job)


def tidy(text: str) -> str:
    """LLVM's PTX without the marks it puts around inline assembly."""
    return _BLANK.sub("\n\n", _NOISE.sub("", text)).lstrip("\n")
