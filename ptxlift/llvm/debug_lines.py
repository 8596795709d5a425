"""Debug locations: each LLVM instruction says which line of PTX it comes from.

Comes in: the lines of an emitted function, and which of them each op wrote. Goes out: the same
lines with `!dbg`, and the metadata they name. LLVM carries these through its passes, and writes
them as `.loc` into assembly and as DWARF line tables into objects. It must know no op and no
target.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ptxlift.diag import Source
from ptxlift.ir.core import Function
from ptxlift.llvm.context import ModuleContext

UNKNOWN = -1  # the span of what comes from no PTX
_PRODUCER = "ptxlift"
_WIDEST_COLUMN = 0xFFFF  # LLVM keeps columns in 16 bits; 0 means unknown


@dataclass(frozen=True, slots=True)
class Mark:
    """From the line with index `start` on, lines come from the PTX at offset `span`."""

    start: int
    span: int


class DebugLines:
    """The debug locations of one module made from one text."""

    def __init__(self, context: ModuleContext, source: Source) -> None:
        self._note = context.note
        self._source = source
        self._file = context.note(f'!DIFile(filename: "{_quoted(source.name)}", directory: "")')
        self._type = context.note("!DISubroutineType(types: !{})")
        self.unit = context.note(
            f"distinct !DICompileUnit(language: DW_LANG_C, file: {self._file}, "
            f'producer: "{_PRODUCER}", isOptimized: true, runtimeVersion: 0, '
            "emissionKind: LineTablesOnly)"
        )

    def subprogram(self, function: Function) -> str:
        """The scope of a function that has a body."""
        spans = [op.span for op in function.ops() if op.span != UNKNOWN]
        line = self._source.position(min(spans))[0] if spans else 0
        return self._note(
            f'distinct !DISubprogram(name: "{_quoted(function.name)}", scope: {self._file}, '
            f"file: {self._file}, line: {line}, type: {self._type}, scopeLine: {line}, "
            f"spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: {self.unit})"
        )

    def located(self, lines: Sequence[str], marks: Sequence[Mark], scope: str) -> list[str]:
        """The lines of a function, each instruction with its location.

        LLVM wants one on every call, so what comes from no PTX says line 0.
        """
        made = list(lines)
        ends = [mark.start for mark in marks[1:]] + [len(lines)]
        for mark, end in zip(marks, ends, strict=True):
            suffix = f", !dbg {self._location(mark.span, scope)}"
            for index in range(mark.start, end):
                made[index] = "\n".join(_with(suffix, made[index].split("\n")))
        return made

    def flags(self) -> tuple[str, str]:
        """Module flags without which LLVM drops debug information."""
        return (
            self._note('!{i32 2, !"Debug Info Version", i32 3}'),
            self._note('!{i32 7, !"Dwarf Version", i32 5}'),
        )

    def _location(self, span: int, scope: str) -> str:
        line, column = (0, 0) if span == UNKNOWN else self._source.position(span)
        if column > _WIDEST_COLUMN:
            column = 0
        return self._note(f"!DILocation(line: {line}, column: {column}, scope: {scope})")


def _with(suffix: str, lines: Iterable[str]) -> list[str]:
    """Instructions are indented, labels are not; a phi's block may have no line yet."""
    return [line + suffix if line.startswith("  ") else line for line in lines]


def _quoted(text: str) -> str:
    return "".join(_quoted_byte(byte) for byte in text.encode("utf-8", "replace"))


def _quoted_byte(byte: int) -> str:
    character = chr(byte)
    return character if " " <= character <= "~" and character not in '"\\' else f"\\{byte:02X}"
