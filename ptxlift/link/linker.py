"""The linker: relocatable AMDGPU objects to one HSA code object.

Comes in: bytes of objects as LLVM writes them. Goes out: bytes that hipModuleLoadData takes, or
PTX305 and PTX306. For one object it lays out what `ld.lld -shared` does. Several are merged, their
metadata too. It must know nothing of PTX or IR.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ptxlift.diag import PtxError
from ptxlift.link.chunks import Chunk, Definition, InputObject, State
from ptxlift.link.dynamic import (
    Strings,
    dynamic_entries,
    dynamic_tags,
    gnu_hash_size,
    gnu_hash_table,
    in_hash_order,
    symbol_entries,
    sysv_hash_table,
)
from ptxlift.link.elf import DYN, RELA, SYM, Dt, Shf, Shn, Sht, Stb, Stv
from ptxlift.link.flags import check_target, merge_flags
from ptxlift.link.image import Extra, write_image
from ptxlift.link.inputs import LISTING, read_object
from ptxlift.link.layout import RELRO_PADDING, Layout, lay_out
from ptxlift.link.metadata import (
    TARGET,
    KernelArg,
    Map,
    merge_maps,
    with_kernel_args,
    with_stack,
    with_stack_in_descriptors,
)
from ptxlift.link.notes import metadata_map, metadata_note, read_notes, write_notes
from ptxlift.link.relocate import Dynamic, Needs, apply, scan, slot_relocation
from ptxlift.link.resolve import Resolution, resolve
from ptxlift.records import dataclass
from ptxlift.target import lookup

_READ = int(Shf.ALLOC)
_WRITE = int(Shf.ALLOC | Shf.WRITE)


def link(
    objects: Sequence[bytes],
    *,
    target_id: str,
    keep_listing: bool = False,
    kernel_args: Mapping[str, Sequence[KernelArg]] | None = None,
    names: Sequence[str] = (),
    stack_bytes: int | None = None,
) -> bytes:
    """Links objects to a code object. `names` are for messages, `kernel_args` for metadata.
    stack_bytes: scratch memory a lane of kernels whose need nobody knows; None: LLVM's guess.
    """
    inputs = _read(objects, names)
    flags = merge_flags(inputs)
    check_target(flags, lookup(target_id), inputs[0].name)
    resolution = resolve(inputs)
    target = lookup(target_id).full_target_id
    notes = _merged_notes(inputs, target, kernel_args or {}, stack_bytes)
    program = _plan(inputs, resolution, notes)
    layout = lay_out(program.order)
    extras = _extras(program, layout)
    text = "".join(source.listing for source in inputs).encode()
    if keep_listing and text:
        extras = [Extra(LISTING, Sht.PROGBITS, text), *extras]
    contents = _contents(program, layout)
    image = write_image(layout, contents, extras, flags, inputs[0].abi_version)
    return image if stack_bytes is None else with_stack_in_descriptors(image, stack_bytes)


def listing(objects: Sequence[bytes], names: Sequence[str] = ()) -> str:
    """The assembly listings of the objects, in the order of their code in .text."""
    return "".join(source.listing for source in _read(objects, names))


def _read(objects: Sequence[bytes], names: Sequence[str]) -> list[InputObject]:
    if not objects:
        raise PtxError.of("PTX306", "there is nothing to link")
    unnamed = range(len(names) + 1, len(objects) + 1)
    titles = [*names, *(f"object {number}" for number in unnamed)]
    return [read_object(data, n, titles[n]) for n, data in enumerate(objects)]


def _merged_notes(
    inputs: Sequence[InputObject],
    target: str,
    args: Mapping[str, Sequence[KernelArg]],
    stack_bytes: int | None,
) -> bytes:
    if len(inputs) == 1 and not args and stack_bytes is None:
        return inputs[0].notes
    maps: list[Map] = []
    others = []
    for source in inputs:
        for note in read_notes(source.notes, source.name):
            if note.is_metadata:
                maps.append(metadata_map(note, source.name))
            elif note not in others:
                others.append(note)
    if not maps:
        return write_notes(others)
    whole = merge_maps([{**one, TARGET: target} for one in maps], inputs[0].name)
    whole = with_kernel_args(whole, args, inputs[0].name)
    if stack_bytes is not None:
        whole = with_stack(whole, stack_bytes, inputs[0].name)
    return write_notes([metadata_note(whole), *others])


@dataclass(frozen=True, slots=True)
class _Program:
    """The whole image before it has addresses. `order` holds every loaded chunk."""

    resolution: Resolution
    needs: Needs
    relocations: tuple[Dynamic, ...]
    exported: tuple[Definition, ...]  # in .dynsym order
    strings: Strings
    tags: tuple[tuple[Dt, str | int], ...]
    order: tuple[Chunk, ...]
    kept: tuple[Chunk, ...]  # not loaded: debug information
    made: dict[str, Chunk]  # the linker's own, by section


def _plan(inputs: Sequence[InputObject], resolution: Resolution, notes: bytes) -> _Program:
    chunks = [chunk for source in inputs for chunk in source.chunks]
    needs = scan(chunks, resolution)
    made = {".got": _own(".got", _WRITE, 8, 8 * len(needs.slots))}
    slots = [slot_relocation(made[".got"], n, s) for n, s in enumerate(needs.slots)]
    relocations = (*needs.dynamic, *(slot for slot in slots if slot is not None))
    strings = Strings()
    for symbol in resolution.exported():
        strings.add(symbol.name)
    exported = in_hash_order(resolution.exported())
    relative = sum(relocation.is_relative for relocation in relocations)
    tags = dynamic_tags(len(relocations), relative, len(strings.data))
    made |= _tables(len(exported), len(relocations), len(strings.data), len(tags), notes)
    loaded = [chunk for chunk in chunks if chunk.is_alloc]
    head = [made[n] for n in _HEAD if n in made and (made[n].size or n not in _OPTIONAL)]
    tail = [made[n] for n in _TAIL if made[n].size or n not in _OPTIONAL]
    order = (*head, *resolution.commons, *loaded, *tail)
    kept = tuple(chunk for chunk in chunks if not chunk.is_alloc)
    return _Program(
        resolution, needs, relocations, tuple(exported), strings, tuple(tags), order, kept, made
    )


_HEAD = (".note", ".dynsym", ".gnu.hash", ".hash", ".dynstr", ".rela.dyn")
_TAIL = (".dynamic", ".got", RELRO_PADDING)
_OPTIONAL = (".note", ".rela.dyn", ".got")


def _own(
    name: str, flags: int, align: int, size: int, kind: Sht = Sht.PROGBITS, entsize: int = 0
) -> Chunk:
    return Chunk(name, kind, flags, align, size, entsize=entsize)


def _tables(
    symbols: int, relocations: int, strings: int, tags: int, notes: bytes
) -> dict[str, Chunk]:
    hash_size = len(sysv_hash_table([""] * symbols))
    own = (
        Chunk(".note", Sht.NOTE, _READ, 4, len(notes), notes),
        _own(".dynsym", _READ, 8, SYM.size * (symbols + 1), Sht.DYNSYM, SYM.size),
        _own(".gnu.hash", _READ, 8, gnu_hash_size(symbols), Sht.GNU_HASH),
        _own(".hash", _READ, 4, hash_size, Sht.HASH, 4),
        _own(".dynstr", _READ, 1, strings, Sht.STRTAB),
        _own(".rela.dyn", _READ, 8, RELA.size * relocations, Sht.RELA, RELA.size),
        _own(".dynamic", _WRITE, 8, DYN.size * tags, Sht.DYNAMIC, DYN.size),
        _own(RELRO_PADDING, _WRITE, 1, 0, Sht.NOBITS),
    )
    return {chunk.name: chunk for chunk in own}


def _address(symbol: Definition, layout: Layout) -> int:
    if symbol.chunk is None:
        return symbol.value if symbol.state is State.ABSOLUTE else 0
    place = layout.places.get(symbol.chunk)
    return symbol.value + (place[1] if place is not None else 0)


def _place(symbol: Definition, layout: Layout) -> tuple[int, int]:
    if symbol.chunk is None:
        return int(Shn.ABS), symbol.value
    place = layout.places.get(symbol.chunk)
    return (place[0].index if place else int(Shn.ABS)), _address(symbol, layout)


def _contents(program: _Program, layout: Layout) -> dict[Chunk, bytes]:
    """The bytes of every loaded chunk."""
    made = program.made
    slots = {symbol: n * 8 for n, symbol in enumerate(program.needs.slots)}

    def address(symbol: Definition) -> int:
        return _address(symbol, layout)

    def slot(symbol: Definition) -> int:
        return layout.address(made[".got"]) + slots[symbol]

    found = {
        chunk: apply(chunk, layout.address(chunk), program.resolution, address, slot)
        for chunk in program.order
        if chunk.data
    }
    found[made[".got"]] = b"".join(
        (address(symbol) if symbol.is_fixed else 0).to_bytes(8, "little")
        for symbol in program.needs.slots
    )
    return found | _table_contents(program, layout)


def _table_contents(program: _Program, layout: Layout) -> dict[Chunk, bytes]:
    made, exported = program.made, program.exported
    names = [symbol.name for symbol in exported]

    def place(symbol: Definition) -> tuple[int, int]:
        return _place(symbol, layout)

    def section(name: str) -> int:
        return layout.section(name).addr

    return {
        made[".dynsym"]: symbol_entries(exported, program.strings.add, place),
        made[".gnu.hash"]: gnu_hash_table(names),
        made[".hash"]: sysv_hash_table(names),
        made[".dynstr"]: bytes(program.strings.data),
        made[".rela.dyn"]: _relocation_entries(program, layout),
        made[".dynamic"]: dynamic_entries(program.tags, section),
    }


def _relocation_entries(program: _Program, layout: Layout) -> bytes:
    numbers = {symbol: n for n, symbol in enumerate(program.exported, 1)}
    rows = []
    for entry in program.relocations:
        at = layout.address(entry.chunk) + entry.offset
        number = 0 if entry.is_relative else numbers[entry.symbol]
        base = _address(entry.symbol, layout) if entry.is_relative else 0
        rows.append((not entry.is_relative, number, at, int(entry.kind), base + entry.addend))
    return b"".join(
        RELA.pack(at, number << 32 | kind, addend) for _, number, at, kind, addend in sorted(rows)
    )


def _extras(program: _Program, layout: Layout) -> list[Extra]:
    """The sections that are not loaded: debug information and the symbol table."""
    found = [Extra(name, Sht.PROGBITS, data) for name, data in _kept_contents(program, layout)]
    dynamic = Definition(
        "_DYNAMIC", State.DEFINED, Stb.LOCAL, visibility=Stv.HIDDEN, chunk=program.made[".dynamic"]
    )
    local = [*program.resolution.locals(), dynamic]
    symbols = [*local, *program.resolution.exported()]
    strings = bytearray(1)

    def name(text: str) -> int:
        at = len(strings)
        strings.extend(text.encode() + b"\0")
        return at

    def place(symbol: Definition) -> tuple[int, int]:
        return _place(symbol, layout)

    table = symbol_entries(symbols, name, place)
    symtab = Extra(".symtab", Sht.SYMTAB, table, 8, SYM.size, ".strtab", len(local) + 1)
    return [
        *found,
        symtab,
        Extra(".shstrtab", Sht.STRTAB),
        Extra(".strtab", Sht.STRTAB, bytes(strings)),
    ]


def _kept_contents(program: _Program, layout: Layout) -> Iterator[tuple[str, bytes]]:
    # Debug sections of several inputs follow each other; offsets between them start anew in each.
    bases = _kept_bases(program.kept)

    def address(symbol: Definition) -> int:
        if symbol.chunk in bases:
            return bases[symbol.chunk] + symbol.value
        return _address(symbol, layout)

    whole: dict[str, bytearray] = {}
    for chunk in program.kept:
        data = whole.setdefault(chunk.name, bytearray())
        data.extend(bytes(bases[chunk] - len(data)))
        data.extend(apply(chunk, 0, program.resolution, address, address))
    for name, data in whole.items():
        yield name, bytes(data)


def _kept_bases(chunks: Sequence[Chunk]) -> dict[Chunk, int]:
    ends: dict[str, int] = {}
    bases = {}
    for chunk in chunks:
        start = -(-ends.get(chunk.name, 0) // chunk.align) * chunk.align
        bases[chunk] = start
        ends[chunk.name] = start + len(chunk.data)
    return bases
