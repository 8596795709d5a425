"""Constant folding: integer ops on known bits.

Comes in: an op whose operands are constants. Goes out: the bits of its results. Ops that are not
primitive are computed by their definitions. Floats are left to LLVM. It must know no target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from ptxlift.ir.attributes import IntPredicate
from ptxlift.ir.core import Op
from ptxlift.ir.ops import Effect
from ptxlift.rewrite.pattern import constant_of
from ptxlift.semantics.definitions import DefinedOps


class Bits(NamedTuple):
    """A known bit pattern."""

    width: int
    value: int


def _bits(width: int, value: int) -> Bits:
    return Bits(width, value & ((1 << width) - 1))


def _signed(a: Bits) -> int:
    return a.value - (a.value >> (a.width - 1) << a.width)


_COMPARE: dict[IntPredicate, Callable[[int, int], bool]] = {
    IntPredicate.EQ: lambda a, b: a == b,
    IntPredicate.NE: lambda a, b: a != b,
    IntPredicate.ULT: lambda a, b: a < b,
    IntPredicate.ULE: lambda a, b: a <= b,
    IntPredicate.UGT: lambda a, b: a > b,
    IntPredicate.UGE: lambda a, b: a >= b,
    IntPredicate.SLT: lambda a, b: a < b,
    IntPredicate.SLE: lambda a, b: a <= b,
    IntPredicate.SGT: lambda a, b: a > b,
    IntPredicate.SGE: lambda a, b: a >= b,
}


class ConstantAlgebra(DefinedOps[Bits]):
    """The integer part of the Algebra over known bits."""

    def width(self, a: Bits) -> int:
        return a.width

    def const(self, width: int, bits: int) -> Bits:
        return _bits(width, bits)

    def add(self, a: Bits, b: Bits) -> Bits:
        return _bits(a.width, a.value + b.value)

    def sub(self, a: Bits, b: Bits) -> Bits:
        return _bits(a.width, a.value - b.value)

    def mul(self, a: Bits, b: Bits) -> Bits:
        return _bits(a.width, a.value * b.value)

    def umulh(self, a: Bits, b: Bits) -> Bits:
        return _bits(a.width, a.value * b.value >> a.width)

    def smulh(self, a: Bits, b: Bits) -> Bits:
        return _bits(a.width, _signed(a) * _signed(b) >> a.width)

    def udiv(self, a: Bits, b: Bits) -> Bits:
        return _bits(a.width, a.value // b.value) if b.value else a

    def urem(self, a: Bits, b: Bits) -> Bits:
        return _bits(a.width, a.value % b.value) if b.value else b

    def sdiv(self, a: Bits, b: Bits) -> Bits:
        if not b.value:
            return a
        magnitude = abs(_signed(a)) // abs(_signed(b))
        return _bits(a.width, -magnitude if _signed(a) * _signed(b) < 0 else magnitude)

    def srem(self, a: Bits, b: Bits) -> Bits:
        return self.sub(a, self.mul(self.sdiv(a, b), b)) if b.value else b

    def and_(self, a: Bits, b: Bits) -> Bits:
        return Bits(a.width, a.value & b.value)

    def or_(self, a: Bits, b: Bits) -> Bits:
        return Bits(a.width, a.value | b.value)

    def xor(self, a: Bits, b: Bits) -> Bits:
        return Bits(a.width, a.value ^ b.value)

    def not_(self, a: Bits) -> Bits:
        return _bits(a.width, ~a.value)

    def shl(self, a: Bits, b: Bits) -> Bits:
        return _bits(a.width, a.value << min(b.value, a.width))

    def lshr(self, a: Bits, b: Bits) -> Bits:
        return Bits(a.width, a.value >> b.value)

    def ashr(self, a: Bits, b: Bits) -> Bits:
        return _bits(a.width, _signed(a) >> b.value)

    def fshl(self, a: Bits, b: Bits, c: Bits) -> Bits:
        return _bits(a.width, (a.value << a.width | b.value) << c.value % a.width >> a.width)

    def fshr(self, a: Bits, b: Bits, c: Bits) -> Bits:
        return _bits(a.width, (a.value << a.width | b.value) >> c.value % a.width)

    def umin(self, a: Bits, b: Bits) -> Bits:
        return Bits(a.width, min(a.value, b.value))

    def umax(self, a: Bits, b: Bits) -> Bits:
        return Bits(a.width, max(a.value, b.value))

    def smin(self, a: Bits, b: Bits) -> Bits:
        return min(a, b, key=_signed)

    def smax(self, a: Bits, b: Bits) -> Bits:
        return max(a, b, key=_signed)

    def popcount(self, a: Bits) -> Bits:
        return Bits(32, a.value.bit_count())

    def clz(self, a: Bits) -> Bits:
        return Bits(32, a.width - a.value.bit_length())

    def ctz(self, a: Bits) -> Bits:
        return Bits(32, (a.value & -a.value).bit_length() - 1 if a.value else a.width)

    def bitreverse(self, a: Bits) -> Bits:
        return Bits(a.width, int(f"{a.value:0{a.width}b}"[::-1], 2))

    def icmp(self, a: Bits, b: Bits, predicate: IntPredicate) -> Bits:
        compare = _COMPARE[predicate]
        if predicate.value.startswith("s"):
            return Bits(1, compare(_signed(a), _signed(b)))
        return Bits(1, compare(a.value, b.value))

    def select(self, a: Bits, b: Bits, c: Bits) -> Bits:
        return b if a.value else c

    def zext(self, a: Bits, width: int) -> Bits:
        return Bits(width, a.value)

    def sext(self, a: Bits, width: int) -> Bits:
        return _bits(width, _signed(a))

    def trunc(self, a: Bits, width: int) -> Bits:
        return _bits(width, a.value)

    def extract(self, a: Bits, width: int, offset: int) -> Bits:
        return _bits(width, a.value >> offset)

    def pack(self, parts: Sequence[Bits]) -> Bits:
        width = value = 0
        for part in parts:
            value |= part.value << width
            width += part.width
        return Bits(width, value)

    def add_carry(self, a: Bits, b: Bits, c: Bits) -> tuple[Bits, Bits]:
        total = a.value + b.value + c.value
        return _bits(a.width, total), Bits(1, total >> a.width)

    def sub_borrow(self, a: Bits, b: Bits, c: Bits) -> tuple[Bits, Bits]:
        total = a.value - b.value - c.value
        return _bits(a.width, total), Bits(1, total < 0)


@cache
def _algebra() -> ConstantAlgebra:
    return ConstantAlgebra()


def fold(op: Op) -> list[int] | None:
    """The bits of the op's results, where all operands are constants and the op is an integer's."""
    name = op.opdef.name
    if op.opdef.effect is not Effect.PURE or not op.operands:
        return None
    known = []
    for value in op.operands:
        bits = constant_of(value)
        if bits is None:
            return None
        known.append(Bits(value.width, bits))
    method = getattr(_algebra(), name, None)
    if method is None:
        return None
    found = method(known, *op.attrs[1:]) if name == "pack" else method(*known, *op.attrs)
    results = found if type(found) is tuple else (found,)
    return [result.value for result in results]
