"""Work in a process of its own, for LLVM ends the process where it cannot go on.

Comes in: a function that tells what differs. Goes out: what came of it, its death included. It must
know nothing of programs.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from ptxlift import PtxError

SECONDS = 120  # for one program
_QUOTE = 300  # characters of the dead process's last words


@dataclass(frozen=True, slots=True)
class Outcome:
    """`kind`: same, differs, refused, fault or died; `text` says more of all but the first."""

    kind: str
    text: str = ""

    @property
    def is_find(self) -> bool:
        """Whether something is wrong."""
        return self.kind != "same"

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


def outcome_of(work: Callable[[], object]) -> Outcome:
    """What comes of work that gives None where all is well; it may end the process."""
    try:
        difference = work()
    except PtxError as error:
        return Outcome("refused", f"PtxError: {error}")
    except Exception as error:
        return Outcome("fault", f"{type(error).__name__}: {error}")
    return Outcome("same") if difference is None else Outcome("differs", str(difference))


def apart(work: Callable[[], object]) -> Outcome:
    """The same in a process of its own."""
    with tempfile.TemporaryFile() as errors:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            _be_child(work, writing, errors)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as told:
            text = told.read()
        _, status = os.waitpid(child, 0)
        if status == 0 and text:
            return Outcome(**json.loads(text))
        return Outcome("died", f"{_cause(status)}; {_last_words(errors)}")


def _be_child(work: Callable[[], object], writing: int, errors: IO[bytes]) -> None:
    try:
        signal.alarm(SECONDS)
        os.dup2(errors.fileno(), 2)
        outcome = outcome_of(work)
        with os.fdopen(writing, "w", encoding="utf-8") as tell:
            json.dump({"kind": outcome.kind, "text": outcome.text}, tell)
        os._exit(0)
    finally:
        os._exit(1)


def _cause(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"the process ended by {signal.Signals(-code).name}" if code < 0 else f"exit {code}"


def _last_words(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    telling = [line for line in lines if "LLVM ERROR" in line or "Assertion" in line] or lines
    return " ".join(telling[:1])[:_QUOTE]
