"""Conversions.

Comes in: an algebra, a form and operands. Goes out: the value that the PTX manual gives, as wide as
the destination type. It must know nothing of how values are represented.
"""

from __future__ import annotations

from typing import TypeVar

from ptxlift.ir.attributes import FloatPredicate, Format, IntPredicate, Rounding
from ptxlift.isa import Form, Type, type_of
from ptxlift.semantics.algebra import Algebra
from ptxlift.semantics.floating import flushed, saturated
from ptxlift.semantics.half import relu
from ptxlift.semantics.registry import semantics
from ptxlift.semantics.words import format_of, rounding_of

V = TypeVar("V")


def _types(form: Form) -> tuple[Type, Type]:
    return type_of(form.get("dtype")), type_of(form.get("atype"))


def _resize(algebra: Algebra[V], a: V, width: int, signed: bool) -> V:
    have = algebra.width(a)
    if have == width:
        return a
    if have > width:
        return algebra.trunc(a, width)
    return algebra.sext(a, width) if signed else algebra.zext(a, width)


def _limits(kind: Type) -> tuple[int, int]:
    if kind.is_signed:
        return -(1 << (kind.bits - 1)), (1 << (kind.bits - 1)) - 1
    return 0, (1 << kind.bits) - 1


def clamp_integer(algebra: Algebra[V], a: V, source: Type, target: Type) -> V:
    """A value of type `source` limited to what `target` can hold; as wide as before."""
    width = algebra.width(a)
    low, high = _limits(target)
    least, most = _limits(source)
    mask = (1 << width) - 1
    if low > least:
        limit = algebra.const(width, low & mask)
        a = algebra.smax(a, limit)
    if high < most:
        limit = algebra.const(width, high & mask)
        a = algebra.smin(a, limit) if source.is_signed else algebra.umin(a, limit)
    return a


@semantics("cvt_int")
def cvt_int(algebra: Algebra[V], form: Form, a: V) -> V:
    """Data Movement and Conversion Instructions: cvt, integer to integer."""
    target, source = _types(form)
    if form.get("sat"):
        a = clamp_integer(algebra, a, source, target)
    return _resize(algebra, a, target.bits, source.is_signed)


@semantics("cvt_int_float")
def cvt_int_float(algebra: Algebra[V], form: Form, a: V) -> V:
    """Data Movement and Conversion Instructions: cvt, integer to float. No result is subnormal."""
    target, source = _types(form)
    fmt = format_of(target)
    value = algebra.int_to_float(a, source.is_signed, fmt, rounding_of(form))
    return saturated(algebra, form, fmt, value)


@semantics("cvt_float_int")
def cvt_float_int(algebra: Algebra[V], form: Form, a: V) -> V:
    """Data Movement and Conversion Instructions: cvt, float to integer.

    Out of range clamps with or without `.sat`. A NaN gives 0, but for .f64 sources and 64-bit
    results the msb alone.
    """
    target, source = _types(form)
    fmt = format_of(source)
    ftz = bool(form.get("ftz"))
    value = algebra.float_to_int(a, fmt, target.bits, target.is_signed, rounding_of(form), ftz)
    if fmt is not Format.F64 or target.bits == 64:
        return value
    invalid = algebra.fcmp(a, a, fmt, FloatPredicate.UNO, False)
    msb = algebra.const(target.bits, 1 << (target.bits - 1))
    return algebra.select(invalid, msb, value)


@semantics("cvt_float_integral")
def cvt_float_integral(algebra: Algebra[V], form: Form, a: V) -> V:
    """Data Movement and Conversion Instructions: cvt, float to a whole number in the same type."""
    fmt = format_of(_types(form)[0])
    if form.get("rnd"):
        a = algebra.fround(a, fmt, rounding_of(form), bool(form.get("ftz")))
    else:
        a = flushed(algebra, form, fmt, a)
    return saturated(algebra, form, fmt, a)


def _finite(algebra: Algebra[V], form: Form, fmt: Format, a: V) -> V:
    """Infinities become the largest finite value of their sign where the form says so."""
    if not form.get("satfinite"):
        return a
    infinity = ((1 << fmt.exponent_bits) - 1) << fmt.mantissa_bits
    magnitude = algebra.fabs(a, fmt)
    infinite = algebra.icmp(magnitude, algebra.const(fmt.bits, infinity), IntPredicate.EQ)
    # One bit pattern below the infinity, for either sign.
    return algebra.select(infinite, algebra.sub(a, algebra.const(fmt.bits, 1)), a)


