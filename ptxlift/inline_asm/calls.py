"""Finds the calls of inline assembly in the text of an LLVM module.

Comes in: a module's text. Goes out: each `call ... asm` with its parts and where they stand, so
that others can replace it and leave every other character as it was. LLVM writes a call in one
line; text by hand may break it. This module must know no PTX.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ptxlift.diag import PtxError, Source, Span
from ptxlift.records import dataclass

_TOKEN = re.compile(
    r'"[^"]*"|;[^\n]*|[{}]|(?<![\w.$@%!#-])(?:asm|define|callbr|invoke)(?![\w.$:-])'
)
_CALL = re.compile(r"(?<![\w.$@%\"-])(?:call|callbr|invoke)(?![\w.$\"-])")
_STRING = re.compile(r'\s*"([^"]*)"')
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2}|\\)")
_FLAG = re.compile(r"\s*(sideeffect|alignstack|inteldialect|unwind)\b")
_RESULT = re.compile(r"(%(?:[\w.$-]+|\"[^\"]*\"))\s*=\s*((?:tail|musttail|notail)\s+)?\Z")
_BEFORE = re.compile(r"((?:tail|musttail|notail)\s+)?\Z")
_TYPE = re.compile(r"\s*([A-Za-z][\w.]*(?:\s+addrspace\(\d+\))?|%[\w.$-]+)")
_POINTER = re.compile(r"[^,()*]+?\s*(addrspace\(\d+\))?\s*\*")  # typed, before LLVM 17
_TYPED_POINTER = re.compile(r"(?:[\w.$-]+|%[\w.$-]+)\s*(?:addrspace\(\d+\))?\s*\*\Z")
_LONGEST_HEAD = 1000  # characters between a result's name and `asm`
_CLOSING = {"}": "{", ">": "<", "]": "[", ")": "("}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: its type and value, and the text of both with attributes."""

    type: str
    value: str
    text: str


