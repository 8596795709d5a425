"""ELF notes and the AMDGPU metadata map inside one.

Comes in: bytes of note sections. Goes out: notes, the metadata map, bytes. It must not know what
the map's keys mean.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from ptxlift.diag import PtxError
from ptxlift.link import msgpack
from ptxlift.link.msgpack import Value
from ptxlift.records import dataclass

OWNER = "AMDGPU"
METADATA = 32
_HEAD = struct.Struct("<III")


@dataclass(frozen=True, slots=True)
class Note:
    """One record of a note section."""

    owner: str
    type: int
    data: bytes

    @property
    def is_metadata(self) -> bool:
        return self.owner == OWNER and self.type == METADATA


def read_notes(data: bytes, name: str) -> list[Note]:
    """The records of a note section."""
    found = []
    at = 0
    while at < len(data):
        if at + _HEAD.size > len(data):
            raise _bad(name, "a note is cut off")
        owner_size, size, kind = _HEAD.unpack_from(data, at)
        start = at + _HEAD.size
        body = start + _padded(owner_size)
        if body + size > len(data):
            raise _bad(name, "a note is cut off")
        owner = data[start : start + owner_size].rstrip(b"\0").decode("latin-1")
        found.append(Note(owner, kind, data[body : body + size]))
        at = body + _padded(size)
    return found


def write_notes(notes: Iterable[Note]) -> bytes:
    """A note section."""
    out = bytearray()
    for note in notes:
        owner = note.owner.encode("latin-1") + b"\0"
        out += _HEAD.pack(len(owner), len(note.data), note.type)
        out += owner.ljust(_padded(len(owner)), b"\0")
        out += note.data.ljust(_padded(len(note.data)), b"\0")
    return bytes(out)


def metadata_map(note: Note, name: str) -> dict[Value, Value]:
    """The map of a metadata note."""
    value = msgpack.unpack(note.data)
    if not isinstance(value, dict):
        raise _bad(name, "the metadata is no map")
    return value


def metadata_note(value: dict[Value, Value]) -> Note:
    """The note that holds a metadata map."""
    return Note(OWNER, METADATA, msgpack.pack(value))


def _padded(size: int) -> int:
    return (size + 3) & ~3


def _bad(name: str, what: str) -> PtxError:
    return PtxError.of("PTX305", f"{name}: {what}")
