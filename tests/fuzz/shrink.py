"""Makes a failing program small: drops lines while the failure stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.fuzz.apart import apart
from tests.fuzz.compare import compare
from tests.fuzz.program import Program


def shrink(program: Program, data: np.ndarray, targets: tuple[tuple[str, int], ...]) -> Program:
    """Removes runs of lines, halving the run's length, as long as some difference remains."""
    head, lines, tail = _split(program.text)
    size = max(1, len(lines) // 2)
    while size:
        at = 0
        while at < len(lines):
            fewer = lines[:at] + lines[at + size :]
            if _fails(program, head, fewer, tail, data, targets):
                lines = fewer
            else:
                at += size
        size //= 2
    return replace(program, text=_join(head, lines, tail))


def _split(text: str) -> tuple[list[str], list[str], list[str]]:
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if line == "bar.warp.sync %m7;")
    last = next(i for i, line in enumerate(lines) if line.startswith("cvt.u64.u16 %o, %h0"))
    return lines[: first + 1], lines[first + 1 : last], lines[last:]


def _join(head: list[str], lines: list[str], tail: list[str]) -> str:
    return "\n".join([*head, *lines, *tail])


def _fails(
    program: Program,
    head: list[str],
    lines: list[str],
    tail: list[str],
    data: np.ndarray,
    targets: tuple[tuple[str, int], ...],
) -> bool:
    candidate = replace(program, text=_join(head, lines, tail))
    outcome = apart(lambda: compare(candidate, data, targets))
    return outcome.is_find and outcome.kind != "refused"  # else the program itself became wrong
