"""The beginning of a module comes in; version, targets and address size go out.

It must not know what versions and targets exist; that is for the checker.
"""

from __future__ import annotations

import re

from ptxlift.records import dataclass
from ptxlift.syntax.report import Report

_VERSION = re.compile(r"\s*+\.version\s++([0-9]++)\.([0-9]++)(?![\w.$])", re.ASCII)
_TARGET = re.compile(r"\s*+\.target\s++([A-Za-z_][\w$]*+(?:\s*+,\s*+[A-Za-z_][\w$]*+)*+)", re.ASCII)
_SIZE = re.compile(r"\s*+\.address_size\s++([0-9]++)(?![\w.$])", re.ASCII)
_BLANK = re.compile(r"\s*+")
_VERSION_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Header:
    """The values of the header; `starts`: directive -> offset of its value; `end`: behind it."""

    version: tuple[int, int]
    targets: tuple[str, ...]
    address_size: int | None
    starts: dict[str, int]
    end: int


def read_header(clean: str, report: Report) -> Header:
    """The header of a module; raises `Enough` if it has none that can be read."""
    version = _VERSION.match(clean)
    if version is None or len(version[1]) + len(version[2]) > _VERSION_DIGITS:
        _refuse(clean, 0, report, ".version", "begin the file with a line such as .version 8.0")
    assert version is not None, "refused above"
    starts = {"version": version.start(1)}
    targets: list[str] = []
    end = version.end()
    target = _TARGET.match(clean, end)
    if target is None:
        _refuse(clean, end, report, ".target", "write .target and an sm name after .version")
    while target is not None:
        starts.setdefault("target", target.start(1))
        targets += [name.strip() for name in target[1].split(",")]
        end = target.end()
        target = _TARGET.match(clean, end)
    size = _SIZE.match(clean, end)
    if size is not None:
        starts["address_size"] = size.start(1)
        end = size.end()
    bits = int(size[1][:4]) if size else None
    return Header((int(version[1]), int(version[2])), tuple(targets), bits, starts, end)


def _refuse(clean: str, at: int, report: Report, directive: str, hint: str) -> None:
    blank = _BLANK.match(clean, at)
    start = blank.end() if blank else at
    line_end = clean.find("\n", start)
    end = line_end if line_end >= 0 else len(clean)
    if not clean.strip():
        raise report.fatal("PTX004", "the file is empty", 0, 1, hint)
    message = f"missing or malformed {directive} directive at the start of the module"
    raise report.fatal("PTX004", message, start, min(end, start + 40), hint)
