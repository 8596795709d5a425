"""Elements of matrices as f32: formats of 16 and fewer bits.

Comes in: registers and their element format. Goes out: IR that unpacks them. Every value of these
formats is exact in f16 or bf16, and every product of two of them is exact in f32.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.ir.attributes import Format, IntPredicate, Rounding
from ptxlift.ir.core import Value
from ptxlift.ir.exchange import Exchange
from ptxlift.ir.matrix import Element
from ptxlift.records import dataclass

HALF_FORMATS = {Element.F16: Format.F16, Element.BF16: Format.BF16}
TF32_BITS = 0xFFFFE000  # the low 13 bits of a tf32 operand do not count
_HALF_NAN = 0x7FFF


@dataclass(frozen=True, slots=True)
class _Byte:
    """A format that lies in bytes. `move`: shift of its magnitude to f16's exponent and mantissa;
    `scale`: f16 bits of the power of two between the two readings; `nan`: its only NaN's magnitude.
    """

    sign: int
    move: int
    scale: int
    nan: int | None = None


# Exponent and mantissa of the small format, read as f16's, are too small by a power of two.
_BYTES = {
    Element.E4M3: _Byte(sign=0x80, move=7, scale=0x5C00, nan=0x7F),  # 2^8
    Element.E3M2: _Byte(sign=0x20, move=8, scale=0x6C00),  # 2^12
    Element.E2M3: _Byte(sign=0x20, move=7, scale=0x7400),  # 2^14
    Element.E2M1: _Byte(sign=0x20, move=7, scale=0x7400),  # 2^14; one mantissa bit, two below it
}
_LOW_BYTES, _HIGH_BYTES = 0x1404, 0x3424  # prmt: bytes 0, 1 or 2, 3 over zero bytes


def is_bytes(element: Element) -> bool:
    """Whether the format is turned into f16 before anything else."""
    return element is Element.E5M2 or element in _BYTES


def halves_of_bytes(
    exchange: Exchange, element: Element, registers: Sequence[Value]
) -> list[Value]:
    """Registers of four elements become twice as many of two f16."""
    b = exchange.builder
    zero = exchange.const(32, 0)
    words = []
    for register in registers:
        for selector in (_LOW_BYTES, _HIGH_BYTES):
            word = b.prmt(register, zero, exchange.const(32, selector))
            words.append(word if element is Element.E5M2 else _widened(exchange, element, word))
    return words


def _widened(exchange: Exchange, element: Element, word: Value) -> Value:
    """Two elements, each in the upper byte of a half, as f16."""
    b = exchange.builder
    parts = []
    for offset in (8, 24):
        byte = b.zext(b.extract(word, 8, offset), 16)
        parts.append(_half(exchange, _BYTES[element], byte))
    return b.pack(parts)


def _half(exchange: Exchange, small: _Byte, byte: Value) -> Value:
    b, const = exchange.builder, exchange.const
    magnitude = b.and_(byte, const(16, small.sign - 1))
    moved = b.shl(magnitude, const(32, small.move))
    sign = b.and_(byte, const(16, small.sign))
    signed = b.or_(moved, b.shl(sign, const(32, 15 - small.sign.bit_length() + 1)))
    scale = const(16, small.scale)
    value = b.fmul(signed, scale, Format.F16, Rounding.RN, False)
    if small.nan is None:
        return value
    invalid = b.icmp(magnitude, const(16, small.nan), IntPredicate.EQ)
    return b.select(invalid, const(16, _HALF_NAN), value)


class Singles:
    """Elements of gathered registers as f32, each made once."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._made: dict[tuple[Value, int, Element], Value] = {}

    def of(self, register: Value, index: int, element: Element) -> Value:
        """Element `index` of a register of f16, bf16 or tf32."""
        key = (register, index, element)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._make(register, index, element)
        return found

    def _make(self, register: Value, index: int, element: Element) -> Value:
        b = self._exchange.builder
        if element is Element.TF32:
            return b.and_(register, self._exchange.const(32, TF32_BITS))
        half = b.extract(register, 16, 16 * index)
        return b.fconvert(half, HALF_FORMATS[element], Format.F32, Rounding.RN, False)
