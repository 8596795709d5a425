"""Byte permutes whose selector is chosen by a register (the modes of `prmt`), and fields of wide
words.
"""

from __future__ import annotations

from ptxlift.rewrite.pattern import Known, Node, op
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


def _insert_in_word(b: Algebra[V], x: V, y: V, p: int, n: int) -> V:
    """The other word stays."""
    words = [b.extract(y, 32, 0), b.extract(y, 32, 32)]
    at = p // 32
    field = b.extract(x, 32, 0)
    words[at] = b.bfi(field, words[at], b.const(32, p % 32), b.const(32, n))
    return b.pack(words)


def _is_in_word(p: int, n: int, **_: object) -> bool:
    return 0 < n < 32 and p < 64 and p // 32 == (p + n - 1) // 32


RULES = (
    rule(
        "insert_in_word",
        op("bfi", "x", "y", Known("p"), Known("n")),
        _insert_in_word,
        when=_is_in_word,
        widths=(64,),
        cost=(4, 2),
        constants={"p": range(64), "n": range(1, 32)},
        shown="bfi of the word of y that the field lies in",
    ),
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
