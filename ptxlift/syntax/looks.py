"""A statement's text comes in; its *look* and its atoms go out.

Two statements that differ only in names, numbers and strings (the atoms) have one look: the parse
tree with a slot number for each atom. `split` takes a statement apart with one regular expression;
the parts between the atoms are the key under which the memo keeps the look, so the grammar sees
each look once. This module knows the grammar's atom terminals and nothing of what a rule means.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Generic, TypeAlias, TypeVar

from ptxlift.records import dataclass

# An atom's kind is part of the key: nothing for a name, "" for a number, "0" for a hex float, "W"
# for WARP_SZ, '"' for a string. What matches no alternative (089, a lone _, .x after a name) stays
# in the key as it is.
ATOM = re.compile(
    r"(?<![\w.$%])"
    r"([%$_][\w$]++|(?!WARP_SZ(?![\w$]))[A-Za-z][\w$]*+"
    r"|(0(?=[fFdD])|W(?=ARP)|\"|)"
    r"(?:(?<=W)ARP_SZ|(?<=\")[^\"\n]*+\""
    r"|(?:(?<=0)(?:[fF][0-9A-Fa-f]{8}|[dD][0-9A-Fa-f]{16})"
    r"|0[xX][0-9A-Fa-f]++U?|0[bB][01]++U?|0[0-7]*+U?|[1-9][0-9]*+U?"
    r"|[0-9]++\.[0-9]*+(?:[eE][+-]?[0-9]++)?|\.[0-9]++(?:[eE][+-]?[0-9]++)?"
    r"|[0-9]++[eE][+-]?[0-9]++)(?![\w$.])))",
    re.ASCII,
)
ATOM_TERMINALS = frozenset(("NAME", "INT", "FLOAT", "HEXFLOAT", "WARP_SZ", "STRING"))

Key: TypeAlias = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """A grammar rule and its children: looks, atom slots and fixed words."""

    rule: str
    children: tuple[Look | int | str, ...]

    def find(self, rule: str) -> Look | None:
        """The first child of a rule."""
        for child in self.children:
            if isinstance(child, Look) and child.rule == rule:
                return child
        return None

    def all(self, rule: str) -> list[Look]:
        """The children of a rule."""
        return [c for c in self.children if isinstance(c, Look) and c.rule == rule]

    def word(self, index: int = 0) -> str:
        """The fixed word number `index` among the children, without its dot, or ""."""
        words = [c for c in self.children if isinstance(c, str)]
        return words[index].removeprefix(".") if index < len(words) else ""

    def slots(self) -> list[int]:
        """The atom slots among the children."""
        return [c for c in self.children if isinstance(c, int)]


@dataclass(frozen=True, slots=True)
class Cut:
    """One statement cut from the source: its place, and its atoms with their places."""

    start: int
    end: int
    atoms: tuple[str, ...]
    starts: Sequence[int]


def split(text: str) -> tuple[tuple[str, ...], Key]:
    """The atoms of a statement, and what is between them with each atom's kind."""
    parts: list[str | None] = ATOM.split(text)
    atoms = tuple(parts[1::3])
    del parts[1::3]
    return atoms, tuple(parts)  # type: ignore[return-value]  # group 1 always takes part


def starts_of(key: Key, atoms: Sequence[str], start: int) -> list[int]:
    """The place of each atom of a statement that begins at `start`."""
    starts: list[int] = []
    at = start
    for gap, atom in zip(key[::2], atoms, strict=False):
        at += len(gap or "")
        starts.append(at)
        at += len(atom)
    return starts


_BLANKS = re.compile(r"\s+")


def normal(key: Key) -> Key:
    """The key with every run of blanks made one: layout must not defeat the memo."""
    return tuple(_BLANKS.sub(" ", part) if part else part for part in key)


Value = TypeVar("Value")


class Memo(Generic[Value]):
    """A cache of at most `limit` keys; when full it starts anew. Long keys are not kept."""

    def __init__(self, limit: int = 1 << 16, parts: int = 1 << 12) -> None:
        self.limit = limit
        self.parts = parts
        self.table: dict[Key, Value] = {}

    def keep(self, key: Key, value: Value) -> None:
        """Remember a value."""
        if len(key) > self.parts:
            return
        if len(self.table) >= self.limit:
            self.table.clear()
        self.table[key] = value
