"""Lark trees come in; looks with their atoms go out. The only module that walks Lark trees.

It must not know what a rule means, only which terminals are atoms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.syntax.looks import ATOM_TERMINALS, Cut, Look

if TYPE_CHECKING:
    from lark import Token, Tree

_FIXED_RULES = frozenset(("opcode",))  # the words in these rules are part of the look
_DEPTH = 256
BLOCK_DEPTH = 128


class TooDeep(Exception):
    """The tree is nested deeper than any real statement."""


def cut_tree(tree: Tree[Token], offset: int, end: int | None = None) -> tuple[Look, Cut]:
    """The look of a statement's tree and its cut; `offset`: where the parsed text begins."""
    _check_depth(tree)
    atoms: list[str] = []
    starts: list[int] = []
    look = _convert(tree, atoms, starts, offset)
    meta = tree.meta
    start = offset if meta.empty else offset + meta.start_pos
    if end is None:
        end = offset if meta.empty else offset + meta.end_pos
    return look, Cut(start, end, tuple(atoms), starts)


def _convert(tree: Tree[Token], atoms: list[str], starts: list[int], offset: int) -> Look:
    fixed = tree.data in _FIXED_RULES
    children: list[Look | int | str] = []
    for child in tree.children:
        if not isinstance(child, str):
            children.append(_convert(child, atoms, starts, offset))
        elif fixed or child.type not in ATOM_TERMINALS:
            children.append(str(child))
        else:
            children.append(len(atoms))
            starts.append(offset + (child.start_pos or 0))
            atoms.append(str(child))
    return Look(str(tree.data), tuple(children))


def _check_depth(tree: Tree[Token]) -> None:
    level = [tree]
    for _ in range(_DEPTH):
        level = [c for parent in level for c in parent.children if not isinstance(c, str)]
        if not level:
            return
    raise TooDeep
