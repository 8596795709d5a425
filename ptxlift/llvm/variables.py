"""Initial values of module variables as LLVM constants.

Comes in: `ir.Variable` and how a target writes an address. Goes out: a typed constant.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ptxlift.ir.core import Relocation, Variable

Address = Callable[[Relocation], str]
_TYPE = re.compile(r"\[[^\]]*\]|i64|ptr( addrspace\(\d+\))?")


def initial_value(variable: Variable, address: Address) -> str:
    """The initial value of a variable; `address` writes each relocation, an `i64` or a pointer."""
    if variable.data is None:
        return f"[{variable.size} x i8] zeroinitializer"
    if not variable.relocations:
        return _bytes(variable.data.ljust(variable.size, b"\0"))
    return _packed(variable, variable.data.ljust(variable.size, b"\0"), address)


def _bytes(data: bytes) -> str:
    if not any(data):
        return f"[{len(data)} x i8] zeroinitializer"
    escaped = "".join(f"\\{byte:02X}" for byte in data)
    return f'[{len(data)} x i8] c"{escaped}"'


def _packed(variable: Variable, data: bytes, address: Address) -> str:
    """A packed structure: runs of bytes and addresses between them."""
    parts, at = [], 0
    for relocation in sorted(variable.relocations, key=_offset):
        if relocation.offset > at:
            parts.append(_bytes(data[at : relocation.offset]))
        parts.append(address(relocation))
        at = relocation.offset + relocation.size
    if at < len(data):
        parts.append(_bytes(data[at:]))
    types = ", ".join(_type_of(part) for part in parts)
    return f"<{{ {types} }}> <{{ {', '.join(parts)} }}>"


def _offset(relocation: Relocation) -> int:
    return relocation.offset


def _type_of(part: str) -> str:
    found = _TYPE.match(part)
    assert found is not None, part
    return found[0]
