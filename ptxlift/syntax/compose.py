"""The text of a declaration comes in; its look goes out, made of the looks of its parts.

Heads of functions differ in the number of their parameters, and tables in that of their values, so
nearly each would be new to the memo; one parameter or value, and what stands around them, are not.
This module must not know what a parameter is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import TypeAlias

from ptxlift.syntax.looks import Look

LookAt: TypeAlias = Callable[[str, str], Look]  # of a text by a rule

_LIST = re.compile(r"\(([^()\[\]\"]*(?:\[[^()\[\]\"]*\][^()\[\]\"]*)*)\)")
_LISTS = ("returns", "formals")  # the rules of lists of parameters
_VALUE = r"\s*(?:0|[1-9][0-9]*)\s*"
_TABLE = re.compile(rf"\{{{_VALUE}((?:,{_VALUE})+)\}}\s*\Z", re.ASCII)


def compose(text: str, rule: str, atoms: int, look_at: LookAt) -> Look | None:
    """The look of a text with so many atoms; None where it has to be read as a whole."""
    if rule == "function_head":
        look = _head(text.strip(), look_at)
    elif rule in ("variable", "local_variable"):
        look = _table(text, rule, look_at)
    else:
        return None
    slots = count()
    whole = _renumbered(look, slots) if look is not None else None
    return whole if next(slots) == atoms else None


def _head(text: str, look_at: LookAt) -> Look | None:
    lists = [_parts(found[1]) for found in _LIST.finditer(text)]
    if not any(lists) or not all(part for parts in lists for part in parts):
        return None
    frame = look_at(_LIST.sub("()", text), "function_head")
    empty = [child for child in frame.children if isinstance(child, Look) and child.rule in _LISTS]
    if len(empty) != len(lists):
        return None
    contents = iter(tuple(look_at(part, "formal") for part in parts) for parts in lists)
    filled = tuple(
        Look(child.rule, next(contents)) if child in empty else child for child in frame.children
    )
    return Look(frame.rule, filled)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")] if text.strip() else []


def _table(text: str, rule: str, look_at: LookAt) -> Look | None:
    found = _TABLE.search(text)
    if found is None:
        return None
    frame = look_at(f"{text[: found.start()]}{{0}}", rule)
    return _with_values(frame, 1 + found[1].count(","))


def _with_values(look: Look, number: int) -> Look:
    """The look with so many values in its list, which has one."""
    if look.rule == "list":
        return Look(look.rule, look.children * number)
    return Look(
        look.rule,
        tuple(_with_values(c, number) if isinstance(c, Look) else c for c in look.children),
    )


def _renumbered(look: Look, slots: Iterator[int]) -> Look:
    """The look with its atoms counted in the order of the text."""
    children: list[Look | int | str] = []
    for child in look.children:
        if isinstance(child, Look):
            children.append(_renumbered(child, slots))
        else:
            children.append(next(slots) if isinstance(child, int) else child)
    return Look(look.rule, tuple(children))
