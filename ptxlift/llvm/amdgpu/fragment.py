"""Emits one function so that other compilers can put it into their own modules.

Comes in: an `ir.Function` and the types its caller has for arguments and results. Goes out: LLVM
text in parts: the definition, what it declares, the metadata it names. It keeps subnormals and
flushes by itself, for it runs in whatever mode its caller runs.
"""

from __future__ import annotations

from ptxlift.diag import Source
from ptxlift.ir.core import Function, Module
from ptxlift.llvm.amdgpu import control
from ptxlift.llvm.amdgpu import facts as facts_module
from ptxlift.llvm.amdgpu.context import Context
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.facts import Facts
from ptxlift.llvm.amdgpu.kernel_abi import absent_inputs
from ptxlift.llvm.amdgpu.matrix.module import replace_products
from ptxlift.llvm.amdgpu.module import metadata_lines
from ptxlift.llvm.amdgpu.shuffles import replace_shuffles
from ptxlift.llvm.amdgpu.variables import define_variable
from ptxlift.llvm.context import symbol
from ptxlift.llvm.fragment import (
    CallerTypes,
    Pieces,
    Signature,
    cast_arguments,
    comes_back,
    used_metadata,
)
from ptxlift.llvm.options import CodegenOptions
from ptxlift.target import TargetSpec


def emit_fragment(
    module: Module,
    signature: Signature,
    spec: TargetSpec,
    options: CodegenOptions,
    source: Source,
) -> Pieces:
    """The only function of `module` as a definition that is always inlined."""
    module = replace_products(module, spec, options)
    module = replace_shuffles(module, spec, options)
    (function,) = module.functions.values()
    facts = facts_module.collect(module)
    own = facts[function.name]
    own.keeps_subnormals = True
    context = Context(module, spec, options, facts, source)
    emitter = _FragmentEmitter(context, function, own, signature)
    emitter.emit_blocks(cast_arguments)
    control.finish(emitter)
    emitter.complete_phis()
    body = "\n".join(emitter.lines)
    head = f"define {signature.linkage} {signature.result_type} {symbol(function.name)}"
    needs = _ALL_INPUTS - frozenset(absent_inputs(own, context))
    marks = " ".join(_marks(function, signature, needs))
    definition = f"{head}({emitter.typed_parameters()}) {marks} {{\n{body}\n}}"
    variables = {
        symbol(name): define_variable(variable, context)
        for name, variable in module.variables.items()
    }
    return Pieces(
        definition,
        variables | context.helpers,
        dict(sorted(context.declarations.items())),
        used_metadata(definition, metadata_lines(context)),
        tuple(sorted(needs)),
    )


_HIDDEN = "amdgpu-no-implicitarg-ptr"
_ALL_INPUTS = frozenset(
    {
        "amdgpu-no-workitem-id-x", "amdgpu-no-workitem-id-y", "amdgpu-no-workitem-id-z",
        "amdgpu-no-workgroup-id-x", "amdgpu-no-workgroup-id-y", "amdgpu-no-workgroup-id-z",
        _HIDDEN, "amdgpu-no-dispatch-id",
    }
)  # fmt: skip


def _marks(function: Function, signature: Signature, needs: frozenset[str]) -> list[str]:
    words = ["alwaysinline", "nounwind"]
    words += ["convergent"] * signature.convergent
    words += ["willreturn"] * comes_back(function)
    if signature.memory:  # hidden arguments are read from memory
        words.append("memory(read)" if _HIDDEN in needs else f"memory({signature.memory})")
    return words


class _FragmentEmitter(CallerTypes[Context], Emitter):
    """An emitter whose function has the caller's types."""

    compiler_fence = 'fence syncscope("singlethread") seq_cst'

    def __init__(
        self, context: Context, function: Function, facts: Facts, signature: Signature
    ) -> None:
        super().__init__(context, function, facts)
        self.signature = signature
