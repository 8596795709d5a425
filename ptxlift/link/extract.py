"""PTX out of whatever holds it: PTX text, NVIDIA fat binaries, objects, archives, executables.

Comes in: a path or bytes. Goes out: `PtxImage`s, or a diagnostic where there are none. Containers
are found by their magic number, so that ELF, PE and archives need no readers. It must know nothing
of what PTX says beyond its header.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path

from ptxlift.diag import PtxError
from ptxlift.link.compression import unlz4, unzstd
from ptxlift.records import dataclass

_MAGIC = struct.pack("<I", 0xBA55ED50)
_CONTAINER = struct.Struct("<IHHQ")  # magic, version, header size, size of the entries
# kind, version, header size, payload size (padded), compressed size, options offset, PTX minor,
# PTX major, architecture, name offset, name size, flags, zero, decompressed size
_ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")
_EM_CUDA = b"\xbe\0"
_KIND_PTX = 1
_KIND_CODE = 2
_LZ4 = 0x2000
_ZSTD = 0x8000
_HEADER = re.compile(rb"\.version\s+\d+\.\d+\s++(?://[^\n]*+\n\s*+)*+\.target\s+sm_\d+")
_TARGET = re.compile(r"\.target\s+(sm_\w+)")
_VERSION = re.compile(r"\.version\s+(\d+)\.(\d+)")
_MAX_IMAGE = 1 << 28
_MAX_TOTAL = 1 << 30


@dataclass(frozen=True, slots=True)
class PtxImage:
    """One PTX module. `offset` is where in the input it or its container entry begins; `container`
    the number of its container, -1 outside of one.
    """

    text: str
    offset: int
    compression: str = "none"  # none, lz4, zstd
    container: int = -1

    @property
    def target(self) -> str:
        """The .target architecture, such as sm_90a; empty where the text has none."""
        found = _TARGET.search(self.text)
        return found[1] if found else ""

    @property
    def sm(self) -> int:
        """The number of the .target architecture; 0 where the text has none."""
        return int("".join(filter(str.isdigit, self.target)) or 0)

    @property
    def version(self) -> tuple[int, int]:
        """The PTX version; (0, 0) where the text has none."""
        found = _VERSION.search(self.text)
        return (int(found[1]), int(found[2])) if found else (0, 0)


@dataclass(frozen=True, slots=True)
class _Found:
    """A container entry in the input."""

    kind: int
    arch: int
    flags: int
    offset: int
    payload: bytes
    size: int  # after decompression
    container: int


@dataclass(frozen=True, slots=True)
class Contents:
    """What an input holds: PTX, and by container the architectures that have machine code only."""

    images: tuple[PtxImage, ...]
    only_code: Mapping[int, tuple[str, ...]]


def extract(source: str | Path | bytes) -> list[PtxImage]:
    """All distinct PTX modules of a file or of bytes, in order; none at all is PTX003."""
    return list(contents(source).images)


def contents(source: str | Path | bytes) -> Contents:
    """All that is in a file or in bytes. Raises PTX003 where that is no PTX at all."""
    name, data = _read(source)
    if _is_text(data):
        return Contents((PtxImage(_decode(data, name), 0),), {})
    images: dict[str, PtxImage] = {}
    code: dict[int, list[_Found]] = {}
    with_ptx = set()
    total = 0
    for entry in _entries(data):
        if entry.kind == _KIND_CODE:
            code.setdefault(entry.container, []).append(entry)
        if entry.kind != _KIND_PTX:
            continue
        image = _image(entry, name)
        total += len(image.text)
        if total > _MAX_TOTAL:
            raise PtxError.of("PTX305", f"{name}: the PTX in it is larger than {_MAX_TOTAL} bytes")
        images.setdefault(image.text, image)
        with_ptx.add(entry.container)
    if not images:
        raise _nothing(name, {e.arch for found in code.values() for e in found}, data)
    only_code = {
        number: tuple(found)
        for number, entries in code.items()
        if number not in with_ptx
        and (found := [f"sm_{entry.arch}" for entry in entries if _has_functions(entry)])
    }
    return Contents(tuple(sorted(images.values(), key=_offset_of)), only_code)


def _read(source: str | Path | bytes) -> tuple[str, bytes]:
    if isinstance(source, bytes):
        return "the input", source
    if not isinstance(source, str | Path):
        raise TypeError(f"extract takes a path or bytes, not {type(source).__name__}")
    try:
        return str(source), Path(source).read_bytes()
    except OSError as error:
        message = f"{source} cannot be read: {error.strerror}"
        raise PtxError.of("PTX003", message) from None


def _is_text(data: bytes) -> bool:
    return b"\0" not in data.rstrip(b"\0") and _HEADER.search(data) is not None


def _decode(data: bytes, name: str) -> str:
    try:
        return data.rstrip(b"\0").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PtxError.of("PTX003", f"{name}: the PTX in it is not UTF-8 text") from None


def _entries(data: bytes) -> Iterator[_Found]:
    """The entries of all containers, and PTX that lies between them as a C string."""
    done = number = 0
    at = data.find(_MAGIC)
    while at >= 0:
        end = _container_end(data, at)
        if end is None:
            at = data.find(_MAGIC, at + 1)
            continue
        yield from _strings(data, done, at)
        yield from _members(data, at + _CONTAINER.size, end, number)
        number += 1
        done = end
        at = data.find(_MAGIC, end)
    yield from _strings(data, done, len(data))


def _container_end(data: bytes, at: int) -> int | None:
    if at + _CONTAINER.size > len(data):
        return None
    fields: tuple[int, ...] = _CONTAINER.unpack_from(data, at)
    _, version, header, size = fields
    if version != 1 or header != _CONTAINER.size:
        return None
    return min(at + header + size, len(data))


def _members(data: bytes, at: int, end: int, number: int) -> Iterator[_Found]:
    while at + _ENTRY.size <= end:
        kind, _, header, padded, packed, _, _, _, arch, _, _, flags, _, size = _ENTRY.unpack_from(
            data, at
        )
        start = at + header
        if header < _ENTRY.size or start + padded > end:
            raise PtxError.of("PTX305", "a fat binary entry reaches past the end of the file")
        used = packed if flags & (_LZ4 | _ZSTD) and packed <= padded else padded
        yield _Found(kind, arch, flags, at, data[start : start + used], size, number)
        at = start + padded


def _strings(data: bytes, start: int, end: int) -> Iterator[_Found]:
    for found in _HEADER.finditer(data, start, end):
        stop = data.find(b"\0", found.start(), end)
        text = data[found.start() : stop if stop >= 0 else end]
        yield _Found(_KIND_PTX, 0, 0, found.start(), text, 0, -1)


def _has_functions(entry: _Found) -> bool:
    """Whether a cubin holds code; nvcc's linker leaves empty ones. Unreadable ones may."""
    try:
        return b".text." in _unpacked(entry, "a cubin")[1]
    except PtxError:
        return True


