"""A function that other compilers put into their own modules: types, promises, text in parts.

Comes in: the types a caller has for arguments and results. Goes out: `Pieces`, and `CallerTypes`,
which gives a target's emitter those types. It must know no op and no target.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ptxlift.ir.core import Block, Function, Value
from ptxlift.llvm.emitter import FunctionEmitter, joined
from ptxlift.llvm.floats import TYPES
from ptxlift.llvm.forms import Shared
from ptxlift.records import dataclass, field

_FLOATS = {type.name: type for type in TYPES.values()}
_NODE = re.compile(r"!(\d+)")
_NUMBERED = re.compile(r"!(\d+) = (.*)")


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
        return joined([form.type for form in self.results])


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


def comes_back(function: Function) -> bool:
    """Whether it has no loop."""
    seen = set()
    for block in function.blocks:
        seen.add(block)
        if any(successor in seen for successor in block.ops[-1].successors):
            return False
    return True


def cast_arguments(e: CallerTypes[Shared]) -> None:
    """The caller's arguments as integers of the IR's widths, at the function's entry."""
    if e.signature.before:
        e.do(e.compiler_fence)
    for index, form in enumerate(e.signature.parameters):
        text = f"%x{index}"
        for number, cast in enumerate(form.casts, 1):
            name = f"%a{index}" if number == len(form.casts) else f"%x{index}.{number}"
            e.do(f"{name} = {cast % text}")
            text = name


class CallerTypes(FunctionEmitter[Shared]):
    """An emitter whose function has the caller's types; mixed into a target's own emitter."""

    signature: Signature
    compiler_fence: str  # orders memory for the compiler, no code

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
            self.do(self.compiler_fence)

    def result(self, index: int, value: Value) -> str:
        form = self.signature.results[index]
        real = _FLOATS.get(form.type)
        if real is not None and real.bits == value.width:
            return self.real(value, real)
        text = self.bits(value)
        for cast in form.casts:
            text = self.let(cast % text)
        return text


def used_metadata(text: str, lines: Sequence[str]) -> dict[int, str]:
    """The nodes among a module's metadata that the text names."""
    used = {int(number) for number in _NODE.findall(text)}
    nodes = (_NUMBERED.match(line) for line in lines)
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
