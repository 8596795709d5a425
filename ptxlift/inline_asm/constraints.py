"""Constraint strings: GCC's as CUDA uses them, and LLVM's comma form.

Comes in: `"=r", "r"`, `"=r,r,~{memory}"` or `"=r : r, r : memory"`. Goes out: one record an operand
and the clobbers, or a diagnostic with its column in the string. This module must know no types.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from ptxlift.diag import PtxError, Source, Span
from ptxlift.inline_asm.model import Dialect
from ptxlift.records import dataclass


class Role(Enum):
    """Which way an operand's value goes."""

    OUT = "output"
    IN = "input"
    BOTH = "input and output"


@dataclass(frozen=True, slots=True)
class Letter:
    """What a constraint letter stands for: the PTX register type and its width."""

    type: str  # "" for constants
    bits: int


LETTERS = {
    "b": Letter("pred", 1),
    "h": Letter("b16", 16),
    "r": Letter("b32", 32),
    "l": Letter("b64", 64),
    "q": Letter("b128", 128),
    "f": Letter("f32", 32),
    "d": Letter("f64", 64),
    "n": Letter("", 0),
    "C": Letter("", 0),
}
_LLVM_LETTERS = {"c": "h", "N": "l", "i": "n", "s": "n"}  # other names LLVM has for some


@dataclass(frozen=True, slots=True)
class Constraint:
    """One operand's constraint.

    letter: a key of `LETTERS`; of a tied operand that of the output. tied: the output whose
    register this input shares. early: `&`; every output is early here, so it changes nothing.
    """

    role: Role
    letter: str
    tied: int | None = None
    early: bool = False
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Constraints:
    """All of one statement. `memory`: it may touch memory the compiler does not see."""

    operands: tuple[Constraint, ...]
    memory: bool = False


_ITEM = re.compile(r"[^,]*")
_CLOBBER = re.compile(r"~\{([^}]*)\}\Z")
_CLOBBERS = {"memory": True, "cc": False}  # name: touches memory
_REGISTER = re.compile(r"([=+]?)(&?)\s*(\d+|[A-Za-z])\Z")


def parse_constraints(given: str | Sequence[str], dialect: Dialect, name: str) -> Constraints:
    """Reads a constraint string, or a list with one string an operand or clobber."""
    return _Parser(given, dialect, name).parse()


class _Parser:
    def __init__(self, given: str | Sequence[str], dialect: Dialect, name: str) -> None:
        self.dialect = dialect
        text = given if isinstance(given, str) else ",".join(given)
        self.source = Source(f"{name}, constraints", text)
        self.operands: list[Constraint] = []
        self.memory = False

    def parse(self) -> Constraints:
        start = 0
        sections = self.source.text.split(":") if self.dialect is Dialect.CUDA else []
        if len(sections) > 1:
            if len(sections) > 3:
                at = self._span(sum(map(len, sections[:3])) + 2, len(self.source.text))
                raise self._error("labels of `asm goto` are not translated", at, "PTX206")
            for number, section in enumerate(sections):
                self._section(section, start, number)
                start += len(section) + 1
        else:
            self._section(self.source.text, 0, -1)
        return Constraints(tuple(self.operands), self.memory)

    def _section(self, text: str, start: int, number: int) -> None:
        """Outputs, inputs or clobbers; -1: all of them, told apart by how they look."""
        if not text.strip():
            return
        at = 0
        while at <= len(text):
            found = _ITEM.match(text, at)
            assert found is not None, "the pattern also matches nothing"
            item = found[0].strip().strip('"')
            place = start + at + found[0].find(item)
            self._item(item, self._span(place, place + max(len(item), 1)), number)
            at = found.end() + 1

    def _item(self, item: str, span: Span, number: int) -> None:
        clobber = _CLOBBER.match(item)
        name = clobber[1] if clobber else item
        if clobber or number == 2 or (number < 0 and item in _CLOBBERS):
            self._clobber(name, span)
            return
        self.operands.append(self._operand(item, span))
        is_output = self.operands[-1].role is not Role.IN
        if number >= 0 and is_output != (number == 0):
            what = ("an output needs `=` or `+`", "an input takes no `=` or `+`")[number]
            raise self._error(what, span)

    def _clobber(self, name: str, span: Span) -> None:
        if name not in _CLOBBERS:
            raise self._error(
                f"`{name}` cannot be clobbered", span, hint="PTX knows the clobber memory only"
            )
        self.memory |= _CLOBBERS[name]

    def _operand(self, item: str, span: Span) -> Constraint:
        found = _REGISTER.match(item)
        if found is None:
            raise self._bad(item, span)
        prefix, early, letter = found.groups()
        role = {"=": Role.OUT, "+": Role.BOTH, "": Role.IN}[prefix]
        if letter.isdigit():
            return self._tied(role, int(letter), span)
        if self.dialect is Dialect.LLVM:
            letter = _LLVM_LETTERS.get(letter, letter)
        if letter not in LETTERS:
            raise self._bad(item, span)
        if role is not Role.IN and not LETTERS[letter].type:
            raise self._error(f"a constant (`{letter}`) cannot be an output", span)
        if self.dialect is Dialect.LLVM and role is Role.BOTH:
            raise self._error(
                "LLVM's form has no `+`", span, hint="write `=` and an input tied to it by number"
            )
        return Constraint(role, letter, None, bool(early), span)

    def _tied(self, role: Role, number: int, span: Span) -> Constraint:
        if role is not Role.IN:
            raise self._error("an output cannot be tied to another operand", span)
        if number >= len(self.operands) or self.operands[number].role is not Role.OUT:
            raise self._error(f"operand {number} is no output to be tied to", span)
        return Constraint(Role.IN, self.operands[number].letter, number, False, span)

    def _bad(self, item: str, span: Span) -> PtxError:
        text = item.lstrip("=+&")
        if not text:
            return self._error("an empty constraint", span, hint=_KNOWN)
        if text.startswith("*"):
            return self._error("operands in memory are not translated", span, "PTX206", _POINTER)
        if text.startswith("{"):
            return self._error(f"PTX has no fixed register {text}", span, hint=_KNOWN)
        if len(text) > 1 and text.isalpha():
            return self._error(f"`{text}` gives several choices", span, hint="give one letter")
        if text == "m":
            return self._error("operands in memory are not translated", span, "PTX206", _POINTER)
        return self._error(f"`{text}` is no constraint of PTX", span, hint=_KNOWN)

    def _span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)

    def _error(self, message: str, span: Span, code: str = "PTX113", hint: str = "") -> PtxError:
        return PtxError.of(code, message, span, hint)


_KNOWN = "registers are h r l q f d b, constants n and C"
_POINTER = "pass the address in a register (`l`) and use it in brackets"
