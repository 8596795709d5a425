"""Reads the operand notation of the rows and makes operand specifications of it.

Comes in: `Row.operands`, a space separated list of `name:what`, and the modifier words of an
instruction. Goes out: `OperandSpec`s. This module must know no particular instruction.

`what` is, in this order:
    `>`             a result
    `~ = ^ 8 @`     how a register's size must agree: wider is fine; any kind; a 32-bit integer;
                    exactly 8 bits; of an array's coordinates. None: equal size
    a type          a name of the row's sets, a type, `wide(x)` (twice as wide) or `frag(x)` (as in
                    a matrix fragment)
    `!`             no constant
    `&`             a symbol's address may stand there
    `+`             a register plus a constant may stand there
    `*n`            a vector: a number or a name of `counts.COUNTS`
    `_`             `_` may stand there
    `#1..9` `#4|8`  a constant in a range or one of a few; after a type it limits constants
    `%32`           a constant must be a multiple of that
    `?word`         present exactly when the modifier `word` is
or `[space]` for an address, or one of the words of `_WORDS`.
"""

from __future__ import annotations

import re
from functools import cache

from ptxlift.isa.counts import count
from ptxlift.isa.row import OperandKind, OperandSpec, Role, Row, Rule, Values
from ptxlift.isa.types import NO_TYPE, TYPES, Kind, Type, type_of
from ptxlift.records import dataclass

_RULES = {"~": Rule.WIDER, "=": Rule.SIZE, "^": Rule.COUNT, "8": Rule.EXACT8, "@": Rule.LAYERED}
_WORDS = {
    "pred": OperandKind.PREDICATE,
    "sreg": OperandKind.SPECIAL,
    "symbol": OperandKind.SYMBOL,
    "label": OperandKind.LABEL,
    "function": OperandKind.FUNCTION,
    "arguments": OperandKind.ARGUMENTS,
    "branch_targets": OperandKind.TARGETS,
    "call_targets": OperandKind.TARGETS,
    "texref": OperandKind.REFERENCE,
    "samplerref": OperandKind.REFERENCE,
    "surfref": OperandKind.REFERENCE,
    "sink": OperandKind.SINK,
}
_WHAT = re.compile(
    r"(?P<result>>?)"
    r"(?:\[(?P<space>[\w:]*)\]"
    r"|(?P<rule>[~=^@]|8(?=type))?(?P<type>[a-z]\w*(?:\(\w+\))?)?(?P<register>!?)"
    r"(?P<symbol>&?)(?P<sum>\+?)"
    r"(?:\*(?P<count>\w+))?)"
    r"(?P<sink>_?)"
    r"(?:#(?P<limit>[-\d.|]*))?"
    r"(?:%(?P<multiple>\d+))?"
    r"(?:\?(?P<when>\w+))?"
)


@dataclass(frozen=True, slots=True)
class Notation:
    """One `name:what` of the notation, taken apart; the type and count still depend on the
    modifiers.
    """

    name: str
    role: Role
    kind: OperandKind
    rule: Rule
    type: str
    count: str
    sink: bool
    low: int | None
    high: int | None
    choices: tuple[int, ...]
    multiple: int
    space: str
    when: str
    sum: bool


@cache
def notations(row: Row) -> dict[str, Notation]:
    """The operands of a row by name, read once."""
    return {n.name: n for n in map(_notation, row.operands.split())}


def _notation(text: str) -> Notation:
    name, _, what = text.partition(":")
    sink = what.endswith("_")
    found = _WHAT.fullmatch(what)
    assert found, text
    low, high, choices = _limit(found["limit"])
    return Notation(
        name,
        Role.RESULT if found["result"] else Role.SOURCE,
        _kind(found),
        _RULES.get(found["rule"] or "", Rule.EQUAL),
        (found["type"] or "").removesuffix("_"),
        found["count"] or "",
        sink or found["sink"] == "_",
        low,
        high,
        choices,
        int(found["multiple"] or 1),
        found["space"] or "",
        found["when"] or "",
        found["sum"] == "+",
    )


def _kind(found: re.Match[str]) -> OperandKind:
    if found["space"] is not None:
        return OperandKind.ADDRESS
    word = (found["type"] or "").removesuffix("_")
    if word in _WORDS:
        return _WORDS[word]
    if not word:
        return OperandKind.CONSTANT
    if found["symbol"]:
        return OperandKind.ADDRESSABLE
    plain = found["register"] or found["result"]
    return OperandKind.REGISTER if plain else OperandKind.VALUE


def _limit(text: str | None) -> tuple[int | None, int | None, tuple[int, ...]]:
    if not text:
        return None, None, ()
    if ".." in text:
        low, high = text.split("..")
        return int(low), int(high), ()
    return None, None, tuple(int(part) for part in text.split("|"))


def resolve(notation: Notation, values: Values) -> OperandSpec:
    """The specification of one operand under these modifiers."""
    length = count(notation.count, values) if notation.count else 0
    space = "ss" if notation.kind is OperandKind.ADDRESSABLE else notation.space
    return OperandSpec(
        name=notation.name,
        role=notation.role,
        kind=OperandKind.VECTOR if length else notation.kind,
        type=_type(notation, values),
        rule=_rule(notation, values),
        count=length,
        low=notation.low,
        high=notation.high,
        choices=notation.choices,
        multiple=notation.multiple,
        sink=notation.sink,
        space=values.get(space, "") if space == "ss" else space,
        constants=notation.kind is OperandKind.VALUE,
        sum=notation.sum,
    )


def _rule(notation: Notation, values: Values) -> Rule:
    is_plain = notation.rule is Rule.LAYERED and not values["geom"].startswith("a")
    return Rule.EQUAL if is_plain else notation.rule


def _type(notation: Notation, values: Values) -> Type:
    if notation.kind is OperandKind.PREDICATE:
        return type_of("pred")
    if notation.kind is OperandKind.CONSTANT:
        return type_of("s64")
    if notation.kind is OperandKind.REFERENCE:
        return type_of(notation.type)
    if notation.kind in (OperandKind.SPECIAL, OperandKind.SYMBOL):
        return type_of(values["type"])
    if not notation.type or notation.kind in _UNTYPED:
        return NO_TYPE
    call = re.fullmatch(r"(\w+)\((\w+)\)", notation.type)
    if not call:
        return type_of(values.get(notation.type) or notation.type)
    word = values.get(call[2]) or call[2]
    return _wide(word) if call[1] == "wide" else _fragment(word)


_UNTYPED = frozenset(k for k in _WORDS.values() if k is not OperandKind.PREDICATE)


def _wide(word: str) -> Type:
    return type_of(f"{word[0]}{2 * type_of(word).bits}")


def _fragment(word: str) -> Type:
    """Fragments are f32 or f64 where the matrix is, else packed 32-bit registers."""
    found = TYPES[word]
    return found if found.kind is Kind.F and found.bits >= 32 else type_of("b32")
