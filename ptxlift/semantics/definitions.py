"""What the ops that are not primitive mean, in primitives.

Comes in: an algebra and the operands of an op. Goes out: its value. `DefinedOps` gives an algebra
every such op at once, so that interpreter, prover and legaliser share one definition each. It must
know nothing of PTX instructions or of any target.
"""

from __future__ import annotations

from functools import reduce
from typing import Generic, TypeVar, cast

from ptxlift.ir.attributes import IntPredicate
from ptxlift.semantics.algebra import Algebra

V = TypeVar("V")


def ones(algebra: Algebra[V], width: int) -> V:
    """All bits set."""
    return algebra.const(width, (1 << width) - 1)


def _count(algebra: Algebra[V], width: int, amount: V) -> V:
    """A position or length. The manual takes the low 8 bits; ptxas does so for 32-bit fields only:
    its 64-bit sequences shift by the whole amount.
    """
    return algebra.and_(amount, algebra.const(32, 0xFF)) if width == 32 else amount


def _low_ones(algebra: Algebra[V], width: int, count: V) -> V:
    return algebra.not_(algebra.shl(ones(algebra, width), count))


def bfe_u(algebra: Algebra[V], a: V, position: V, length: V) -> V:
    """Shifts past the msb give zeros, so a field that runs over the top is zero-extended."""
    width = algebra.width(a)
    field = algebra.lshr(a, _count(algebra, width, position))
    mask = _low_ones(algebra, width, _count(algebra, width, length))
    return algebra.and_(field, mask)


def bfe_s(algebra: Algebra[V], a: V, position: V, length: V) -> V:
    """The sign bit is bit min(position + length - 1, msb); no bits at all give 0."""
    width = algebra.width(a)
    whole = algebra.const(32, width)
    field = algebra.ashr(a, _count(algebra, width, position))
    unused = algebra.sub(whole, algebra.umin(_count(algebra, width, length), whole))
    return algebra.ashr(algebra.shl(field, unused), unused)


def bfi(algebra: Algebra[V], a: V, b: V, position: V, length: V) -> V:
    """Bits that would land above the msb are dropped."""
    width = algebra.width(a)
    shift = _count(algebra, width, position)
    field = _low_ones(algebra, width, _count(algebra, width, length))
    mask = algebra.shl(field, shift)
    kept = algebra.and_(b, algebra.not_(mask))
    return algebra.or_(kept, algebra.and_(algebra.shl(a, shift), mask))


def bfind(algebra: Algebra[V], a: V, signed: bool, shift: bool) -> V:
    """A negative signed input is complemented first; `clz` of 0 makes the position -1 by itself."""
    width = algebra.width(a)
    if signed:
        a = algebra.xor(a, algebra.ashr(a, algebra.const(32, width - 1)))
    zeros = algebra.clz(a)
    if not shift:
        return algebra.sub(algebra.const(32, width - 1), zeros)
    empty = algebra.icmp(a, algebra.const(width, 0), IntPredicate.EQ)
    return algebra.select(empty, ones(algebra, 32), zeros)


def bitwise3(algebra: Algebra[V], a: V, b: V, c: V, lut: int) -> V:
    """The or of the minterms that the table holds."""
    inputs = (a, b, c)
    terms = []
    for index in range(8):
        if not lut >> index & 1:
            continue
        chosen = [
            value if index >> (2 - place) & 1 else algebra.not_(value)
            for place, value in enumerate(inputs)
        ]
        terms.append(reduce(algebra.and_, chosen))
    return reduce(algebra.or_, terms) if terms else algebra.const(algebra.width(a), 0)


def prmt(algebra: Algebra[V], a: V, b: V, selector: V) -> V:
    """Bytes of b:a; bit 3 of a selector nibble replicates the byte's sign."""
    source = algebra.pack([a, b])
    parts = []
    for place in range(4):
        nibble = algebra.lshr(selector, algebra.const(32, 4 * place))
        shift = algebra.shl(algebra.and_(nibble, algebra.const(32, 7)), algebra.const(32, 3))
        byte = algebra.trunc(algebra.lshr(source, shift), 8)
        sign = algebra.ashr(byte, algebra.const(32, 7))
        replicate = algebra.extract(selector, 1, 4 * place + 3)
        parts.append(algebra.select(replicate, sign, byte))
    return algebra.pack(parts)


def _element(algebra: Algebra[V], a: V, width: int, index: int, signed: bool) -> V:
    part = algebra.extract(a, width, width * index)
    return algebra.sext(part, 32) if signed else algebra.zext(part, 32)


def dp4a(algebra: Algebra[V], a: V, b: V, c: V, a_signed: bool, b_signed: bool) -> V:
    """Four products; each fits 32 bits, the sum wraps."""
    for index in range(4):
        left = _element(algebra, a, 8, index, a_signed)
        right = _element(algebra, b, 8, index, b_signed)
        c = algebra.add(c, algebra.mul(left, right))
    return c


