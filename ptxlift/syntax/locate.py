"""An instruction of a module comes in; the places of its parts go out.

Instructions do not keep the places of their operands; the few that a diagnostic points at are
parsed again, by the grammar itself. This module must not know how shapes are cached.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.diag import Source, Span
from ptxlift.records import dataclass
from ptxlift.syntax.grammar import parse_rule
from ptxlift.syntax.nodes import Instruction
from ptxlift.syntax.text import blank_comments
from ptxlift.syntax.trees import cut_tree

if TYPE_CHECKING:
    from lark import Token, Tree


@dataclass(frozen=True, slots=True)
class Parts:
    """The places of an instruction's parts, each list in source order."""

    opcode: Span
    modifiers: tuple[Span, ...]
    operands: tuple[Span, ...]
    atoms: tuple[Span, ...]


def locate(source: Source, instruction: Instruction) -> Parts:
    """The places of the opcode, modifiers, operands and atoms of an instruction."""
    start = instruction.start
    text = blank_comments(source.text[start : instruction.end])
    tree = parse_rule(text, "instruction")
    _, cut = cut_tree(tree, start)
    words = [_token_span(source, start, token) for token in _child(tree, "opcode")]
    operands = [child for child in _child(tree, "operands") if not isinstance(child, str)]
    return Parts(
        opcode=words[0],
        modifiers=tuple(words[1:]),
        operands=tuple(_tree_span(source, start, operand) for operand in operands),
        atoms=tuple(
            Span(source, at, at + len(atom)) for at, atom in zip(cut.starts, cut.atoms, strict=True)
        ),
    )


def _child(tree: Tree[Token], rule: str) -> list[Tree[Token] | Token]:
    for child in tree.children:
        if not isinstance(child, str) and child.data == rule:
            return child.children
    return []


def _token_span(source: Source, offset: int, token: Tree[Token] | Token) -> Span:
    assert isinstance(token, str), "opcodes and modifiers are tokens"
    start = offset + (token.start_pos or 0)
    return Span(source, start, start + len(token))


def _tree_span(source: Source, offset: int, tree: Tree[Token]) -> Span:
    return Span(source, offset + tree.meta.start_pos, offset + tree.meta.end_pos)
