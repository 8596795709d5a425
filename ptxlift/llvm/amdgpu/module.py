"""Emits a whole module: variables, functions, metadata.

Comes in: an `ir.Module`. Goes out: LLVM IR text for one target. Names of visible symbols stay as
they are. It must know no op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ptxlift.diag import Source
from ptxlift.ir.core import Function, Module
from ptxlift.ir.printf import metadata_entry
from ptxlift.llvm.amdgpu import control
from ptxlift.llvm.amdgpu import facts as facts_module
from ptxlift.llvm.amdgpu.barrier import begin_barriers
from ptxlift.llvm.amdgpu.context import FIRST_NOTE, Context
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.facts import Facts
from ptxlift.llvm.amdgpu.kernel_abi import attributes
from ptxlift.llvm.amdgpu.matrix.module import replace_products
from ptxlift.llvm.amdgpu.shuffles import replace_shuffles
from ptxlift.llvm.amdgpu.split import leave_idle_lanes
from ptxlift.llvm.amdgpu.variables import define_variable, static_shared_bytes
from ptxlift.llvm.context import symbol
from ptxlift.llvm.debug_lines import DebugLines, debug_lines
from ptxlift.llvm.emitter import joined
from ptxlift.llvm.options import CodegenOptions, Emitted, Pipeline
from ptxlift.rewrite.images import replace_images
from ptxlift.target import Feature, TargetSpec
from ptxlift.target.model import TRIPLE

# Ops from which on less than LLVM's own pipeline is worth the time it spares: of code with loops
# only, which LOOPS makes as good on the whole, and of code with local arrays or calls.
_LARGE_LOOPS, _LARGE = 300, 1500
_MANY_PAIRS = 4  # code of which one op in so many could be half of a packed one
_DEFAULT_LEVEL = 2


def emit_module(
    module: Module, spec: TargetSpec, options: CodegenOptions, source: Source | None = None
) -> Emitted:
    """The module as LLVM IR text."""
    if not spec.target.has(Feature.IMAGE):
        module = replace_images(module)
    module = replace_products(module, spec, options)
    module = replace_shuffles(module, spec, options)
    facts = facts_module.collect(module)
    context = Context(module, spec, options, facts, source)
    lines = debug_lines(context)
    bodies = [_function(f, facts[f.name], context, lines) for f in module.functions.values()]
    parts = [f'target triple = "{TRIPLE}"', ""]
    parts += [define_variable(variable, context) for variable in module.variables.values()]
    parts += context.helpers.values()
    parts += [body for body in bodies if body]
    parts += sorted(context.declarations.values())
    parts += metadata_lines(context, lines)
    halves = any(fact.has_halves for fact in facts.values())
    pairs = context.has(Feature.PK_FMA_F32) and not halves  # LLVM's pairs of halves cost more
    return Emitted("\n".join(parts) + "\n", _pipeline(facts, options, pairs), pairs)


def _pipeline(facts: Mapping[str, Facts], options: CodegenOptions, pairs: bool) -> Pipeline:
    """The fewest passes that pay. Large programs come from compilers that have optimised them.
    pairs: the target has packed f32 instructions, which only LLVM's own pipelines make.
    """
    found = facts.values()
    complex = any(fact.has_locals_or_calls for fact in found)
    if not complex and not any(fact.has_loops for fact in found):
        return Pipeline.SHORT
    size = sum(fact.size for fact in found)
    complex |= pairs and _MANY_PAIRS * sum(fact.pairable for fact in found) > size
    large = _LARGE if complex else _LARGE_LOOPS
    if options.opt_level > _DEFAULT_LEVEL or size < large:
        return Pipeline.FULL
    return Pipeline.MOST if complex else Pipeline.LOOPS


def _function(function: Function, facts: Facts, context: Context, lines: DebugLines | None) -> str:
    if not function.blocks:
        return _declaration(function)
    if function.is_kernel:
        _check_shared(function, facts, context)
    emitter = Emitter(context, function, facts)
    emitter.emit_blocks(_prologue(context) if function.is_kernel else None)
    control.finish(emitter)
    emitter.complete_phis()
    head = f"{_head(function, emitter, facts)} {attributes(function, facts, context)}"
    head += _required_size(function, context)
    text = emitter.lines
    if lines is not None and function.origin is not None:  # of image accesses there is no text
        scope, text = lines.located(function, text, emitter.marks)
        head += f" !dbg {scope}"
    body = "\n".join(text)
    return f"{head} {{\n{body}\n}}"


def _prologue(context: Context) -> Callable[[Emitter], None]:
    return leave_idle_lanes if context.is_split else begin_barriers


def _declaration(function: Function) -> str:
    """Of a function that linked bitcode defines; others without a body have no use."""
    if function.linkage != "extern":
        return ""
    result = joined(control.return_types(function.result_widths, may_exit=False))
    arguments = ", ".join(f"i{width}" for width in function.param_widths)
    return f"declare {result} {symbol(function.name)}({arguments})"


def _required_size(function: Function, context: Context) -> str:
    shape = function.bounds.reqntid
    if shape is None or not function.is_kernel:
        return ""
    width = shape[0] * (2 if context.is_split else 1)
    sizes = ", ".join(f"i32 {size}" for size in (width, *shape[1:]))
    return f" !reqd_work_group_size {context.note(f'!{{{sizes}}}')}"


def _head(function: Function, emitter: Emitter, facts: Facts) -> str:
    name = symbol(function.name)
    if function.is_kernel:
        visibility = "" if function.linkage != "weak" else "weak "
        return f"define {visibility}protected amdgpu_kernel void {name}({emitter.arguments.text()})"
    types = control.return_types(function.result_widths, facts.may_exit)
    typed = zip(function.param_widths, emitter.parameter_names(), strict=True)
    arguments = ", ".join(f"i{width} {text}" for width, text in typed)
    return f"define internal {joined(types)} {name}({arguments})"


def _check_shared(function: Function, facts: Facts, context: Context) -> None:
    size = static_shared_bytes(facts.variables, context)
    limit = context.target.lds_bytes
    if size > limit:
        raise context.error(
            "PTX303",
            f"the kernel {function.name} needs {size} bytes of shared memory, "
            f"{context.target.name} has {limit}",
            hint="use smaller tiles, or a target with more LDS",
        )


def metadata_lines(context: Context, lines: DebugLines | None = None) -> list[str]:
    """The module's metadata; lowerings know the numbers of the fixed nodes."""
    version = 6 if context.target.needs_cov6 else context.options.code_object_version
    formats = dict.fromkeys(
        text for function in context.module.functions.values() for text in function.printf_formats
    )
    flags = ["!2", *(lines.flags() if lines is not None else ())]
    return [
        *_printf_formats(list(formats), context),
        *_debug_unit(lines),
        f"!llvm.module.flags = !{{{', '.join(flags)}}}",
        "!0 = !{}",
        "!1 = !{i32 1}",
        "!3 = !{i32 5, i32 6}",
        "!4 = !{i32 0, i32 32}",
        "!5 = !{i32 0, i32 64}",
        '!6 = !{!"branch_weights", i32 1, i32 65535}',
        f'!2 = !{{i32 1, !"amdhsa_code_object_version", i32 {version}00}}',
        *(f"!{FIRST_NOTE + index} = {note}" for index, note in enumerate(context.notes)),
    ]


def _debug_unit(lines: DebugLines | None) -> list[str]:
    return [] if lines is None else [f"!llvm.dbg.cu = !{{{lines.unit}}}"]


def _printf_formats(formats: list[str], context: Context) -> list[str]:
    """The formats of printf; their presence also makes the runtime pass the buffer."""
    if not formats:
        return []
    texts = ("".join(_quoted(c) for c in metadata_entry(text)) for text in formats)
    nodes = ", ".join(context.note(f'!{{!"{text}"}}') for text in texts)
    return [f"!llvm.printf.fmts = !{{{nodes}}}"]


def _quoted(character: str) -> str:
    plain = " " <= character <= "~" and character not in '"\\'
    return character if plain else f"\\{ord(character):02X}"
