"""LLVM's first-class types as far as `asm` operands have them: sizes, and how bits become values.

Comes in: type text. Goes out: sizes, and the cast that takes a value to a register of some width or
back. This module must know no PTX.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from ptxlift.records import dataclass


class Kind(Enum):
    """How a value's bits are reached."""

    INTEGER = "integer"
    FLOAT = "float"
    POINTER = "pointer"
    VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class ValueType:
    """One LLVM type. `text`: as LLVM writes it; `space`: a pointer's address space."""

    text: str
    kind: Kind
    bits: int
    space: int = 0


_FLOATS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
_SHORT_POINTERS = frozenset({2, 3, 5, 6})  # AMDGPU's address spaces of 32-bit pointers
_INTEGER = re.compile(r"i([1-9][0-9]{0,3})\Z")
_POINTER = re.compile(r"ptr(?:\s+addrspace\((\d{1,8})\))?\Z")
_VECTOR = re.compile(r"<\s*([1-9]\d{0,3})\s+x\s+([^<>]+?)\s*>\Z")


@lru_cache(maxsize=1024)
def value_type(text: str) -> ValueType | None:
    """The type a text means; None if it is none that a register can hold."""
    text = text.strip()
    if text in _FLOATS:
        return ValueType(text, Kind.FLOAT, _FLOATS[text])
    if found := _INTEGER.match(text):
        return ValueType(text, Kind.INTEGER, int(found[1]))
    if found := _POINTER.match(text):
        space = int(found[1] or 0)
        name = f"ptr addrspace({space})" if space else "ptr"
        return ValueType(name, Kind.POINTER, 32 if space in _SHORT_POINTERS else 64, space)
    if found := _VECTOR.match(text):
        element = value_type(found[2])
        if element is None or element.kind is Kind.POINTER:
            return None
        count = int(found[1])
        return ValueType(f"<{count} x {element.text}>", Kind.VECTOR, count * element.bits)
    return None


def casts_in(type: ValueType, width: int) -> list[str]:
    """The casts `op FROM %s to TO` that put a value into a register of `width` bits."""
    target = f"i{width}"
    if type.kind is Kind.POINTER:
        return [f"ptrtoint {type.text} %s to {target}"]
    steps = []
    if type.kind is not Kind.INTEGER:
        steps.append(f"bitcast {type.text} %s to i{type.bits}")
    if type.bits < width:
        steps.append(f"zext i{type.bits} %s to {target}")
    return steps


def casts_out(type: ValueType, width: int) -> list[str]:
    """The casts that read a value from a register of `width` bits."""
    source = f"i{width}"
    if type.kind is Kind.POINTER:
        return [f"inttoptr {source} %s to {type.text}"]
    steps = []
    if type.bits < width:
        steps.append(f"trunc {source} %s to i{type.bits}")
    if type.kind is not Kind.INTEGER:
        steps.append(f"bitcast i{type.bits} %s to {type.text}")
    return steps
