"""Constants: expressions over literals become values, and values become bit patterns of a type.

Comes in: expression nodes and their atoms. Goes out: `Integer` (64 bits and a signedness) or
`Real`, and bit patterns. A constant that PTX does not allow raises `ConstantError`. This module
must know no instruction and no names.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import TypeAlias

from ptxlift.isa import Kind, Type
from ptxlift.syntax import nodes
from ptxlift.syntax.constants import integer

_MASK = (1 << 64) - 1


class ConstantError(Exception):
    """A constant expression that means nothing."""


@dataclass(frozen=True, slots=True)
class Integer:
    bits: int
    signed: bool = True

    @property
    def value(self) -> int:
        """As a number, by its signedness."""
        return self.bits - (1 << 64) if self.signed and self.bits >> 63 else self.bits


@dataclass(frozen=True, slots=True)
class Real:
    """A float.

    `hex_bits`: width of a `0f`/`0d` literal, whose exact bits are then in `bits`; else 0.
    """

    value: float
    hex_bits: int = 0
    bits: int = 0


Constant: TypeAlias = Integer | Real


def literal(text: str) -> Constant:
    """The value of a literal as written."""
    head = text[:2]
    if head in ("0f", "0F") and len(text) == 10:
        bits = int(text[2:], 16)
        return Real(struct.unpack("<f", struct.pack("<I", bits))[0], 32, bits)
    if head in ("0d", "0D") and len(text) == 18:
        bits = int(text[2:], 16)
        return Real(struct.unpack("<d", struct.pack("<Q", bits))[0], 64, bits)
    if _is_decimal_float(text):
        value = float(text)
        if math.isinf(value):
            raise ConstantError(f"the constant {text} is too large")
        return Real(value)
    bits = integer(text)
    return Integer(bits, signed=not text.endswith("U") and bits >> 63 == 0)


def _is_decimal_float(text: str) -> bool:
    if text[:2] in ("0x", "0X", "0b", "0B"):
        return False
    return "." in text or "e" in text or "E" in text


def evaluate(node: nodes.Operand, atoms: tuple[str, ...]) -> Constant:
    """The value of a constant expression."""
    match node:
        case nodes.Literal(slot):
            return literal(atoms[slot])
        case nodes.Unary(operator, operand):
            return _unary(operator, evaluate(operand, atoms))
        case nodes.Binary(operator, left, right):
            return _binary(operator, evaluate(left, atoms), evaluate(right, atoms))
        case nodes.Conditional(condition, then, otherwise):
            return _conditional(*(evaluate(n, atoms) for n in (condition, then, otherwise)))
        case _:
            raise ConstantError("a constant is needed here")


def _unary(operator: str, operand: Constant) -> Constant:
    if isinstance(operand, Real):
        return _real_unary(operator, operand)
    bits, signed = operand.bits, operand.signed
    match operator:
        case "+":
            return operand
        case "-":
            return Integer(-bits & _MASK, signed)
        case "~":
            return Integer(~bits & _MASK, signed)
        case "!":
            return Integer(int(bits == 0))
        case "(.s64)" | ".s64" | "s64":
            return Integer(bits, signed=True)
        case "(.u64)" | ".u64" | "u64":
            return Integer(bits, signed=False)
    raise ConstantError(f"{operator} is no operator of constants")


def _real_unary(operator: str, operand: Real) -> Real:
    if operator == "+":
        return operand
    if operator == "-" and not operand.hex_bits:
        return Real(-operand.value)
    raise ConstantError(f"{operator} does not apply to this float constant")


def _conditional(condition: Constant, then: Constant, otherwise: Constant) -> Constant:
    if not (isinstance(then, Integer) and isinstance(otherwise, Integer)):
        raise ConstantError("?: needs integer constants")
    if not isinstance(condition, Integer):
        raise ConstantError("the condition must be an integer constant")
    chosen = then if condition.bits else otherwise
    return Integer(chosen.bits, then.signed and otherwise.signed)


def _binary(operator: str, left: Constant, right: Constant) -> Constant:
    if isinstance(left, Integer) and isinstance(right, Integer):
        return _integer_binary(operator, left, right)
    if isinstance(left, Real) and isinstance(right, Real):
        return _real_binary(operator, left.value, right.value)
    raise ConstantError("integer and float constants do not mix")


def _integer_binary(operator: str, left: Integer, right: Integer) -> Integer:
    signed = left.signed and right.signed
    a = Integer(left.bits, signed).value
    b = Integer(right.bits, signed).value
    match operator:
        case "<<":
            return Integer(left.bits << right.bits & _MASK if right.bits < 64 else 0, left.signed)
        case ">>":
            return Integer(left.value >> min(right.bits, 64) & _MASK, left.signed)
        case "/" | "%":
            return Integer(_divide(operator, a, b) & _MASK, signed)
    if operator in _COMPARISONS:
        return Integer(int(_compare(operator, a, b)))
    return Integer(_arithmetic(operator, a, b) & _MASK, signed)


_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "&&", "||")


def _compare(operator: str, a: float, b: float) -> bool:
    match operator:
        case "==":
            return a == b
        case "!=":
            return a != b
        case "<":
            return a < b
        case "<=":
            return a <= b
        case ">":
            return a > b
        case ">=":
            return a >= b
        case "&&":
            return bool(a) and bool(b)
    return bool(a) or bool(b)


def _arithmetic(operator: str, a: int, b: int) -> int:
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "&":
            return a & b
        case "|":
            return a | b
        case "^":
            return a ^ b
    raise ConstantError(f"{operator} is no operator of constants")


def _divide(operator: str, a: int, b: int) -> int:
    """C division: the quotient is cut towards zero."""
    if b == 0:
        raise ConstantError("the constant expression divides by zero")
    quotient = abs(a) // abs(b)
    if (a < 0) != (b < 0):
        quotient = -quotient
    return quotient if operator == "/" else a - b * quotient


def _real_binary(operator: str, a: float, b: float) -> Constant:
    if operator in ("==", "!=", "<", "<=", ">", ">="):
        return Integer(int(_compare(operator, a, b)))
    match operator:
        case "+":
            return Real(a + b)
        case "-":
            return Real(a - b)
        case "*":
            return Real(a * b)
        case "/" if b:
            return Real(a / b)
        case "/":
            raise ConstantError("the constant expression divides by zero")
    raise ConstantError(f"{operator} does not apply to float constants")


# ---- values as bit patterns of a type ----


def as_bits(value: Constant, type_: Type) -> int:
    """The bits of a constant operand of this type; `ConstantError` if PTX takes none such."""
    kind = type_.kind
    if kind is Kind.F and type_.bits >= 32:
        if isinstance(value, Integer):
            raise ConstantError(f"an integer constant cannot stand for .{type_.name}")
        return float_bits(value, type_.bits)
    if kind not in (Kind.B, Kind.U, Kind.S, Kind.PRED):
        raise ConstantError(f"a constant cannot stand for .{type_.name}")
    if isinstance(value, Integer):
        return _integer_bits(value, type_)
    if kind is Kind.B and value.hex_bits == type_.bits:
        return value.bits
    raise ConstantError(f"a float constant cannot stand for .{type_.name}")


def _integer_bits(value: Integer, type_: Type) -> int:
    if type_.kind is Kind.PRED:
        return int(value.bits != 0)
    if type_.bits > 64:
        return value.value & ((1 << type_.bits) - 1)
    return value.bits & ((1 << type_.bits) - 1)


def float_bits(value: Real, width: int) -> int:
    """The float rounded to 32 or 64 bits; exact bits of a hex literal of that width."""
    if value.hex_bits == width:
        return value.bits
    if width == 64:
        return int.from_bytes(struct.pack("<d", value.value), "little")
    try:
        return int.from_bytes(struct.pack("<f", value.value), "little")
    except OverflowError:
        return 0xFF800000 if value.value < 0 else 0x7F800000
