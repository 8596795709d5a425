"""Logic and shift instructions.

Comes in: an algebra, a form and operands; the truth table of `lop3` is a Python integer. Goes out:
the value that the PTX manual gives. It must know nothing of how values are represented.
"""

from __future__ import annotations

from typing import TypeVar

from ptxlift.ir.attributes import IntPredicate
from ptxlift.isa import Form
from ptxlift.semantics.algebra import Algebra
from ptxlift.semantics.registry import semantics

V = TypeVar("V")

# For each mode, the byte selectors for the four values of bits 1:0 of the control.
_PRMT_MODES = {
    "f4e": (0x3210, 0x4321, 0x5432, 0x6543),
    "b4e": (0x5670, 0x6701, 0x7012, 0x0123),
    "rc8": (0x0000, 0x1111, 0x2222, 0x3333),
    "ecl": (0x3210, 0x3211, 0x3222, 0x3333),
    "ecr": (0x0000, 0x1110, 0x2210, 0x3210),
    "rc16": (0x1010, 0x3232, 0x1010, 0x3232),
}


@semantics("and_bits", "and_pred")
def and_(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Logic and Shift Instructions: and."""
    return algebra.and_(a, b)


@semantics("or_bits", "or_pred")
def or_(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Logic and Shift Instructions: or."""
    return algebra.or_(a, b)


@semantics("xor_bits", "xor_pred")
def xor(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Logic and Shift Instructions: xor."""
    return algebra.xor(a, b)


@semantics("not_bits", "not_pred")
def not_(algebra: Algebra[V], form: Form, a: V) -> V:
    """Logic and Shift Instructions: not."""
    return algebra.not_(a)


@semantics("cnot")
def cnot(algebra: Algebra[V], form: Form, a: V) -> V:
    """Logic and Shift Instructions: cnot."""
    width = algebra.width(a)
    empty = algebra.icmp(a, algebra.const(width, 0), IntPredicate.EQ)
    return algebra.zext(empty, width)


@semantics("lop3")
def lop3(algebra: Algebra[V], form: Form, a: V, b: V, c: V, lut: int) -> V:
    """Logic and Shift Instructions: lop3."""
    return algebra.bitwise3(a, b, c, lut & 0xFF)


@semantics("lop3_pred")
def lop3_pred(algebra: Algebra[V], form: Form, a: V, b: V, c: V, lut: int, q: V) -> tuple[V, V]:
    """Logic and Shift Instructions: lop3 (.BoolOp)."""
    result = algebra.bitwise3(a, b, c, lut & 0xFF)
    some = algebra.icmp(result, algebra.const(32, 0), IntPredicate.NE)
    combine = algebra.or_ if form.get("BoolOp") == "or" else algebra.and_
    return result, combine(some, q)


@semantics("shf")
def shf(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Logic and Shift Instructions: shf. b is the upper word of b:a."""
    left = form.get("dir") == "l"
    shifted = algebra.fshl(b, a, c) if left else algebra.fshr(b, a, c)
    if form.get("mode") == "wrap":
        return shifted
    beyond = algebra.icmp(c, algebra.const(32, 32), IntPredicate.UGE)
    return algebra.select(beyond, a if left else b, shifted)


@semantics("shl")
def shl(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Logic and Shift Instructions: shl."""
    return algebra.shl(a, b)


@semantics("shr")
def shr(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Logic and Shift Instructions: shr."""
    return algebra.ashr(a, b) if form.type.is_signed else algebra.lshr(a, b)


@semantics("prmt")
def prmt(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Logic and Shift Instructions: prmt."""
    mode = form.get("mode")
    if not mode:
        return algebra.prmt(a, b, c)
    first, second, third, fourth = (algebra.const(32, bits) for bits in _PRMT_MODES[mode])
    odd = algebra.extract(c, 1, 0)
    upper = algebra.extract(c, 1, 1)
    low = algebra.select(odd, second, first)
    high = algebra.select(odd, fourth, third)
    return algebra.prmt(a, b, algebra.select(upper, high, low))
