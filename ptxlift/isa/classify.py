"""Which rows a dotted instruction name can mean, and the form it takes.

Comes in: an opcode and its modifiers as written. Goes out: candidate rows with every modifier
assigned to a slot, or a `ModifierFault` that says which modifier is wrong and what would be right.
Modifiers are an unordered bag, except that sub-opcodes come first and modifiers of one class keep
their order. This module must know no operands.
"""

from __future__ import annotations

from functools import cache

from ptxlift.isa.explain import ModifierFault, assign, explain, missing, named
from ptxlift.isa.pattern import parse
from ptxlift.isa.row import Row
from ptxlift.isa.table import by_opcode, opcodes
from ptxlift.records import dataclass

# Sub-opcodes: words glued to the opcode, before the bag (measured by permuting modifiers). Of the
# sequences whose words are all present the longest must stand first; of equals the first in the list.
GLUED: dict[str, tuple[str, ...]] = {
    "mul": ("lo", "hi", "wide"),
    "mad": ("lo", "hi", "wide"),
    "madc": ("lo", "hi"),
    "div": ("full", "approx"),
    "shf": ("l", "r"),
    "bar": ("cta", "sync", "arrive", "red", "warp sync"),
    "barrier": ("cluster arrive", "cluster wait", "cta", "sync", "arrive", "red"),
    "cp": (
        "async bulk prefetch tensor",
        "async bulk prefetch",
        "async bulk tensor",
        "async bulk",
        "async mbarrier arrive",
        "async",
        "reduce async bulk tensor",
        "reduce async bulk",
    ),
    "cvta": ("to",),
    "tex": ("base", "level", "grad"),
    "suld": ("b",),
    "sust": ("b", "p"),
    "sured": ("b", "p"),
    "mbarrier": (
        "arrive expect_tx",
        "arrive noComplete",
        "arrive_drop expect_tx",
        "arrive_drop noComplete",
        "test_wait parity",
        "try_wait parity",
        "init",
        "inval",
        "expect_tx",
        "complete_tx",
        "arrive",
        "arrive_drop",
        "test_wait",
        "try_wait",
        "pending_count",
    ),
    "fence": ("proxy",),
    "createpolicy": ("range", "fractional", "cvt"),
    "wmma": ("load a", "load b", "load c", "store d", "mma"),
    "wgmma": ("mma_async", "fence", "commit_group", "wait_group"),
}


# Words that ptxas lets stand more than once.
REPEATABLE = frozenset({"uni", "sync", "cc", "approx", "shiftamt"})


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
        from difflib import get_close_matches

        near = get_close_matches(opcode.lower(), opcodes(), 3)
        hint = f"did you mean {' or '.join(near)}?" if near else ""
        return ModifierFault(-1, f"`{opcode}` is not an instruction", hint, unknown_opcode=True)
    glued = _glued(opcode, modifiers)
    order = _misplaced(opcode, modifiers, glued)
    if order is not None:
        return order
    words = tuple(
        w for i, w in enumerate(modifiers) if w not in REPEATABLE or w not in modifiers[:i]
    )
    found = tuple(c for row in rows if (c := _match(row, words)) is not None)
    return found or explain(opcode, rows, modifiers, glued)


def _glued(opcode: str, modifiers: tuple[str, ...]) -> tuple[str, ...]:
    """The sub-opcode words of these modifiers."""
    present = set(modifiers)
    sequences = (tuple(text.split()) for text in GLUED.get(opcode, ()))
    return max((s for s in sequences if present.issuperset(s)), key=len, default=())


def _misplaced(
    opcode: str, modifiers: tuple[str, ...], glued: tuple[str, ...]
) -> ModifierFault | None:
    for index, word in enumerate(glued):
        if modifiers[index] != word:
            return ModifierFault(
                modifiers.index(word, index),
                f"`.{word}` is part of the instruction's name and cannot stand here",
                f"write `{'.'.join((opcode, *glued))}` first",
            )
    return None


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
