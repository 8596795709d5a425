"""Findings come in one by one; a bounded list of diagnostics goes out.

It turns what the grammar could have taken into words. It must not know how statements are cut.
"""

from __future__ import annotations

import re

from ptxlift.diag import Diagnostic, PtxError, Source, Span
from ptxlift.records import dataclass

LIMIT = 20


class Enough(Exception):
    """No further parsing: the errors are too many, or one is fatal."""


class Report:
    """The diagnostics of one parse."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: list[Diagnostic] = []

    def add(self, code: str, message: str, start: int, end: int, hint: str = "") -> None:
        """Note an error; after `LIMIT` of them raises `Enough`."""
        if len(self.found) >= LIMIT:
            message = f"more than {LIMIT} errors; the rest is not shown"
            raise self.fatal("PTX007", message, start, end, "fix the first errors and run again")
        span = Span(self.source, start, max(end, start + 1))
        self.found.append(Diagnostic(code, message, span, hint))

    def fatal(self, code: str, message: str, start: int, end: int, hint: str = "") -> Enough:
        """Note an error after which parsing makes no sense; the caller raises what comes back."""
        span = Span(self.source, start, max(end, start + 1))
        self.found.append(Diagnostic(code, message, span, hint))
        return Enough()

    def raise_found(self) -> None:
        """Raise `PtxError` if anything was found."""
        if self.found:
            raise PtxError(self.found)


# Terminals in words, in the order in which a hint names them. What is not here is not named.
_WORDS = {
    "SEMICOLON": "';'",
    "$END": "';'",
    "COMMA": "','",
    "NAME": "a name",
    "INT": "a number",
    "STRING": "a string in double quotes",
    "MODIFIER": "a modifier",
    "TYPE": "a type such as .u32 or .f64",
    "SPACE": "a state space such as .reg or .global",
    "FORMAL_SPACE": ".param or .reg",
    "POINTER_SPACE": "a state space",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "LSQB": "'['",
    "RSQB": "']'",
    "LPAR": "'('",
    "RPAR": "')'",
    "BAR": "'|'",
    "EQUAL": "'='",
    "COLON": "':'",
    "LESS": "'<'",
    "GREATER": "'>'",
    "PLUS": "'+'",
    "ATTRIBUTE": ".managed or .unified",
    "SECTION_NAME": "a section name",
    "SECTION_TEXT": "'{'",
    "LIMIT3": "a performance directive such as .maxntid",
    "TRAIT0": ".noreturn",
}
_OPERATORS = frozenset(
    ("OROR", "ANDAND", "CARET", "AMPERSAND", "EQUALITY", "ORDER", "SHIFT", "STAR", "SLASH", "MINUS")
)
_SHOWN = 4


def expected_words(accepts: frozenset[str]) -> str:
    """What the grammar would take, in words."""
    if accepts & _OPERATORS and "INT" not in accepts:
        accepts = accepts - {"PLUS", "BAR", "LESS", "GREATER"}
    words = list(dict.fromkeys(word for name, word in _WORDS.items() if name in accepts))
    if not words:
        return ""
    shown = words[:_SHOWN]
    if len(shown) == 1:
        return f"expected {shown[0]}"
    return f"expected {', '.join(shown[:-1])} or {shown[-1]}"


@dataclass(frozen=True, slots=True)
class _Habit:
    """What people write instead of what PTX takes; `before` and `accepts` must fit too."""

    pattern: re.Pattern[str]
    hint: str
    before: re.Pattern[str] = re.compile("")
    accepts: str = ""


_NUMBER = re.compile(r"[0-9)]\s*\Z")
_HABITS = (
    _Habit(
        re.compile(r"-\s*[0-9%$A-Za-z_]"),
        "PTX has no subtraction in addresses; write +-4",
        accepts="PLUS",
    ),
    _Habit(re.compile(r"'"), "PTX has no character constants; write the number"),
    _Habit(
        re.compile(r"0[fFdD]"),
        "a hex float has exactly 8 (0f) or 16 (0d) digits and takes no operator",
    ),
    _Habit(re.compile(r"[fF]\b|[uUlL]+\b"), "the only suffix of a number is a capital U", _NUMBER),
    _Habit(
        re.compile(r"%[\w$]"),
        "write a blank after the operator %, else it begins a name",
        _NUMBER,
    ),
)
_BAD_LITERAL = re.compile(r"[0-9][\w$]*\Z")


def habit_hint(clean: str, at: int, accepts: frozenset[str]) -> str:
    """A hint for a mistake that people make often, "" if it is none of these."""
    text = clean[at : at + 20]
    before = clean[max(0, at - 20) : at]
    for habit in _HABITS:
        fits = habit.pattern.match(text) and habit.before.search(before)
        if fits and (not habit.accepts or habit.accepts in accepts):
            return habit.hint
    return ""


def is_split_literal(clean: str, at: int) -> bool:
    """Whether the stop is inside what was meant as one number, such as 089 or 0b2."""
    return at > 0 and clean[at].isalnum() and bool(_BAD_LITERAL.search(clean[max(0, at - 40) : at]))
