"""Integer arithmetic that a chip has in another form."""

from __future__ import annotations

from ptxlift.rewrite.pattern import Node, once, op
from ptxlift.rewrite.rule import rule
from ptxlift.semantics.algebra import Algebra, V

_SIGN = 1 << 31


def _by_unsigned(b: Algebra[V], x: V, y: V, z: V) -> V:
    """Flipped signs keep the order, and the distance."""
    sign = b.const(32, _SIGN)
    return b.sad_u(b.xor(x, sign), b.xor(y, sign), z)


def _distance_of_bytes(offset: int) -> Node:
    left, right = (
        op("zext", op("extract", name, width=8, offset=offset), width=32)
        for name in ("x:32", "y:32")
    )
    return op("sub", op("smax", left, right), op("smin", left, right))


def _sum_of_distances() -> Node:
    total: Node | str = "z"
    for offset in (0, 8, 16, 24):
        total = op("add", total, once(_distance_of_bytes(offset)))
    assert isinstance(total, Node)
    return total


RULES = (
    rule(
        "distances_of_bytes",
        _sum_of_distances(),
        lambda b, x, y, z: b.sad_bytes(x, y, z),
        widths=(32,),
        cost=(14, 1),
        shown="sad_bytes(x, y, z)",
    ),
    rule(
        "sad_signed_by_unsigned",
        op("sad_s", "x", "y", "z"),
        _by_unsigned,
        widths=(32,),
        cost=(4, 3),
        shown="sad_u(x ^ 2^31, y ^ 2^31, z)",
    ),
)
