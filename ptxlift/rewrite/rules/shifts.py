"""Shifts and funnel shifts by amounts that are not known.

A 32-bit shift takes its amount modulo 32, a 64-bit one modulo 64: where PTX clamps at 32, the
64-bit shift needs only the minimum.
"""

from __future__ import annotations

from ptxlift.ir.attributes import IntPredicate
from ptxlift.ir.core import Value
from ptxlift.rewrite.pattern import constant_of, once, op
from ptxlift.rewrite.rule import rule
from ptxlift.semantics.algebra import Algebra, V

_BEYOND = op("icmp", "c:32", 32, predicate=IntPredicate.UGE)


def _clamped(b: Algebra[V], c: V) -> V:
    return b.umin(c, b.const(32, 32))


def _left_clamped(b: Algebra[V], hi: V, lo: V, c: V) -> V:
    return b.extract(b.shl(b.pack([lo, hi]), _clamped(b, c)), 32, 32)


def _right_clamped(b: Algebra[V], hi: V, lo: V, c: V) -> V:
    return b.extract(b.lshr(b.pack([lo, hi]), _clamped(b, c)), 32, 0)


def _left_wrapped(b: Algebra[V], hi: V, lo: V, c: V) -> V:
    return b.extract(b.shl(b.pack([lo, hi]), b.and_(c, b.const(32, 31))), 32, 32)


def _shifted_clamped(b: Algebra[V], x: V, c: V) -> V:
    """The high word does not matter to the low one of a left shift."""
    return b.extract(b.shl(b.zext(x, 64), _clamped(b, c)), 32, 0)


def _is_unknown(x: Value, c: Value) -> bool:
    return constant_of(c) is None


def _is_no_rotate(hi: Value, lo: Value, c: Value) -> bool:
    """Rotates and known amounts are v_alignbit_b32."""
    return hi is not lo and constant_of(c) is None


# What `funnel_left_wrapped` makes of the funnel shift before the choice is looked at.
_LEFT_WRAPPED = op(
    "extract",
    op("shl", op("pack", "lo:32", "hi:32", width=64), op("and_", "c:32", 31)),
    width=32,
    offset=32,
)
RULES = (
    rule(
        "funnel_left_clamped",
        op("select", _BEYOND, "lo", op("fshl", "hi", "lo", "c")),
        _left_clamped,
        widths=(32,),
        cost=(6, 2),
        shown="high word of (hi:lo) << min(c, 32)",
    ),
    rule(
        "funnel_left_wide_clamped",
        op("select", _BEYOND, "lo", once(_LEFT_WRAPPED)),
        _left_clamped,
        widths=(32,),
        cost=(4, 2),
        shown="high word of (hi:lo) << min(c, 32)",
    ),
    rule(
        "funnel_right_clamped",
        op("select", _BEYOND, "hi", op("fshr", "hi", "lo", "c")),
        _right_clamped,
        widths=(32,),
        cost=(3, 2),
        shown="low word of (hi:lo) >> min(c, 32)",
    ),
    rule(
        "left_clamped",
        op("shl", "x", "c"),
        _shifted_clamped,
        when=_is_unknown,
        widths=(32,),
        cost=(3, 2),
        shown="low word of x << min(c, 32)",
    ),
    rule(
        "funnel_left_wrapped",
        op("fshl", "hi", "lo", "c"),
        _left_wrapped,
        when=_is_no_rotate,
        widths=(32,),
        cost=(4, 2),
        shown="high word of (hi:lo) << (c & 31)",
    ),
)