def _unpacked(entry: _Found, name: str) -> tuple[str, bytes]:
    """How a payload is compressed, and the payload."""
    if not entry.flags & (_LZ4 | _ZSTD):
        return "none", entry.payload
    if entry.size > _MAX_IMAGE:
        raise PtxError.of("PTX305", f"{name}: a PTX image claims {entry.size} bytes")
    if entry.flags & _ZSTD:
        return "zstd", unzstd(entry.payload, entry.size)
    return "lz4", unlz4(entry.payload, entry.size)


def _image(entry: _Found, name: str) -> PtxImage:
    compression, data = _unpacked(entry, name)
    return PtxImage(_decode(data, name).strip("\0"), entry.offset, compression, entry.container)


def _offset_of(image: PtxImage) -> int:
    return image.offset


def _nothing(name: str, archs: set[int], data: bytes) -> PtxError:
    is_cubin = data.startswith(b"\x7fELF") and data[18:20] == _EM_CUDA
    if not archs and not is_cubin:
        return PtxError.of("PTX003", f"{name} holds no PTX and no fat binary")
    listed = ", ".join(f"sm_{arch}" for arch in sorted(archs)) or "one architecture"
    message = f"{name} holds machine code for {listed} and no PTX"
    hint = "build it with -gencode arch=compute_NN,code=compute_NN to include PTX"
    return PtxError.of("PTX003", message, hint=hint)
