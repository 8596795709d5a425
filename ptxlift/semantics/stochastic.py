"""Conversions from f32 that round by random bits: `cvt.rs`.

Comes in: an algebra, a form and operands. Goes out: the value that the PTX manual gives. The random
bits are added right below the last place that is kept, and what is below that place is cut off: a
number goes up as often as its distance to the lower neighbour says. The manual gives the bits of
`rbits` for each operand; it does not say where they stand when more bits are dropped than there
are random ones. They stand at the top of those here, also for subnormal results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ptxlift.ir.attributes import Format, IntPredicate
from ptxlift.isa import Form
from ptxlift.records import dataclass
from ptxlift.semantics.algebra import Algebra
from ptxlift.semantics.half import relu
from ptxlift.semantics.narrow import SMALL, types_of
from ptxlift.semantics.registry import semantics
from ptxlift.semantics.words import format_of

V = TypeVar("V")

_PLACES, _BIAS = 23, 127  # of f32
_INFINITY = 0x7F800000


@dataclass(frozen=True, slots=True)
class _Target:
    """What is rounded to; `random`: how many random bits an element has."""

    places: int
    bias: int
    random: int


def _rounded(algebra: Algebra[V], magnitude: V, noise: V, target: _Target) -> V:
    """|a| as the bits of the target, its exponent without an end; a is no NaN."""
    least = _BIAS + 1 - target.bias  # the f32 exponent of the smallest normal number
    field = algebra.lshr(magnitude, algebra.const(32, _PLACES))
    hidden = algebra.icmp(field, algebra.const(32, 0), IntPredicate.NE)
    fraction = algebra.and_(magnitude, algebra.const(32, (1 << _PLACES) - 1))
    top = algebra.shl(algebra.zext(hidden, 32), algebra.const(32, _PLACES))
    # Operands below the smallest normal number lose more places, f32's own subnormals no more
    # than its smallest exponent does.
    present = algebra.umax(field, algebra.const(32, 1))
    reached = algebra.umax(present, algebra.const(32, least))
    missing = algebra.sub(reached, present)
    spare = algebra.const(32, _PLACES - target.places - target.random)
    kept = algebra.lshr(algebra.or_(fraction, top), algebra.add(missing, spare))
    moved = algebra.lshr(algebra.add(kept, noise), algebra.const(32, target.random))
    exponent = algebra.sub(reached, algebra.const(32, least))
    return algebra.add(moved, algebra.shl(exponent, algebra.const(32, target.places)))


def _noise(algebra: Algebra[V], rbits: V, position: int, count: int) -> V:
    """Some of the random bits, in 32 bits."""
    moved = algebra.lshr(rbits, algebra.const(32, position))
    return algebra.and_(moved, algebra.const(32, (1 << count) - 1))


def _is_number(algebra: Algebra[V], magnitude: V) -> V:
    return algebra.icmp(magnitude, algebra.const(32, _INFINITY), IntPredicate.ULE)


@semantics("cvt_half_x2_rs")
def cvt_half_x2_rs(algebra: Algebra[V], form: Form, a: V, b: V, rbits: V) -> V:
    """Data Movement and Conversion Instructions: cvt.rs, two f32 to a pair. a is the upper half."""
    fmt = format_of(types_of(form)[0])
    random = min(_PLACES - fmt.mantissa_bits, 16)
    bias = (1 << (fmt.exponent_bits - 1)) - 1
    target = _Target(fmt.mantissa_bits, bias, random)
    limit = (((1 << fmt.exponent_bits) - 1) << fmt.mantissa_bits) - bool(form.get("satfinite"))
    halves = []
    for value, position in ((b, 0), (a, 16)):
        magnitude = algebra.fabs(value, Format.F32)
        noise = _noise(algebra, rbits, position, random)
        size = _rounded(algebra, magnitude, noise, target)
        size = algebra.umin(size, algebra.const(32, limit))
        sign = algebra.lshr(value, algebra.const(32, 31))
        signed = algebra.or_(size, algebra.shl(sign, algebra.const(32, 15)))
        number = _is_number(algebra, magnitude)
        half = algebra.select(number, signed, algebra.const(32, 0x7FFF))
        halves.append(relu(algebra, form, fmt, algebra.trunc(half, 16)))
    return algebra.pack(halves)


# Where the random bits of a, b, e and f begin, and how many each has. Operands of eight and six
# bits share theirs in pairs.
_SHARED = (16, 16, 0, 0), 16
_OF_FOUR_BITS = (24, 8, 16, 0), 8


@semantics("cvt_f8x4_rs", "cvt_f6x4_rs", "cvt_f4x4_rs")
def cvt_small_rs(algebra: Algebra[V], form: Form, values: Sequence[V], rbits: V) -> V:
    """Data Movement and Conversion Instructions: cvt.rs, four f32 to four small floats. The first
    is the uppermost. Of four-bit results the manual leaves open which byte of each half serves
    which operand of the pair: the upper half's serves the first.
    """
    kind = types_of(form)[0]
    small = SMALL[kind.element]
    positions, count = _OF_FOUR_BITS if small.bits == 4 else _SHARED
    target = _Target(small.mantissa_bits, small.bias, count)
    parts = [
        _encode(algebra, form, value, _noise(algebra, rbits, position, count), target)
        for value, position in zip(values, positions, strict=True)
    ]
    result = algebra.const(32, 0)
    for part in parts:
        result = algebra.or_(algebra.shl(result, algebra.const(32, small.width)), part)
    return result if kind.bits == 32 else algebra.trunc(result, kind.bits)


def _encode(algebra: Algebra[V], form: Form, a: V, noise: V, target: _Target) -> V:
    """One element, in 32 bits."""
    small = SMALL[types_of(form)[0].element]
    magnitude = algebra.fabs(a, Format.F32)
    size = _rounded(algebra, magnitude, noise, target)
    size = algebra.umin(size, algebra.const(32, small.largest))
    if form.get("relu"):
        negative = algebra.icmp(a, algebra.const(32, 0), IntPredicate.SLT)
        size = algebra.select(negative, algebra.const(32, 0), size)
    else:
        sign = algebra.lshr(a, algebra.const(32, 31))
        size = algebra.or_(size, algebra.shl(sign, algebra.const(32, small.bits - 1)))
    return algebra.select(_is_number(algebra, magnitude), size, algebra.const(32, small.nan))
