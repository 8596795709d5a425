"""Emits one function for an NVIDIA target so that other compilers can put it into their modules."""

from __future__ import annotations

from ptxlift.diag import Source
from ptxlift.ir.core import Function, Module
from ptxlift.llvm.context import symbol
from ptxlift.llvm.fragment import (
    CallerTypes,
    Pieces,
    Signature,
    cast_arguments,
    comes_back,
    used_metadata,
)
from ptxlift.llvm.nvptx.emitter import Context, Emitter
from ptxlift.llvm.nvptx.module import METADATA, define_variable
from ptxlift.llvm.options import CodegenOptions
from ptxlift.target.nvidia import NvidiaSpec


def emit_fragment(
    module: Module,
    signature: Signature,
    spec: NvidiaSpec,
    options: CodegenOptions,
    source: Source,
) -> Pieces:
    """The only function of `module` as a definition that is always inlined."""
    (function,) = [f for f in module.functions.values() if f.blocks]
    context = Context(module, spec, options, source)
    emitter = _FragmentEmitter(context, function, signature)
    emitter.emit_blocks(cast_arguments)
    emitter.complete_phis()
    body = "\n".join(emitter.lines)
    head = f"define {signature.linkage} {signature.result_type} {symbol(function.name)}"
    marks = " ".join(_marks(function, signature))
    definition = f"{head}({emitter.typed_parameters()}) {marks} {{\n{body}\n}}"
    variables = {symbol(v.name): define_variable(v, context) for v in module.variables.values()}
    declarations = dict(sorted(context.declarations.items()))
    return Pieces(definition, variables, declarations, used_metadata(definition, METADATA))


def _marks(function: Function, signature: Signature) -> list[str]:
    words = ["alwaysinline", "nounwind"]
    words += ["convergent"] * signature.convergent
    words += ["willreturn"] * comes_back(function)
    words += [f"memory({signature.memory})"] * bool(signature.memory)
    return words


class _FragmentEmitter(CallerTypes[Context], Emitter):
    """An emitter whose function has the caller's types."""

    compiler_fence = 'call void asm sideeffect "", "~{memory}"()'

    def __init__(self, context: Context, function: Function, signature: Signature) -> None:
        super().__init__(context, function)
        self.signature = signature
