"""Constants as bit patterns of a type.

Comes in: values of constant expressions and types. Goes out: bits. A constant that PTX does not
take for a type raises `ConstantError`. This module must know no instruction and no names.
"""

from __future__ import annotations

import struct

from ptxlift.isa import Kind, Type
from ptxlift.syntax.constants import Constant, ConstantError, Integer, Real, evaluate

__all__ = ["Constant", "ConstantError", "Integer", "Real", "as_bits", "evaluate", "float_bits"]


def as_bits(value: Constant, type_: Type) -> int:
    """The bits of a constant operand of this type."""
    kind = type_.kind
    if kind is Kind.F and type_.bits >= 32:
        if isinstance(value, Integer):
            raise ConstantError(f"an integer constant cannot stand for .{type_.name}")
        return float_bits(value, type_.bits)
    if kind not in (Kind.B, Kind.U, Kind.S, Kind.PRED):
        raise ConstantError(f"a constant cannot stand for .{type_.name}")
    if isinstance(value, Integer):
        return int(value.bits != 0) if kind is Kind.PRED else integer_bits(value, type_.bits)
    if kind is Kind.B and value.hex_bits == type_.bits:
        return value.bits
    raise ConstantError(f"a float constant cannot stand for .{type_.name}")


def integer_bits(value: Integer, width: int) -> int:
    """The low bits; more than 64 are filled by the sign."""
    bits = value.value if width > 64 else value.bits
    return bits & ((1 << width) - 1)


def float_bits(value: Real, width: int) -> int:
    """In 32 or 64 bits; a hex literal keeps its bits, those of `0f` as the low half of a double."""
    if value.hex_bits and value.hex_bits <= width:
        return value.bits
    if width == 64:
        return int.from_bytes(struct.pack("<d", value.value), "little")
    try:
        return int.from_bytes(struct.pack("<f", value.value), "little")
    except OverflowError:
        return 0xFF800000 if value.value < 0 else 0x7F800000
