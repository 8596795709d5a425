"""A read-only view of a linked 64-bit ELF file.

Comes in: the bytes of a code object. Goes out: loadable segments, symbols, dynamic relocations and
the metadata note. It must not know kernels or instructions, and shares no code with the linker, so
that a mistake there is seen here.
"""

from __future__ import annotations

import struct

from ptxlift.diag import PtxError
from ptxlift.records import dataclass

PT_LOAD, PT_NOTE = 1, 4
SHT_PROGBITS, SHT_SYMTAB, SHT_RELA, SHT_DYNSYM = 1, 2, 4, 11
STT_OBJECT, STT_FUNC = 1, 2
NT_AMDGPU_METADATA = 32
LARGEST_SEGMENT = 1 << 30

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_PROGRAM = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELA = struct.Struct("<QQq")


@dataclass(frozen=True, slots=True)
class Segment:
    """A PT_LOAD: `data` is padded with zeros to the size in memory."""

    address: int
    data: bytes
    flags: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A defined or undefined symbol; `section` 0 is undefined."""

    name: str
    value: int
    size: int
    kind: int
    section: int


@dataclass(frozen=True, slots=True)
class Relocation:
    """A dynamic relocation; `symbol` is empty for the relative kinds."""

    offset: int
    kind: int
    symbol: Symbol | None
    addend: int


@dataclass(frozen=True, slots=True)
class Elf:
    """What the emulator reads of a code object."""

    segments: tuple[Segment, ...]
    symbols: tuple[Symbol, ...]
    relocations: tuple[Relocation, ...]
    text: tuple[int, int]  # address and size of .text
    note: bytes

    def bytes_at(self, address: int, size: int) -> bytes:
        """Bytes of the memory image."""
        for segment in self.segments:
            at = address - segment.address
            if at >= 0 and at + size <= len(segment.data):
                return segment.data[at : at + size]
        raise _bad(f"address {address:#x} lies in no segment")

    def word_at(self, address: int) -> int:
        """One little-endian 32-bit word of the memory image."""
        return int.from_bytes(self.bytes_at(address, 4), "little")


def read_elf(data: bytes) -> Elf:
    """Read a code object; anything malformed is PTX305."""
    try:
        return _Reader(data).read()
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        raise _bad("the ELF file is cut short or malformed") from error


def section_bytes(data: bytes, name: str, kind: int = SHT_PROGBITS) -> bytes:
    """Contents of the first section of a name and type, or nothing."""
    try:
        reader = _Reader(data)
        for section in reader.sections:
            if section[1] == kind and reader.string(reader.names, section[0]) == name:
                return reader.slice(section[4], section[5])
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        raise _bad("the ELF file is cut short or malformed") from error
    return b""


def _bad(message: str) -> PtxError:
    return PtxError.of("PTX305", message)


class _Reader:
    def __init__(self, data: bytes) -> None:
        if data[:5] != b"\x7fELF\x02":
            raise _bad("the code object is not a 64-bit ELF file")
        self.data = data
        header = _HEADER.unpack_from(data)
        self.machine = header[2]
        programs, sections = header[5], header[6]
        self.programs = [
            _PROGRAM.unpack_from(data, programs + i * _PROGRAM.size) for i in range(header[10])
        ]
        self.sections = [
            _SECTION.unpack_from(data, sections + i * _SECTION.size) for i in range(header[12])
        ]
        self.names = self.sections[header[13]]

    def read(self) -> Elf:
        if self.machine != 224:
            raise _bad("the code object is not for AMDGPU")
        tables = {i: self._symbols(i) for i, s in enumerate(self.sections) if s[1] == SHT_SYMTAB}
        dynamic = {i: self._symbols(i) for i, s in enumerate(self.sections) if s[1] == SHT_DYNSYM}
        symbols = next(iter((tables or dynamic).values()), ())
        return Elf(
            tuple(self._segment(p) for p in self.programs if p[0] == PT_LOAD),
            symbols,
            tuple(self._relocations(tables | dynamic)),
            self._text(),
            self._note(),
        )

    def _segment(self, program: tuple[int, ...]) -> Segment:
        _, flags, offset, address, _, in_file, in_memory, _ = program
        data = self.slice(offset, in_file)
        if in_memory > LARGEST_SEGMENT or address + in_memory >= 1 << 47:
            raise _bad("the ELF file has a segment of absurd size")
        return Segment(address, data + bytes(max(0, in_memory - in_file)), flags)

    def slice(self, offset: int, size: int) -> bytes:
        if offset + size > len(self.data):
            raise _bad("the ELF file is cut short")
        return self.data[offset : offset + size]

    def string(self, section: tuple[int, ...], at: int) -> str:
        start = section[4] + at
        end = self.data.index(b"\0", start)
        return self.data[start:end].decode()

    def _symbols(self, index: int) -> tuple[Symbol, ...]:
        section = self.sections[index]
        strings = self.sections[section[6]]
        found = []
        for at in range(section[4], section[4] + section[5], _SYMBOL.size):
            name, info, _, shndx, value, size = _SYMBOL.unpack_from(self.data, at)
            found.append(Symbol(self.string(strings, name), value, size, info & 15, shndx))
        return tuple(found)

    def _relocations(self, tables: dict[int, tuple[Symbol, ...]]) -> list[Relocation]:
        found = []
        for section in self.sections:
            if section[1] != SHT_RELA or not section[2] & 2:  # only those that are loaded
                continue
            symbols = tables.get(section[6], ())
            for at in range(section[4], section[4] + section[5], _RELA.size):
                offset, info, addend = _RELA.unpack_from(self.data, at)
                symbol = symbols[info >> 32] if info >> 32 else None
                found.append(Relocation(offset, info & 0xFFFFFFFF, symbol, addend))
        return found

    def _text(self) -> tuple[int, int]:
        for section in self.sections:
            if self.string(self.names, section[0]) == ".text":
                return section[3], section[5]
        return 0, 0

    def _note(self) -> bytes:
        for program in self.programs:
            if program[0] != PT_NOTE:
                continue
            data = self.slice(program[2], program[5])
            at = 0
            while at + 12 <= len(data):
                name_size, size, kind = struct.unpack_from("<III", data, at)
                start = at + 12 + (name_size + 3 & ~3)
                if kind == NT_AMDGPU_METADATA and data[at + 12 : at + 18] == b"AMDGPU":
                    return data[start : start + size]
                at = start + (size + 3 & ~3)
        raise _bad("the code object has no AMDGPU metadata note")
