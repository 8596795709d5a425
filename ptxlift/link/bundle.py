"""Clang offload bundles, plain and compressed.

Comes in: code objects with their target ids, or the bytes of a bundle. Goes out: the other. It must
not know what is in a code object.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Mapping, Sequence
from enum import IntEnum

from ptxlift.diag import PtxError
from ptxlift.link.compression import unzlib, unzstd, zstd
from ptxlift.records import dataclass

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
COMPRESSED_MAGIC = b"CCOB"
HOST = "host-x86_64-unknown-linux-gnu-"
_DEVICE = "hipv4-amdgcn-amd-amdhsa--"
_ALIGN = 4096
_COUNT = struct.Struct("<Q")
_ENTRY = struct.Struct("<QQQ")
_MAX_SIZE = 1 << 32


class Method(IntEnum):
    """How a compressed bundle is compressed."""

    ZLIB = 0
    ZSTD = 1


@dataclass(frozen=True, slots=True)
class _Header:
    """The fixed part of a compressed bundle after magic, version and method, by version."""

    record: struct.Struct
    has_file_size: bool


_HEAD = struct.Struct("<4sHH")
_HEADERS = {
    1: _Header(struct.Struct("<IQ"), False),
    2: _Header(struct.Struct("<IIQ"), True),
    3: _Header(struct.Struct("<QQQ"), True),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One member: `id` is `hipv4-amdgcn-amd-amdhsa--` and a target id, or the host's."""

    id: str
    data: bytes

    @property
    def target_id(self) -> str:
        """The AMDGPU target id; empty for the host."""
        kind, separator, target = self.id.partition("amdgcn-amd-amdhsa")
        return target.lstrip("-") if separator and kind in ("hip-", "hipv4-", "openmp-") else ""


def bundle(code_objects: Mapping[str, bytes]) -> bytes:
    """A bundle that HIP loads, from target ids to code objects."""
    devices = [Entry(_DEVICE + target_id, data) for target_id, data in code_objects.items()]
    return write_bundle([Entry(HOST, b""), *devices])


def write_bundle(entries: Sequence[Entry], align: int = _ALIGN) -> bytes:
    """A plain bundle with its members at multiples of `align`."""
    ids = [entry.id.encode() for entry in entries]
    at = len(MAGIC) + _COUNT.size + sum(_ENTRY.size + len(name) for name in ids)
    head = bytearray(MAGIC + _COUNT.pack(len(entries)))
    body = bytearray()
    base = at
    for entry, name in zip(entries, ids, strict=True):
        at = -(-at // align) * align
        head += _ENTRY.pack(at, len(entry.data), len(name)) + name
        body += bytes(at - base - len(body)) + entry.data
        at += len(entry.data)
    return bytes(head + body)


def read_bundle(data: bytes) -> tuple[Entry, ...]:
    """The members of a plain or compressed bundle; PTX305 where it is malformed."""
    if data.startswith(COMPRESSED_MAGIC):
        data = decompress(data)
    if not data.startswith(MAGIC):
        raise _bad("this is not an offload bundle")
    at = len(MAGIC)
    (count,) = _take(data, at, _COUNT)
    at += _COUNT.size
    entries = []
    for _ in range(count):
        start, size, length = _take(data, at, _ENTRY)
        at += _ENTRY.size
        if at + length > len(data) or start + size > len(data):
            raise _bad("a member reaches past the end")
        name = data[at : at + length].decode("utf-8", "replace")
        at += length
        entries.append(Entry(name, data[start : start + size]))
    return tuple(entries)


def compress(data: bytes, method: Method = Method.ZLIB, version: int = 2) -> bytes:
    """A compressed bundle (version 2 or 3) of a plain one."""
    if version not in (2, 3):
        raise PtxError.of("PTX307", f"compressed bundles of version {version} are not written")
    packed = zlib.compress(data, 9) if method is Method.ZLIB else zstd(data)
    record = _HEADERS[version].record
    size = _HEAD.size + record.size + len(packed)
    digest = hashlib.md5(data, usedforsecurity=False).digest()
    check = int.from_bytes(digest[:8], "little")
    head = _HEAD.pack(COMPRESSED_MAGIC, version, method)
    return head + record.pack(size, len(data), check) + packed


def decompress(data: bytes, limit: int = _MAX_SIZE) -> bytes:
    """The plain bundle in a compressed one."""
    _, version, method = _take(data, 0, _HEAD)
    if version not in _HEADERS:
        raise _bad(f"compressed bundles of version {version} are unknown")
    header = _HEADERS[version]
    *sizes, _ = _take(data, _HEAD.size, header.record)
    end = sizes[0] if header.has_file_size else len(data)
    start = _HEAD.size + header.record.size
    if not start <= end <= len(data) or sizes[-1] > limit:
        raise _bad("the sizes in its header are wrong")
    if method not in (Method.ZLIB, Method.ZSTD):
        raise _bad(f"the compression method {method} is unknown")
    unpack = unzlib if method == Method.ZLIB else unzstd
    out = unpack(data[start:end], sizes[-1])
    if len(out) != sizes[-1]:
        raise _bad("the sizes in its header are wrong")
    return out


def _take(data: bytes, at: int, record: struct.Struct) -> tuple[int, ...]:
    if at + record.size > len(data):
        raise _bad("it is cut off")
    return record.unpack_from(data, at)


def _bad(what: str) -> PtxError:
    return PtxError.of("PTX305", f"malformed bundle: {what}")
