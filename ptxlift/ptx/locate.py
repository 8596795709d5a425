"""Where the parts of an instruction stand in the source.

Comes in: the offsets of a whole instruction. Goes out: spans of its modifiers and operands, found
by scanning its text again; only diagnostics ask for them. This module must know no instruction.
"""

from __future__ import annotations

import re

from ptxlift.ptx.report import MODIFIER, OPCODE

_HEAD = re.compile(r"\s*(?:@\s*!?\s*[\w$%.]+\s*)?([\w]+)((?:\s*\.[\w:]+)*)")
_WORD = re.compile(r"\.[\w:]+")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def _blank(text: str) -> str:
    return _COMMENT.sub(lambda found: " " * len(found[0]), text)


def place(text: str, start: int, end: int, where: int) -> tuple[int, int]:
    """Offsets of an operand, a modifier or the opcode of the instruction at `start`..`end`."""
    body = _blank(text[start:end])
    head = _HEAD.match(body)
    if head is None:
        return start, end
    if where == OPCODE:
        return start + head.start(1), start + head.end(1)
    if where >= MODIFIER:
        words = list(_WORD.finditer(body, head.start(2), head.end(2)))
        word = words[min(where - MODIFIER, len(words) - 1)] if words else None
        return (start + word.start(), start + word.end()) if word else (start, end)
    spans = operands(body, head.end())
    if not spans:
        return start + head.start(1), start + head.end(1)
    first, last = spans[min(where, len(spans) - 1)]
    return start + first, start + last


def operands(body: str, at: int) -> list[tuple[int, int]]:
    """Offsets of the operands, which stand between commas outside brackets."""
    spans, depth, first = [], 0, at
    for index in range(at, len(body)):
        char = body[index]
        depth += (char in "[{(") - (char in "]})")
        if char == "," and depth == 0:
            spans.append((first, index))
            first = index + 1
    spans.append((first, len(body)))
    return [trimmed for span in spans if (trimmed := _trim(body, *span))[0] < trimmed[1]]


def _trim(body: str, first: int, last: int) -> tuple[int, int]:
    while first < last and body[first].isspace():
        first += 1
    while first < last and (body[last - 1].isspace() or body[last - 1] == ";"):
        last -= 1
    return first, last
