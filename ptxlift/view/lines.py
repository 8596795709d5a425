"""Which lines of IR and of assembly come from which line of PTX.

Comes in: a translation made with `Options(debug_lines=True)`. Goes out: `Listings`, three lists of
lines that name their line of PTX. It must not know what an instruction does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ptxlift.diag import Source
from ptxlift.driver.translation import Translation
from ptxlift.ir.text import function_lines
from ptxlift.records import dataclass

_LOCATION = re.compile(r"\t\.loc\t\d+ (\d+)\b")
_FUNCTION = re.compile(r"\t\.type\t(\S+),@function")
_INSTRUCTION = re.compile(r"\t([a-z]\w*)\b")
_LABEL = re.compile(r"[\w.$\"\\]+:\s*(;.*)?")
_LABEL_OF_TOOLS = re.compile(r"\.L(func|tmp|__|sec|line)\w*:|\.Linfo\w+:|\.Lcu_\w+:")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a listing. `line`: of the PTX it comes from, 0 for none. `number`: of an
    instruction of assembly, counted from 0 through the code object; -1 for what is none."""

    text: str
    line: int = 0
    number: int = -1


@dataclass(frozen=True, slots=True)
class Listings:
    """The three forms of a program."""

    ptx: tuple[Line, ...]
    ir: tuple[Line, ...]
    assembly: tuple[Line, ...]


def listings_of(made: Translation) -> Listings:
    """All three listings. Generates code, and may raise what that raises."""
    source = made.source
    return Listings(_ptx_lines(source), tuple(_ir_lines(made, source)), assembly_lines(made.asm))


def _ptx_lines(source: Source) -> tuple[Line, ...]:
    return tuple(Line(text, number) for number, text in enumerate(source.text.splitlines(), 1))


def _ir_lines(made: Translation, source: Source) -> Iterator[Line]:
    for function in made.rewritten.functions.values():
        if function.blocks:
            for text, span in function_lines(function):
                yield Line(text, source.position(span)[0] if span >= 0 else 0)


def assembly_lines(text: str) -> tuple[Line, ...]:
    """The functions of LLVM's assembly: labels and instructions, without directives."""
    found: list[Line] = []
    line = count = 0
    is_code = False
    for row in text.splitlines():
        if match := _LOCATION.match(row):
            line = int(match[1])
        elif _FUNCTION.match(row):
            is_code, line = True, 0
        elif row.startswith("\t.section"):
            is_code = False
        elif is_code and _INSTRUCTION.match(row):
            found.append(Line(_tidy(row), line, count))
            count += 1
        elif is_code and _LABEL.fullmatch(row) and not _LABEL_OF_TOOLS.match(row):
            found.append(Line(row.split(":")[0] + ":"))
    return tuple(found)


def _tidy(row: str) -> str:
    return "  " + " ".join(row.split(";")[0].split())
