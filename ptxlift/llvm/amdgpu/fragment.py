"""Emits one function so that other compilers can put it into their own modules.

Comes in: an `ir.Function` and the types its caller has for arguments and results. Goes out: LLVM
text in parts: the definition, what it declares, the metadata it names. It keeps subnormals and
flushes by itself, for it runs in whatever mode its caller runs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ptxlift.diag import Source
from ptxlift.ir.core import Block, Function, Module, Value
from ptxlift.llvm.amdgpu import control
from ptxlift.llvm.amdgpu import facts as facts_module
from ptxlift.llvm.amdgpu.context import Context, symbol
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.facts import Facts
from ptxlift.llvm.amdgpu.floats import TYPES
from ptxlift.llvm.amdgpu.kernel_abi import absent_inputs
from ptxlift.llvm.amdgpu.matrix.module import replace_products
from ptxlift.llvm.amdgpu.module import metadata_lines
from ptxlift.llvm.amdgpu.variables import define_variable
from ptxlift.llvm.options import CodegenOptions
from ptxlift.target import TargetSpec

_FLOATS = {type.name: type for type in TYPES.values()}
_NODE = re.compile(r"!(\d+)")
_NUMBERED = re.compile(r"!(\d+) = (.*)")
_FENCE = 'fence syncscope("singlethread") seq_cst'  # orders memory for the compiler, no code


@dataclass(frozen=True, slots=True)
class Form:
    """How the caller has one value.

    type: LLVM's. width: of the IR value. casts: what turns one into the other, `op FROM %s to TO`.
    """

    type: str
    width: int
    casts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Signature:
    """What a fragment takes and gives, and what is promised about it.

    memory: the only accesses, "none" or "read"; "" for any, and for other side effects. before,
    after: the compiler moves no memory access over the fragment's start or end.
    """

    parameters: tuple[Form, ...]
    results: tuple[Form, ...]
    convergent: bool = False
    memory: str = ""
    before: bool = False
    after: bool = False
    linkage: str = "linkonce_odr hidden"

    @property
    def result_type(self) -> str:
        """One type, a structure of several, or `void`."""
        return control.joined([form.type for form in self.results])


@dataclass(frozen=True, slots=True)
class Pieces:
    """A fragment's text. `globals`, `declarations`: by name; `metadata`: bodies by number; `needs`:
    attributes that the functions it is inlined into must not have.
    """

    definition: str
    globals: dict[str, str] = field(default_factory=dict)
    declarations: dict[str, str] = field(default_factory=dict)
    metadata: dict[int, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()


def emit_fragment(
    module: Module,
    signature: Signature,
    spec: TargetSpec,
    options: CodegenOptions,
    source: Source,
) -> Pieces:
    """The only function of `module` as a definition that is always inlined."""
    module = replace_products(module, spec, options)
    (function,) = module.functions.values()
    facts = facts_module.collect(module)
    own = facts[function.name]
    own.keeps_subnormals = True
    context = Context(module, spec, options, facts, source)
    emitter = _FragmentEmitter(context, function, own, signature)
    emitter.emit_blocks(_prologue)
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
        _used_metadata(definition, context),
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
    words += ["willreturn"] * _comes_back(function)
    if signature.memory:  # hidden arguments are read from memory
        words.append("memory(read)" if _HIDDEN in needs else f"memory({signature.memory})")
    return words


def _comes_back(function: Function) -> bool:
    """Whether it has no loop."""
    seen = set()
    for block in function.blocks:
        seen.add(block)
        if any(successor in seen for successor in block.ops[-1].successors):
            return False
    return True


def _prologue(e: Emitter) -> None:
    assert isinstance(e, _FragmentEmitter)
    if e.signature.before:
        e.do(_FENCE)
    for index, form in enumerate(e.signature.parameters):
        text = f"%x{index}"
        for number, cast in enumerate(form.casts, 1):
            name = f"%a{index}" if number == len(form.casts) else f"%x{index}.{number}"
            e.do(f"{name} = {cast % text}")
            text = name


class _FragmentEmitter(Emitter):
    """An emitter whose function has the caller's types."""

    def __init__(
        self, context: Context, function: Function, facts: Facts, signature: Signature
    ) -> None:
        super().__init__(context, function, facts)
        self.signature = signature

    def typed_parameters(self) -> str:
        """LLVM's parameter list; a parameter that needs no cast has its IR value's name."""
        return ", ".join(
            f"{form.type} %{'x' if form.casts else 'a'}{index}"
            for index, form in enumerate(self.signature.parameters)
        )

    def _open_first(self, first: Block) -> None:
        super()._open_first(first)
        for index, form in enumerate(self.signature.parameters):
            real = _FLOATS.get(form.type)
            if real is not None and real.bits == form.width:
                self._reals[real.name][first.params[index]] = f"%x{index}"

    def result_types(self) -> list[str]:
        return [form.type for form in self.signature.results]

    def leave(self) -> None:
        if self.signature.after:
            self.do(_FENCE)

    def result(self, index: int, value: Value) -> str:
        form = self.signature.results[index]
        real = _FLOATS.get(form.type)
        if real is not None and real.bits == value.width:
            return self.real(value, real)
        text = self.bits(value)
        for cast in form.casts:
            text = self.let(cast % text)
        return text


def _used_metadata(text: str, context: Context) -> dict[int, str]:
    used = {int(number) for number in _NODE.findall(text)}
    nodes = (_NUMBERED.match(line) for line in metadata_lines(context))
    return {int(node[1]): node[2] for node in nodes if node and int(node[1]) in used}


def renumbered(text: str, numbers: dict[int, int]) -> str:
    """The text with other numbers for its metadata."""
    return _NODE.sub(lambda found: f"!{numbers[int(found[1])]}", text)


def module_text(pieces: Sequence[Pieces], triple: str) -> str:
    """A module of its own."""
    parts: dict[str, None] = {f'target triple = "{triple}"': None, "": None}
    for group in ("globals", "definition", "declarations", "metadata"):
        for piece in pieces:
            part = getattr(piece, group)
            lines = [part] if isinstance(part, str) else _lines(part)
            parts |= dict.fromkeys(lines)
    return "\n".join(parts) + "\n"


def _lines(named: dict[str, str] | dict[int, str]) -> list[str]:
    return [f"!{name} = {text}" if isinstance(name, int) else text for name, text in named.items()]