def _narrow(algebra: Algebra[V], form: Form, a: V, source: Format, fmt: Format) -> V:
    value = algebra.fconvert(a, source, fmt, rounding_of(form), bool(form.get("ftz")))
    return relu(algebra, form, fmt, _finite(algebra, form, fmt, value))


@semantics("cvt_float")
def cvt_float(algebra: Algebra[V], form: Form, a: V) -> V:
    """Data Movement and Conversion Instructions: cvt, float to float."""
    target, source = (format_of(kind) for kind in _types(form))
    return saturated(algebra, form, target, _narrow(algebra, form, a, source, target))


@semantics("cvt_half_x2")
def cvt_half_x2(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Data Movement and Conversion Instructions: cvt, two f32 to a pair. a is the upper half."""
    fmt = format_of(_types(form)[0])
    low, high = (_narrow(algebra, form, x, Format.F32, fmt) for x in (b, a))
    return algebra.pack([low, high])


_TF32_KEPT = 0xFFFFE000
_INFINITY = 0x7F800000


@semantics("cvt_tf32")
def cvt_tf32(algebra: Algebra[V], form: Form, a: V) -> V:
    """Data Movement and Conversion Instructions: cvt, f32 to tf32: the upper 19 bits."""
    if rounding_of(form) is Rounding.RNA:
        return _tf32_away(algebra, form, a)
    fmt = Format.F32
    magnitude = algebra.fabs(a, fmt)
    rounded = algebra.add(magnitude, _tf32_increment(algebra, form, magnitude))
    kept = algebra.and_(rounded, algebra.const(32, _TF32_KEPT))
    infinity = algebra.const(32, _INFINITY)
    kept = algebra.umin(kept, infinity)
    if form.get("satfinite"):
        kept = algebra.umin(kept, algebra.const(32, _INFINITY + _TF32_KEPT & 0xFFFFFFFF))
    number = algebra.icmp(magnitude, infinity, IntPredicate.ULE)
    sign = algebra.and_(a, algebra.const(32, 1 << 31))
    value = algebra.select(number, algebra.or_(sign, kept), algebra.const(32, 0x7FFFFFFF))
    return relu(algebra, form, fmt, value)


def _tf32_away(algebra: Algebra[V], form: Form, a: V) -> V:
    """Ties away from zero, as ptxas writes it: finite values get half a place more, then all are
    cut; infinities and NaNs step down one place with `.satfinite`.
    """
    infinity = algebra.const(32, _INFINITY)
    finite = algebra.icmp(algebra.fabs(a, Format.F32), infinity, IntPredicate.ULT)
    half = algebra.select(finite, algebra.const(32, 1 << 12), algebra.const(32, 0))
    kept = algebra.and_(algebra.add(a, half), algebra.const(32, _TF32_KEPT))
    if not form.get("satfinite"):
        return kept
    inside = algebra.icmp(algebra.fabs(kept, Format.F32), infinity, IntPredicate.ULT)
    return algebra.select(inside, kept, algebra.sub(kept, algebra.const(32, 1 << 13)))


def _tf32_increment(algebra: Algebra[V], form: Form, magnitude: V) -> V:
    """What added to the bits rounds them when the low 13 are cut off."""
    if rounding_of(form) is Rounding.RZ:
        return algebra.const(32, 0)
    odd = algebra.extract(magnitude, 1, 13)
    half = algebra.const(32, 1 << 12)
    return algebra.select(odd, half, algebra.const(32, (1 << 12) - 1))


@semantics("cvt_pack")
def cvt_pack(algebra: Algebra[V], form: Form, a: V, b: V, c: V | None = None) -> V:
    """Data Movement and Conversion Instructions: cvt.pack. c moves up, a and b come below it."""
    target, source = _types(form)
    mask = algebra.const(32, (1 << target.bits) - 1)
    shift = algebra.const(32, target.bits)
    high, low = (algebra.and_(clamp_integer(algebra, x, source, target), mask) for x in (a, b))
    pair = algebra.or_(algebra.shl(high, shift), low)
    if c is None:
        return pair
    return algebra.or_(algebra.shl(c, algebra.const(32, 2 * target.bits)), pair)
