"""Patterns of IR ops: what a rule looks for.

Comes in: descriptions as data. Goes out: bindings of names to values, constants and attributes, or
None. A pattern looks from an op to what its operands are made of, never to uses. It must know no
op by name but for which are commutative.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from ptxlift.ir.core import Op, Value
from ptxlift.records import dataclass

COMMUTATIVE = frozenset({
    "add", "mul", "umulh", "smulh", "and_", "or_", "xor", "umin", "umax", "smin", "smax",
    "uadd_sat", "sadd_sat", "add_carry", "sad_u", "sad_s",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Slot:
    """Any value. The same name twice means the same value; `width` 0: whatever fits the op."""

    name: str
    width: int = 0


@dataclass(frozen=True, slots=True)
class Known:
    """A constant, bound as a number."""

    name: str


@dataclass(frozen=True, slots=True)
class Literal:
    """This constant; -1 stands for all ones of any width."""

    bits: int


@dataclass(frozen=True, slots=True)
class Attribute:
    """Any attribute, bound under a name."""

    name: str


@dataclass(frozen=True, slots=True)
class Node:
    """An op. `once`: its results have no other use, so that it goes away; `result`: which of its
    results the pattern sees.
    """

    op: str
    operands: tuple[Pattern, ...]
    attributes: tuple[tuple[str, object], ...] = ()
    once: bool = False
    result: int = 0


Pattern: TypeAlias = Slot | Known | Literal | Node
Bindings = dict[str, object]


def op(name: str, *operands: Pattern | str | int, **attributes: object) -> Node:
    """A node. A text is a slot (`"x"`, or `"x:32"` with its width), a number a literal."""
    return Node(name, tuple(_pattern(x) for x in operands), tuple(attributes.items()))


def once(node: Node, result: int = 0) -> Node:
    """The node, of an op whose results are used nowhere else."""
    return Node(node.op, node.operands, node.attributes, True, result)


def _pattern(operand: Pattern | str | int) -> Pattern:
    if isinstance(operand, int):
        return Literal(operand)
    if not isinstance(operand, str):
        return operand
    name, _, width = operand.partition(":")
    return Slot(name, int(width or 0))


class Uses:
    """How many operands read each value."""

    def __init__(self) -> None:
        self.of: dict[Value, list[Op]] = {}

    def are_single(self, op: Op) -> bool:
        """Whether the op's results are read once in all."""
        return sum(len(self.of.get(value, ())) for value in op.results) == 1


class AnyUses(Uses):
    """Uses that nobody has counted yet: everything may be used once."""

    def are_single(self, op: Op) -> bool:
        """True."""
        return True


def constant_of(value: Value) -> int | None:
    """The bits of a constant."""
    definition = value.definition
    if isinstance(definition, Op) and definition.opdef.name == "const":
        bits = definition.attrs[1]
        assert isinstance(bits, int)
        return bits
    return None


def match(node: Node, root: Op, uses: Uses) -> Bindings | None:
    """The bindings of the first way in which an op fits."""
    return next(_op(node, root, {}, uses), None)


def _op(node: Node, op: Op, bound: Bindings, uses: Uses) -> Iterator[Bindings]:
    if op.opdef.name != node.op or len(op.operands) != len(node.operands):
        return
    for name, wanted in node.attributes:
        found = op.attr(name)
        if isinstance(wanted, Attribute):
            if bound.get(wanted.name, found) != found:
                return
            bound = {**bound, wanted.name: found}
        elif found != wanted:
            return
    yield from _operands(node.operands, op.operands, bound, uses)
    if node.op in COMMUTATIVE:
        a, b, *rest = op.operands
        yield from _operands(node.operands, [b, a, *rest], bound, uses)


def _operands(
    patterns: tuple[Pattern, ...], values: list[Value], bound: Bindings, uses: Uses
) -> Iterator[Bindings]:
    if not patterns:
        yield bound
        return
    for after in _value(patterns[0], values[0], bound, uses):
        yield from _operands(patterns[1:], values[1:], after, uses)


def _value(pattern: Pattern, value: Value, bound: Bindings, uses: Uses) -> Iterator[Bindings]:
    match pattern:
        case Slot(name, width):
            fits = width in (0, value.width) and bound.get(name, value) is value
            if fits:
                yield {**bound, name: value}
        case Known(name):
            bits = constant_of(value)
            if bits is not None and bound.get(name, bits) == bits:
                yield {**bound, name: bits}
        case Literal(bits):
            if constant_of(value) == bits & ((1 << value.width) - 1):
                yield bound
        case Node():
            definition = value.definition
            if not isinstance(definition, Op) or value.index != pattern.result:
                return
            if not pattern.once or uses.are_single(definition):
                yield from _op(pattern, definition, bound, uses)
