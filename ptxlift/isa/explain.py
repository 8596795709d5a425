"""Why no row fits: the modifier at fault and what would be right.

Comes in: an opcode, its rows, and modifiers that fit none of them. Goes out: a `ModifierFault`.
This module must know no operands and no particular instruction.
"""

from __future__ import annotations

from collections.abc import Iterable

from ptxlift.isa.pattern import Slot, SlotClass, parse
from ptxlift.isa.row import Row
from ptxlift.isa.types import TYPES
from ptxlift.records import dataclass


@dataclass(frozen=True, slots=True)
class ModifierFault:
    """`index`: the modifier at fault, -1 for the opcode itself."""

    index: int
    message: str
    hint: str = ""
    unknown_opcode: bool = False


@dataclass(frozen=True, slots=True)
class Assignment:
    """Modifiers given to slots.

    `slots`: position of each taken slot -> word; `misfit`: first modifier left over.
    """

    slots: dict[int, str]
    misfit: int | None


def assign(slots: tuple[Slot, ...], modifiers: tuple[str, ...]) -> Assignment:
    """Give each modifier the first free slot that takes it, keeping the order within a class."""
    taken: dict[int, str] = {}
    last: dict[SlotClass, int] = {}
    misfit = None
    for position, word in enumerate(modifiers):
        index = _free_slot(slots, taken, last, word)
        if index >= 0:
            taken[index] = word
            last[slots[index].order] = index
        elif misfit is None:
            misfit = position
    return Assignment(taken, misfit)


def _free_slot(
    slots: tuple[Slot, ...], taken: dict[int, str], last: dict[SlotClass, int], word: str
) -> int:
    for index, slot in enumerate(slots):
        if word not in slot.words or index in taken:
            continue
        if slot.order is SlotClass.FREE or index > last.get(slot.order, -1):
            return index
    return -1


def missing(slots: tuple[Slot, ...], taken: dict[int, str]) -> Slot | None:
    """The first slot that needs a word and has none."""
    needed = (s for i, s in enumerate(slots) if not s.optional and i not in taken)
    return next(needed, None)


def fits(row: Row, modifiers: tuple[str, ...]) -> bool:
    slots = parse(row).slots
    found = assign(slots, modifiers)
    if found.misfit is not None or missing(slots, found.slots) is not None:
        return False
    return row.when is None or row.when(named(slots, found.slots))


def named(slots: tuple[Slot, ...], taken: dict[int, str]) -> dict[str, str]:
    """Words by slot name, "" where there is none."""
    return {slot.key: taken.get(index, "") for index, slot in enumerate(slots)}


def explain(
    opcode: str, rows: tuple[Row, ...], modifiers: tuple[str, ...], glued: Iterable[str]
) -> ModifierFault:
    """The likeliest reason why no row fits."""
    known = {word for row in rows for slot in parse(row).slots for word in slot.words}
    for index, word in enumerate(modifiers):
        if word not in known:
            return _unknown(opcode, known, index, word)
    for index, word in enumerate(modifiers):
        if modifiers.index(word) != index and not _may_repeat(rows, word):
            return ModifierFault(index, f"`.{word}` is repeated", "write it once")
    scores = [_score(row, modifiers, frozenset(glued)) for row in rows]
    best = max(scores)
    nearest = [row for row, score in zip(rows, scores, strict=True) if score == best]
    return min((_nearest(opcode, row, modifiers) for row in nearest), key=_rank)


def _rank(fault: ModifierFault) -> int:
    """Of equally near rows the one that wants something added or dropped says most."""
    if fault.hint.startswith("drop"):
        return 0
    return 1 if fault.index < 0 else 2


def _unknown(opcode: str, known: set[str], index: int, word: str) -> ModifierFault:
    types = word in TYPES
    from difflib import get_close_matches

    near = get_close_matches(word.lower(), sorted(known), 3)
    pool = sorted(known & TYPES.keys()) if types else near or sorted(known)
    what = "type" if types else "modifier"
    return ModifierFault(index, f"`{opcode}` has no {what} `.{word}`", _allowed(pool))


def _allowed(words: Iterable[str]) -> str:
    shown = [f".{word}" for word in words][:16]
    return f"allowed here: {', '.join(shown)}" if shown else "none is allowed here"


def _may_repeat(rows: tuple[Row, ...], word: str) -> bool:
    return any(sum(word in slot.words for slot in parse(row).slots) > 1 for row in rows)


