"""ELF64 little-endian files: the constants, a bounds-checked reader and the packing of records.

Comes in: bytes of an object or code object. Goes out: `Elf` with typed sections, symbols and
relocations, or PTX305. It must know nothing of linking, kernels or metadata.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum, IntFlag

from ptxlift.diag import PtxError
from ptxlift.records import dataclass

MAGIC = b"\x7fELF"
EM_AMDGPU = 224
OSABI_AMDGPU_HSA = 64
EHDR = struct.Struct("<16sHHIQQQIHHHHHH")
SHDR = struct.Struct("<IIQQQQIIQQ")
PHDR = struct.Struct("<IIQQQQQQ")
SYM = struct.Struct("<IBBHQQ")
RELA = struct.Struct("<QQq")
DYN = struct.Struct("<QQ")


class Type(IntEnum):
    """e_type."""

    REL = 1
    EXEC = 2
    DYN = 3


class Sht(IntEnum):
    """sh_type."""

    NULL = 0
    PROGBITS = 1
    SYMTAB = 2
    STRTAB = 3
    RELA = 4
    HASH = 5
    DYNAMIC = 6
    NOTE = 7
    NOBITS = 8
    REL = 9
    DYNSYM = 11
    GROUP = 17
    SYMTAB_SHNDX = 18
    GNU_HASH = 0x6FFFFFF6


class Shf(IntFlag):
    """sh_flags."""

    WRITE = 1
    ALLOC = 2
    EXECINSTR = 4
    MERGE = 0x10
    STRINGS = 0x20
    INFO_LINK = 0x40
    GROUP = 0x200
    COMPRESSED = 0x800
    EXCLUDE = 0x80000000


class Shn(IntEnum):
    """Section indices that name no section."""

    UNDEF = 0
    LORESERVE = 0xFF00
    ABS = 0xFFF1
    COMMON = 0xFFF2


class Stb(IntEnum):
    """Symbol binding."""

    LOCAL = 0
    GLOBAL = 1
    WEAK = 2


class Stt(IntEnum):
    """Symbol type."""

    NOTYPE = 0
    OBJECT = 1
    FUNC = 2
    SECTION = 3
    FILE = 4


class Stv(IntEnum):
    """Symbol visibility."""

    DEFAULT = 0
    INTERNAL = 1
    HIDDEN = 2
    PROTECTED = 3


class Pt(IntEnum):
    """p_type."""

    LOAD = 1
    DYNAMIC = 2
    NOTE = 4
    PHDR = 6
    GNU_STACK = 0x6474E551
    GNU_RELRO = 0x6474E552


class Pf(IntFlag):
    """p_flags."""

    X = 1
    W = 2
    R = 4


class Dt(IntEnum):
    """Dynamic tags."""

    NULL = 0
    HASH = 4
    STRTAB = 5
    SYMTAB = 6
    RELA = 7
    RELASZ = 8
    RELAENT = 9
    STRSZ = 10
    SYMENT = 11
    RELACOUNT = 0x6FFFFFF9
    GNU_HASH = 0x6FFFFEF5


_EMPTY = (Sht.NULL, Sht.NOBITS)


@dataclass(frozen=True, slots=True)
class Section:
    """A section header with its name and content; NOBITS sections have no content."""

    index: int
    name: str
    type: int
    flags: int
    addr: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entsize: int
    data: bytes

    @property
    def is_alloc(self) -> bool:
        return bool(self.flags & Shf.ALLOC)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol table entry. `shndx` is a section index or a member of `Shn`."""

    name: str
    value: int
    size: int
    bind: int
    type: int
    visibility: int
    shndx: int

    @property
    def is_defined(self) -> bool:
        return self.shndx != Shn.UNDEF