def dp2a(algebra: Algebra[V], a: V, b: V, c: V, a_signed: bool, b_signed: bool, high: bool) -> V:
    """Halves of a times bytes 0, 1 (or 2, 3 when `high`) of b; the sum wraps."""
    for index in range(2):
        left = _element(algebra, a, 16, index, a_signed)
        right = _element(algebra, b, 8, index + 2 * high, b_signed)
        c = algebra.add(c, algebra.mul(left, right))
    return c


def sad_u(algebra: Algebra[V], a: V, b: V, c: V) -> V:
    """The larger minus the smaller."""
    return algebra.add(c, algebra.sub(algebra.umax(a, b), algebra.umin(a, b)))


def sad_s(algebra: Algebra[V], a: V, b: V, c: V) -> V:
    """The larger minus the smaller; wraps where the distance exceeds the width."""
    return algebra.add(c, algebra.sub(algebra.smax(a, b), algebra.smin(a, b)))


def sad_bytes(algebra: Algebra[V], a: V, b: V, c: V) -> V:
    """Each distance fits a byte, the sum wraps."""
    for index in range(4):
        left = _element(algebra, a, 8, index, False)
        right = _element(algebra, b, 8, index, False)
        c = sad_u(algebra, left, right, c)
    return c


def uadd_sat(algebra: Algebra[V], a: V, b: V) -> V:
    """A sum below an operand has wrapped."""
    total = algebra.add(a, b)
    wrapped = algebra.icmp(total, a, IntPredicate.ULT)
    return algebra.select(wrapped, ones(algebra, algebra.width(a)), total)


def _clamp_signed(algebra: Algebra[V], a: V, overflow: V, result: V) -> V:
    width = algebra.width(a)
    sign = algebra.ashr(a, algebra.const(32, width - 1))
    limit = algebra.xor(sign, algebra.const(width, (1 << (width - 1)) - 1))
    overflowed = algebra.icmp(overflow, algebra.const(width, 0), IntPredicate.SLT)
    return algebra.select(overflowed, limit, result)


def sadd_sat(algebra: Algebra[V], a: V, b: V) -> V:
    """Overflow: both operands differ in sign from the sum; the limit has the sign of a."""
    total = algebra.add(a, b)
    overflow = algebra.and_(algebra.xor(a, total), algebra.xor(b, total))
    return _clamp_signed(algebra, a, overflow, total)


def ssub_sat(algebra: Algebra[V], a: V, b: V) -> V:
    """Overflow: the operands differ in sign and so do a and the difference."""
    difference = algebra.sub(a, b)
    overflow = algebra.and_(algebra.xor(a, b), algebra.xor(a, difference))
    return _clamp_signed(algebra, a, overflow, difference)


class DefinedOps(Generic[V]):
    """A base for algebras: each op that is not primitive, computed by its definition."""

    def _algebra(self) -> Algebra[V]:
        return cast("Algebra[V]", self)

    def bfe_u(self, a: V, b: V, c: V) -> V:
        return bfe_u(self._algebra(), a, b, c)

    def bfe_s(self, a: V, b: V, c: V) -> V:
        return bfe_s(self._algebra(), a, b, c)

    def bfi(self, a: V, b: V, c: V, d: V) -> V:
        return bfi(self._algebra(), a, b, c, d)

    def bfind(self, a: V, signed: bool, shift: bool) -> V:
        return bfind(self._algebra(), a, signed, shift)

    def bitwise3(self, a: V, b: V, c: V, lut: int) -> V:
        return bitwise3(self._algebra(), a, b, c, lut)

    def prmt(self, a: V, b: V, c: V) -> V:
        return prmt(self._algebra(), a, b, c)

    def dp4a(self, a: V, b: V, c: V, a_signed: bool, b_signed: bool) -> V:
        return dp4a(self._algebra(), a, b, c, a_signed, b_signed)

    def dp2a(self, a: V, b: V, c: V, a_signed: bool, b_signed: bool, high: bool) -> V:
        return dp2a(self._algebra(), a, b, c, a_signed, b_signed, high)

    def sad_u(self, a: V, b: V, c: V) -> V:
        return sad_u(self._algebra(), a, b, c)

    def sad_s(self, a: V, b: V, c: V) -> V:
        return sad_s(self._algebra(), a, b, c)

    def sad_bytes(self, a: V, b: V, c: V) -> V:
        return sad_bytes(self._algebra(), a, b, c)

    def uadd_sat(self, a: V, b: V) -> V:
        return uadd_sat(self._algebra(), a, b)

    def sadd_sat(self, a: V, b: V) -> V:
        return sadd_sat(self._algebra(), a, b)

    def ssub_sat(self, a: V, b: V) -> V:
        return ssub_sat(self._algebra(), a, b)
