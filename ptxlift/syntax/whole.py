"""The whole cleaned text comes in; the items as the grammar alone sees them go out.

This is the slow road: no scanner, no memo. What the scanner cuts and the memo remembers must give
the same items; a property test holds the two together. It must not know the scanner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.syntax.build import ITEM_BUILDERS, STATEMENT_BUILDERS, function
from ptxlift.syntax.grammar import parse_rule
from ptxlift.syntax.looks import Cut, Look
from ptxlift.syntax.nodes import Block, Function, Instruction, Item, Label, Statement
from ptxlift.syntax.sections import section
from ptxlift.syntax.shapes import shape_of
from ptxlift.syntax.trees import BLOCK_DEPTH, TooDeep, cut_tree

if TYPE_CHECKING:
    from lark import Token, Tree


def parse_whole(clean: str) -> tuple[Item, ...]:
    """The items of a module; raises `Stop`, `Misfit` or `TooDeep`."""
    tree = parse_rule(clean, "module")
    children = [child for child in tree.children if not isinstance(child, str)]
    return tuple(_item(child, clean) for child in children if child.data not in _HEADER)


_HEADER = ("version", "target", "address_size")


def _item(tree: Tree[Token], clean: str) -> Item:
    if tree.data == "function":
        return _function(tree, clean)
    if tree.data == "section":
        name, text = tree.children
        inside = (tree.meta.end_pos or 0) - len(str(text)) + 1
        return section(str(name), str(text)[1:-1], tree.meta.start_pos, inside)
    look, cut = _cut(tree, clean)
    return ITEM_BUILDERS[look.rule](look, cut)


def _function(tree: Tree[Token], clean: str) -> Function:
    head, *rest = [child for child in tree.children if not isinstance(child, str)]
    body = _block(rest[0], clean, 1) if rest else None
    look, cut = cut_tree(head, 0)
    return function(look, cut, body, tree.meta.end_pos)


def _block(tree: Tree[Token], clean: str, depth: int) -> Block:
    if depth > BLOCK_DEPTH:
        raise TooDeep
    children = [child for child in tree.children if not isinstance(child, str)]
    statements = tuple(_statement(child, clean, depth) for child in children)
    return Block(statements, tree.meta.start_pos, tree.meta.end_pos)


def _statement(tree: Tree[Token], clean: str, depth: int) -> Statement:
    match tree.data:
        case "block":
            return _block(tree, clean, depth + 1)
        case "label":
            return Label(str(tree.children[0]), tree.meta.start_pos)
        case "instruction":
            look, cut = cut_tree(tree, 0, clean.index(";", tree.meta.end_pos))
            return Instruction(shape_of(look), cut.atoms, cut.start, cut.end)
        case _:
            look, cut = _cut(tree, clean)
            return STATEMENT_BUILDERS[look.rule](look, cut)


def _cut(tree: Tree[Token], clean: str) -> tuple[Look, Cut]:
    end = clean.index(";", tree.meta.end_pos) if tree.data == "variable" else None
    return cut_tree(tree, 0, end)
