"""Which rows a dotted instruction name can mean, and the form it takes.

Comes in: an opcode and its modifiers as written. Goes out: candidate rows with every modifier assigned to a slot, or
a `ModifierFault` that says which modifier is wrong and what would be right. Modifiers are an unordered bag, except
that sub-opcodes come first and modifiers of one class keep their order. This module must know no operands.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import cache

from ptxlift.isa.pattern import Slot, SlotClass, parse
from ptxlift.isa.row import Row
from ptxlift.isa.table import by_opcode, opcodes
from ptxlift.isa.types import TYPES

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


@dataclass(frozen=True, slots=True)
class ModifierFault:
    """Why no row fits. `index`: the modifier at fault, -1 for the opcode itself."""

    index: int
    message: str
    hint: str = ""
    unknown_opcode: bool = False


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
    return found or _explain(opcode, rows, modifiers)


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
    values = _assign(slots, modifiers)
    if values is None or (row.when is not None and not row.when(values)):
        return None
    return Candidate(row, values)


def _assign(slots: tuple[Slot, ...], modifiers: tuple[str, ...]) -> dict[str, str] | None:
    """Give each modifier the first free slot that takes it, keeping the order within a class."""
    taken: dict[int, str] = {}
    last: dict[SlotClass, int] = {}
    for word in modifiers:
        index = _free_slot(slots, taken, last, word)
        if index < 0:
            return None
        taken[index] = word
        last[slots[index].order] = index
    if any(i not in taken for i, slot in enumerate(slots) if not slot.optional):
        return None
    return {slot.key: taken.get(i, "") for i, slot in enumerate(slots)}


def _free_slot(
    slots: tuple[Slot, ...], taken: dict[int, str], last: dict[SlotClass, int], word: str
) -> int:
    for index, slot in enumerate(slots):
        if word not in slot.words or index in taken:
            continue
        if slot.order is SlotClass.FREE or index > last.get(slot.order, -1):
            return index
    return -1


# ---- explaining what is wrong ----


def _explain(opcode: str, rows: tuple[Row, ...], modifiers: tuple[str, ...]) -> ModifierFault:
    known = {word for row in rows for slot in parse(row).slots for word in slot.words}
    for index, word in enumerate(modifiers):
        if word not in known:
            return _unknown(opcode, known, index, word)
    for index, word in enumerate(modifiers):
        if modifiers.index(word) != index and not _may_repeat(rows, word):
            return ModifierFault(index, f"`.{word}` is repeated", "write it once")
    return _no_combination(opcode, rows, modifiers)


def _unknown(opcode: str, known: set[str], index: int, word: str) -> ModifierFault:
    what = "type" if word in TYPES else "modifier"
    near = difflib.get_close_matches(word.lower(), sorted(known), 3)
    pool = near or (sorted(known & TYPES.keys()) if what == "type" else sorted(known))
    hint = f"allowed here: {', '.join('.' + w for w in pool[:16])}" if pool else "none is allowed"
    return ModifierFault(index, f"`{opcode}` has no {what} `.{word}`", hint)


def _may_repeat(rows: tuple[Row, ...], word: str) -> bool:
    return any(sum(word in slot.words for slot in parse(row).slots) > 1 for row in rows)


def _no_combination(
    opcode: str, rows: tuple[Row, ...], modifiers: tuple[str, ...]
) -> ModifierFault:
    """Find the row that comes nearest and say what it wants."""
    best = max(rows, key=lambda row: _score(row, modifiers))
    slots = parse(best).slots
    wrong = _first_misfit(slots, modifiers)
    if wrong is not None:
        others = sorted({w for s in slots for w in s.words} - set(modifiers))
        word = modifiers[wrong]
        return ModifierFault(
            wrong,
            f"`.{word}` does not go with the other modifiers of `{opcode}`",
            f"this form is `{_head(best)}`" + _choices(others),
        )
    missing = _missing(slots, modifiers)
    if missing is not None:
        words = ", ".join(f".{w}" for w in sorted(missing.words)[:16])
        return ModifierFault(-1, f"`{opcode}` needs one of {words}", f"the form is `{_head(best)}`")
    return ModifierFault(
        len(modifiers) - 1 if modifiers else -1,
        f"these modifiers of `{opcode}` do not go together",
        f"the form is `{_head(best)}`",
    )


def _choices(words: list[str]) -> str:
    return f"; it also has {', '.join('.' + w for w in words[:8])}" if words else ""


def _head(row: Row) -> str:
    return row.pattern.split(" ", 1)[0]


def _score(row: Row, modifiers: tuple[str, ...]) -> int:
    slots = parse(row).slots
    fitting = sum(any(word in slot.words for slot in slots) for word in modifiers)
    missing = sum(not slot.optional and not slot.words.intersection(modifiers) for slot in slots)
    return 4 * fitting - 3 * missing - max(0, len(modifiers) - len(slots))


def _first_misfit(slots: tuple[Slot, ...], modifiers: tuple[str, ...]) -> int | None:
    taken: dict[int, str] = {}
    last: dict[SlotClass, int] = {}
    for position, word in enumerate(modifiers):
        index = _free_slot(slots, taken, last, word)
        if index < 0:
            return position
        taken[index] = word
        last[slots[index].order] = index
    return None


def _missing(slots: tuple[Slot, ...], modifiers: tuple[str, ...]) -> Slot | None:
    for slot in slots:
        if not slot.optional and not slot.words.intersection(modifiers):
            return slot
    return None
