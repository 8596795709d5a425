"""Decoder for the MessagePack subset that AMDGPU metadata uses.

Comes in: bytes. Goes out: nested dicts, lists, strings, ints, bools and None. It must not know
what the keys mean.
"""

from __future__ import annotations

import struct
from typing import TypeAlias

from ptxlift.diag import PtxError

Value: TypeAlias = "dict[str, Value] | list[Value] | str | bytes | int | float | bool | None"

_SCALARS: dict[int, str] = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
_SIZED: dict[int, tuple[str, str]] = {
    0xC4: ("bytes", ">B"),
    0xC5: ("bytes", ">H"),
    0xC6: ("bytes", ">I"),
    0xD9: ("str", ">B"),
    0xDA: ("str", ">H"),
    0xDB: ("str", ">I"),
    0xDC: ("list", ">H"),
    0xDD: ("list", ">I"),
    0xDE: ("map", ">H"),
    0xDF: ("map", ">I"),
}
_CONSTANTS: dict[int, bool | None] = {0xC0: None, 0xC2: False, 0xC3: True}
_DEEPEST = 32


def decode(data: bytes) -> Value:
    """One MessagePack value; malformed bytes are PTX305."""
    try:
        value, _ = _decode(data, 0, 0)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise PtxError.of("PTX305", "the metadata note is malformed") from error
    return value


def _decode(data: bytes, at: int, depth: int) -> tuple[Value, int]:
    if depth > _DEEPEST:
        raise PtxError.of("PTX305", "the metadata note is nested too deep")
    tag = data[at]
    at += 1
    if tag < 0x80:
        return tag, at
    if tag >= 0xE0:
        return tag - 256, at
    if tag in _CONSTANTS:
        return _CONSTANTS[tag], at
    if tag in _SCALARS:
        form = _SCALARS[tag]
        number: int | float = struct.unpack_from(form, data, at)[0]
        return number, at + struct.calcsize(form)
    if tag < 0x90:
        return _aggregate("map", tag & 15, data, at, depth)
    if tag < 0xA0:
        return _aggregate("list", tag & 15, data, at, depth)
    if tag < 0xC0:
        return _aggregate("str", tag & 31, data, at, depth)
    if tag not in _SIZED:
        raise PtxError.of("PTX305", f"the metadata note has unknown tag {tag:#x}")
    shape, form = _SIZED[tag]
    count = struct.unpack_from(form, data, at)[0]
    return _aggregate(shape, count, data, at + struct.calcsize(form), depth)


def _aggregate(shape: str, count: int, data: bytes, at: int, depth: int) -> tuple[Value, int]:
    if at + count > len(data):
        raise IndexError
    if shape == "str":
        return data[at : at + count].decode(), at + count
    if shape == "bytes":
        return data[at : at + count], at + count
    if shape == "list":
        items: list[Value] = []
        for _ in range(count):
            item, at = _decode(data, at, depth + 1)
            items.append(item)
        return items, at
    entries: dict[str, Value] = {}
    for _ in range(count):
        key, at = _decode(data, at, depth + 1)
        entries[str(key)], at = _decode(data, at, depth + 1)
    return entries, at
