"""What went wrong in a statement comes in; a diagnostic and the place to go on from come out.

Parsing goes on behind the next `;`, at the next `}`, or at the next line when only a `;` is
missing there. This module must not know which statements exist.
"""

from __future__ import annotations

import re

from ptxlift.syntax.build import Misfit
from ptxlift.syntax.grammar import Stop
from ptxlift.syntax.report import Report, expected_words, habit_hint, is_split_literal
from ptxlift.syntax.trees import TooDeep

_RESUME = re.compile(r"[;{}]")
_TOKEN = re.compile(r'[.]?[\w$%]+|"[^"\n]*"?|\S', re.ASCII)
_BLANK = re.compile(r"\s*+")
_SHOWN = 40

StatementError = (Stop, Misfit, TooDeep)


class Recovery:
    """Reports errors of one parse and finds where to go on."""

    def __init__(self, clean: str, report: Report) -> None:
        self.clean = clean
        self.report = report
        self.lost = False  # after a missing brace: what follows belongs to an unknown place

    def after(self, error: Stop | Misfit | TooDeep, start: int) -> int:
        """Report an error in the statement at `start`; where to go on."""
        match error:
            case Stop():
                return self._after_stop(error, start)
            case Misfit(code, message, at, hint):
                self.report.add(code, message, at, self._token_end(at), hint)
                return self.resume(at, start)
            case TooDeep():
                message = "this statement is nested too deeply"
                self.report.add("PTX006", message, start, start + 1, "split it up")
                return self.resume(start, start)

    def unexpected(self, at: int, expected: str, end: int | None = None) -> None:
        """Report a word that no statement begins with."""
        stop = self._token_end(at) if end is None else end
        self.report.add("PTX001", f"unexpected {self._quoted(at, stop)}", at, stop, expected)

    def end_of_file(self, start: int, what: str, hint: str) -> None:
        """Report that the file ends too early; parsing stops."""
        raise self.report.fatal("PTX002", what, start, self._token_end(start), hint)

    def skip_blanks(self, at: int) -> int:
        """The next place that is not blank."""
        found = _BLANK.match(self.clean, at)
        return found.end() if found else at

    def resume(self, at: int, start: int) -> int:
        """The place behind the next `;`, or of the next `}` that closes more than was opened."""
        clean = self.clean
        depth = clean.count("{", start, at) - clean.count("}", start, at)
        while (found := _RESUME.search(clean, at)) is not None:
            at = found.end()
            if found[0] == ";":
                return at
            if found[0] == "{":
                depth += 1
            elif depth > 0:
                depth -= 1
            else:
                return at - 1
        return len(clean)

    def _after_stop(self, stop: Stop, start: int) -> int:
        clean = self.clean
        at = stop.start
        if at >= len(clean):
            self.end_of_file(start, "the file ends inside this statement", "finish it with ';'")
        if "$END" in stop.accepts and self._begins_line(at) and stop.found != "{":
            line = self.report.source.position(start)[0]
            hint = f"did you forget ';' at the end of the statement that begins on line {line}?"
            self.unexpected(at, hint, stop.end)
            return at
        if is_split_literal(clean, at):
            self._bad_literal(at)
        else:
            hint = habit_hint(clean, at, stop.accepts) or expected_words(stop.accepts)
            self.unexpected(at, hint, self._token_end(at))
        return at if clean[at] == "{" and start < at else self.resume(at, start)

    def _begins_line(self, at: int) -> bool:
        begin = self.clean.rfind("\n", 0, at) + 1
        return begin > 0 and not self.clean[begin:at].strip()

    def _bad_literal(self, at: int) -> None:
        start = at
        while start > 0 and (self.clean[start - 1].isalnum() or self.clean[start - 1] == "."):
            start -= 1
        end = self._token_end(at)
        hint = habit_hint(self.clean, start, frozenset())
        text = self.clean[start:end][:_SHOWN]
        hint = hint or "numbers: 12, 0x1f, 017, 0b11, 1.5e3, 0f3F800000, 0d and 16 hex digits"
        self.report.add("PTX005", f"malformed number '{text}'", start, end, hint)

    def _token_end(self, at: int) -> int:
        found = _TOKEN.match(self.clean, at)
        return found.end() if found else at + 1

    def _quoted(self, start: int, end: int) -> str:
        text = self.clean[start:end]
        return f"'{text[:_SHOWN]}...'" if len(text) > _SHOWN else f"'{text}'"
