"""Emits a whole module for an NVIDIA target: variables, functions, declarations.

Comes in: an `ir.Module`. Goes out: LLVM IR text. Names of visible symbols stay as they are. It must
know no op.
"""

from __future__ import annotations

from ptxlift.diag import Source
from ptxlift.ir.attributes import Format, Space
from ptxlift.ir.core import Function, Module, Op, Relocation, Variable
from ptxlift.llvm.context import symbol
from ptxlift.llvm.debug_lines import DebugLines, debug_lines
from ptxlift.llvm.emitter import joined
from ptxlift.llvm.nvptx.emitter import NUMBERS, POINTERS, Context, Emitter
from ptxlift.llvm.nvptx.kernels import attributes
from ptxlift.llvm.options import CodegenOptions, Emitted, Pipeline
from ptxlift.llvm.variables import initial_value
from ptxlift.target.nvidia import DATA_LAYOUT, TRIPLE, NvidiaSpec

_LINKAGE = {"weak": "weak ", "common": "common ", "": "internal "}
METADATA = ("!0 = !{}",)


def emit_module(
    module: Module, spec: NvidiaSpec, options: CodegenOptions, source: Source | None = None
) -> Emitted:
    """The module as LLVM IR text."""
    context = Context(module, spec, options, source)
    lines = debug_lines(context)
    bodies = [_function(function, context, lines) for function in module.functions.values()]
    parts = [f'target datalayout = "{DATA_LAYOUT}"', f'target triple = "{TRIPLE}"', ""]
    parts += [define_variable(variable, context) for variable in module.variables.values()]
    parts += _kept(module)
    parts += bodies
    parts += sorted(context.declarations.values())
    parts += _metadata(context, lines)
    pairs = any(_is_half(op) for f in module.functions.values() for op in f.ops())
    features = spec.llvm_features(module.version)
    return Emitted("\n".join(parts) + "\n", Pipeline.FULL, pairs, features)


def _is_half(op: Op) -> bool:
    return "fmt" in op.opdef.attributes and op.attr("fmt") is Format.F16


def _metadata(context: Context, lines: DebugLines | None) -> list[str]:
    found = list(METADATA)
    if lines is not None:
        found.append(f"!llvm.dbg.cu = !{{{lines.unit}}}")
        found.append(f"!llvm.module.flags = !{{{', '.join(lines.flags())}}}")
    numbered = enumerate(context.notes, context.first_note)
    return found + [f"!{number} = {note}" for number, note in numbered]


def _function(function: Function, context: Context, lines: DebugLines | None) -> str:
    if not function.blocks:
        return _declaration(function)
    emitter = Emitter(context, function)
    emitter.emit_blocks()
    emitter.complete_phis()
    head, text = _head(function, emitter), emitter.lines
    if lines is not None:
        scope, text = lines.located(function, text, emitter.marks)
        head += f" !dbg {scope}"
    body = "\n".join(text)
    return f"{head} {{\n{body}\n}}"


def _head(function: Function, emitter: Emitter) -> str:
    name = symbol(function.name)
    if function.is_kernel:
        weak = "weak " if function.linkage == "weak" else ""
        head = f"define {weak}ptx_kernel void {name}({emitter.arguments.text()})"
        return f"{head} {attributes(function.bounds)}"
    typed = zip(function.param_widths, emitter.parameter_names(), strict=True)
    arguments = ", ".join(f"i{width} {text}" for width, text in typed)
    result = joined([f"i{width}" for width in function.result_widths])
    return f"define internal {result} {name}({arguments}) convergent nounwind"


def _declaration(function: Function) -> str:
    result = joined([f"i{width}" for width in function.result_widths])
    arguments = ", ".join(f"i{width}" for width in function.param_widths)
    noreturn = " noreturn" if function.noreturn else ""
    return f"declare {result} {symbol(function.name)}({arguments}) convergent nounwind{noreturn}"


def define_variable(variable: Variable, context: Context) -> str:
    """The global's definition or declaration. The host may read and write what is global."""
    name, place = symbol(variable.name), f"addrspace({NUMBERS[variable.space]})"
    if variable.is_object:
        raise context.error(
            "PTX202",
            f"{variable.name}: texture, sampler and surface variables cannot be kept",
            hint="pass textures, surfaces and samplers as handles in registers",
        )
    array = f"[{variable.size} x i8]"
    if variable.linkage == "extern":
        return f"{name} = external {place} global {array}, align {variable.align}"
    if variable.space is Space.SHARED:
        return f"{name} = internal {place} global {array} poison, align {variable.align}"
    linkage = _LINKAGE.get(variable.linkage, "")
    outside = "" if linkage == "common " else "externally_initialized "
    initial = initial_value(variable, lambda r: _address(r, variable, context))
    return f"{name} = {linkage}{place} {outside}global {initial}, align {variable.align}"


def _address(relocation: Relocation, variable: Variable, context: Context) -> str:
    pointed = context.module.variables.get(relocation.symbol)
    if relocation.size != 8 or relocation.shift:
        raise context.error(
            "PTX202",
            f"the initial value of {variable.name} holds a part of the address of "
            f"{relocation.symbol}",
            hint="store whole 64-bit addresses",
        )
    type = "ptr" if pointed is None else POINTERS[pointed.space]
    pointer = symbol(relocation.symbol)
    if relocation.addend:
        pointer = f"getelementptr (i8, {type} {pointer}, i64 {relocation.addend})"
    if relocation.generic and type != "ptr":
        pointer, type = f"addrspacecast ({type} {pointer} to ptr)", "ptr"
    return f"{type} {pointer}"


def _kept(module: Module) -> list[str]:
    """Keeps private variables: the host's runtime finds them by name, too."""
    names = [
        f"ptr addrspacecast ({POINTERS[v.space]} {symbol(v.name)} to ptr)"
        for v in module.variables.values()
        if v.linkage == "" and v.space is not Space.SHARED
    ]
    if not names:
        return []
    array = f"[{len(names)} x ptr] [{', '.join(names)}]"
    return [f'@llvm.used = appending global {array}, section "llvm.metadata"']
