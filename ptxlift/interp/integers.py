"""The integer ops over numpy lanes.

Comes in: lanes (see `lanes`). Goes out: lanes. Every method means what its row in `ir.ops` says; it
must know nothing of PTX text, of memory or of how lanes are scheduled.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from ptxlift.interp.lanes import (
    Lanes,
    as_signed,
    as_unsigned,
    constant,
    dtype_of,
    width_of,
)
from ptxlift.ir.attributes import IntPredicate

_SWAPS = ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F))
_COMPARE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def _mask(a: Lanes, width: int) -> Lanes:
    """Cuts i128 arithmetic to its width; machine integers wrap by themselves."""
    return a & ((1 << 128) - 1) if width == 128 else a


def _amount(a: Lanes, width: int) -> Lanes:
    """A shift amount, clamped to the width, in the dtype of the shifted value."""
    clamped = np.minimum(a, np.uint32(width))
    return clamped.astype(dtype_of(width))


def _magnitude(a: Lanes) -> Lanes:
    return np.where(as_signed(a) < 0, -a, a)


def _high_product(a: Lanes, b: Lanes) -> Lanes:
    """The upper 64 bits of a 128-bit product, from 32-bit halves."""
    half = np.uint64(32)
    low = np.uint64(0xFFFFFFFF)
    a_high, a_low, b_high, b_low = a >> half, a & low, b >> half, b & low
    cross = a_high * b_low + (a_low * b_low >> half)
    middle = a_low * b_high + (cross & low)
    high: Lanes = a_high * b_high + (cross >> half) + (middle >> half)
    return high


def _ones(a: Lanes) -> Lanes:
    """The number of ones of each lane, as i32."""
    if a.dtype == object:
        return np.array([int(value).bit_count() for value in a.flat], np.uint32).reshape(a.shape)
    bits = a.astype(np.uint64)
    for shift, mask in _SWAPS:
        bits = (bits & np.uint64(mask)) + (bits >> np.uint64(shift) & np.uint64(mask))
    return (bits * np.uint64(0x0101010101010101) >> np.uint64(56)).astype(np.uint32)


class IntegerOps:
    """The integer primitives of the Algebra."""

    def width(self, a: Lanes) -> int:
        return width_of(a)

    def const(self, width: int, bits: int) -> Lanes:
        return constant(width, bits)

    def undef(self, width: int) -> Lanes:
        return constant(width, 0)

    def add(self, a: Lanes, b: Lanes) -> Lanes:
        return _mask(a + b, width_of(a))

    def sub(self, a: Lanes, b: Lanes) -> Lanes:
        return _mask(a - b, width_of(a))

    def mul(self, a: Lanes, b: Lanes) -> Lanes:
        return _mask(a * b, width_of(a))

    def umulh(self, a: Lanes, b: Lanes) -> Lanes:
        width = width_of(a)
        if width == 64:
            return _high_product(a, b)
        product = a.astype(np.uint64) * b.astype(np.uint64)
        return (product >> np.uint64(width)).astype(a.dtype)

    def smulh(self, a: Lanes, b: Lanes) -> Lanes:
        zero = a.dtype.type(0)
        for_a = np.where(as_signed(a) < 0, b, zero)
        for_b = np.where(as_signed(b) < 0, a, zero)
        return self.umulh(a, b) - for_a - for_b

    def udiv(self, a: Lanes, b: Lanes) -> Lanes:
        by_zero = b == 0
        return np.where(by_zero, a, a // np.where(by_zero, b.dtype.type(1), b))

    def urem(self, a: Lanes, b: Lanes) -> Lanes:
        by_zero = b == 0
        return np.where(by_zero, b, a % np.where(by_zero, b.dtype.type(1), b))

    def sdiv(self, a: Lanes, b: Lanes) -> Lanes:
        quotient = self.udiv(_magnitude(a), _magnitude(b))
        negative = as_signed(a ^ b) < 0
        return np.where(b == 0, a, np.where(negative, -quotient, quotient))

    def srem(self, a: Lanes, b: Lanes) -> Lanes:
        remainder = self.urem(_magnitude(a), _magnitude(b))
        return np.where(as_signed(a) < 0, -remainder, remainder)

    def and_(self, a: Lanes, b: Lanes) -> Lanes:
        return a & b

    def or_(self, a: Lanes, b: Lanes) -> Lanes:
        return a | b

    def xor(self, a: Lanes, b: Lanes) -> Lanes:
        return a ^ b

    def not_(self, a: Lanes) -> Lanes:
        return _mask(~a, width_of(a))

    def shl(self, a: Lanes, b: Lanes) -> Lanes:
        width = width_of(a)
        return _mask(a << _amount(b, width), width)

    def lshr(self, a: Lanes, b: Lanes) -> Lanes:
        return a >> _amount(b, width_of(a))

    def ashr(self, a: Lanes, b: Lanes) -> Lanes:
        width = width_of(a)
        if width == 128:
            return _mask(as_signed(a) >> _amount(b, width), width)
        amount = np.minimum(b, np.uint32(width - 1))
        signed = as_signed(a)
        return as_unsigned(signed >> amount.astype(signed.dtype))

    def fshl(self, a: Lanes, b: Lanes, c: Lanes) -> Lanes:
        width = width_of(a)
        amount = c % np.uint32(width)
        return self.shl(a, amount) | self.lshr(b, np.uint32(width) - amount)

    def fshr(self, a: Lanes, b: Lanes, c: Lanes) -> Lanes:
        width = width_of(a)
        amount = c % np.uint32(width)
        return self.shl(a, np.uint32(width) - amount) | self.lshr(b, amount)

    def umin(self, a: Lanes, b: Lanes) -> Lanes:
        return np.minimum(a, b)

    def umax(self, a: Lanes, b: Lanes) -> Lanes:
        return np.maximum(a, b)

    def smin(self, a: Lanes, b: Lanes) -> Lanes:
        return as_unsigned(np.minimum(as_signed(a), as_signed(b)))

    def smax(self, a: Lanes, b: Lanes) -> Lanes:
        return as_unsigned(np.maximum(as_signed(a), as_signed(b)))

    def popcount(self, a: Lanes) -> Lanes:
        return _ones(a)

    def clz(self, a: Lanes) -> Lanes:
        width = width_of(a)
        shift = 1
        while shift < width:
            a = a | a >> a.dtype.type(shift)
            shift *= 2
        return np.uint32(width) - _ones(a)

    def ctz(self, a: Lanes) -> Lanes:
        return _ones(~a & (a - a.dtype.type(1)))

    def bitreverse(self, a: Lanes) -> Lanes:
        number = a.dtype.type
        for shift, mask in _SWAPS:
            keep = number(mask & (1 << width_of(a)) - 1)
            a = (a & keep) << number(shift) | a >> number(shift) & keep
        return a.byteswap()

    def icmp(self, a: Lanes, b: Lanes, predicate: IntPredicate) -> Lanes:
        name = predicate.value
        if len(name) == 2:
            result: Lanes = _COMPARE[name](a, b)
            return result
        if name[0] == "s":
            a, b = as_signed(a), as_signed(b)
        ordered: Lanes = _COMPARE[name[1:]](a, b)
        return ordered

    def select(self, a: Lanes, b: Lanes, c: Lanes) -> Lanes:
        return np.where(a, b, c)

    def zext(self, a: Lanes, width: int) -> Lanes:
        return a.astype(dtype_of(width))

    def sext(self, a: Lanes, width: int) -> Lanes:
        if a.dtype == np.bool_:
            return np.where(a, self.not_(constant(width, 0)), constant(width, 0))
        if width == 128:
            return as_signed(a).astype(object) & ((1 << 128) - 1)
        return as_unsigned(as_signed(a).astype(f"i{width // 8}"))

    def trunc(self, a: Lanes, width: int) -> Lanes:
        if width == 1:
            odd: Lanes = a & (1 if a.dtype == object else a.dtype.type(1)) != 0
            return odd
        if a.dtype == object:
            a = a & ((1 << width) - 1)
        return a.astype(dtype_of(width))

    def pack(self, parts: Sequence[Lanes]) -> Lanes:
        total = sum(width_of(part) for part in parts)
        placed = []
        offset = 0
        for part in parts:
            wide = part if width_of(part) == total else self.zext(part, total)
            placed.append(self.shl(wide, constant(32, offset)))
            offset += width_of(part)
        whole: Lanes = reduce(np.bitwise_or, placed)
        return whole

    def extract(self, a: Lanes, width: int, offset: int) -> Lanes:
        shifted: Lanes = self.lshr(a, constant(32, offset))
        return shifted if width == width_of(a) else self.trunc(shifted, width)

    def add_carry(self, a: Lanes, b: Lanes, c: Lanes) -> tuple[Lanes, Lanes]:
        partial = self.add(a, b)
        total = self.add(partial, c.astype(a.dtype))
        return total, (partial < a) | (total < partial)

    def sub_borrow(self, a: Lanes, b: Lanes, c: Lanes) -> tuple[Lanes, Lanes]:
        partial = self.sub(a, b)
        borrow = c.astype(a.dtype)
        return self.sub(partial, borrow), (a < b) | (partial < borrow)
