"""A syntax tree comes in; PTX text with the same tree goes out.

This module must not know which instructions exist.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.syntax.nodes import (
    Binary,
    Conditional,
    Expression,
    Literal,
    Name,
    SymbolCall,
    Unary,
)


def expression_text(node: Expression, atoms: Sequence[str]) -> str:
    """An expression as text, with all the parentheses it needs."""
    match node:
        case Literal(slot):
            return atoms[slot]
        case Name():
            return name_text(node, atoms)
        case SymbolCall():
            return _symbol_call_text(node, atoms)
        case Unary(operator, operand):
            return operator + _inner(operand, atoms)
        case Binary(operator, left, right):
            return f"{_inner(left, atoms)} {operator} {_inner(right, atoms)}"
        case Conditional(condition, then, otherwise):
            parts = [_inner(part, atoms) for part in (condition, then, otherwise)]
            return f"{parts[0]} ? {parts[1]} : {parts[2]}"


def name_text(node: Name, atoms: Sequence[str]) -> str:
    """A name with its component."""
    return f"{atoms[node.slot]}.{node.component}" if node.component else atoms[node.slot]


def _inner(node: Expression, atoms: Sequence[str]) -> str:
    text = expression_text(node, atoms)
    if isinstance(node, Name | SymbolCall):
        return text
    if isinstance(node, Literal) and atoms[node.slot][1:2].lower() not in ("f", "d"):
        return text
    return f"({text})"


def _symbol_call_text(node: SymbolCall, atoms: Sequence[str]) -> str:
    inner = atoms[node.symbol]
    if node.generic:
        inner = f"generic({inner})"
    if node.offset is not None:
        inner += f"+{_inner(node.offset, atoms)}"
    return f"{atoms[node.function]}({inner})"
