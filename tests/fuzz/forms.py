"""Which instruction forms the generator may use, and how to write one.

Comes in: the instruction table. Goes out: random instances of pure rows as text over untyped
registers: `.b8 %b`, `.b16 %h`, `.b32 %r`, `.b64 %d` and `.pred %p` take bits of every type.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

from ptxlift import isa
from ptxlift.isa.classify import Candidate, ModifierFault, classify
from ptxlift.isa.forms import choices, form_of, operand_range
from ptxlift.isa.pattern import parse
from ptxlift.isa.types import Type
from ptxlift.semantics.registry import names

POOL = 6  # registers of each kind
PREFIX = {8: "%b", 16: "%h", 32: "%r", 64: "%d", 1: "%p"}
# Results within a bound differ between right implementations; .oob is refused.
_BOUNDED = ("approx", "full", "oob")
_EXCLUDED = ("mov_sreg", "mov_address", "mov_vector")


@dataclass(frozen=True, slots=True)
class Written:
    """One instruction as text. `results`: registers it sets, with the type of what they hold."""

    text: str
    row: str
    results: tuple[tuple[str, Type], ...]


@cache
def usable_rows() -> tuple[isa.Row, ...]:
    """Pure rows that have a meaning, and whose result is fully defined."""
    return tuple(
        row
        for row in isa.rows()
        if row.effect is isa.Effect.PURE
        and row.name in names()
        and row.name not in _EXCLUDED
        and not row.carry
        and not row.removed
        and not any(word in row.pattern for word in _BOUNDED)
    )


def write_random(rng: random.Random) -> Written:
    """A random instance of a random usable row."""
    while True:
        written = _try(rng.choice(usable_rows()), rng)
        if written is not None:
            return written


def _try(row: isa.Row, rng: random.Random) -> Written | None:
    found = random_candidate(row, rng)
    return None if found is None else _operands(*found, rng)


def random_candidate(row: isa.Row, rng: random.Random) -> tuple[Candidate, list[str]] | None:
    """A row with random modifiers, and their words; None where these do not go together."""
    words = []
    for slot in parse(row).slots:
        if slot.optional and rng.random() < 0.5:
            continue
        words += [word for word in rng.choice(sorted(slot.words)).split(".") if word]
    if any(word in _BOUNDED for word in words):
        return None
    found = classify(row.opcode, tuple(words))
    if isinstance(found, ModifierFault):
        return None
    candidate = next((c for c in found if c.row is row), None)
    return None if candidate is None else (candidate, words)


def _operands(candidate: Candidate, words: list[str], rng: random.Random) -> Written | None:
    low, high = operand_range(candidate)
    ways = choices(candidate, rng.randint(low, high))
    if not ways:
        return None
    form = form_of(candidate, rng.choice(ways))
    texts: list[str] = []
    results: list[tuple[str, Type]] = []
    for spec in form.operands:
        text = operand(spec, rng, results)
        if text is None:
            return None
        texts.append(text)
    if len({name for name, _ in results}) != len(results):
        return None
    opcode = ".".join([candidate.row.opcode, *words])
    return Written(f"{opcode} {', '.join(texts)};", candidate.row.name, tuple(results))


def operand(
    spec: isa.OperandSpec, rng: random.Random, results: list[tuple[str, Type]]
) -> str | None:
    """Text for an operand that is no address; None for what this generator has not. Results are
    noted.
    """
    kind = spec.kind
    if kind is isa.OperandKind.CONSTANT:
        return str(rng.randint(spec.low or 0, spec.high if spec.high is not None else 255))
    if kind is isa.OperandKind.VECTOR:
        return _vector(spec, rng, results)
    if kind is isa.OperandKind.SELECTED:
        return _register(spec.type, spec, rng, results)
    if kind not in (
        isa.OperandKind.VALUE,
        isa.OperandKind.REGISTER,
        isa.OperandKind.PREDICATE,
    ):
        return None
    text = _register(spec.type, spec, rng, results)
    if text is None:
        return None
    if spec.pair and (not spec.pair_optional or rng.random() < 0.5):
        second = f"{PREFIX[1]}{rng.randrange(POOL)}"
        results.append((second, isa.type_of("pred")))
        return f"{text}|{second}"
    if spec.negatable and spec.type.bits == 1 and rng.random() < 0.5:
        return f"!{text}"
    return text


def _register(
    type_: Type, spec: isa.OperandSpec, rng: random.Random, results: list[tuple[str, Type]]
) -> str | None:
    prefix = PREFIX.get(type_.bits)
    if prefix is None:
        return None
    name = f"{prefix}{rng.randrange(POOL)}"
    if spec.role is isa.Role.RESULT:
        results.append((name, type_))
    return name


def _vector(
    spec: isa.OperandSpec, rng: random.Random, results: list[tuple[str, Type]]
) -> str | None:
    parts = [_register(spec.type, spec, rng, results) for _ in range(spec.count)]
    named = [part for part in parts if part is not None]
    return "{" + ", ".join(named) + "}" if len(named) == len(parts) else None
