"""Forms: a row whose modifiers and optional operands are chosen.

Comes in: a candidate of `classify` and the optional operands that are present. Goes out: the one
`Form` for that choice, made once in a process. This module must know no particular instruction and
no registers.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

from ptxlift.isa.classify import Candidate
from ptxlift.isa.operands import Notation, notations, resolve
from ptxlift.isa.pattern import Bracket, Place, parse
from ptxlift.isa.row import Form, OperandKind, OperandSpec, Role, Row, Values
from ptxlift.isa.types import NO_TYPE, TYPES, type_of
from ptxlift.records import replace

_FORMS: dict[tuple[Row, tuple[str, ...], tuple[int, ...]], Form] = {}  # every form ever asked for


def choices(candidate: Candidate, count: int) -> tuple[tuple[int, ...], ...]:
    """Which places of the pattern `count` operands can fill, likeliest first."""
    return _choices(candidate.row, tuple(candidate.values.values()), count)


@cache
def _choices(row: Row, words: tuple[str, ...], count: int) -> tuple[tuple[int, ...], ...]:
    places = parse(row).places
    values = _values(row, words)
    fixed = [i for i, place in enumerate(places) if _needed(row, place, values) is True]
    free = [i for i, place in enumerate(places) if _needed(row, place, values) is None]
    missing = count - len(fixed)
    if not 0 <= missing <= len(free):
        return ()
    return tuple(tuple(sorted((*fixed, *some))) for some in combinations(free, missing))


def _values(row: Row, words: tuple[str, ...]) -> dict[str, str]:
    return dict(zip((slot.key for slot in parse(row).slots), words, strict=True))


def _needed(row: Row, place: Place, values: Values) -> bool | None:
    """True: must be there; False: must not; None: may."""
    if not place.optional:
        return True
    when = notations(row)[place.names[0]].when
    if not when:
        return None
    return bool(values["lm"].startswith("im2col") if when == "im2col" else values[when])


def operand_range(candidate: Candidate) -> tuple[int, int]:
    """Least and greatest number of operands."""
    row = candidate.row
    needs = [_needed(row, place, candidate.values) for place in parse(row).places]
    return needs.count(True), needs.count(True) + needs.count(None)


def form_of(candidate: Candidate, chosen: tuple[int, ...]) -> Form:
    """The form with these places of the pattern filled."""
    key = (candidate.row, tuple(candidate.values.values()), chosen)
    form = _FORMS.get(key)
    if form is None:
        form = _FORMS[key] = _make(candidate, chosen)
    return form


def _make(candidate: Candidate, chosen: tuple[int, ...]) -> Form:
    row, values = candidate.row, candidate.values
    places = parse(row).places
    specs = tuple(_spec(row, places[i], values) for i in chosen)
    types = tuple(type_of(word) for word in values.values() if word in TYPES)
    return Form(row, values, types, specs)


def _spec(row: Row, place: Place, values: Values) -> OperandSpec:
    table = notations(row)
    match place.bracket:
        case Bracket.BRACES:
            return replace(
                resolve(table[place.names[0]], values),
                kind=OperandKind.VECTOR,
                count=len(place.names),
            )
        case Bracket.SQUARE if _is_list(place, table):
            parts = tuple(resolve(table[name], values) for name in place.names)
            return OperandSpec(
                place.names[0], Role.SOURCE, OperandKind.BRACKET, NO_TYPE, parts=parts
            )
        case _:
            spec = resolve(table[place.names[0]], values)
    if place.selector:
        spec = replace(spec, kind=OperandKind.SELECTED)
    return replace(
        spec,
        negatable=place.negatable,
        pair=place.pair,
        pair_optional=place.pair_optional,
        writes=spec.kind is OperandKind.ADDRESS and place is parse(row).places[0],
    )


def _is_list(place: Place, table: dict[str, Notation]) -> bool:
    return len(place.names) > 1 or table[place.names[0]].kind is not OperandKind.ADDRESS
