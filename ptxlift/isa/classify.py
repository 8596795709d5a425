"""Which rows a dotted instruction name can mean, and the form it takes.

Comes in: an opcode and its modifiers as written. Goes out: candidate rows with every modifier
assigned to a slot, or a `ModifierFault` that says which modifier is wrong and what would be right.
Modifiers are an unordered bag, except that sub-opcodes come first and modifiers of one class keep
their order. This module must know no operands.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import cache

from ptxlift.isa.explain import ModifierFault, assign, explain, missing, named
from ptxlift.isa.pattern import parse
from ptxlift.isa.row import Row
from ptxlift.isa.table import by_opcode, opcodes

# Sub-opcodes: words glued to the opcode, before the bag (measured by permuting modifiers).
GLUED: dict[str, str] = {
    "mul": "lo hi wide",
    "mad": "lo hi wide",
    "madc": "lo hi",
    "div": "full approx",
    "shf": "l r",
    "bar": "cta sync arrive red warp",
    "barrier": "cta cluster sync arrive red wait",
    "cp": "async reduce bulk tensor prefetch commit_group wait_group wait_all mbarrier arrive",
    "cvta": "to",
    "tex": "base level grad",
    "suld": "b p",
    "sust": "b p",
    "sured": "b p",
    "mbarrier": (
        "init inval expect_tx complete_tx arrive arrive_drop noComplete pending_count test_wait "
        "try_wait parity"
    ),
    "fence": "proxy",
    "createpolicy": "range fractional cvt",
    "wmma": "load store mma a b c d",
    "wgmma": "mma_async fence commit_group wait_group",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row that the modifiers fit, and its named modifier words."""

    row: Row
    values: dict[str, str]


@cache
def classify(opcode: str, modifiers: tuple[str, ...]) -> tuple[Candidate, ...] | ModifierFault:
    """The rows that this instruction name fits, in the order of the table."""
    rows = by_opcode(opcode)
    if not rows:
        near = difflib.get_close_matches(opcode.lower(), opcodes(), 3)
        hint = f"did you mean {' or '.join(near)}?" if near else ""
        return ModifierFault(-1, f"`{opcode}` is not an instruction", hint, unknown_opcode=True)
    order = _misplaced(opcode, modifiers)
    if order is not None:
        return order
    words = _without_repeats(modifiers)
    found = tuple(c for row in rows if (c := _match(row, words)) is not None)
    return found or explain(opcode, rows, modifiers, GLUED.get(opcode, "").split())


def _without_repeats(modifiers: tuple[str, ...]) -> tuple[str, ...]:
    """`bra.uni.uni` is legal."""
    return ("uni",) if set(modifiers) == {"uni"} else modifiers


def _misplaced(opcode: str, modifiers: tuple[str, ...]) -> ModifierFault | None:
    glued = GLUED.get(opcode, "").split()
    inside = False
    for index, word in enumerate(modifiers):
        if word not in glued:
            inside = True
        elif inside and modifiers[:index].count(word) == 0 and _is_sub_opcode(opcode, word, index):
            return ModifierFault(
                index,
                f"`.{word}` is part of the instruction's name and cannot stand here",
                f"write `{opcode}.{word}` first",
            )
    return None


def _is_sub_opcode(opcode: str, word: str, index: int) -> bool:
    """Whether every row with this word has it among its leading words."""
    for row in by_opcode(opcode):
        slots = parse(row).slots
        places = [i for i, slot in enumerate(slots) if word in slot.words]
        if places and any(i >= index for i in places):
            return False
    return True


def _match(row: Row, modifiers: tuple[str, ...]) -> Candidate | None:
    slots = parse(row).slots
    if len(modifiers) > len(slots):
        return None
    found = assign(slots, modifiers)
    if found.misfit is not None or missing(slots, found.slots) is not None:
        return None
    values = named(slots, found.slots)
    if row.when is not None and not row.when(values):
        return None
    return Candidate(row, values)
