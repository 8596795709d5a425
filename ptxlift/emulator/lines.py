"""DWARF 5 line tables: which line an instruction comes from.

Comes in: a code object. Goes out: a `LineTable`, empty where there is no debug information. It
reads what compilers write (standard "DWARF Debugging Information Format Version 5", section 6.2)
and must not know instructions.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from enum import IntEnum

from ptxlift.emulator.elf import section_bytes
from ptxlift.records import dataclass

_PATH, _DIRECTORY = 1, 2  # content types of directory and file entries


class Form(IntEnum):
    """How a value of an entry is written."""

    DATA2 = 0x05
    DATA4 = 0x06
    DATA8 = 0x07
    STRING = 0x08
    DATA1 = 0x0B
    UDATA = 0x0F
    DATA16 = 0x1E
    LINE_STRP = 0x1F


class Do(IntEnum):
    """Standard opcodes; the others have operands only."""

    EXTENDED = 0
    COPY = 1
    ADVANCE_PC = 2
    ADVANCE_LINE = 3
    SET_FILE = 4
    CONST_ADD_PC = 8
    FIXED_ADVANCE_PC = 9


class Extended(IntEnum):
    """Extended opcodes."""

    END_SEQUENCE = 1
    SET_ADDRESS = 2


_FIXED = {Form.DATA1: 1, Form.DATA2: 2, Form.DATA4: 4, Form.DATA8: 8, Form.DATA16: 16}  # bytes


@dataclass(frozen=True, slots=True)
class Row:
    """From `address` (of the file, not of memory) on, code comes from this place; line 0: from
    nowhere in particular.
    """

    address: int
    file: str
    line: int


class LineTable:
    """The rows of all units by their addresses."""

    def __init__(self, rows: tuple[Row, ...] = ()) -> None:
        self.rows = tuple(sorted(rows, key=lambda row: row.address))
        self._starts = [row.address for row in self.rows]

    def place(self, address: int) -> str:
        """`file:line` of an address of the file, or nothing."""
        number = bisect.bisect_right(self._starts, address)
        if number == 0 or self.rows[number - 1].line == 0:
            return ""
        row = self.rows[number - 1]
        return f"{row.file}:{row.line}"


def read_lines(code_object: bytes) -> LineTable:
    """The line table of a code object."""
    data = section_bytes(code_object, ".debug_line")
    strings = section_bytes(code_object, ".debug_line_str")
    rows: list[Row] = []
    at = 0
    while at + 4 <= len(data):
        size = int.from_bytes(data[at : at + 4], "little")
        rows += _Unit(data[at + 4 : at + 4 + size], strings).rows()
        at += 4 + size
    return LineTable(tuple(rows))


class _Bytes:
    """Numbers one behind another."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def fixed(self, size: int) -> int:
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "little")

    def uleb(self) -> int:
        value = shift = 0
        while True:
            byte = self.fixed(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def sleb(self) -> int:
        start = self.at
        value = self.uleb()
        bits = 7 * (self.at - start)
        return value - (1 << bits) if value >> (bits - 1) else value

    def text(self) -> str:
        end = self.data.index(0, self.at)
        found = self.data[self.at : end].decode("utf-8", "replace")
        self.at = end + 1
        return found


class _Unit:
    """One line program: header, directories, files, opcodes."""

    def __init__(self, data: bytes, strings: bytes) -> None:
        self._read, self._strings = _Bytes(data), strings
        read = self._read
        version = read.fixed(2)
        self._known = version == 5  # the only version that is written here
        if not self._known:
            return
        read.fixed(2)  # sizes of an address and a segment selector
        read.fixed(4)  # size of the rest of the header
        self._step = read.fixed(1)
        read.fixed(2)  # operations in an instruction, whether rows are statements
        self._line_base = read.fixed(1) - 256 if read.data[read.at] > 127 else read.fixed(1)
        self._line_range, self._opcode_base = read.fixed(1), read.fixed(1)
        self._operands = [read.fixed(1) for _ in range(self._opcode_base - 1)]
        directories = [entry.get(_PATH, "") for entry in self._entries()]
        self._files = [_path(entry, directories) for entry in self._entries()]

    def _entries(self) -> list[dict[int, str]]:
        read = self._read
        formats = [(read.uleb(), read.uleb()) for _ in range(read.fixed(1))]
        count = read.uleb()
        return [{kind: self._value(form) for kind, form in formats} for _ in range(count)]

    def _value(self, form: int) -> str:
        match form:
            case Form.STRING:
                return self._read.text()
            case Form.LINE_STRP:
                strings = _Bytes(self._strings)
                strings.at = self._read.fixed(4)
                return strings.text()
            case Form.UDATA:
                return str(self._read.uleb())
            case _:
                return str(self._read.fixed(_FIXED[Form(form)]))

    def rows(self) -> Iterator[Row]:
        """Runs the program."""
        read = self._read
        address, file, line = 0, 1, 1
        while self._known and read.at < len(read.data):
            opcode = read.fixed(1)
            if opcode >= self._opcode_base:
                advance, more = divmod(opcode - self._opcode_base, self._line_range)
                address, line = address + advance * self._step, line + self._line_base + more
                yield self._row(address, file, line)
                continue
            match opcode:
                case Do.EXTENDED:
                    end = read.uleb() + read.at
                    kind = read.fixed(1)
                    if kind == Extended.SET_ADDRESS:
                        address = read.fixed(8)
                    elif kind == Extended.END_SEQUENCE:
                        yield Row(address, "", 0)
                        address, file, line = 0, 1, 1
                    read.at = end
                case Do.COPY:
                    yield self._row(address, file, line)
                case Do.ADVANCE_PC:
                    address += read.uleb() * self._step
                case Do.ADVANCE_LINE:
                    line += read.sleb()
                case Do.SET_FILE:
                    file = read.uleb()
                case Do.CONST_ADD_PC:
                    address += (255 - self._opcode_base) // self._line_range * self._step
                case Do.FIXED_ADVANCE_PC:
                    address += read.fixed(2)
                case _:
                    for _ in range(self._operands[opcode - 1]):
                        read.uleb()

    def _row(self, address: int, file: int, line: int) -> Row:
        return Row(address, self._files[file] if file < len(self._files) else "", line)


def _path(entry: dict[int, str], directories: list[str]) -> str:
    name, number = entry.get(_PATH, ""), int(entry.get(_DIRECTORY, "0"))
    directory = directories[number] if number < len(directories) else ""
    return f"{directory}/{name}" if directory and not name.startswith("/") else name
