"""The look of an instruction, operand or expression comes in; the node of the syntax tree goes out.

Shapes are interned: equal looks give one object, however the statement was laid out. This module
must not know places or texts of atoms, nor any instruction.
"""

from __future__ import annotations

from collections.abc import Callable

from ptxlift.syntax.looks import Look
from ptxlift.syntax.nodes import (
    Address,
    Binary,
    Bracket,
    Conditional,
    Expression,
    Literal,
    Minus,
    Name,
    Negated,
    Offset,
    Operand,
    Pair,
    Parens,
    Shape,
    Sink,
    SymbolCall,
    Unary,
    Vector,
)

_INTERN_LIMIT = 1 << 16
_interned: dict[object, Shape] = {}  # a documented cache: see intern_shape


def shape_of(look: Look) -> Shape:
    """The shape of an `instruction` look."""
    opcode = look.find("opcode")
    assert opcode is not None, "the grammar gives every instruction an opcode"
    words = [word for word in opcode.children if isinstance(word, str)]
    operands = look.find("operands")
    found = tuple(map(operand, _looks(operands))) if operands else ()
    guard = look.find("guard") or look.find("guard_not")
    slot = guard.slots()[0] if guard else None
    negated = guard is not None and guard.rule == "guard_not"
    return intern_shape(words[0], tuple(w[1:] for w in words[1:]), found, slot, negated)


def intern_shape(
    opcode: str,
    modifiers: tuple[str, ...],
    operands: tuple[Operand, ...],
    guard: int | None,
    negated: bool,
) -> Shape:
    """The one shape with these parts. The table is emptied when it holds 65,536 shapes."""
    key = (opcode, modifiers, operands, guard, negated)
    shape = _interned.get(key)
    if shape is None:
        if len(_interned) >= _INTERN_LIMIT:
            _interned.clear()
        shape = _interned[key] = Shape(*key)
    return shape


def operand(look: Look) -> Operand:
    """The operand of a look."""
    if look.rule == "group":
        return Parens((expression(_looks(look)[0]),))
    return _element(look)


def expression(look: Look) -> Expression:
    """The expression of a look."""
    return _EXPRESSIONS[look.rule](look)


def _element(look: Look) -> Operand:
    special = _OPERANDS.get(look.rule)
    return special(look) if special else expression(look)


def _looks(look: Look) -> list[Look]:
    return [child for child in look.children if isinstance(child, Look)]


def _name(look: Look) -> Name:
    return Name(look.slots()[0], look.word())


def _binary(look: Look) -> Binary:
    left, right = _looks(look)
    return Binary(_operator(look), expression(left), expression(right))


def _operator(look: Look) -> str:
    return next(child for child in look.children if isinstance(child, str))


def _unary(look: Look) -> Unary:
    return Unary(_operator(look), expression(_looks(look)[0]))


def _cast(look: Look) -> Unary:
    return Unary(f"({_operator(look)})", expression(_looks(look)[0]))


def _conditional(look: Look) -> Conditional:
    condition, then, otherwise = map(expression, _looks(look))
    return Conditional(condition, then, otherwise)


def _symbol_call(look: Look) -> SymbolCall:
    function, symbol = look.slots()
    return SymbolCall(function, symbol)


def _mask(look: Look) -> SymbolCall:
    slots = look.slots()
    offset = [expression(child) for child in _looks(look)]
    generic = look.rule == "mask_call"
    return SymbolCall(slots[0], slots[-1], offset[0] if offset else None, generic)


def _address(look: Look) -> Address:
    offset = [expression(child) for child in _looks(look)]
    return Address(Name(look.slots()[0]), offset[0] if offset else None)


def _pair(look: Look) -> Pair:
    first, second = map(_element, _looks(look))
    assert isinstance(first, Name | Sink | Vector), "the grammar allows no other"
    assert isinstance(second, Name | Sink), "the grammar allows no other"
    return Pair(first, second)


_EXPRESSIONS: dict[str, Callable[[Look], Expression]] = {
    "literal": lambda look: Literal(look.slots()[0]),
    "name": _name,
    "unary": _unary,
    "cast": _cast,
    "binary": _binary,
    "conditional": _conditional,
    "group": lambda look: expression(_looks(look)[0]),
    "symbol_call": _symbol_call,
    "mask": _mask,
    "mask_call": _mask,
}

_OPERANDS: dict[str, Callable[[Look], Operand]] = {
    "sink": lambda look: Sink(),
    "pair": _pair,
    "minus": lambda look: Minus(_name(_looks(look)[0])),
    "negated": lambda look: Negated(_name(_looks(look)[0])),
    "offset": lambda look: Offset(Name(look.slots()[0]), expression(_looks(look)[0])),
    "subscript": lambda look: Address(Name(look.slots()[0]), expression(_looks(look)[0]), True),
    "vector": lambda look: Vector(tuple(map(_element, _looks(look)))),
    "address": _address,
    "immediate_address": lambda look: Address(None, expression(_looks(look)[0])),
    "bracket": lambda look: Bracket(tuple(map(_element, _looks(look)))),
    "parens": lambda look: Parens(tuple(map(_element, _looks(look)))),
}
