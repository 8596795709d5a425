"""AMDGPU relocations: what they need from the image, and what they write.

Comes in: chunks, the resolution and addresses. Goes out: GOT slots, dynamic relocations, patched
bytes. It must not know how sections are placed or how files are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum, unique

from ptxlift.diag import PtxError
from ptxlift.link.chunks import Chunk, Definition, State
from ptxlift.link.elf import Relocation
from ptxlift.link.resolve import Resolution
from ptxlift.records import dataclass


@unique
class R(IntEnum):
    """R_AMDGPU_*."""

    NONE = 0
    ABS32_LO = 1
    ABS32_HI = 2
    ABS64 = 3
    REL32 = 4
    REL64 = 5
    ABS32 = 6
    GOTPCREL = 7
    GOTPCREL32_LO = 8
    GOTPCREL32_HI = 9
    REL32_LO = 10
    REL32_HI = 11
    RELATIVE64 = 13
    REL16 = 14


@dataclass(frozen=True, slots=True)
class Form:
    """How a relocation computes: which base, which bytes, which range."""

    size: int  # bytes written
    relative: bool = False  # minus the place
    got: bool = False  # of the symbol's GOT slot instead of the symbol
    shift: int = 0
    bits: int = 64  # the signed range that the value must fit; 64 means wrap


_FORMS = {
    R.ABS32_LO: Form(4),
    R.ABS32_HI: Form(4, shift=32),
    R.ABS64: Form(8),
    R.ABS32: Form(4, bits=33),
    R.REL32: Form(4, relative=True, bits=32),
    R.REL32_LO: Form(4, relative=True),
    R.REL32_HI: Form(4, relative=True, shift=32),
    R.REL64: Form(8, relative=True),
    R.GOTPCREL: Form(4, relative=True, got=True, bits=32),
    R.GOTPCREL32_LO: Form(4, relative=True, got=True),
    R.GOTPCREL32_HI: Form(4, relative=True, got=True, shift=32),
    R.REL16: Form(2, relative=True, bits=16),
}
_LOADER_WRITES = {R.ABS32_LO, R.ABS32_HI, R.ABS64}
_BY_NUMBER = {int(kind): kind for kind in _FORMS}


@dataclass(frozen=True, slots=True)
class Dynamic:
    """A relocation left to the loader: at `offset` in `chunk` write `symbol` + `addend`."""

    chunk: Chunk
    offset: int
    kind: R
    symbol: Definition
    addend: int

    @property
    def is_relative(self) -> bool:
        """Whether only the load address has to be added."""
        return self.kind is R.RELATIVE64


@dataclass(frozen=True, slots=True)
class Needs:
    """What relocations ask of the image: symbols with GOT slots, entries of .rela.dyn."""

    slots: tuple[Definition, ...]
    dynamic: tuple[Dynamic, ...]


def scan(chunks: Iterable[Chunk], resolution: Resolution) -> Needs:
    """Finds GOT slots and dynamic relocations. Slots come in the order of the symbol tables."""
    slots: set[Definition] = set()
    dynamic: list[Dynamic] = []
    for chunk in chunks:
        for relocation in chunk.relocations:
            kind = _kind(chunk, relocation, resolution)
            if kind is R.NONE:
                continue
            symbol = resolution.of(chunk.origin, relocation.symbol)
            if _FORMS[kind].got:
                slots.add(symbol)
            elif chunk.is_alloc and kind in _LOADER_WRITES and not symbol.is_fixed:
                dynamic.append(_left_to_loader(chunk, relocation, kind, symbol))
    return Needs(_in_order(slots, resolution), tuple(dynamic))


def slot_relocation(got: Chunk, index: int, symbol: Definition) -> Dynamic | None:
    """What the loader does with a GOT slot."""
    if symbol.is_fixed:
        return None
    kind = R.ABS64 if symbol.is_preemptible else R.RELATIVE64
    return Dynamic(got, index * 8, kind, symbol, 0)


def apply(
    chunk: Chunk, base: int, resolution: Resolution, address: Callable[[Definition], int],
    slot: Callable[[Definition], int],
) -> bytes:  # fmt: skip
    """The bytes of a chunk at address `base` with its relocations done."""
    data = bytearray(chunk.data)
    for relocation in chunk.relocations:
        kind = _kind(chunk, relocation, resolution)
        if kind is R.NONE:
            continue
        symbol = resolution.of(chunk.origin, relocation.symbol)
        if chunk.is_alloc and kind in _LOADER_WRITES and not symbol.is_fixed:
            continue
        form = _FORMS[kind]
        value = (slot(symbol) if form.got else address(symbol)) + relocation.addend
        value -= base + relocation.offset if form.relative else 0
        _write(data, relocation, kind, value, symbol)
    return bytes(data)


def _kind(chunk: Chunk, relocation: Relocation, resolution: Resolution) -> R:
    name = resolution.inputs[chunk.origin].name
    if relocation.type == R.NONE:
        return R.NONE
    kind = _BY_NUMBER.get(relocation.type)
    if kind is None:
        message = f"{name}: the relocation type {relocation.type} is unknown"
        raise PtxError.of("PTX305", message)
    symbol = resolution.of(chunk.origin, relocation.symbol)
    if chunk.is_alloc and symbol.is_local and symbol.state is State.UNDEFINED:
        raise PtxError.of("PTX305", f"{name}: a relocation in {chunk.name} means no symbol")
    if relocation.offset + _FORMS[kind].size > len(chunk.data):
        raise PtxError.of("PTX305", f"{name}: a relocation reaches past the end of {chunk.name}")
    return kind


def _left_to_loader(chunk: Chunk, relocation: Relocation, kind: R, symbol: Definition) -> Dynamic:
    if kind is R.ABS64 and not symbol.is_preemptible:
        kind = R.RELATIVE64
    elif not symbol.is_exported:
        message = f"a 32-bit half of the address of {symbol.name} is not known before loading"
        raise PtxError.of("PTX306", message, hint="give the symbol default visibility")
    return Dynamic(chunk, relocation.offset, kind, symbol, relocation.addend)


def _in_order(slots: set[Definition], resolution: Resolution) -> tuple[Definition, ...]:
    ordered = [symbol for symbol in resolution.globals.values() if symbol in slots]
    for source in resolution.inputs:
        ordered += [symbol for symbol in source.symbols if symbol.is_local and symbol in slots]
    return tuple(ordered)


def _write(data: bytearray, relocation: Relocation, kind: R, value: int, to: Definition) -> None:
    form = _FORMS[kind]
    if kind is R.REL16:  # a branch distance: instructions, counted from the next one
        value = (value - 4) // 4
    bound = 1 << (form.bits - 1)
    if form.bits < 64 and not -bound <= value < bound:
        message = f"the relocation {kind.name} against {to.name or 'a section'} is out of range"
        raise PtxError.of("PTX306", message)
    value = (value >> form.shift) & ((1 << form.size * 8) - 1)
    data[relocation.offset : relocation.offset + form.size] = value.to_bytes(form.size, "little")
