"""Literals and constant expressions over atoms come in; their values go out.

An integer is 64 bits with a signedness, a float is a Python float, a hex float keeps its bits. The
rules were measured on ptxas 13: `%` is unsigned, a shift takes its amount modulo 64, `&`, `|`, `^`
and arithmetic are unsigned if either side is, `~` always; integers and floats never mix. This
module must not know where an expression stands, nor any name.
"""

from __future__ import annotations

import functools
import operator
import re
import struct
import sys
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ptxlift.records import dataclass
from ptxlift.syntax.nodes import Binary, Conditional, Literal, Operand, Parens, Unary

_MASK = (1 << 64) - 1
_OVERFLOW = 3 << 63  # ptxas wraps integer literals below about this value and refuses larger ones
_DIGITS = 64  # more significant digits than any literal in range has
WARP_SIZE = 32


class ConstantError(Exception):
    """A constant expression that PTX refuses; diagnosed as PTX005."""


@dataclass(frozen=True, slots=True)
class Integer:
    """A 64-bit pattern and how operators read it."""

    bits: int
    signed: bool = True

    @property
    def value(self) -> int:
        """As a number, by its signedness."""
        return self.bits - (1 << 64) if self.signed and self.bits >> 63 else self.bits


@dataclass(frozen=True, slots=True)
class Real:
    """A float; `hex_bits` is 32 for `0f`, 64 for `0d`, whose exact `bits` are kept, else 0.

    ptxas takes every float constant as a double; the bits of `0f` become its low half. So
    `mov.f64 %d, 0f3F800000` gives 0x3f800000, and `value` is that double.
    """

    value: float
    hex_bits: int = 0
    bits: int = 0


Constant: TypeAlias = Integer | Real


def integer(text: str) -> int:
    """The value of an integer literal, wrapped to 64 bits."""
    value = literal(text)
    return value.bits if isinstance(value, Integer) else 0


@functools.lru_cache(maxsize=1 << 16)
def literal(text: str) -> Constant:
    """The value of a literal as written."""
    head = text[:2].lower()
    if head in ("0f", "0d"):
        bits = int(text[2:], 16)
        return Real(_double(bits), 32 if head == "0f" else 64, bits)
    if text == "WARP_SZ":
        return Integer(WARP_SIZE)
    if head not in ("0x", "0b") and not text.removesuffix("U").isdigit():
        return _decimal_float(text)
    return _integer(text.removesuffix("U"), text.endswith("U"))


def evaluate(node: Operand, atoms: Sequence[str]) -> Constant:
    """The value of a constant expression; `ConstantError` if it has none."""
    match node:
        case Literal(slot):
            return literal(atoms[slot])
        case Parens((inner,)):
            return evaluate(inner, atoms)
        case Unary(symbol, operand):
            return _unary(symbol, evaluate(operand, atoms))
        case Binary(symbol, left, right):
            return _binary(symbol, evaluate(left, atoms), evaluate(right, atoms))
        case Conditional(condition, then, otherwise):
            parts = [evaluate(part, atoms) for part in (condition, then, otherwise)]
            return _conditional(*parts)
        case _:
            raise ConstantError("a constant is needed here")


# ---- literals ----


def _double(bits: int) -> float:
    value: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return value


def _integer(digits: str, unsigned: bool) -> Integer:
    prefix = digits[:2].lower()
    base = {"0x": 16, "0b": 2}.get(prefix, 8 if digits[0] == "0" else 10)
    significant = (digits[2:] if prefix in ("0x", "0b") else digits).lstrip("0")
    limit = _DIGITS + 1 if base == 2 else _DIGITS
    value = int(significant or "0", base) if len(significant) <= limit else _OVERFLOW
    if value >= _OVERFLOW:
        raise ConstantError("this integer constant needs more than 64 bits")
    bits = value & _MASK
    return Integer(bits, signed=not unsigned and bits >> 63 == 0)


def _decimal_float(text: str) -> Real:
    value = float(text)
    if value == 0.0 and not re.search(r"[1-9]", re.split(r"[eE]", text)[0]):
        return Real(value)
    if not sys.float_info.min <= value <= sys.float_info.max:
        raise ConstantError("this float constant is outside the range of .f64")
    return Real(value)


# ---- operators ----


def _unary(symbol: str, operand: Constant) -> Constant:
    if isinstance(operand, Real):
        if symbol in ("+", "-"):
            return Real(-operand.value if symbol == "-" else operand.value)
        raise ConstantError(f"{symbol} needs an integer constant")
    bits, signed = operand.bits, operand.signed
    match symbol:
        case "+":
            return operand
        case "-":
            return Integer(-bits & _MASK, signed)
        case "~":
            return Integer(~bits & _MASK, signed=False)
        case "!":
            return Integer(int(bits == 0))
        case "(.s64)":
            return Integer(bits, signed=True)
        case "(.u64)":
            return Integer(bits, signed=False)
    raise ConstantError(f"{symbol} is no cast of constants; only (.s64) and (.u64) are")


def _conditional(condition: Constant, then: Constant, otherwise: Constant) -> Constant:
    parts = (condition, then, otherwise)
    if not all(isinstance(part, Integer) for part in parts):
        raise ConstantError("?: needs integer constants")
    return then if isinstance(condition, Integer) and condition.bits else otherwise


def _binary(symbol: str, left: Constant, right: Constant) -> Constant:
    if isinstance(left, Integer) and isinstance(right, Integer):
        return _integer_binary(symbol, left, right)
    if isinstance(left, Real) and isinstance(right, Real):
        return _real_binary(symbol, left.value, right.value)
    raise ConstantError("integer and float constants do not mix")


_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}


def _integer_binary(symbol: str, left: Integer, right: Integer) -> Integer:
    signed = left.signed and right.signed
    a = Integer(left.bits, signed).value
    b = Integer(right.bits, signed).value
    if symbol in _COMPARISONS:
        return Integer(int(_COMPARISONS[symbol](a, b)))
    match symbol:
        case "&&":
            return Integer(int(a != 0 and b != 0))
        case "||":
            return Integer(int(a != 0 or b != 0))
        case "<<":
            return Integer(left.bits << right.bits % 64 & _MASK, left.signed)
        case ">>":
            return Integer(left.value >> right.bits % 64 & _MASK, left.signed)
        case "/":
            return Integer(_quotient(a, b) & _MASK, signed)
        case "%":
            return Integer(_remainder(left.bits, right.bits), signed=False)
    return Integer(_ARITHMETIC[symbol](a, b) & _MASK, signed)


def _quotient(a: int, b: int) -> int:
    if b == 0:
        raise ConstantError("the constant expression divides by zero")
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: int, b: int) -> int:
    if b == 0:
        raise ConstantError("the constant expression divides by zero")
    return a % b


def _real_binary(symbol: str, a: float, b: float) -> Constant:
    if symbol in _COMPARISONS:
        return Integer(int(_COMPARISONS[symbol](a, b)))
    match symbol:
        case "+":
            return Real(a + b)
        case "-":
            return Real(a - b)
        case "*":
            return Real(a * b)
        case "/" if b != 0.0:
            return Real(a / b)
        case "/":
            raise ConstantError("the constant expression divides by zero")
    raise ConstantError(f"{symbol} needs integer constants")
