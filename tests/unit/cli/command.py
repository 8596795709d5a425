"""Runs the command in this process and says what came of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from ptxlift.cli.app import app

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SAXPY = EXAMPLES / "ptx" / "saxpy.ptx"
PLACE = re.compile(
    r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): error\[(?P<code>PTX\d{3})\]: .", re.M
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. `output`: standard output as bytes; `errors`: standard error."""

    status: int
    output: bytes
    errors: str

    @property
    def text(self) -> str:
        return self.output.decode()

    def codes(self) -> list[str]:
        """The codes of all errors, in order."""
        return re.findall(r"\berror\[(PTX\d{3})\]: ", self.errors)

    def first_place(self) -> tuple[int, int, str]:
        """Line, column and code of the first error that has a place."""
        found = PLACE.search(self.errors)
        assert found is not None, self.errors
        return int(found["line"]), int(found["column"]), found["code"]


def ptxlift(*words: object, stdin: bytes | None = None) -> Ended:
    """One run; fails if ptxlift itself is at fault, which no input may bring about."""
    result = CliRunner().invoke(app, [str(word) for word in words], input=stdin)
    ended = Ended(result.exit_code, result.stdout_bytes, result.stderr)
    assert ended.status != 3 and "internal error" not in ended.errors, ended.errors
    assert "Traceback" not in ended.errors, ended.errors
    return ended


def refused(ended: Ended) -> Ended:
    """Checks that a run ended with diagnostics as a person needs them."""
    assert ended.status == 1, (ended.status, ended.text, ended.errors)
    assert ended.codes(), ended.errors
    return ended
