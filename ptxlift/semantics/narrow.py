"""Conversions from and to floats of eight bits and fewer.

Comes in: an algebra, a form and operands. Goes out: the value that the PTX manual gives. Numbers
are rounded on the bits of f32; below the smallest normal number an addition of f32 rounds. It must
know nothing of how values are represented.
"""

from __future__ import annotations

from typing import TypeVar

from ptxlift.ir.attributes import Format, IntPredicate, Rounding
from ptxlift.isa import Form, Type, type_of
from ptxlift.records import dataclass
from ptxlift.semantics.algebra import Algebra
from ptxlift.semantics.half import relu
from ptxlift.semantics.registry import semantics
from ptxlift.semantics.words import format_of

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Small:
    """A small format. `nan`: what a NaN becomes; formats without one give their largest number."""

    bits: int
    mantissa_bits: int
    bias: int
    largest: int
    nan: int
    has_nan: bool

    @property
    def width(self) -> int:
        """Bits of one element in a pair."""
        return 4 if self.bits == 4 else 8


SMALL = {
    "e4m3": Small(8, 3, 7, 0x7E, 0x7F, True),
    "e5m2": Small(8, 2, 15, 0x7B, 0x7F, True),
    "e2m3": Small(6, 3, 1, 0x1F, 0x1F, False),
    "e3m2": Small(6, 2, 3, 0x1F, 0x1F, False),
    "e2m1": Small(4, 1, 1, 0x7, 0x7, False),
}
_INFINITY = 0x7F800000
_F32_BIAS = 127
_F16_BIAS = 15


def types_of(form: Form) -> tuple[Type, Type]:
    return type_of(form.get("dtype")), type_of(form.get("atype"))


def _magnitude(algebra: Algebra[V], a: V, small: Small) -> V:
    """|a| to nearest, clamped to the largest number; a is no NaN."""
    places, shift = small.mantissa_bits, 23 - small.mantissa_bits
    least = 1 - small.bias  # exponent of the smallest normal number
    # Normal numbers: half of the last place minus one, plus its evenness, carries upward.
    odd = algebra.zext(algebra.extract(a, 1, shift), 32)
    half = algebra.add(odd, algebra.const(32, (1 << (shift - 1)) - 1))
    rounded = algebra.lshr(algebra.add(a, half), algebra.const(32, shift))
    rebias = algebra.const(32, (_F32_BIAS - small.bias) << places)
    normal = algebra.sub(rounded, rebias)
    # Subnormal ones: a number whose last place is theirs is added, and rounds.
    anchor = algebra.const(32, (least - places + 23 + _F32_BIAS) << 23)
    total = algebra.fadd(a, anchor, Format.F32, Rounding.RN, False)
    subnormal = algebra.sub(total, anchor)
    smallest = algebra.const(32, (least + _F32_BIAS) << 23)
    tiny = algebra.icmp(a, smallest, IntPredicate.ULT)
    value = algebra.select(tiny, subnormal, normal)
    return algebra.umin(value, algebra.const(32, small.largest))


def _encode(algebra: Algebra[V], form: Form, a: V, small: Small) -> V:
    """An f32 as the bits of a small format, in 32 bits."""
    magnitude = algebra.fabs(a, Format.F32)
    number = algebra.icmp(magnitude, algebra.const(32, _INFINITY), IntPredicate.ULE)
    sign = algebra.lshr(a, algebra.const(32, 31))
    value = _magnitude(algebra, magnitude, small)
    if form.get("relu"):
        negative = algebra.icmp(a, algebra.const(32, 0), IntPredicate.SLT)
        value = algebra.select(negative, algebra.const(32, 0), value)
    else:
        place = algebra.const(32, small.bits - 1)
        value = algebra.or_(value, algebra.shl(sign, place))
    return algebra.select(number, value, algebra.const(32, small.nan))


def _encode_pair(algebra: Algebra[V], form: Form, high: V, low: V) -> V:
    target = types_of(form)[0]
    small = SMALL[target.element]
    upper, lower = (_encode(algebra, form, x, small) for x in (high, low))
    pair = algebra.or_(algebra.shl(upper, algebra.const(32, small.width)), lower)
    return algebra.trunc(pair, target.bits)


