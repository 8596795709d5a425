"""Reads the manual's notation of a row: which modifiers in which order, which operands in which
brackets.

Comes in: `Row.pattern` and `Row.operands`. Goes out: slots for modifiers and places for operands.
This module must know no particular instruction.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache

from ptxlift.isa.row import Row
from ptxlift.isa.types import TYPES
from ptxlift.records import dataclass

_LAYOUTS = frozenset({"row", "col"})
_SPACES = frozenset({"global", "shared", "shared::cta", "shared::cluster"})


class SlotClass(Enum):
    """Modifiers of one class keep their relative order; all others may stand anywhere."""

    TYPE = "type"
    LAYOUT = "layout"
    SPACE = "space"
    FREE = "free"


@dataclass(frozen=True, slots=True)
class Slot:
    """One modifier of a pattern. `words`: what may stand there; `key`: its name in `Form.get`."""

    key: str
    words: frozenset[str]
    optional: bool
    order: SlotClass


class Bracket(Enum):
    NONE = ""
    SQUARE = "[]"
    BRACES = "{}"
    ROUND = "()"


@dataclass(frozen=True, slots=True)
class Place:
    """One operand of a pattern.

    `names`: more than one inside brackets or braces; `pair`: the `p` of `d|p`.
    """

    names: tuple[str, ...]
    bracket: Bracket = Bracket.NONE
    optional: bool = False
    pair: str = ""
    pair_optional: bool = False
    negatable: bool = False
    selector: bool = False


@dataclass(frozen=True, slots=True)
class Pattern:
    slots: tuple[Slot, ...]
    places: tuple[Place, ...]


@cache
def parse(row: Row) -> Pattern:
    """The pattern of a row, read once."""
    head, _, tail = row.pattern.partition(" ")
    return Pattern(_slots(row, head), _places(tail))


def _slots(row: Row, head: str) -> tuple[Slot, ...]:
    found = re.findall(r"(\{?)\.([\w:]+)", head)
    return tuple(_slot(row, word, bool(brace)) for brace, word in found)


def _slot(row: Row, key: str, optional: bool) -> Slot:
    words = frozenset(row.sets.get(key, (key,)))
    return Slot(key, words, optional, _order(words))


def _order(words: frozenset[str]) -> SlotClass:
    if words <= TYPES.keys():
        return SlotClass.TYPE
    if words <= _LAYOUTS:
        return SlotClass.LAYOUT
    return SlotClass.SPACE if words <= _SPACES else SlotClass.FREE


def _places(tail: str) -> tuple[Place, ...]:
    marked = re.sub(r"\{, ([\w-]+)\}", r", ?\1", tail)
    marked = re.sub(r"\{\|(\w+)\}", r"|?\1", marked)
    return tuple(_place(text.strip()) for text in _split(marked) if text.strip())


def _split(text: str) -> list[str]:
    """Split at commas outside brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in "[{(") - (char in "]})")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _place(text: str) -> Place:
    optional = text.startswith("?")
    text = text.lstrip("?").replace("{!}", "")
    negatable = "{-}" in text
    text = text.replace("{-}", "")
    selector = "<" in text
    text = re.sub(r"<\w+>", "", text)
    text, _, pair = text.partition("|")
    bracket = next((b for b in Bracket if b.value and text.startswith(b.value[0])), Bracket.NONE)
    names = tuple(re.findall(r"[\w-]+", text))
    return Place(
        names, bracket, optional, pair.lstrip("?"), pair.startswith("?"), negatable, selector
    )