@dataclass(frozen=True, slots=True)
class AsmCall:
    """One call of inline assembly.

    start, end: offsets of all from the result's name to the closing parenthesis. result: its name,
    "" if none. words: `call` with what stands before it and what stands between it and the type.
    """

    start: int
    end: int
    result: str
    words: str
    type: str
    volatile: bool
    template: str
    constraints: str
    arguments: tuple[Argument, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class FunctionText:
    """A definition: where its body begins, after the brace, and its calls of assembly."""

    body: int
    calls: tuple[AsmCall, ...]


def find_functions(source: Source) -> Iterator[FunctionText]:
    """The functions that hold inline assembly, in order."""
    text = source.text
    at, depth, body = 0, 0, -1
    defining = False
    calls: list[AsmCall] = []
    while (found := _TOKEN.search(text, at)) is not None:
        word, at = found[0], found.end()
        if word == "define":
            defining = True
        elif word == "{":
            if defining and depth == 0 and _ends_line(text, at):
                body, defining = at, False
                depth = 1
            elif body >= 0:
                depth += 1
        elif word == "}" and body >= 0:
            depth -= 1
            if depth == 0:
                if calls:
                    yield FunctionText(body, tuple(calls))
                body, calls = -1, []
        elif word == "asm" and body >= 0:
            calls.append(_read_call(source, found.start(), found.end()))
            at = calls[-1].end


def _ends_line(text: str, at: int) -> bool:
    """Whether a brace opens a body: LLVM has nothing but a comment after it."""
    line = text[at : text.find("\n", at) % (len(text) + 1)]
    return not line.strip() or line.lstrip().startswith(";")


def _read_call(source: Source, start: int, end: int) -> AsmCall:
    text = source.text
    window = max(0, start - _LONGEST_HEAD)
    calls = list(_CALL.finditer(text, window, start))
    if not calls:
        raise _error(source, start, end, "this is no call of inline assembly")
    call = calls[-1]
    if call[0] != "call":
        what = "`asm goto`" if call[0] == "callbr" else "`asm` that may throw"
        raise _error(source, call.start(), end, f"{what} is not translated", "PTX206")
    before = text[max(0, call.start() - _LONGEST_HEAD) : call.start()]
    result = _RESULT.search(before) or _BEFORE.search(before)
    assert result is not None, "the second pattern also matches nothing"
    words, type = _split_type(text[call.end() : start])
    at, volatile = end, False
    while flag := _FLAG.match(text, at):
        volatile |= flag[1] == "sideeffect"
        at = flag.end()
    template, at = _read_string(source, at)
    comma = re.compile(r"\s*,").match(text, at)
    constraints, at = _read_string(source, comma.end() if comma else at)
    arguments, at = _read_arguments(source, at)
    name = result[1] if result.re is _RESULT else ""
    place = call.start() - len(before) + result.start()
    tail = result[result.re.groups] or ""
    words = f"{tail}call {words} " if words else f"{tail}call "
    return AsmCall(
        place, at, name or "", words, type, volatile, template, constraints, arguments,
        Span(source, start, at),
    )  # fmt: skip


def _read_string(source: Source, at: int) -> tuple[str, int]:
    found = _STRING.match(source.text, at)
    if found is None:
        raise _error(source, at, at + 1, "a string must follow here")
    return unescape(found[1]), found.end()


def unescape(text: str) -> str:
    """LLVM's string escapes resolved; other bytes than ASCII are UTF-8."""
    if "\\" not in text:
        return text
    raw = _ESCAPE.sub(lambda m: "\\" if m[1] == "\\" else chr(int(m[1], 16)), text)
    try:
        return raw.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return raw


def _split_type(text: str) -> tuple[str, str]:
    """The type that ends a text, and what stands before it."""
    text = text.rstrip()
    at = len(text)
    if pointer := _TYPED_POINTER.search(text):
        return text[: pointer.start()].strip(), pointer[0]
    if text.endswith(tuple(_CLOSING)):
        at = _opening(text, at - 1)
        if text.endswith(")"):  # ptr addrspace(1)
            found = re.search(r"ptr\s+addrspace\Z", text[:at])
            at = found.start() if found else at
    else:
        while at and not text[at - 1].isspace():
            at -= 1
    return text[:at].strip(), text[at:].strip()


def _opening(text: str, at: int) -> int:
    depth = 0
    for index in range(at, -1, -1):
        depth += (text[index] in _CLOSING) - (text[index] in _CLOSING.values())
        if depth == 0:
            return index
    return 0


def _read_arguments(source: Source, at: int) -> tuple[tuple[Argument, ...], int]:
    text = source.text
    found = re.compile(r"\s*\(").match(text, at)
    if found is None:
        raise _error(source, at, at + 1, "arguments must follow here")
    parts, end = split_list(text, found.end())
    if end < 0:
        raise _error(source, at, at + 1, "the arguments are not closed")
    return tuple(_argument(part) for part in parts), end


def split_list(text: str, at: int) -> tuple[list[str], int]:
    """The parts between commas up to the closing bracket, and where that ends (-1: never)."""
    parts: list[str] = []
    depth, start, index = 0, at, at
    while index < len(text):
        char = text[index]
        if char == '"':
            index = text.find('"', index + 1)
            if index < 0:
                return parts, -1
        elif char in "([{<":
            depth += 1
        elif char in ")]}>":
            if depth == 0:
                parts.append(text[start:index].strip())
                return [part for part in parts if part], index + 1
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
        index += 1
    return parts, -1


def _argument(text: str) -> Argument:
    if text[:1] in ("<", "[", "{"):
        _, end = split_list(text, 1)
        type = text[:end]
    else:
        found = _TYPE.match(text)
        type = found[1] if found else text
        end = found.end() if found else len(text)
    pointer = _POINTER.match(text)
    if pointer is not None:
        type, end = opaque(pointer[0]), pointer.end()
    words = text[end:].split()
    return Argument(type, words[-1] if words else "", text)


def opaque(type: str) -> str:
    """A type as LLVM writes it now: older text says what pointers point to."""
    found = _POINTER.fullmatch(type.strip())
    if found is None:
        return type
    return f"ptr {found[1]}" if found[1] else "ptr"


def _error(source: Source, start: int, end: int, message: str, code: str = "PTX112") -> PtxError:
    return PtxError.of(code, message, Span(source, start, end))
