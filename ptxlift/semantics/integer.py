"""Integer arithmetic, with and without carry.

Comes in: an algebra, a form and operands. Goes out: the value that the PTX manual gives. It must
know nothing of how values are represented.
"""

from __future__ import annotations

from typing import TypeVar

from ptxlift.ir.attributes import IntPredicate
from ptxlift.isa import Form
from ptxlift.semantics.algebra import Algebra
from ptxlift.semantics.definitions import ones
from ptxlift.semantics.registry import semantics
from ptxlift.semantics.words import by_lanes

V = TypeVar("V")


def _is_signed(form: Form) -> bool:
    return form.type.element.startswith("s")


def _high(algebra: Algebra[V], signed: bool, a: V, b: V) -> V:
    return algebra.smulh(a, b) if signed else algebra.umulh(a, b)


def _product(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """The half of the product that `.lo` or `.hi` asks for."""
    if form.get("mode") == "hi":
        return _high(algebra, _is_signed(form), a, b)
    return algebra.mul(a, b)


def _wide(algebra: Algebra[V], form: Form, a: V) -> V:
    width = 2 * algebra.width(a)
    return algebra.sext(a, width) if _is_signed(form) else algebra.zext(a, width)


@semantics("add_int")
def add_int(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Integer Arithmetic Instructions: add."""
    return algebra.add(a, b)


@semantics("sub_int")
def sub_int(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Integer Arithmetic Instructions: sub."""
    return algebra.sub(a, b)


@semantics("add_int_x2")
def add_int_x2(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Integer Arithmetic Instructions: add (.u16x2, .s16x2)."""
    return by_lanes(algebra, form.type, algebra.add, a, b)


@semantics("add_sat")
def add_sat(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Integer Arithmetic Instructions: add (.sat)."""
    return algebra.sadd_sat(a, b)


@semantics("sub_sat")
def sub_sat(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Integer Arithmetic Instructions: sub (.sat)."""
    return algebra.ssub_sat(a, b)


@semantics("mul_int")
def mul_int(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Integer Arithmetic Instructions: mul."""
    return _product(algebra, form, a, b)


@semantics("mul_wide")
def mul_wide(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Integer Arithmetic Instructions: mul (.wide)."""
    return algebra.mul(_wide(algebra, form, a), _wide(algebra, form, b))


@semantics("mad_int")
def mad_int(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Integer Arithmetic Instructions: mad."""
    return algebra.add(_product(algebra, form, a, b), c)


@semantics("mad_wide")
def mad_wide(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Integer Arithmetic Instructions: mad (.wide)."""
    return algebra.add(mul_wide(algebra, form, a, b), c)


@semantics("mad_sat")
def mad_sat(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Integer Arithmetic Instructions: mad (.hi.sat.s32)."""
    return algebra.sadd_sat(_product(algebra, form, a, b), c)


def _product24(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """The 48-bit product of the low 24 bits: its lower or upper 32 bits."""
    extend = algebra.sext if _is_signed(form) else algebra.zext
    shift = algebra.ashr if _is_signed(form) else algebra.lshr
    eight = algebra.const(32, 8)
    left, right = (shift(algebra.shl(x, eight), eight) for x in (a, b))
    if form.get("mode") == "lo":
        return algebra.mul(left, right)
    product = algebra.mul(extend(left, 64), extend(right, 64))
    return algebra.extract(product, 32, 16)


@semantics("mul24")
def mul24(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Integer Arithmetic Instructions: mul24."""
    return _product24(algebra, form, a, b)


@semantics("mad24")
def mad24(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Integer Arithmetic Instructions: mad24."""
    return algebra.add(_product24(algebra, form, a, b), c)


@semantics("mad24_sat")
def mad24_sat(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Integer Arithmetic Instructions: mad24 (.hi.sat.s32)."""
    return algebra.sadd_sat(_product24(algebra, form, a, b), c)


@semantics("sad")
def sad(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Integer Arithmetic Instructions: sad."""
    return algebra.sad_s(a, b, c) if _is_signed(form) else algebra.sad_u(a, b, c)


@semantics("div_int")
def div_int(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Integer Arithmetic Instructions: div."""
    return algebra.sdiv(a, b) if _is_signed(form) else algebra.udiv(a, b)


@semantics("rem_int")
def rem_int(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Integer Arithmetic Instructions: rem."""
    return algebra.srem(a, b) if _is_signed(form) else algebra.urem(a, b)


@semantics("abs_int")
def abs_int(algebra: Algebra[V], form: Form, a: V) -> V:
    """Integer Arithmetic Instructions: abs."""
    zero = algebra.const(algebra.width(a), 0)
    return algebra.smax(a, algebra.sub(zero, a))


@semantics("neg_int")
def neg_int(algebra: Algebra[V], form: Form, a: V) -> V:
    """Integer Arithmetic Instructions: neg."""
    return algebra.sub(algebra.const(algebra.width(a), 0), a)


def _smallest(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    smaller = algebra.smin(a, b) if _is_signed(form) else algebra.umin(a, b)
    return _relu(algebra, form, smaller)


def _largest(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    larger = algebra.smax(a, b) if _is_signed(form) else algebra.umax(a, b)
    return _relu(algebra, form, larger)


def _relu(algebra: Algebra[V], form: Form, a: V) -> V:
    if not form.get("relu"):
        return a
    return algebra.smax(a, algebra.const(algebra.width(a), 0))


@semantics("min_int", "min_int_x2")
def min_int(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Integer Arithmetic Instructions: min."""

    def smallest(x: V, y: V) -> V:
        return _smallest(algebra, form, x, y)

    return by_lanes(algebra, form.type, smallest, a, b)


@semantics("max_int", "max_int_x2")
def max_int(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Integer Arithmetic Instructions: max."""

    def largest(x: V, y: V) -> V:
        return _largest(algebra, form, x, y)

    return by_lanes(algebra, form.type, largest, a, b)


@semantics("popc")
def popc(algebra: Algebra[V], form: Form, a: V) -> V:
    """Integer Arithmetic Instructions: popc."""
    return algebra.popcount(a)


@semantics("clz")
def clz(algebra: Algebra[V], form: Form, a: V) -> V:
    """Integer Arithmetic Instructions: clz."""
    return algebra.clz(a)


@semantics("bfind")
def bfind(algebra: Algebra[V], form: Form, a: V) -> V:
    """Integer Arithmetic Instructions: bfind."""
    return algebra.bfind(a, _is_signed(form), bool(form.get("shiftamt")))


def _nth_one(algebra: Algebra[V], a: V, n: V) -> V:
    """The position of the n-th one of a, counted from 0 at bit 0; all ones if there is none."""
    found = algebra.icmp(n, algebra.popcount(a), IntPredicate.ULT)
    position = algebra.const(32, 0)
    rest = a
    for step in (16, 8, 4, 2, 1):
        low = algebra.and_(rest, algebra.const(32, (1 << step) - 1))
        count = algebra.popcount(low)
        above = algebra.icmp(n, count, IntPredicate.UGE)
        zero = algebra.const(32, 0)
        n = algebra.sub(n, algebra.select(above, count, zero))
        shift = algebra.select(above, algebra.const(32, step), zero)
        rest = algebra.lshr(rest, shift)
        position = algebra.add(position, shift)
    return algebra.select(found, position, ones(algebra, 32))


@semantics("fns")
def fns(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Integer Arithmetic Instructions: fns. Backwards is forwards over the reversed mask."""
    zero, one, last = (algebra.const(32, bits) for bits in (0, 1, 31))
    negative = algebra.icmp(c, zero, IntPredicate.SLT)
    mask = algebra.select(negative, algebra.bitreverse(a), a)
    base = algebra.select(negative, algebra.sub(last, b), b)
    count = algebra.sub(algebra.smax(c, algebra.sub(zero, c)), one)
    above = algebra.and_(mask, algebra.shl(ones(algebra, 32), base))
    at = _nth_one(algebra, above, count)
    missing = algebra.icmp(at, ones(algebra, 32), IntPredicate.EQ)
    mirrored = algebra.select(missing, at, algebra.sub(last, at))
    found = algebra.select(negative, mirrored, at)
    here = algebra.and_(algebra.lshr(a, b), one)
    itself = algebra.select(algebra.icmp(here, one, IntPredicate.EQ), b, ones(algebra, 32))
    inside = algebra.icmp(b, last, IntPredicate.ULE)
    result = algebra.select(algebra.icmp(c, zero, IntPredicate.EQ), itself, found)
    result = algebra.select(inside, result, ones(algebra, 32))
    # The magnitude of the least offset overflows; ptxas gives 0 then.
    least = algebra.icmp(c, algebra.const(32, 1 << 31), IntPredicate.EQ)
    return algebra.select(least, zero, result)


@semantics("brev")
def brev(algebra: Algebra[V], form: Form, a: V) -> V:
    """Integer Arithmetic Instructions: brev."""
    return algebra.bitreverse(a)


@semantics("bfe")
def bfe(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Integer Arithmetic Instructions: bfe."""
    return algebra.bfe_s(a, b, c) if _is_signed(form) else algebra.bfe_u(a, b, c)


@semantics("bfi")
def bfi(algebra: Algebra[V], form: Form, a: V, b: V, c: V, d: V) -> V:
    """Integer Arithmetic Instructions: bfi."""
    return algebra.bfi(a, b, c, d)


def _limited(algebra: Algebra[V], form: Form, amount: V) -> V:
    """`.clamp` keeps an amount of 32 or more apart, `.wrap` takes it modulo 32."""
    if form.get("mode") == "wrap":
        return algebra.and_(amount, algebra.const(32, 31))
    return algebra.umin(amount, algebra.const(32, 32))


@semantics("szext")
def szext(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Integer Arithmetic Instructions: szext."""
    unused = algebra.sub(algebra.const(32, 32), _limited(algebra, form, b))
    upper = algebra.shl(a, unused)
    return algebra.ashr(upper, unused) if _is_signed(form) else algebra.lshr(upper, unused)


@semantics("bmsk")
def bmsk(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Integer Arithmetic Instructions: bmsk."""
    length = algebra.shl(ones(algebra, 32), _limited(algebra, form, b))
    return algebra.shl(algebra.not_(length), _limited(algebra, form, a))


@semantics("dp4a")
def dp4a(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Integer Arithmetic Instructions: dp4a."""
    a_signed, b_signed = (form.get(key) == "s32" for key in ("atype", "btype"))
    return algebra.dp4a(a, b, c, a_signed, b_signed)


@semantics("dp2a")
def dp2a(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Integer Arithmetic Instructions: dp2a."""
    a_signed, b_signed = (form.get(key) == "s32" for key in ("atype", "btype"))
    return algebra.dp2a(a, b, c, a_signed, b_signed, form.get("mode") == "hi")


@semantics("add_cc")
def add_cc(algebra: Algebra[V], form: Form, a: V, b: V) -> tuple[V, V]:
    """Extended-Precision Integer Arithmetic Instructions: add.cc."""
    return algebra.add_carry(a, b, algebra.const(1, 0))


@semantics("addc")
def addc(algebra: Algebra[V], form: Form, a: V, b: V, carry: V) -> tuple[V, V]:
    """Extended-Precision Integer Arithmetic Instructions: addc. Without .cc the flag stays."""
    total, out = algebra.add_carry(a, b, carry)
    return total, out if form.get("cc") else carry


@semantics("sub_cc")
def sub_cc(algebra: Algebra[V], form: Form, a: V, b: V) -> tuple[V, V]:
    """Extended-Precision Integer Arithmetic Instructions: sub.cc."""
    return algebra.sub_borrow(a, b, algebra.const(1, 0))


@semantics("subc")
def subc(algebra: Algebra[V], form: Form, a: V, b: V, borrow: V) -> tuple[V, V]:
    """Extended-Precision Integer Arithmetic Instructions: subc."""
    difference, out = algebra.sub_borrow(a, b, borrow)
    return difference, out if form.get("cc") else borrow


@semantics("mad_cc")
def mad_cc(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> tuple[V, V]:
    """Extended-Precision Integer Arithmetic Instructions: mad.cc."""
    return algebra.add_carry(_product(algebra, form, a, b), c, algebra.const(1, 0))


@semantics("madc")
def madc(algebra: Algebra[V], form: Form, a: V, b: V, c: V, carry: V) -> tuple[V, V]:
    """Extended-Precision Integer Arithmetic Instructions: madc."""
    total, out = algebra.add_carry(_product(algebra, form, a, b), c, carry)
    return total, out if form.get("cc") else carry