@dataclass(frozen=True, slots=True)
class Relocation:
    """A RELA entry of the section it applies to."""

    offset: int
    type: int
    symbol: int
    addend: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A program header."""

    type: int
    flags: int
    offset: int
    vaddr: int
    filesz: int
    memsz: int
    align: int


@dataclass(frozen=True, slots=True)
class Elf:
    """A parsed file. `name` says where it came from, for messages."""

    name: str
    data: bytes
    type: int
    machine: int
    osabi: int
    abi_version: int
    flags: int
    sections: tuple[Section, ...]
    segments: tuple[Segment, ...]

    def section(self, name: str) -> Section | None:
        """The first section of that name."""
        for section in self.sections:
            if section.name == name:
                return section
        return None

    def symbols(self, kind: Sht = Sht.SYMTAB) -> tuple[Symbol, ...]:
        """The symbol table of a kind; empty where there is none."""
        for section in self.sections:
            if section.type == kind:
                return tuple(_symbols(self, section))
        return ()

    def relocations(self, section: Section) -> tuple[Relocation, ...]:
        """The entries of a RELA section."""
        return tuple(_relocations(self, section))


def malformed(name: str, what: str) -> PtxError:
    """PTX305 for a file."""
    return PtxError.of("PTX305", f"{name}: {what}")


def read_elf(data: bytes, name: str = "object") -> Elf:
    """Parses a 64-bit little-endian ELF file; anything else or malformed is PTX305."""
    if data[:4] != MAGIC:
        raise malformed(name, "this is not an ELF file")
    if len(data) < EHDR.size:
        raise malformed(name, "the ELF header is cut off")
    fields = EHDR.unpack_from(data)
    ident = fields[0]
    if ident[4] != 2 or ident[5] != 1:
        raise malformed(name, "this is not a 64-bit little-endian ELF file")
    _, kind, machine, _, _, phoff, shoff, flags, _, phentsize, phnum, *rest = fields
    segments = tuple(_segments(data, name, phoff, phentsize, phnum))
    sections = _sections(data, name, shoff, *rest)
    return Elf(name, data, kind, machine, ident[7], ident[8], flags, sections, segments)


def _records(
    data: bytes, name: str, what: str, offset: int, size: int, count: int, record: struct.Struct
) -> Iterator[tuple[int, ...]]:
    if count and size != record.size:
        raise malformed(name, f"{what} entries have {size} bytes instead of {record.size}")
    if offset + size * count > len(data):
        raise malformed(name, f"the {what} reach past the end of the file")
    return record.iter_unpack(data[offset : offset + size * count])


def _segments(data: bytes, name: str, offset: int, size: int, count: int) -> Iterator[Segment]:
    for kind, flags, start, vaddr, _, filesz, memsz, align in _records(
        data, name, "program headers", offset, size, count, PHDR
    ):
        if start + filesz > len(data):
            raise malformed(name, "a segment reaches past the end of the file")
        yield Segment(kind, flags, start, vaddr, filesz, memsz, align)


def _sections(
    data: bytes, name: str, offset: int, size: int, count: int, names_index: int
) -> tuple[Section, ...]:
    headers = list(_records(data, name, "section headers", offset, size, count, SHDR))
    if not headers:
        return ()
    if names_index >= len(headers):
        raise malformed(name, "the section name table does not exist")
    names = _content(data, name, headers[names_index])
    if sum(header[5] for header in headers if header[1] not in _EMPTY) > len(data):
        raise malformed(name, "the sections overlap")
    found = []
    for index, header in enumerate(headers):
        title, kind, flags, addr, start, length, link, info, align, entsize = header
        text = string_at(names, title, name)
        content = _content(data, name, header)
        values = (kind, flags, addr, start, length, link, info, align, entsize, content)
        found.append(Section(index, text, *values))
    return tuple(found)


def _content(data: bytes, name: str, header: tuple[int, ...]) -> bytes:
    kind, start, length = header[1], header[4], header[5]
    if kind in _EMPTY:
        return b""
    if start + length > len(data):
        raise malformed(name, "a section reaches past the end of the file")
    return data[start : start + length]


def string_at(table: bytes, offset: int, name: str) -> str:
    """The NUL-terminated UTF-8 string of a string table."""
    end = table.find(b"\0", offset)
    if offset == 0 and not table:
        return ""
    if offset > len(table) or end < 0:
        raise malformed(name, "a name lies outside its string table")
    try:
        return table[offset:end].decode()
    except UnicodeDecodeError:
        raise malformed(name, "a name is not UTF-8") from None


def _symbols(elf: Elf, section: Section) -> Iterator[Symbol]:
    if section.size % SYM.size or section.entsize != SYM.size:
        raise malformed(elf.name, "the symbol table has entries of a wrong size")
    if section.link >= len(elf.sections):
        raise malformed(elf.name, "the symbol table has no string table")
    names = elf.sections[section.link].data
    for title, info, other, shndx, value, size in SYM.iter_unpack(section.data):
        if shndx < Shn.LORESERVE and shndx >= len(elf.sections):
            raise malformed(elf.name, "a symbol lies in a section that does not exist")
        text = string_at(names, title, elf.name)
        yield Symbol(text, value, size, info >> 4, info & 15, other & 3, shndx)


def _relocations(elf: Elf, section: Section) -> Iterator[Relocation]:
    if section.size % RELA.size or section.entsize != RELA.size:
        raise malformed(elf.name, "a relocation section has entries of a wrong size")
    for offset, info, addend in RELA.iter_unpack(section.data):
        yield Relocation(offset, info & 0xFFFFFFFF, info >> 32, addend)
