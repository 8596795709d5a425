"""What a text declares, found also where it is half typed.

Comes in: PTX text, right or wrong. Goes out: `Outline`: functions, variables, registers and labels
with their places. It looks for declarations only, so that it works while the parser cannot; it must
know no instruction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from ptxlift.records import dataclass, field
from ptxlift.syntax.text import blank_comments

NAME = r"[A-Za-z_$%][\w$]*"
_FUNCTION = re.compile(
    rf"\.(?P<kind>entry|func)\b\s*(?:\((?P<results>[^()]*)\)\s*)?(?P<name>{NAME})"
)
_REGISTERS = re.compile(r"(?<!\w)\.reg\b(?P<type>[^;%$A-Za-z_]*(?:\.\w+\s*)+)(?P<names>[^;{}]*)")
_REGISTER = re.compile(rf"(?P<name>{NAME})(?:\s*<\s*(?P<count>\d+)\s*>)?")
_VARIABLE = re.compile(
    r"(?<!\w)\.(?P<space>global|const|shared|local|param|tex)\b(?P<type>(?:\s*\.\w+|\s+\d+\b)*)\s+"
    rf"(?P<name>{NAME})"
)
_LABEL = re.compile(rf"(?:^|[;{{}}:])\s*(?P<name>{NAME})\s*:(?!:)", re.MULTILINE)
_WORD = re.compile(NAME)


class Kind(Enum):
    """What a symbol is."""

    KERNEL = "kernel"
    FUNCTION = "function"
    VARIABLE = "variable"
    PARAMETER = "parameter"
    REGISTER = "register"
    LABEL = "label"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A declared name: its place in the text, and what was written of its type. `count`: of a
    family of registers `%r<9>`, else 0."""

    name: str
    kind: Kind
    start: int
    detail: str = ""
    count: int = 0

    def names(self, word: str) -> bool:
        """Whether a word means this symbol."""
        if not self.count:
            return word == self.name
        number = word.removeprefix(self.name)
        return word.startswith(self.name) and number.isdecimal() and int(number) < self.count


@dataclass(slots=True)
class Scope:
    """A function, from its directive to its closing brace, and what it declares."""

    symbol: Symbol
    start: int
    end: int
    symbols: list[Symbol] = field(default_factory=list)


@dataclass(slots=True)
class Outline:
    """All scopes, and what is declared outside of them."""

    scopes: list[Scope]
    symbols: list[Symbol]

    def scope_at(self, offset: int) -> Scope | None:
        """The function around an offset."""
        return next((s for s in self.scopes if s.start <= offset <= s.end), None)

    def find(self, word: str, offset: int) -> Symbol | None:
        """What a word means at an offset: a name of the function first, then of the module."""
        scope = self.scope_at(offset)
        for symbols in (scope.symbols if scope else [], self.symbols):
            for symbol in symbols:
                if symbol.names(word):
                    return symbol
        return next((s.symbol for s in self.scopes if s.symbol.name == word), None)


def outline_of(text: str) -> Outline:
    """The outline of a text of any kind."""
    clean = blank_comments(text)
    scopes = list(_scopes(clean))
    outline = Outline(scopes, [])
    for symbol in sorted(_declared(clean), key=lambda symbol: symbol.start):
        scope = outline.scope_at(symbol.start)
        (scope.symbols if scope else outline.symbols).append(symbol)
    return outline


def word_at(text: str, offset: int) -> str:
    """The name that an offset lies in or at the end of."""
    line = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    for match in _WORD.finditer(text, line, len(text) if end < 0 else end):
        if match.start() <= offset <= match.end():
            return match[0]
    return ""


def _scopes(clean: str) -> Iterator[Scope]:
    for match in _FUNCTION.finditer(clean):
        kind = Kind.KERNEL if match["kind"] == "entry" else Kind.FUNCTION
        symbol = Symbol(match["name"], kind, match.start("name"), f".{match['kind']}")
        yield Scope(symbol, match.start(), _end_of(clean, match.end()))


def _end_of(clean: str, at: int) -> int:
    """The end of a function: its closing brace, the `;` of a declaration, or the text's end."""
    depth = 0
    for match in re.compile(r"[{};]").finditer(clean, at):
        match match[0]:
            case ";":
                if depth == 0:
                    return match.end()
            case "{":
                depth += 1
            case _:
                depth -= 1
                if depth <= 0:
                    return match.end()
    return len(clean)


def _declared(clean: str) -> Iterator[Symbol]:
    for match in _REGISTERS.finditer(clean):
        for one in _REGISTER.finditer(clean, match.start("names"), match.end("names")):
            detail = f".reg {' '.join(match['type'].split())}"
            yield Symbol(one["name"], Kind.REGISTER, one.start(), detail, int(one["count"] or 0))
    for match in _VARIABLE.finditer(clean):
        kind = Kind.PARAMETER if match["space"] == "param" else Kind.VARIABLE
        detail = f".{match['space']} {' '.join(match['type'].split())}"
        yield Symbol(match["name"], kind, match.start("name"), detail)
    for match in _LABEL.finditer(clean):
        yield Symbol(match["name"], Kind.LABEL, match.start("name"))