# What a modifier weighs when rows are compared: operations say most, types more than flags.
_OPERATIONS = frozenset({"op", "mode", "CmpOp", "which", "kind", "geom", "op2"})


def _score(row: Row, modifiers: tuple[str, ...], glued: frozenset[str]) -> int:
    slots = parse(row).slots
    found = assign(slots, modifiers)
    score = sum(_weight(slots[index], word, glued) for index, word in found.slots.items())
    absent = [s for i, s in enumerate(slots) if not s.optional and i not in found.slots]
    return score - 2 * len(absent)


def _weight(slot: Slot, word: str, glued: frozenset[str]) -> int:
    if word in glued or slot.key in _OPERATIONS:
        return 6
    return 4 if slot.order is SlotClass.TYPE else 3


def _nearest(opcode: str, row: Row, modifiers: tuple[str, ...]) -> ModifierFault:
    slots = parse(row).slots
    found = assign(slots, modifiers)
    head = row.pattern.split(" ", 1)[0]
    absent = missing(slots, found.slots)
    if found.misfit is not None and (absent is None or absent.order is SlotClass.TYPE):
        word = modifiers[found.misfit]
        instead = absent.words if absent is not None else _open(slots, found.slots)
        return ModifierFault(
            found.misfit,
            f"`.{word}` does not go with the other modifiers of `{opcode}`",
            f"the form is `{head}`; {_allowed(sorted(instead))}",
        )
    if absent is not None:
        return _asks_for(absent, row, modifiers, head) or _needs(opcode, absent, head)
    return _combination(opcode, row, modifiers, head)


def _open(slots: tuple[Slot, ...], taken: dict[int, str]) -> set[str]:
    return {word for i, slot in enumerate(slots) if i not in taken for word in slot.words}


def _asks_for(
    absent: Slot, row: Row, modifiers: tuple[str, ...], head: str
) -> ModifierFault | None:
    """A modifier that exists in one state space only, which is not given."""
    if absent.order is not SlotClass.SPACE:
        return None
    literal = {slot.key for slot in parse(row).slots if slot.words == {slot.key}}
    for index, word in enumerate(modifiers):
        if word in literal:
            spaces = " or ".join(f".{space}" for space in sorted(absent.words))
            return ModifierFault(index, f"`.{word}` needs {spaces}", f"the form is `{head}`")
    return None


def _needs(opcode: str, slot: Slot, head: str) -> ModifierFault:
    words = ", ".join(f".{word}" for word in sorted(slot.words)[:16])
    one = "one of " if len(slot.words) > 1 else ""
    return ModifierFault(-1, f"`{opcode}` needs {one}{words}", f"the form is `{head}`")


def _combination(opcode: str, row: Row, modifiers: tuple[str, ...], head: str) -> ModifierFault:
    """The words are right and their combination is not: look for the smallest change that helps."""
    slots = parse(row).slots
    for index, word in enumerate(modifiers):
        if fits(row, (*modifiers[:index], *modifiers[index + 1 :])):
            return ModifierFault(
                index,
                f"`.{word}` does not go with the other modifiers of `{opcode}`",
                f"drop it; the form is `{head}`",
            )
    taken = assign(slots, modifiers).slots
    for index, slot in enumerate(slots):
        if index in taken or not slot.optional:
            continue
        helping = [word for word in sorted(slot.words) if fits(row, (*modifiers, word))]
        if helping:
            words = ", ".join(f".{word}" for word in helping)
            return ModifierFault(-1, f"`{opcode}` needs one of {words}", f"the form is `{head}`")
    return _substitute(opcode, row, modifiers, head)


def _substitute(opcode: str, row: Row, modifiers: tuple[str, ...], head: str) -> ModifierFault:
    slots = parse(row).slots
    order = sorted(range(len(modifiers)), key=lambda i: modifiers[i] not in TYPES)
    for index in order:
        others = {w for slot in slots for w in slot.words if modifiers[index] in slot.words}
        helping = [
            word
            for word in sorted(others)
            if fits(row, (*modifiers[:index], word, *modifiers[index + 1 :]))
        ]
        if helping:
            return ModifierFault(
                index,
                f"`.{modifiers[index]}` does not go with the other modifiers of `{opcode}`",
                _allowed(helping),
            )
    last = len(modifiers) - 1
    return ModifierFault(
        last, f"these modifiers of `{opcode}` do not go together", f"the form is `{head}`"
    )