@semantics("cvt_f8x2", "cvt_f6x2", "cvt_f4x2")
def cvt_small(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Data Movement and Conversion Instructions: cvt, two f32 to a pair. a is the upper one."""
    return _encode_pair(algebra, form, a, b)


@semantics("cvt_f8x2_half")
def cvt_small_from_half(algebra: Algebra[V], form: Form, a: V) -> V:
    """Data Movement and Conversion Instructions: cvt, f16x2 to a pair."""
    low, high = (
        algebra.fconvert(algebra.extract(a, 16, offset), Format.F16, Format.F32, Rounding.RN, False)
        for offset in (0, 16)
    )
    return _encode_pair(algebra, form, high, low)


def _decode(algebra: Algebra[V], a: V, small: Small) -> V:
    """The bits of a small number, in 16 bits, as an f16; exact.

    Its exponent is read with the bias of f16, then the difference of the biases is multiplied in.
    """
    magnitude = algebra.and_(a, algebra.const(16, (1 << (small.bits - 1)) - 1))
    shifted = algebra.shl(magnitude, algebra.const(32, 10 - small.mantissa_bits))
    scale = algebra.const(16, (2 * _F16_BIAS - small.bias) << 10)
    value = shifted
    if small.bias != _F16_BIAS:
        value = algebra.fmul(shifted, scale, Format.F16, Rounding.RN, False)
    sign = algebra.and_(a, algebra.const(16, 1 << (small.bits - 1)))
    sign = algebra.shl(sign, algebra.const(32, 16 - small.bits))
    value = algebra.or_(value, sign)
    if not small.has_nan:
        return value
    most = 0x7C if small.bias == _F16_BIAS else small.largest
    number = algebra.icmp(magnitude, algebra.const(16, most), IntPredicate.ULE)
    return algebra.select(number, value, algebra.const(16, 0x7FFF))


@semantics("cvt_f8x2_to_half", "cvt_f6x2_to_half", "cvt_f4x2_to_half")
def cvt_small_to_half(algebra: Algebra[V], form: Form, a: V) -> V:
    """Data Movement and Conversion Instructions: cvt, a pair to f16x2."""
    small = SMALL[types_of(form)[1].element]
    wide = a if algebra.width(a) == 16 else algebra.zext(a, 16)
    mask = algebra.const(16, (1 << small.bits) - 1)
    halves = []
    for place in (0, small.width):
        part = algebra.and_(algebra.lshr(wide, algebra.const(32, place)), mask)
        halves.append(relu(algebra, form, Format.F16, _decode(algebra, part, small)))
    return algebra.pack(halves)


# ---- powers of two ----

_SCALE_NAN = 0xFF


def _to_scale(algebra: Algebra[V], form: Form, a: V) -> V:
    """The exponent of |a| as ue8m0, in 32 bits; rounded down, or up with `.rp`."""
    magnitude = algebra.fabs(a, Format.F32)
    exponent = algebra.lshr(magnitude, algebra.const(32, 23))
    if form.get("rnd") == "rp":
        fraction = algebra.and_(magnitude, algebra.const(32, (1 << 23) - 1))
        # A subnormal stands for 2^-127 up to the middle of the range.
        none = algebra.icmp(exponent, algebra.const(32, 0), IntPredicate.EQ)
        least = algebra.select(none, algebra.const(32, 1 << 22), algebra.const(32, 0))
        up = algebra.icmp(fraction, least, IntPredicate.UGT)
        exponent = algebra.add(exponent, algebra.zext(up, 32))
    limit = 0xFE if form.get("satfinite") else _SCALE_NAN
    exponent = algebra.umin(exponent, algebra.const(32, limit))
    number = algebra.icmp(magnitude, algebra.const(32, _INFINITY), IntPredicate.ULE)
    return algebra.select(number, exponent, algebra.const(32, _SCALE_NAN))


def _scale_pair(algebra: Algebra[V], form: Form, high: V, low: V) -> V:
    upper, lower = (_to_scale(algebra, form, x) for x in (high, low))
    return algebra.trunc(algebra.or_(algebra.shl(upper, algebra.const(32, 8)), lower), 16)


@semantics("cvt_ue8m0x2")
def cvt_scale(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Data Movement and Conversion Instructions: cvt, two f32 to ue8m0x2."""
    return _scale_pair(algebra, form, a, b)


@semantics("cvt_ue8m0x2_half")
def cvt_scale_from_half(algebra: Algebra[V], form: Form, a: V) -> V:
    """Data Movement and Conversion Instructions: cvt, bf16x2 to ue8m0x2."""
    fmt = format_of(types_of(form)[1])
    low, high = (
        algebra.fconvert(algebra.extract(a, 16, offset), fmt, Format.F32, Rounding.RN, False)
        for offset in (0, 16)
    )
    return _scale_pair(algebra, form, high, low)


@semantics("cvt_ue8m0x2_to_half")
def cvt_scale_to_half(algebra: Algebra[V], form: Form, a: V) -> V:
    """Data Movement and Conversion Instructions: cvt, ue8m0x2 to bf16x2. 0 is 2^-127."""
    halves = []
    for offset in (0, 8):
        byte = algebra.zext(algebra.extract(a, 8, offset), 16)
        value = algebra.shl(byte, algebra.const(32, 7))
        least = algebra.icmp(byte, algebra.const(16, 0), IntPredicate.EQ)
        value = algebra.select(least, algebra.const(16, 0x0040), value)
        invalid = algebra.icmp(byte, algebra.const(16, _SCALE_NAN), IntPredicate.EQ)
        halves.append(algebra.select(invalid, algebra.const(16, 0x7FFF), value))
    return algebra.pack(halves)
