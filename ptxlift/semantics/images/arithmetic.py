"""Short names for the arithmetic of sampling: 32-bit integers and f32, rounded to nearest."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from ptxlift.ir.attributes import FloatPredicate, Format, IntPredicate, Rounding
from ptxlift.semantics.algebra import Algebra

V = TypeVar("V")


def float_bits(value: float) -> int:
    """The bits of an f32."""
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


class Arithmetic(Generic[V]):
    """Over one algebra. Names with `f` in front take and give f32."""

    def __init__(self, algebra: Algebra[V]) -> None:
        self.a = algebra

    def number(self, value: int, width: int = 32) -> V:
        return self.a.const(width, value & ((1 << width) - 1))

    def real(self, value: float) -> V:
        return self.a.const(32, float_bits(value))

    # ---- integers ----

    def bits(self, dword: V, first: int, count: int) -> V:
        """A field of a dword."""
        shifted = self.a.lshr(dword, self.number(first)) if first else dword
        return self.a.and_(shifted, self.number((1 << count) - 1))

    def flag(self, dword: V, position: int) -> V:
        """A bit of a dword as a condition."""
        return self.a.extract(dword, 1, position)

    def equal(self, a: V, value: int) -> V:
        return self.a.icmp(a, self.number(value), IntPredicate.EQ)

    def below(self, a: V, b: V) -> V:
        """a < b, unsigned."""
        return self.a.icmp(a, b, IntPredicate.ULT)

    def above(self, a: V, value: int) -> V:
        """a > value, unsigned."""
        return self.a.icmp(a, self.number(value), IntPredicate.UGT)

    def negative(self, a: V) -> V:
        return self.a.icmp(a, self.number(0), IntPredicate.SLT)

    def both(self, a: V, b: V) -> V:
        return self.a.and_(a, b)

    def neither(self, a: V) -> V:
        """The opposite of a condition."""
        return self.a.not_(a)

    def clamped(self, a: V, size: V) -> V:
        """A signed index brought into 0 .. size - 1."""
        last = self.a.sub(size, self.number(1))
        return self.a.smin(self.a.smax(a, self.number(0)), last)

    def wide_product(self, a: V, b: V) -> V:
        """The 64-bit product of unsigned numbers."""
        return self.a.mul(self.a.zext(a, 64), self.a.zext(b, 64))

    # ---- f32 ----

    def fadd(self, a: V, b: V) -> V:
        return self.a.fadd(a, b, Format.F32, Rounding.RN, False)

    def fsub(self, a: V, b: V) -> V:
        return self.a.fsub(a, b, Format.F32, Rounding.RN, False)

    def fmul(self, a: V, b: V) -> V:
        return self.a.fmul(a, b, Format.F32, Rounding.RN, False)

    def ffma(self, a: V, b: V, c: V) -> V:
        return self.a.ffma(a, b, c, Format.F32, Rounding.RN, False)

    def fmax(self, a: V, b: V) -> V:
        return self.a.fmax(a, b, Format.F32, False, False)

    def fmin(self, a: V, b: V) -> V:
        return self.a.fmin(a, b, Format.F32, False, False)

    def fabs(self, a: V) -> V:
        return self.a.fabs(a, Format.F32)

    def fneg(self, a: V) -> V:
        return self.a.fneg(a, Format.F32)

    def fnot_below(self, a: V, b: V) -> V:
        """a >= b."""
        return self.a.fcmp(a, b, Format.F32, FloatPredicate.OGE, False)

    def fnegative(self, a: V) -> V:
        return self.a.fcmp(a, self.real(0.0), Format.F32, FloatPredicate.OLT, False)

    def ffloor(self, a: V) -> V:
        return self.a.fround(a, Format.F32, Rounding.RM, False)

    def to_int(self, a: V, rounding: Rounding) -> V:
        """A signed integer; NaN gives 0, what is out of range the nearest."""
        return self.a.float_to_int(a, Format.F32, 32, True, rounding, False)

    def to_float(self, a: V, signed: bool) -> V:
        return self.a.int_to_float(a, signed, Format.F32, Rounding.RN)

    def weighted(self, a: V, b: V, weight: V) -> V:
        """(1 - weight) * a + weight * b."""
        rest = self.fsub(self.real(1.0), weight)
        return self.ffma(weight, b, self.fmul(rest, a))

    def fraction(self, x: V, floor: V) -> V:
        """x - floor in 1.8 fixed point, rounded to nearest: the weights of linear filters."""
        scaled = self.ffma(self.fsub(x, floor), self.real(256.0), self.real(0.5))
        steps = self.to_int(scaled, Rounding.RM)
        return self.fmul(self.to_float(steps, signed=True), self.real(1 / 256))

    # ---- several values ----

    def chosen(self, condition: V, yes: Sequence[V], no: Sequence[V]) -> list[V]:
        pairs = zip(yes, no, strict=True)
        return [self.a.select(condition, one, other) for one, other in pairs]

    def each(self, function: Callable[[V, V], V], left: Sequence[V], right: Sequence[V]) -> list[V]:
        return [function(a, b) for a, b in zip(left, right, strict=True)]
