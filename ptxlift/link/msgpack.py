"""MessagePack, as far as AMDGPU metadata uses it.

Comes in: bytes of a note, or Python values. Goes out: `Value`s, or bytes in the shortest form as
LLVM writes them. It must know nothing of what the values mean.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from ptxlift.diag import PtxError
from ptxlift.records import dataclass

Value = None | bool | int | float | str | bytes | list["Value"] | dict["Value", "Value"]

_MAX_DEPTH = 64


def unpack(data: bytes) -> Value:
    """The one value that the bytes hold; PTX305 where they are malformed."""
    reader = _Reader(data)
    value = reader.value(0)
    if reader.at != len(data):
        raise _bad("something follows the value")
    return value


def pack(value: Value) -> bytes:
    """The bytes of a value; maps keep their order."""
    out = bytearray()
    _write(out, value)
    return bytes(out)


def _bad(what: str) -> PtxError:
    return PtxError.of("PTX305", f"malformed metadata: {what}")


@dataclass(slots=True)
class _Reader:
    data: bytes
    at: int = 0

    def take(self, count: int) -> bytes:
        end = self.at + count
        if end > len(self.data):
            raise _bad("it is cut off")
        part = self.data[self.at : end]
        self.at = end
        return part

    def number(self, record: struct.Struct) -> int:
        value: int = record.unpack(self.take(record.size))[0]
        return value

    def value(self, depth: int) -> Value:
        if depth > _MAX_DEPTH:
            raise _bad("it is nested too deep")
        tag = self.take(1)[0]
        if tag <= 0x7F:
            return tag
        if tag >= 0xE0:
            return tag - 0x100
        if tag <= 0x8F:
            return self.map(tag & 15, depth)
        if tag <= 0x9F:
            return self.list(tag & 15, depth)
        if tag <= 0xBF:
            return self.text(tag & 31)
        return self.tagged(tag, depth)

    def tagged(self, tag: int, depth: int) -> Value:
        if tag in _CONSTANTS:
            return _CONSTANTS[tag]
        if tag in _INTEGERS:
            return self.number(_INTEGERS[tag])
        if tag in _FLOATS:
            value: float = _FLOATS[tag].unpack(self.take(_FLOATS[tag].size))[0]
            return value
        if tag not in _LENGTHS:
            raise _bad(f"the type {tag:#x} is unknown")
        length, read = _LENGTHS[tag]
        return read(self, self.number(length), depth)

    def text(self, count: int, depth: int = 0) -> str:
        try:
            return self.take(count).decode()
        except UnicodeDecodeError:
            raise _bad("a string is not UTF-8") from None

    def raw(self, count: int, depth: int = 0) -> bytes:
        return self.take(count)

    def list(self, count: int, depth: int) -> Value:
        return [self.value(depth + 1) for _ in range(self._fits(count))]

    def map(self, count: int, depth: int) -> Value:
        found: dict[Value, Value] = {}
        for _ in range(self._fits(count)):
            key = self.value(depth + 1)
            if isinstance(key, (dict, list)):
                raise _bad("a map or an array is a key")
            if key in found:
                raise _bad("a key occurs twice")
            found[key] = self.value(depth + 1)
        return found

    def _fits(self, count: int) -> int:
        if count > len(self.data) - self.at:
            raise _bad("it is cut off")
        return count


_U8, _U16, _U32, _U64 = (struct.Struct(">" + code) for code in "BHIQ")
_I8, _I16, _I32, _I64 = (struct.Struct(">" + code) for code in "bhiq")
_F32, _F64 = struct.Struct(">f"), struct.Struct(">d")
_CONSTANTS: dict[int, Value] = {0xC0: None, 0xC2: False, 0xC3: True}
_FLOATS = {0xCA: _F32, 0xCB: _F64}
_INTEGERS = {
    0xCC: _U8, 0xCD: _U16, 0xCE: _U32, 0xCF: _U64, 0xD0: _I8, 0xD1: _I16, 0xD2: _I32, 0xD3: _I64,
}  # fmt: skip
_LENGTHS: dict[int, tuple[struct.Struct, Callable[[_Reader, int, int], Value]]] = {
    0xC4: (_U8, _Reader.raw), 0xC5: (_U16, _Reader.raw), 0xC6: (_U32, _Reader.raw),
    0xD9: (_U8, _Reader.text), 0xDA: (_U16, _Reader.text), 0xDB: (_U32, _Reader.text),
    0xDC: (_U16, _Reader.list), 0xDD: (_U32, _Reader.list),
    0xDE: (_U16, _Reader.map), 0xDF: (_U32, _Reader.map),
}  # fmt: skip

# For each kind: the largest count of a form, its first byte, and how the count follows.
_Forms = tuple[tuple[int, int, struct.Struct | None], ...]
_TEXT: _Forms = ((31, 0xA0, None), (0xFF, 0xD9, _U8), (0xFFFF, 0xDA, _U16), (2**32 - 1, 0xDB, _U32))
_RAW: _Forms = ((0xFF, 0xC4, _U8), (0xFFFF, 0xC5, _U16), (2**32 - 1, 0xC6, _U32))
_LIST: _Forms = ((15, 0x90, None), (0xFFFF, 0xDC, _U16), (2**32 - 1, 0xDD, _U32))
_MAP: _Forms = ((15, 0x80, None), (0xFFFF, 0xDE, _U16), (2**32 - 1, 0xDF, _U32))
_UNSIGNED: _Forms = (
    (0x7F, 0, None), (0xFF, 0xCC, _U8), (0xFFFF, 0xCD, _U16), (2**32 - 1, 0xCE, _U32),
    (2**64 - 1, 0xCF, _U64),
)  # fmt: skip
_SIGNED = ((2**7, 0xD0, _I8), (2**15, 0xD1, _I16), (2**31, 0xD2, _I32), (2**63, 0xD3, _I64))


def _head(out: bytearray, forms: _Forms, count: int) -> None:
    for largest, tag, record in forms:
        if count > largest:
            continue
        out += bytes((tag | count,)) if record is None else bytes((tag,)) + record.pack(count)
        return
    raise OverflowError("too large for MessagePack")


def _write(out: bytearray, value: Value) -> None:
    match value:
        case None:
            out.append(0xC0)
        case bool():
            out.append(0xC3 if value else 0xC2)
        case int():
            _write_integer(out, value)
        case float():
            out += b"\xcb" + _F64.pack(value)
        case str():
            text = value.encode()
            _head(out, _TEXT, len(text))
            out += text
        case bytes():
            _head(out, _RAW, len(value))
            out += value
        case list():
            _head(out, _LIST, len(value))
            for item in value:
                _write(out, item)
        case dict():
            _head(out, _MAP, len(value))
            for key, item in value.items():
                _write(out, key)
                _write(out, item)


def _write_integer(out: bytearray, value: int) -> None:
    if value >= 0:
        _head(out, _UNSIGNED, value)
    elif value >= -32:
        out.append(value + 0x100)
    else:
        for bound, tag, record in _SIGNED:
            if value >= -bound:
                out += bytes((tag,)) + record.pack(value)
                return
        raise OverflowError("too small for MessagePack")
