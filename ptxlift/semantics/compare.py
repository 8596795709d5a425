"""Comparison and selection, of all types.

Comes in: an algebra, a form and operands. Goes out: the value that the PTX manual gives. It must
know nothing of how values are represented.
"""

from __future__ import annotations

from typing import TypeVar

from ptxlift.ir.attributes import FloatPredicate, Format, IntPredicate
from ptxlift.isa import Form, Type, type_of
from ptxlift.semantics.algebra import Algebra
from ptxlift.semantics.definitions import ones
from ptxlift.semantics.registry import semantics
from ptxlift.semantics.words import FLOAT_PREDICATES, FORMATS, integer_predicate

V = TypeVar("V")

# 1.0 in each format.
_ONE = {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80}


def _compare(algebra: Algebra[V], form: Form, kind: Type, a: V, b: V) -> V:
    """`a CmpOp b` for values of one element of the source type."""
    word = form.get("CmpOp")
    fmt = FORMATS.get(kind.element)
    if fmt is None:
        return algebra.icmp(a, b, integer_predicate(word, kind.is_signed))
    return algebra.fcmp(a, b, fmt, FLOAT_PREDICATES[word], bool(form.get("ftz")))


def _combine(algebra: Algebra[V], form: Form, t: V, c: V | None) -> V:
    """`t BoolOp c`, or t alone."""
    if c is None:
        return t
    word = form.get("BoolOp")
    if word == "and":
        return algebra.and_(t, c)
    return algebra.or_(t, c) if word == "or" else algebra.xor(t, c)


def _as_result(algebra: Algebra[V], kind: Type, truth: V) -> V:
    """All ones, or 1.0, for true; zero for false."""
    width = kind.bits // kind.lanes
    one = _ONE.get(kind.element)
    true = ones(algebra, width) if one is None else algebra.const(width, one)
    return algebra.select(truth, true, algebra.const(width, 0))


@semantics("set_int", "set_float", "set_half", "set_to_half")
def set_(algebra: Algebra[V], form: Form, a: V, b: V, c: V | None = None) -> V:
    """Comparison and Selection Instructions: set."""
    truth = _compare(algebra, form, type_of(form.get("stype")), a, b)
    return _as_result(algebra, type_of(form.get("dtype")), _combine(algebra, form, truth, c))


@semantics("setp_int", "setp_float", "setp_half")
def setp(algebra: Algebra[V], form: Form, a: V, b: V, c: V | None = None) -> tuple[V, V]:
    """Comparison and Selection Instructions: setp."""
    truth = _compare(algebra, form, type_of(form.get("stype")), a, b)
    opposite = _combine(algebra, form, algebra.not_(truth), c)
    return _combine(algebra, form, truth, c), opposite


def _by_halves(algebra: Algebra[V], form: Form, a: V, b: V, c: V | None) -> tuple[V, V]:
    kind = type_of(form.get("stype"))
    truths = []
    for offset in (0, 16):
        left, right = (algebra.extract(x, 16, offset) for x in (a, b))
        truth = _compare(algebra, form, kind, left, right)
        truths.append(_combine(algebra, form, truth, c))
    return truths[0], truths[1]


@semantics("set_half_x2")
def set_half_x2(algebra: Algebra[V], form: Form, a: V, b: V, c: V | None = None) -> V:
    """Half Precision Comparison Instructions: set (.f16x2, .bf16x2). A mask a half for .u32."""
    kind = type_of(form.get("dtype"))
    half = kind if kind.lanes == 2 else type_of("b16")
    low, high = _by_halves(algebra, form, a, b, c)
    return algebra.pack([_as_result(algebra, half, low), _as_result(algebra, half, high)])


@semantics("setp_half_x2")
def setp_half_x2(algebra: Algebra[V], form: Form, a: V, b: V, c: V | None = None) -> tuple[V, V]:
    """Half Precision Comparison Instructions: setp (.f16x2, .bf16x2). p: low half, q: high."""
    return _by_halves(algebra, form, a, b, c)


@semantics("selp")
def selp(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Comparison and Selection Instructions: selp."""
    return algebra.select(c, a, b)


@semantics("slct_int")
def slct_int(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Comparison and Selection Instructions: slct (.s32)."""
    first = algebra.icmp(c, algebra.const(32, 0), IntPredicate.SGE)
    return algebra.select(first, a, b)


@semantics("slct_f32")
def slct_f32(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Comparison and Selection Instructions: slct (.f32). -0 selects a, a NaN selects b."""
    zero = algebra.const(32, 0)
    ftz = bool(form.get("ftz"))
    first = algebra.fcmp(c, zero, Format.F32, FloatPredicate.OGE, ftz)
    return algebra.select(first, a, b)
