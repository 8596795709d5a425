"""Debug locations: each LLVM instruction says which line it comes from, of the PTX or of the source
that the PTX was made from.

Comes in: the lines of an emitted function, and which of them each op wrote. Goes out: the same
lines with `!dbg`, and the metadata they name. LLVM carries these through its passes, and writes
them as `.loc` into assembly and as DWARF line tables into objects. It must know no op and no
target.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence

from ptxlift.ir.core import Function, Location, Origin
from ptxlift.llvm.context import ModuleContext
from ptxlift.records import dataclass

UNKNOWN = -1  # the span of what comes from no PTX
_PRODUCER = "ptxlift"
_WIDEST_COLUMN = 0xFFFF  # LLVM keeps columns in 16 bits; 0 means unknown


@dataclass(frozen=True, slots=True)
class Mark:
    """From the line with index `start` on, lines come from the PTX at offset `span`."""

    start: int
    span: int


def debug_lines(context: ModuleContext) -> DebugLines | None:
    """What gives a module's instructions their locations, if that is wanted."""
    if not context.options.debug_lines:
        return None
    return DebugLines(context, context.module.name, context.options.source_lines)


class DebugLines:
    """The debug locations of one module.

    from_source: the lines of the source that `.loc` names, where a function's text has any; else
    those of the PTX.
    """

    def __init__(self, context: ModuleContext, name: str, from_source: bool) -> None:
        self._note = context.note
        self._from_source = from_source
        self._type = context.note("!DISubroutineType(types: !{})")
        self.unit = context.note(
            f"distinct !DICompileUnit(language: DW_LANG_C, file: {self._file(name)}, "
            f'producer: "{_PRODUCER}", isOptimized: true, runtimeVersion: 0, '
            "emissionKind: LineTablesOnly, nameTableKind: None)"
        )

    def located(
        self, function: Function, lines: Sequence[str], marks: Sequence[Mark]
    ) -> tuple[str, list[str]]:
        """The scope of a function, and its lines, each instruction with its location.

        LLVM wants one on every call, so what comes from no PTX says line 0.
        """
        assert function.origin is not None, "a lifted function has a text"
        places = _Places(self, function, function.origin)
        made = list(lines)
        ends = [mark.start for mark in marks[1:]] + [len(lines)]
        for mark, end in zip(marks, ends, strict=True):
            suffix = f", !dbg {places.at(mark.span)}"
            for index in range(mark.start, end):
                made[index] = "\n".join(_with(suffix, made[index].split("\n")))
        return places.scope, made

    def flags(self) -> tuple[str, str]:
        """Module flags without which LLVM drops debug information."""
        return (
            self._note('!{i32 2, !"Debug Info Version", i32 3}'),
            self._note('!{i32 7, !"Dwarf Version", i32 5}'),
        )

    def names_source(self, origin: Origin) -> bool:
        """Whether the source's lines are given, not the PTX's."""
        return self._from_source and bool(origin.locations)

    def subprogram(self, name: str, file: str, line: int) -> str:
        """The scope of a function that has a body, or was inlined."""
        where = self._file(file)
        return self._note(
            f'distinct !DISubprogram(name: "{_quoted(name)}", scope: {where}, '
            f"file: {where}, line: {line}, type: {self._type}, scopeLine: {line}, "
            f"spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: {self.unit})"
        )

    def within(self, scope: str, file: str) -> str:
        """A part of a scope that lies in another file."""
        return self._note(
            f"!DILexicalBlockFile(scope: {scope}, file: {self._file(file)}, discriminator: 0)"
        )

    def location(self, line: int, column: int, scope: str, caller: str = "") -> str:
        """`caller`: the location of the call that was inlined."""
        shown = column if column <= _WIDEST_COLUMN else 0
        inlined = f", inlinedAt: {caller}" if caller else ""
        return self._note(f"!DILocation(line: {line}, column: {shown}, scope: {scope}{inlined})")

    def _file(self, name: str) -> str:
        return self._note(f'!DIFile(filename: "{_quoted(name)}", directory: "")')


class _Places:
    """The locations of one function."""

    def __init__(self, lines: DebugLines, function: Function, origin: Origin) -> None:
        self._lines, self._source = lines, origin.source
        self._locations = origin.locations if lines.names_source(origin) else ()
        self._starts = [location.start for location in self._locations]
        spans = [op.span for op in function.ops() if op.span != UNKNOWN]
        line = self._source.position(min(spans))[0] if spans else 0
        self._file = self._source.name
        if self._locations:
            own = next((at for at in self._locations if not at.function), self._locations[0])
            self._file, line = own.file, own.line
        self.scope = lines.subprogram(function.name, self._file, line)

    def at(self, span: int) -> str:
        """The location of what comes from the text at an offset."""
        if span == UNKNOWN:
            return self._lines.location(0, 0, self.scope)
        if not self._locations:
            return self._lines.location(*self._source.position(span), self.scope)
        number = bisect.bisect_right(self._starts, span)
        if number == 0:
            return self._lines.location(0, 0, self.scope)
        return self._named(self._locations[number - 1])

    def _inlined(self, at: Location) -> str:
        """The scope of an inlined function: it begins, for all that is known, where it is first
        named.
        """
        same = (other for other in self._locations if _function_of(other) == _function_of(at))
        first = min(same, key=lambda other: other.line)
        return self._lines.subprogram(at.function or "inlined", at.file, first.line)

    def _named(self, at: Location) -> str:
        if at.inlined_at is not None:
            scope = self._inlined(at)
            return self._lines.location(at.line, at.column, scope, self._named(at.inlined_at))
        scope = self.scope if at.file == self._file else self._lines.within(self.scope, at.file)
        return self._lines.location(at.line, at.column, scope)


def _function_of(location: Location) -> tuple[str, str]:
    return location.function, location.file


def _with(suffix: str, lines: Iterable[str]) -> list[str]:
    """Instructions are indented, labels are not; a phi's block may have no line yet."""
    return [line + suffix if line.startswith("  ") else line for line in lines]


def _quoted(text: str) -> str:
    return "".join(_quoted_byte(byte) for byte in text.encode("utf-8", "replace"))


def _quoted_byte(byte: int) -> str:
    character = chr(byte)
    return character if " " <= character <= "~" and character not in '"\\' else f"\\{byte:02X}"
