"""The text of a long initialised variable comes in; its `Declaration` goes out, or None.

Tables of a hundred thousand numbers are cut at their commas and braces; the grammar sees the head
of the declaration and each look of an element once. What is no plain table (several variables in
one statement, misplaced commas) is left to the grammar. This module must not know how a
declaration is built from a look.
"""

from __future__ import annotations

import re
from typing import assert_never

from ptxlift.records import replace
from ptxlift.syntax.build import Misfit, check_calls, declaration
from ptxlift.syntax.grammar import Stop
from ptxlift.syntax.nodes import (
    Binary,
    Conditional,
    Declaration,
    Expression,
    Initializer,
    Literal,
    Name,
    SymbolCall,
    Unary,
)
from ptxlift.syntax.shapes import expression
from ptxlift.syntax.statements import look_at

LONG = 4096  # characters; below this the grammar is fast enough
_PARTS = re.compile(r"([{},])")
_NUMBER = (
    r"0[xX][0-9A-Fa-f]++U?(?!\w)|[1-9][0-9]*+U?(?![\w.])|0(?![\w.])"
    r"|0[fF][0-9A-Fa-f]{8}(?!\w)|0[dD][0-9A-Fa-f]{16}(?!\w)"
)
_LITERAL = re.compile(_NUMBER, re.ASCII)
_FLAT = re.compile(rf"\s*+\{{\s*+(?:{_NUMBER})(?:\s*+,\s*+(?:{_NUMBER}))*+\s*+\}}\s*+", re.ASCII)
_MISPLACED = re.compile(r",\s*+([,}])|\{\s*+(,)")
_DEPTH = 16


class _NoTable(Exception):
    """The text is no plain table."""


def long_declaration(clean: str, start: int, end: int, rule: str) -> Declaration | None:
    """The declaration `clean[start:end]` if it is one variable with a table of values."""
    equal = clean.find("=", start, end)
    if equal < 0:
        return None
    look, cut = look_at(clean, start, start + len(clean[start:equal].rstrip()), rule)
    head = declaration(look, cut)
    if len(head.declarators) != 1:
        return None
    atoms = list(cut.atoms)
    try:
        value = _read(clean, equal + 1, end, atoms)
    except (_NoTable, Stop):
        return None
    variable = head.declarators[0]
    initializer = Initializer(value, tuple(atoms), variable.start)
    return replace(head, end=end, declarators=(replace(variable, initializer=initializer),))


def _read(clean: str, at: int, end: int, atoms: list[str]) -> tuple[Initializer, ...]:
    """The values of a table; `atoms` grows by theirs."""
    if _FLAT.fullmatch(clean, at, end):
        first = len(atoms)
        atoms += _LITERAL.findall(clean, at, end)
        return tuple(map(Initializer, map(Literal, range(first, len(atoms)))))
    misplaced = _MISPLACED.search(clean, at, end)
    if misplaced is not None:
        found = misplaced[misplaced.lastindex or 0]
        place = misplaced.start(misplaced.lastindex or 0)
        raise Misfit("PTX001", f"unexpected '{found}'", place, "expected a value")
    stack: list[list[Initializer]] = [[]]
    before = ","  # the delimiter before this part; "v" for a value that is complete
    parts = iter([*_PARTS.split(clean[at:end]), ";"])
    for text, delimiter in zip(parts, parts, strict=True):
        if not text.isspace() and text:
            if before not in ",{" or delimiter == "{":
                raise _NoTable
            stack[-1].append(_element(clean, at, text, atoms))
            before = "v"
        before = _delimit(stack, before, delimiter)
        at += len(text) + 1
    if len(stack) != 1 or len(stack[0]) != 1 or not isinstance(stack[0][0].value, tuple):
        raise _NoTable
    return stack[0][0].value


def _delimit(stack: list[list[Initializer]], before: str, delimiter: str) -> str:
    """Take a delimiter; what the next part finds before it."""
    if delimiter == "{" and before in ",{" and len(stack) < _DEPTH:
        stack.append([])
        return "{"
    if delimiter == "}" and before in "{v" and len(stack) > 1:
        values = tuple(stack.pop())
        stack[-1].append(Initializer(values))
        return "v"
    if delimiter in ",;" and before == "v":
        return delimiter
    raise _NoTable


def _element(clean: str, at: int, text: str, atoms: list[str]) -> Initializer:
    """One value of a table; `text` with its blanks begins at `at`."""
    stripped = text.strip()
    first = len(atoms)
    if _LITERAL.fullmatch(stripped):
        atoms.append(stripped)
        return Initializer(Literal(first))
    begin = at + len(text) - len(text.lstrip())
    look, cut = look_at(clean, begin, begin + len(stripped), "initializer")
    check_calls(look, cut)
    atoms += cut.atoms
    return Initializer(_shifted(expression(look), first))


def _shifted(node: Expression, by: int) -> Expression:
    """An expression whose atoms begin `by` slots later."""
    match node:
        case Literal(slot):
            return Literal(slot + by)
        case Name(slot, component):
            return Name(slot + by, component)
        case Unary(operator, operand):
            return Unary(operator, _shifted(operand, by))
        case Binary(operator, left, right):
            return Binary(operator, _shifted(left, by), _shifted(right, by))
        case Conditional(condition, then, otherwise):
            parts = [_shifted(part, by) for part in (condition, then, otherwise)]
            return Conditional(*parts)
        case SymbolCall(function, symbol, offset, generic):
            moved = _shifted(offset, by) if offset is not None else None
            return SymbolCall(function + by, symbol + by, moved, generic)
        case _:
            assert_never(node)
