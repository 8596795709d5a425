"""From a relocatable AMDGPU object to the chunks and symbols that the linker works on.

Comes in: bytes of one ET_REL file. Goes out: an `InputObject`, or PTX305. It must know nothing of
other inputs, of addresses or of kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ptxlift.diag import PtxError
from ptxlift.link.chunks import Chunk, Definition, InputObject, State
from ptxlift.link.elf import (
    EM_AMDGPU,
    OSABI_AMDGPU_HSA,
    Elf,
    Relocation,
    Section,
    Shf,
    Shn,
    Sht,
    Stt,
    Symbol,
    Type,
    malformed,
    read_elf,
)

LISTING = ".AMDGPU.disasm"
_MAX_ALIGN = 0x10000
_MAX_SIZE = 1 << 40
_STT_LAST = Stt.FILE
_SKIPPED = {".comment", ".note.GNU-stack", ".strtab", ".shstrtab", LISTING}
_SKIPPED_TYPES = {Sht.NULL, Sht.SYMTAB, Sht.STRTAB, Sht.RELA, Sht.GROUP, Sht.NOTE}
_KEPT_TYPES = {Sht.PROGBITS, Sht.NOBITS}
# Output section of an input section: the first of these that is its name or a dotted prefix.
_PREFIXES = (
    ".data.rel.ro", ".data", ".rodata", ".bss.rel.ro", ".bss", ".init_array", ".fini_array",
    ".text",
)  # fmt: skip


def read_object(data: bytes, index: int, name: str) -> InputObject:
    """Parses one input of the link."""
    elf = read_elf(data, name)
    if elf.type != Type.REL or elf.machine != EM_AMDGPU or elf.osabi != OSABI_AMDGPU_HSA:
        raise malformed(name, "this is not a relocatable AMDGPU HSA object")
    if any(section.type == Sht.GROUP for section in elf.sections):
        raise PtxError.of("PTX306", f"{name}: section groups are not supported")
    relocations = _relocations(elf)
    chunks = {
        section.index: _chunk(elf, section, relocations.get(section.index, ()), index)
        for section in elf.sections
        if _is_kept(elf, section)
    }
    symbols = tuple(_definition(elf, symbol, chunks, index) for symbol in elf.symbols())
    _check_relocations(elf, chunks, symbols)
    return InputObject(
        index, name, elf.flags, elf.abi_version, tuple(chunks.values()), symbols, _notes(elf),
        _listing(elf),
    )  # fmt: skip


def _is_kept(elf: Elf, section: Section) -> bool:
    if section.type in _SKIPPED_TYPES or section.name in _SKIPPED:
        return False
    if section.flags & (Shf.EXCLUDE | Shf.COMPRESSED) or not (section.is_alloc or section.size):
        return False
    if section.type not in _KEPT_TYPES:
        if section.is_alloc:
            message = f"the section {section.name} has the unknown type {section.type:#x}"
            raise malformed(elf.name, message)
        return False
    if section.align & (section.align - 1) or section.align > _MAX_ALIGN:
        raise malformed(elf.name, f"the section {section.name} has a bad alignment")
    if section.size > _MAX_SIZE:
        raise malformed(elf.name, f"the section {section.name} is too large")
    return True


def _chunk(elf: Elf, section: Section, relocations: tuple[Relocation, ...], origin: int) -> Chunk:
    flags = section.flags & ~(Shf.GROUP | Shf.INFO_LINK)
    name = _output_name(section.name) if section.is_alloc else section.name
    return Chunk(
        name, section.type, flags, max(section.align, 1), section.size, section.data,
        section.entsize, relocations, origin,
    )  # fmt: skip


def _output_name(name: str) -> str:
    for prefix in _PREFIXES:
        if name == prefix or name.startswith(prefix + "."):
            return prefix
    return name


def _relocations(elf: Elf) -> dict[int, tuple[Relocation, ...]]:
    found: dict[int, tuple[Relocation, ...]] = {}
    for section in elf.sections:
        if section.type == Sht.REL:
            raise malformed(elf.name, "relocations without addends are not AMDGPU's")
        if section.type == Sht.RELA:
            found[section.info] = found.get(section.info, ()) + elf.relocations(section)
    return found


def _check_relocations(
    elf: Elf, chunks: Mapping[int, Chunk], symbols: Sequence[Definition]
) -> None:
    for chunk in chunks.values():
        for relocation in chunk.relocations:
            if relocation.symbol >= len(symbols):
                raise malformed(elf.name, "a relocation names a symbol that does not exist")
            if relocation.offset >= len(chunk.data):
                raise malformed(elf.name, f"a relocation lies outside {chunk.name}")


def _definition(elf: Elf, symbol: Symbol, chunks: Mapping[int, Chunk], origin: int) -> Definition:
    if symbol.type > _STT_LAST and symbol.shndx != Shn.UNDEF:
        raise malformed(elf.name, f"the symbol {symbol.name} has the unknown type {symbol.type}")
    state, chunk, value = State.DEFINED, None, symbol.value
    if symbol.shndx == Shn.UNDEF:
        state = State.UNDEFINED
    elif symbol.shndx == Shn.ABS:
        state = State.ABSOLUTE
    elif symbol.shndx == Shn.COMMON:
        state = State.COMMON
        _check_common(elf, symbol)
    elif symbol.shndx >= Shn.LORESERVE:
        raise malformed(elf.name, f"the symbol {symbol.name} lies in an unknown kind of section")
    else:
        chunk = chunks.get(symbol.shndx)
        if chunk is not None and symbol.value > chunk.size:
            raise malformed(elf.name, f"the symbol {symbol.name} lies outside its section")
        state = State.DEFINED if chunk else State.UNDEFINED
    return Definition(
        symbol.name, state, symbol.bind, symbol.type, symbol.visibility, value, symbol.size,
        chunk, origin,
    )  # fmt: skip


def _check_common(elf: Elf, symbol: Symbol) -> None:
    align = symbol.value
    if align == 0 or align & (align - 1) or align > _MAX_ALIGN or symbol.size > _MAX_SIZE:
        raise malformed(elf.name, f"the common block {symbol.name} has a bad size or alignment")


def _notes(elf: Elf) -> bytes:
    found = [s.data for s in elf.sections if s.type == Sht.NOTE and s.is_alloc]
    return b"".join(found)


def _listing(elf: Elf) -> str:
    section = elf.section(LISTING)
    return section.data.decode("utf-8", "replace") if section is not None else ""
