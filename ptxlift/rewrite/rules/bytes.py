"""Byte permutes whose selector is chosen by a register: the modes of `prmt`."""

from __future__ import annotations

from ptxlift.rewrite.pattern import Node, op
from ptxlift.rewrite.rule import rule
from ptxlift.semantics.algebra import Algebra, V


def _chosen(first: int, second: int, third: int, fourth: int) -> Node:
    """A selector by the low two bits of c."""
    odd = op("extract", "c:32", width=1, offset=0)
    low = op("select", odd, second, first)
    high = op("select", odd, fourth, third)
    return op("select", op("extract", "c:32", width=1, offset=1), high, low)


def _bytes_from(b: Algebra[V], x: V, y: V, c: V) -> V:
    """A funnel shift takes its amount modulo 32."""
    return b.fshr(y, x, b.shl(c, b.const(32, 3)))


def _replicated_byte(b: Algebra[V], x: V, y: V, c: V) -> V:
    turned = b.fshr(x, x, b.shl(c, b.const(32, 3)))
    return b.prmt(turned, turned, b.const(32, 0x0000))


def _replicated_half(b: Algebra[V], x: V, y: V, c: V) -> V:
    turned = b.fshr(x, x, b.shl(c, b.const(32, 4)))
    return b.prmt(turned, turned, b.const(32, 0x1010))


RULES = (
    rule(
        "prmt_forward",
        op("prmt", "x", "y", _chosen(0x3210, 0x4321, 0x5432, 0x6543)),
        _bytes_from,
        widths=(32,),
        cost=(14, 2),
        shown="fshr(y, x, c << 3)",
    ),
    rule(
        "prmt_replicate_byte",
        op("prmt", "x", "y", _chosen(0x0000, 0x1111, 0x2222, 0x3333)),
        _replicated_byte,
        widths=(32,),
        cost=(13, 3),
        shown="byte 0 of x rotated right by c << 3, in all bytes",
    ),
    rule(
        "prmt_replicate_half",
        op("prmt", "x", "y", _chosen(0x1010, 0x3232, 0x1010, 0x3232)),
        _replicated_half,
        widths=(32,),
        cost=(9, 3),
        shown="the low half of x rotated right by c << 4, in both halves",
    ),
)
