"""Bytes or a string come in; clean PTX text goes out, and the same text without its comments.

Every change keeps character offsets, so a place in the cleaned text is a place in the source. This
module must not know any statement.
"""

from __future__ import annotations

import re
from typing import NoReturn

from ptxlift.diag import PtxError, Source, Span

_MAGIC = {
    b"\x7fELF": "an ELF file",
    b"\x50\xed\x55\xba": "a CUDA fat binary",
    b"BC\xc0\xde": "LLVM bitcode",
    b"MZ": "a Windows executable",
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "gzip data",
}
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_NON_ASCII = re.compile(r'("[^"\n]*+")|[^\x00-\x7f]')
_NOT_CODE = re.compile(
    r'"[^"\n]*+"'
    r"|(//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/|^\#[ \t]*+[0-9]++[ \t]++\"[^\"\n]*+\"[^\n]*+)"
    r"|(/\*)",
    re.MULTILINE,
)
_VISIBLE = re.compile(r"[^\s]")


def decode(text: str | bytes, name: str) -> Source:
    """The input as a `Source`, without byte order mark and trailing NULs."""
    decoded = text if isinstance(text, str) else _decode_bytes(text, name)
    decoded = decoded.removeprefix("\ufeff").rstrip("\0")
    source = Source(name, decoded)
    control = _CONTROL.search(decoded)
    if control is not None:
        _refuse(
            source,
            control.start(),
            f"the input is not PTX text: control character {ord(control[0]):#04x}",
        )
    return source


def strip_comments(source: Source) -> str:
    """The text with comments and line markers blanked; offsets and newlines stay."""
    text = blank_comments(source.text)
    opened = _open_comment(text)
    if opened is not None:
        span = Span(source, opened, opened + 2)
        message = "this comment is still open at the end of the file"
        raise PtxError.of("PTX002", message, span, "close it with */")
    if not text.isascii():
        _refuse_non_ascii(source, text)
    return text


_OLD_DEBUG = re.compile(r"^[ \t]*@@DWARF[^\n]*", re.MULTILINE)


def strip_old_debug(clean: str) -> str:
    """The text without the `@@DWARF` lines that PTX before 2.0 ends with."""
    return _OLD_DEBUG.sub(lambda found: " " * len(found[0]), clean)


def blank_comments(text: str) -> str:
    """The text with blanks in place of comments and line markers."""
    return _NOT_CODE.sub(_blank, text) if "/" in text or "#" in text else text


def _open_comment(text: str) -> int | None:
    """Where a comment begins that does not end."""
    if "/*" not in text:
        return None
    return next((found.start() for found in _NOT_CODE.finditer(text) if found[2]), None)


def _blank(found: re.Match[str]) -> str:
    if found[1] is None:
        return found[0]
    if "\n" in found[0]:
        return _VISIBLE.sub(" ", found[0])
    return " " * len(found[0])


def _refuse_non_ascii(source: Source, text: str) -> None:
    for found in _NON_ASCII.finditer(text):
        if found[1] is None:
            span = Span(source, found.start(), found.end())
            raise PtxError.of(
                "PTX001",
                f"non-ASCII character {found[0]!a} outside comments and strings",
                span,
                "PTX names and numbers are ASCII; remove or replace the character",
            )


def _decode_bytes(data: bytes, name: str) -> str:
    for magic, what in _MAGIC.items():
        if data.startswith(magic):
            hint = "use `ptxlift extract` to get the PTX out of executables and fat binaries"
            _refuse(Source(name, ""), 0, f"the input is {what}, not PTX text", hint)
    if data.startswith(_WIDE):
        _refuse(Source(name, ""), 0, "the input is UTF-16, not PTX text", "save it as UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _refuse(
    source: Source, at: int, message: str, hint: str = "give the PTX as plain text"
) -> NoReturn:
    raise PtxError.of("PTX003", message, Span(source, at, at + 1), hint)
