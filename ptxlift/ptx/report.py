"""Collects what is wrong with a module.

Comes in: faults with their places. Goes out: one `PtxError` with at most twenty diagnostics. This
module must know nothing of PTX.
"""

from __future__ import annotations

from ptxlift.diag import Diagnostic, PtxError, Source, Span

LIMIT = 20
MODIFIER = 1000  # `Fault.where` of modifier n is MODIFIER + n
OPCODE = -1


class Fault(Exception):
    """Something wrong in one instruction.

    `where`: an operand's index, `MODIFIER` + n, or `OPCODE`.
    """

    near = False

    def __init__(self, code: str, message: str, hint: str = "", where: int = OPCODE) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.where = where


class NearFault(Fault):
    """A fault of an operand that is of the right sort: it says more than others."""

    near = True


class Report:
    """The errors found so far in one source."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: list[Diagnostic] = []

    def error(
        self, code: str, message: str, start: int, end: int | None = None, hint: str = ""
    ) -> None:
        """Add an error; give up after `LIMIT` of them."""
        span = Span(self.source, start, start + 1 if end is None else end)
        self.found.append(Diagnostic(code, message, span, hint))
        if len(self.found) >= LIMIT:
            self.found.append(Diagnostic("PTX007", f"stopped after {LIMIT} errors", span))
            raise PtxError(self.found)

    def finish(self) -> None:
        """Raise what was found, if anything."""
        if self.found:
            raise PtxError(self.found)
