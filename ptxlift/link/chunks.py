"""What the linker moves around: chunks of sections and the symbols defined in them.

Comes in: values from `inputs.py` and `resolve.py`. Goes out: the same, typed. It must know nothing
of files, addresses or relocation types.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from ptxlift.link.elf import Relocation, Shf, Sht, Stb, Stt, Stv
from ptxlift.records import dataclass, replace


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """A run of bytes that keeps together: an input section, or one that the linker makes."""

    name: str  # of the output section it goes to
    type: int
    flags: int
    align: int
    size: int
    data: bytes = b""
    entsize: int = 0
    relocations: tuple[Relocation, ...] = ()
    origin: int = -1  # the index of the input, -1 for the linker's own

    @property
    def is_alloc(self) -> bool:
        return bool(self.flags & Shf.ALLOC)

    @property
    def is_nobits(self) -> bool:
        return self.type == Sht.NOBITS


class State(Enum):
    """Where a symbol's value comes from."""

    UNDEFINED = "undefined"
    DEFINED = "in a chunk"
    ABSOLUTE = "absolute"
    COMMON = "common"


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A symbol of one input, or after resolution of the program."""

    name: str
    state: State
    bind: int
    type: int = Stt.NOTYPE
    visibility: int = Stv.DEFAULT
    value: int = 0  # offset in the chunk, absolute value, or alignment of a common block
    size: int = 0
    chunk: Chunk | None = None
    origin: int = -1

    @property
    def is_local(self) -> bool:
        """Whether the symbol is bound inside its input."""
        return self.bind == Stb.LOCAL

    @property
    def is_exported(self) -> bool:
        """Whether the loader sees the symbol."""
        visible = self.visibility in (Stv.DEFAULT, Stv.PROTECTED)
        return not self.is_local and visible and self.state is not State.UNDEFINED

    @property
    def is_preemptible(self) -> bool:
        """Whether the loader may bind the symbol to another definition."""
        return self.is_exported and self.visibility == Stv.DEFAULT

    @property
    def is_fixed(self) -> bool:
        """Whether the value is known before the image has an address."""
        return self.state in (State.ABSOLUTE, State.UNDEFINED)

    def with_visibility(self, visibility: int) -> Definition:
        """The same symbol with another visibility."""
        return replace(self, visibility=visibility)


@dataclass(frozen=True, slots=True, eq=False)
class InputObject:
    """One relocatable object: its chunks in order and its symbols by index."""

    index: int
    name: str
    flags: int
    abi_version: int
    chunks: tuple[Chunk, ...]
    symbols: tuple[Definition, ...]
    notes: bytes
    listing: str


def most_constrained(visibilities: Sequence[int]) -> int:
    """The visibility that declarations of one symbol have together."""
    order = (Stv.INTERNAL, Stv.HIDDEN, Stv.PROTECTED, Stv.DEFAULT)
    return min(visibilities, key=lambda one: order.index(Stv(one)))
