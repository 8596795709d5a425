"""What every binder of operands needs: the symbols of one instruction, and small builders.

Comes in: one instruction's symbols and atoms. Goes out: `Context`, and builders that make typed
operands. This module must know no instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ptxlift.isa import OperandKind, OperandSpec, Role, type_of
from ptxlift.ptx.module import (
    SINK,
    Function,
    Label,
    Memory,
    Operand,
    Register,
    RegisterComponent,
    Variable,
)
from ptxlift.ptx.report import Fault
from ptxlift.ptx.specials import Special
from ptxlift.ptx.symbols import Symbol
from ptxlift.records import dataclass
from ptxlift.syntax import nodes

Symbols: TypeAlias = Sequence[Any]  # what the names mean; their classes were checked when bound
Atoms: TypeAlias = tuple[str, ...]
Builder: TypeAlias = Callable[[Symbols, Atoms], Any]  # an operand, of the class its node asks for
BindKind: TypeAlias = Callable[["Context", nodes.Operand, OperandSpec], Builder]

COMPONENTS = {"x": 0, "y": 1, "z": 2, "w": 3, "r": 0, "g": 1, "b": 2, "a": 3}
AXES = {"x": "x", "y": "y", "z": "z", "w": "w", "r": "x", "g": "y", "b": "z", "a": "w"}
PREDICATE = OperandSpec("p", Role.RESULT, OperandKind.PREDICATE, type_of("pred"), sink=True)


@dataclass(frozen=True, slots=True)
class Context:
    """One instruction to bind. `index`: atom slot -> position in `symbols`."""

    index: dict[int, int]
    symbols: Sequence[Symbol]
    atoms: Atoms
    version: tuple[int, int]
    target: str

    def symbol(self, name: nodes.Name) -> Symbol:
        found: Symbol = self.symbols[self.index[name.slot]]
        return found

    def text(self, name: nodes.Name) -> str:
        return self.atoms[name.slot]


# ---- builders ----


def give(at: int) -> Builder:
    """The symbol itself. Plans recognise this builder by its `at`."""

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return symbols[at]

    build.at = at  # type: ignore[attr-defined]  # plans of registers only need no call
    return build


def give_component(at: int, index: int) -> Builder:
    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return RegisterComponent(symbols[at], index)

    return build


def give_sink(symbols: Symbols, atoms: Atoms) -> Any:
    return SINK


def give_memory(at: int) -> Builder:
    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return Memory(symbols[at], 0)

    return build


def give_always(operand: Operand) -> Builder:
    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return operand

    return build


def zero(atoms: Atoms) -> int:
    return 0


# ---- words for diagnostics ----

_NODES: dict[type, str] = {
    nodes.Name: "a name",
    nodes.Literal: "a constant",
    nodes.Unary: "a constant",
    nodes.Binary: "a constant expression",
    nodes.Conditional: "a constant expression",
    nodes.Negated: "negated",
    nodes.Minus: "negated",
    nodes.Sink: "`_`",
    nodes.Pair: "a pair",
    nodes.Vector: "a vector",
    nodes.Address: "an address",
    nodes.Bracket: "a bracketed list",
    nodes.Offset: "a name plus a constant",
    nodes.Parens: "a list in parentheses",
}


def describe(node: nodes.Operand) -> str:
    return _NODES.get(type(node), "this")


def what(symbol: Symbol) -> str:
    """What a name means, in words."""
    match symbol:
        case Register() if symbol.vector > 1:
            return f"a .v{symbol.vector} .{symbol.type.name} register"
        case Register():
            return f"a .{symbol.type.name} register"
        case Variable():
            return f"a .{symbol.space.value} variable"
        case Function():
            return "a function"
        case Label():
            return "a label"
        case Special():
            return "a special register"
    return "a list of targets"


def is_constant(node: nodes.Operand) -> bool:
    return isinstance(node, nodes.Literal | nodes.Unary | nodes.Binary | nodes.Conditional)


def misfit(node: nodes.Operand, spec: OperandSpec) -> Fault:
    of_type = f" of .{spec.type.name}" if spec.type.name else ""
    return Fault(
        "PTX103",
        f"operand `{spec.name}` cannot be {describe(node)}",
        f"it takes: {spec.kind.value}{of_type}",
    )
