"""Spans, diagnostics, `PtxError` and the caret renderer.

Comes in: facts found by any stage. Goes out: text a person can act on. It must know nothing of PTX
grammar, instructions, IR or targets.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Sequence
from enum import Enum

from ptxlift.records import dataclass, field


class Severity(Enum):
    """How bad a diagnostic is; only `ERROR` stops a translation."""

    ERROR = "error"
    WARNING = "warning"
    REMARK = "remark"


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """One input text and its name; turns offsets into lines and columns."""

    name: str
    text: str
    _starts: list[int] = field(default_factory=list, repr=False)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a character offset."""
        if not self._starts:
            self._starts.extend(_line_starts(self.text))
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line (from 1), without its newline."""
        self.position(0)
        start = self._starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")


def _line_starts(text: str) -> list[int]:
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of character offsets in a source."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: a code from `codes.py`, the fact (`message`) and the action (`hint`)."""

    code: str
    message: str
    span: Span | None = None
    hint: str = ""
    severity: Severity = Severity.ERROR

    def render(self) -> str:
        """The diagnostic as text: place, severity, code, message, source line, caret, hint."""
        lines = [f"{self._place()}{self.severity.value}[{self.code}]: {self.message}"]
        if self.span is not None:
            lines += _caret(self.span)
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    def _place(self) -> str:
        if self.span is None:
            return ""
        return f"{self.span.source.name}:{self.span.line}:{self.span.column}: "


_WINDOW = 120
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # what would move the cursor or worse


def _caret(span: Span) -> list[str]:
    text = _CONTROL.sub("\ufffd", span.source.line(span.line).replace("\t", " "))
    column = span.column - 1
    first = max(0, column - _WINDOW // 2)
    shown = text[first : first + _WINDOW]
    width = max(1, min(span.end - span.start, len(shown) - (column - first)))
    number = f"{span.line:>5} | "
    return [number + shown, " " * 5 + " | " + " " * (column - first) + "^" * width]


class PtxError(Exception):
    """Bad or unsupported input. `diagnostics` holds what was found; `str()` renders it."""

    def __init__(self, diagnostics: Diagnostic | Iterable[Diagnostic]) -> None:
        found = (diagnostics,) if isinstance(diagnostics, Diagnostic) else tuple(diagnostics)
        self.diagnostics: Sequence[Diagnostic] = found
        super().__init__(found)

    def __str__(self) -> str:
        return "\n".join(d.render() for d in self.diagnostics)

    @staticmethod
    def of(code: str, message: str, span: Span | None = None, hint: str = "") -> PtxError:
        """A `PtxError` with one diagnostic."""
        return PtxError(Diagnostic(code, message, span, hint))


class InternalError(Exception):
    """A fault of ptxlift itself, never of its input."""
