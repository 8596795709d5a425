"""The place of one statement in the cleaned text comes in; its look or its shape goes out.

Here the memo stands in front of the grammar. This module must not know where statements end or
what happens after an error.
"""

from __future__ import annotations

import re

from ptxlift.syntax.build import Misfit
from ptxlift.syntax.compose import compose
from ptxlift.syntax.grammar import Stop, parse_rule
from ptxlift.syntax.looks import Cut, Key, Look, Memo, normal, split, starts_of
from ptxlift.syntax.nodes import Shape
from ptxlift.syntax.shapes import intern_shape, shape_of
from ptxlift.syntax.trees import cut_tree

# The documented caches of this package: what the grammar said about each look. Bounded by `Memo`.
SHAPES: Memo[Shape] = Memo()
LOOKS: Memo[Look] = Memo()
# Operands, by what stands before and behind the opcode: no instruction's operands look different
# from another's.
OPERANDS: Memo[Shape] = Memo()


def look_at(clean: str, start: int, end: int, rule: str) -> tuple[Look, Cut]:
    """The look of the statement `clean[start:end]`; raises `Stop` with places in `clean`."""
    check_length(start, end, _DIRECTIVE_LIMIT)
    fragment = clean[start:end]
    atoms, gaps = split(fragment)
    key = (rule, *gaps)
    look = LOOKS.table.get(key)
    if look is None:
        wanted = normal(key)
        look = LOOKS.table.get(wanted)
        if look is None:
            look = _composed(fragment, rule, len(atoms))
        if look is None:
            look, cut = parse_cut(fragment, start, end, rule)
            if cut.atoms != atoms:
                return look, cut
        LOOKS.keep(wanted, look)
        LOOKS.keep(key, look)
    return look, Cut(start, end, atoms, starts_of(gaps, atoms, start))


def _composed(fragment: str, rule: str, atoms: int) -> Look | None:
    """The look of a declaration, of the looks of its parts."""
    try:
        return compose(fragment, rule, atoms, lambda part, r: look_at(part, 0, len(part), r)[0])
    except Stop:
        return None  # the grammar says what is wrong where it stands


def new_shape(
    key: Key, atoms: tuple[str, ...], clean: str, start: int, end: int
) -> tuple[Shape, Cut]:
    """The shape of the instruction `clean[start:end]`, which the memo does not know.

    `key` is the one under which the scanner will look for the next statement of this look.
    """
    wanted = normal(key)
    shape = SHAPES.table.get(wanted) or _shape_by_operands(wanted)
    if shape is None:
        look, cut = parse_cut(clean[start:end], start, end, "instruction")
        shape = shape_of(look)
        if cut.atoms != atoms:
            return shape, cut
        _keep_operands(wanted, shape)
    SHAPES.keep(wanted, shape)
    SHAPES.keep(key, shape)
    return shape, Cut(start, end, atoms, ())


# An opcode whose words are the same to the grammar whatever stands around it.
_PLAIN_OPCODE = re.compile(
    r"[a-z][a-z0-9_]*(?:\.(?!(?:reg|loc|file|section|pragma|entry|func|extern|visible)(?!\w))"
    r"[A-Za-z]\w*(?:::\w+)*)*",
    re.ASCII,
)


def _operands_key(key: Key) -> Key | None:
    """The key without its opcode; None where the opcode might go on behind it."""
    guard, opcode, gap, *rest = key
    if not opcode or not _PLAIN_OPCODE.fullmatch(opcode):
        return None
    if (gap or "")[:1] != " " and (gap or rest):
        return None
    return (guard, gap, *rest)


def _shape_by_operands(key: Key) -> Shape | None:
    """The shape of an opcode with operands that are known from another one."""
    without = _operands_key(key)
    model = OPERANDS.table.get(without) if without is not None else None
    if model is None:
        return None
    opcode, *modifiers = str(key[1]).split(".")
    return intern_shape(opcode, tuple(modifiers), model.operands, model.guard, model.guard_negated)


def _keep_operands(key: Key, shape: Shape) -> None:
    """Remembers a shape for other opcodes, if its words are those that the key says."""
    without = _operands_key(key)
    if without is not None and [shape.opcode, *shape.modifiers] == str(key[1]).split("."):
        OPERANDS.keep(without, shape)


# The longest instructions have 128 registers, the longest heads some thousand parameters.
INSTRUCTION_LIMIT = 1 << 16
_DIRECTIVE_LIMIT = 1 << 20
_TO_SEMICOLON = re.compile(r'(?:[^;"]++|"[^"\n]*+"|")*+')


def statement_end(clean: str, start: int) -> int:
    """The place of the next `;` outside strings, or the end of the text."""
    found = _TO_SEMICOLON.match(clean, start)
    return found.end() if found else len(clean)


def judge_instruction(clean: str, start: int, end: int) -> None:
    """Raise what is wrong with an instruction that the scanner could not cut."""
    shown = min(end, start + INSTRUCTION_LIMIT)
    try:
        parse_cut(clean[start:shown], start, shown, "instruction")
    except Stop as stop:
        if stop.start < shown or shown == end:
            raise
    check_length(start, end, INSTRUCTION_LIMIT)


def check_length(start: int, end: int, limit: int) -> None:
    """Refuse what is longer than any real statement before it takes the grammar minutes."""
    if end - start > limit:
        message = f"this statement is longer than {limit:,} characters"
        raise Misfit("PTX006", message, start, "split it up; did you forget a ';'?")


def parse_cut(fragment: str, start: int, end: int, rule: str) -> tuple[Look, Cut]:
    """The look of a fragment by the grammar itself; raises `Stop` with places in the source."""
    try:
        tree = parse_rule(fragment, rule)
    except Stop as stop:
        raise Stop(start + stop.start, start + stop.end, stop.found, stop.accepts) from None
    return cut_tree(tree, start, end)
