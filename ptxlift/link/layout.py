"""Where everything goes: output sections, addresses, file offsets and segments.

Comes in: chunks in order. Goes out: a `Layout` in the form that ROCm's linker gives code objects:
read-only data, code, data that is read-only after relocation, data. It must not know symbols,
relocations or kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum

from ptxlift.link.chunks import Chunk
from ptxlift.link.elf import EHDR, PHDR, Pf, Pt, Segment, Shf, Sht
from ptxlift.records import dataclass, field

PAGE = 0x1000
RELRO_PADDING = ".relro_padding"
_RELRO_NAMES = {
    ".data.rel.ro", ".bss.rel.ro", ".init_array", ".fini_array", ".dynamic", ".got", RELRO_PADDING,
}  # fmt: skip


class Group(IntEnum):
    """What shares a loadable segment; the last one is not loaded."""

    READ = 0
    CODE = 1
    RELRO = 2
    WRITE = 3
    NONE = 4


_GROUP_FLAGS = {
    Group.READ: Pf.R,
    Group.CODE: Pf.R | Pf.X,
    Group.RELRO: Pf.R | Pf.W,
    Group.WRITE: Pf.R | Pf.W,
}


@dataclass(slots=True, eq=False)
class Output:
    """An output section while it is being laid out."""

    name: str
    type: int
    flags: int = 0
    align: int = 1
    entsize: int = 0
    chunks: list[Chunk] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)  # of each chunk
    size: int = 0
    addr: int = 0
    offset: int = 0
    index: int = 0

    @property
    def group(self) -> Group:
        if not self.flags & Shf.ALLOC:
            return Group.NONE
        if self.flags & Shf.EXECINSTR:
            return Group.CODE
        if not self.flags & Shf.WRITE:
            return Group.READ
        return Group.RELRO if self.name in _RELRO_NAMES else Group.WRITE

    @property
    def file_size(self) -> int:
        return 0 if self.type == Sht.NOBITS else self.size

    @property
    def end(self) -> int:
        return self.addr + self.size

    def add(self, chunk: Chunk) -> None:
        """Appends a chunk behind its alignment."""
        at = align_up(self.size, chunk.align)
        self.chunks.append(chunk)
        self.offsets.append(at)
        self.size = at + chunk.size
        self.flags |= chunk.flags
        self.align = max(self.align, chunk.align)
        if chunk.type == Sht.PROGBITS and self.type == Sht.NOBITS:
            self.type = Sht.PROGBITS


@dataclass(frozen=True, slots=True)
class Layout:
    """All sections with their places. `places` maps each chunk to its section and address."""

    outputs: tuple[Output, ...]
    segments: tuple[Segment, ...]
    places: dict[Chunk, tuple[Output, int]]
    file_end: int

    def section(self, name: str) -> Output:
        """The output section of that name."""
        return next(output for output in self.outputs if output.name == name)

    def address(self, chunk: Chunk) -> int:
        """Where a chunk is loaded."""
        return self.places[chunk][1]


def align_up(value: int, align: int) -> int:
    """The next multiple of a power of two."""
    return (value + align - 1) & -align


def lay_out(chunks: Iterable[Chunk]) -> Layout:
    """Places chunks; those of one name form one section, in the order they come."""
    outputs = _gather(chunks)
    for index, output in enumerate(outputs):
        output.index = index + 1
    loaded = [output for output in outputs if output.group is not Group.NONE]
    segment_count = len({output.group for output in loaded}) + 4 + _has_notes(loaded)
    _assign_addresses(loaded, EHDR.size + PHDR.size * segment_count)
    end = _assign_offsets(outputs)
    segments = _segments(loaded, segment_count)
    places = {
        chunk: (output, output.addr + at)
        for output in outputs
        for chunk, at in zip(output.chunks, output.offsets, strict=True)
    }
    return Layout(tuple(outputs), segments, places, end)


def _gather(chunks: Iterable[Chunk]) -> list[Output]:
    found: dict[tuple[str, bool], Output] = {}
    for chunk in chunks:
        key = (chunk.name, chunk.is_alloc)
        if key not in found:
            found[key] = Output(chunk.name, chunk.type, entsize=chunk.entsize)
        found[key].add(chunk)
        if found[key].entsize != chunk.entsize:
            found[key].entsize = 0
    return sorted(found.values(), key=_rank)


def _rank(output: Output) -> tuple[int, bool, bool]:
    is_note = output.type == Sht.NOTE
    is_last = output.name == RELRO_PADDING or output.type == Sht.NOBITS
    return (output.group, not is_note, is_last)


def _has_notes(outputs: Sequence[Output]) -> bool:
    return any(output.type == Sht.NOTE for output in outputs)


def _assign_addresses(outputs: Sequence[Output], start: int) -> None:
    dot = start
    group = Group.READ
    for output in outputs:
        if output.group is not group:
            # The same file page is mapped twice, so that the file needs no padding.
            dot = align_up(dot, PAGE) + dot % PAGE
            group = output.group
        output.addr = align_up(dot, output.align)
        if output.name == RELRO_PADDING:
            output.size = align_up(dot, PAGE) - dot
            continue
        dot = output.end


def _assign_offsets(outputs: Sequence[Output]) -> int:
    offset = 0
    first: dict[Group, Output] = {}
    for output in outputs:
        if output.group is Group.NONE:
            offset = align_up(offset, output.align)
        elif output.group is Group.READ:
            offset = output.addr
        elif output.group not in first:
            first[output.group] = output
            page = max(o.align for o in outputs if o.group is output.group)
            offset += (output.addr - offset) % max(page, PAGE)
        elif output.type != Sht.NOBITS:
            start = first[output.group]
            offset = start.offset + output.addr - start.addr
        output.offset = offset
        offset += output.file_size
    return offset


def _segments(outputs: Sequence[Output], count: int) -> tuple[Segment, ...]:
    table = EHDR.size, PHDR.size * count
    found = [Segment(Pt.PHDR, Pf.R, table[0], table[0], table[1], table[1], 8)]
    for group, flags in _GROUP_FLAGS.items():
        members = [output for output in outputs if output.group is group]
        if any(output.size for output in members):
            found.append(_load(members, flags, 0 if group is Group.READ else members[0].addr))
    dynamic = next(output for output in outputs if output.name == ".dynamic")
    found.append(_covering([dynamic], Pt.DYNAMIC, Pf.R | Pf.W, dynamic.align))
    relro = [output for output in outputs if output.group is Group.RELRO]
    found.append(_covering(relro, Pt.GNU_RELRO, Pf.R, 1))
    found.append(Segment(Pt.GNU_STACK, Pf.R | Pf.W, 0, 0, 0, 0, 0))
    notes = [output for output in outputs if output.type == Sht.NOTE]
    if notes:
        found.append(_covering(notes, Pt.NOTE, Pf.R, notes[0].align))
    return tuple(found)


def _covering(members: Sequence[Output], kind: Pt, flags: int, align: int) -> Segment:
    first = members[0]
    return _span(members, kind, flags, first.addr, first.offset, align)


def _load(members: Sequence[Output], flags: int, start: int) -> Segment:
    align = max(PAGE, *(output.align for output in members))
    offset = 0 if start == 0 else members[0].offset
    return _span(members, Pt.LOAD, flags, start, offset, align)


def _span(
    members: Sequence[Output], kind: Pt, flags: int, start: int, offset: int, align: int
) -> Segment:
    filled = [output for output in members if output.type != Sht.NOBITS] or members[:1]
    file_size = filled[-1].offset + filled[-1].file_size - offset
    return Segment(kind, flags, offset, start, file_size, members[-1].end - start, align)
