"""The integer part of the Algebra over Z3 bit vectors: what a rule means for all inputs at once.

Comes in: terms. Goes out: terms. A predicate is a vector of one bit. Each method says in SMT-LIB's
operations what `ir.ops` says in words; ops that are not primitive come from their one definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import z3

from ptxlift.ir.attributes import IntPredicate
from ptxlift.semantics.definitions import DefinedOps

Term = Any  # z3's own types are not worth their names here
_COMPARE = {
    IntPredicate.EQ: lambda a, b: a == b,
    IntPredicate.NE: lambda a, b: a != b,
    IntPredicate.ULT: z3.ULT,
    IntPredicate.ULE: z3.ULE,
    IntPredicate.UGT: z3.UGT,
    IntPredicate.UGE: z3.UGE,
    IntPredicate.SLT: lambda a, b: a < b,
    IntPredicate.SLE: lambda a, b: a <= b,
    IntPredicate.SGT: lambda a, b: a > b,
    IntPredicate.SGE: lambda a, b: a >= b,
}


def _bit(condition: Term) -> Term:
    return z3.If(condition, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))


def _wider(a: Term, width: int) -> Term:
    return z3.ZeroExt(width - a.size(), a) if width > a.size() else a


class Z3Algebra(DefinedOps[Term]):
    """Terms of z3."""

    def width(self, a: Term) -> int:
        return int(a.size())

    def const(self, width: int, bits: int | Term) -> Term:
        return z3.BitVecVal(bits, width) if isinstance(bits, int) else bits

    def add(self, a: Term, b: Term) -> Term:
        return a + b

    def sub(self, a: Term, b: Term) -> Term:
        return a - b

    def mul(self, a: Term, b: Term) -> Term:
        return a * b

    def umulh(self, a: Term, b: Term) -> Term:
        n = a.size()
        return z3.Extract(2 * n - 1, n, z3.ZeroExt(n, a) * z3.ZeroExt(n, b))

    def smulh(self, a: Term, b: Term) -> Term:
        n = a.size()
        return z3.Extract(2 * n - 1, n, z3.SignExt(n, a) * z3.SignExt(n, b))

    def udiv(self, a: Term, b: Term) -> Term:
        return z3.If(b == 0, a, z3.UDiv(a, b))

    def urem(self, a: Term, b: Term) -> Term:
        return z3.If(b == 0, b, z3.URem(a, b))

    def sdiv(self, a: Term, b: Term) -> Term:
        return z3.If(b == 0, a, a / b)

    def srem(self, a: Term, b: Term) -> Term:
        return z3.If(b == 0, b, z3.SRem(a, b))

    def and_(self, a: Term, b: Term) -> Term:
        return a & b

    def or_(self, a: Term, b: Term) -> Term:
        return a | b

    def xor(self, a: Term, b: Term) -> Term:
        return a ^ b

    def not_(self, a: Term) -> Term:
        return ~a

    def shl(self, a: Term, b: Term) -> Term:
        return self._shift(lambda x, n: x << n, a, b, z3.BitVecVal(0, a.size()))

    def lshr(self, a: Term, b: Term) -> Term:
        return self._shift(z3.LShR, a, b, z3.BitVecVal(0, a.size()))

    def ashr(self, a: Term, b: Term) -> Term:
        return self._shift(lambda x, n: x >> n, a, b, a >> (a.size() - 1))

    def _shift(self, shift: Any, a: Term, amount: Term, beyond: Term) -> Term:
        n = a.size()
        fitted = z3.Extract(n - 1, 0, amount) if n < amount.size() else _wider(amount, n)
        return z3.If(z3.ULT(amount, n), shift(a, fitted), beyond)

    def fshl(self, a: Term, b: Term, c: Term) -> Term:
        n = a.size()
        amount = _wider(c & (n - 1), 2 * n)
        return z3.Extract(2 * n - 1, n, z3.Concat(a, b) << amount)

    def fshr(self, a: Term, b: Term, c: Term) -> Term:
        n = a.size()
        amount = _wider(c & (n - 1), 2 * n)
        return z3.Extract(n - 1, 0, z3.LShR(z3.Concat(a, b), amount))

    def umin(self, a: Term, b: Term) -> Term:
        return z3.If(z3.ULT(a, b), a, b)

    def umax(self, a: Term, b: Term) -> Term:
        return z3.If(z3.UGT(a, b), a, b)

    def smin(self, a: Term, b: Term) -> Term:
        return z3.If(a < b, a, b)

    def smax(self, a: Term, b: Term) -> Term:
        return z3.If(a > b, a, b)

    def popcount(self, a: Term) -> Term:
        bits = [z3.ZeroExt(31, z3.Extract(i, i, a)) for i in range(a.size())]
        return reduce(lambda x, y: x + y, bits)

    def clz(self, a: Term) -> Term:
        count = z3.BitVecVal(a.size(), 32)
        for i in range(a.size()):
            count = z3.If(z3.Extract(i, i, a) == 1, z3.BitVecVal(a.size() - 1 - i, 32), count)
        return count

    def ctz(self, a: Term) -> Term:
        return self.clz(self.bitreverse(a))

    def bitreverse(self, a: Term) -> Term:
        return z3.Concat([z3.Extract(i, i, a) for i in range(a.size())])

    def icmp(self, a: Term, b: Term, predicate: IntPredicate) -> Term:
        return _bit(_COMPARE[predicate](a, b))

    def select(self, a: Term, b: Term, c: Term) -> Term:
        return z3.If(a == 1, b, c)

    def zext(self, a: Term, width: int) -> Term:
        return _wider(a, width)

    def sext(self, a: Term, width: int) -> Term:
        return z3.SignExt(width - a.size(), a) if width > a.size() else a

    def trunc(self, a: Term, width: int) -> Term:
        return z3.Extract(width - 1, 0, a)

    def pack(self, parts: Sequence[Term], width: int = 0) -> Term:
        return z3.Concat(list(reversed(parts))) if len(parts) > 1 else parts[0]

    def extract(self, a: Term, width: int, offset: int) -> Term:
        return z3.Extract(offset + width - 1, offset, a)

    def add_carry(self, a: Term, b: Term, c: Term) -> tuple[Term, Term]:
        n = a.size()
        total = z3.ZeroExt(1, a) + z3.ZeroExt(1, b) + z3.ZeroExt(n, c)
        return z3.Extract(n - 1, 0, total), z3.Extract(n, n, total)

    def sub_borrow(self, a: Term, b: Term, c: Term) -> tuple[Term, Term]:
        n = a.size()
        total = z3.ZeroExt(1, a) - z3.ZeroExt(1, b) - z3.ZeroExt(n, c)
        return z3.Extract(n - 1, 0, total), z3.Extract(n, n, total)
