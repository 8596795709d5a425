"""Decompression with a bound on the result, and compression.

Comes in: zlib, zstd or LZ4 data and the most that may come out. Goes out: bytes, or PTX305. It must
not know what the data is. zstd needs the optional package `zstandard`.
"""

from __future__ import annotations

import importlib
import zlib
from types import ModuleType

from ptxlift.diag import PtxError


def unzlib(data: bytes, limit: int) -> bytes:
    """Decompresses a zlib stream."""
    stream = zlib.decompressobj()
    try:
        out = stream.decompress(data, limit + 1)
    except zlib.error as error:
        raise _bad(f"zlib: {error}") from None
    if len(out) > limit:
        raise _too_large(limit)
    if not stream.eof:
        raise _bad("the zlib stream is cut off")
    return out


def unzstd(data: bytes, limit: int) -> bytes:
    """Decompresses a zstd frame; bytes after it are ignored."""
    zstandard = _zstandard()
    try:
        size = zstandard.frame_content_size(data)
        if size > limit:
            raise _too_large(limit)
        stream = zstandard.ZstdDecompressor().decompressobj()
        out = bytearray()
        for at in range(0, len(data), _STEP):
            out += stream.decompress(data[at : at + _STEP])
            if len(out) > limit:
                raise _too_large(limit)
            if stream.eof:
                return bytes(out)
    except zstandard.ZstdError as error:
        raise _bad(f"zstd: {error}") from None
    raise _bad("the zstd frame is cut off")


def zstd(data: bytes) -> bytes:
    """Compresses to one zstd frame."""
    packed: bytes = _zstandard().ZstdCompressor(level=9).compress(data)
    return packed


_STEP = 256  # compressed bytes at a time; four of them can stand for 128 KiB


def unlz4(data: bytes, limit: int) -> bytes:
    """Decompresses one LZ4 block."""
    out = bytearray()
    at = 0
    while at < len(data):
        token = data[at]
        count, at = _length(data, at + 1, token >> 4)
        if at + count > len(data):
            raise _bad("the LZ4 block is cut off")
        out += data[at : at + count]
        at += count
        if at == len(data):  # the last sequence has no match
            break
        distance = int.from_bytes(data[at : at + 2], "little")
        count, at = _length(data, at + 2, token & 15)
        _copy(out, distance, count + 4, limit)
    if len(out) > limit:
        raise _too_large(limit)
    return bytes(out)


def _length(data: bytes, at: int, count: int) -> tuple[int, int]:
    if count < 15:
        return count, at
    while at < len(data):
        more = data[at]
        at += 1
        count += more
        if more < 255:
            return count, at
    raise _bad("the LZ4 block is cut off")


def _copy(out: bytearray, distance: int, count: int, limit: int) -> None:
    if not 0 < distance <= len(out):
        raise _bad("the LZ4 block refers to bytes before its start")
    if len(out) + count > limit:
        raise _too_large(limit)
    start = len(out) - distance
    pattern = bytes(out[start : start + count])
    while len(pattern) < count:  # the match overlaps what it writes
        pattern += pattern
    out += pattern[:count]


def _zstandard() -> ModuleType:
    try:
        return importlib.import_module("zstandard")
    except ImportError:
        message = "the data is compressed with zstd"
        raise PtxError.of("PTX305", message, hint="pip install zstandard") from None


def _bad(what: str) -> PtxError:
    return PtxError.of("PTX305", f"malformed compressed data: {what}")


def _too_large(limit: int) -> PtxError:
    return PtxError.of("PTX305", f"compressed data expands to more than {limit} bytes")
