"""Where a function's text comes from: its PTX, and the source that `.loc` names.

Comes in: a checked module and one of its functions. Goes out: an `ir.Origin`. Names of inlined
functions lie in the text's `.debug_str` section, which nothing else reads.
"""

from __future__ import annotations

import re

from ptxlift.ir.core import Location, Origin
from ptxlift.ptx import module as ptx

_STRINGS = re.compile(r"\.section\s++\.debug_str\s*+\{(?P<text>[^}]*+)\}")
_PART = re.compile(r"(?P<label>[\w$]++):|\.b8\s++(?P<data>[\w\s,]++)")


def origin_of(module: ptx.Module, function: ptx.Function) -> Origin:
    """The text of a function and its `.loc`s in order."""
    marks = [mark for mark in function.body or () if isinstance(mark, ptx.LocMark)]
    names = _names(module) if any(mark.function_name for mark in marks) else {}
    known: dict[tuple[int, int, int], Location] = {}
    found = []
    for mark in marks:
        location = Location(
            mark.start,
            module.files.get(mark.file, ""),
            mark.line,
            mark.column,
            _name_at(names, mark.function_name, mark.function_offset),
            known.get(mark.inlined_at) if mark.inlined_at is not None else None,
        )
        known[mark.file, mark.line, mark.column] = location
        found.append(location)
    return Origin(module.source, tuple(found))


def _names(module: ptx.Module) -> dict[str, bytes]:
    """The bytes of the string section from each label on."""
    section = _STRINGS.search(module.source.text)
    data = bytearray()
    starts: dict[str, int] = {}
    for part in _PART.finditer(section["text"] if section else ""):
        if part["label"]:
            starts[part["label"]] = len(data)
        else:
            data += bytes(int(number, 0) & 255 for number in part["data"].split(",") if number)
    return {label: bytes(data[start:]) for label, start in starts.items()}


def _name_at(names: dict[str, bytes], label: str, offset: int) -> str:
    return names.get(label, b"")[offset:].split(b"\0")[0].decode("utf-8", "replace")
