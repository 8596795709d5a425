"""Integer arithmetic that a chip has in another form."""

from __future__ import annotations

from ptxlift.rewrite.pattern import op
from ptxlift.rewrite.rule import rule
from ptxlift.semantics.algebra import Algebra, V

_SIGN = 1 << 31


def _by_unsigned(b: Algebra[V], x: V, y: V, z: V) -> V:
    """Flipped signs keep the order, and the distance."""
    sign = b.const(32, _SIGN)
    return b.sad_u(b.xor(x, sign), b.xor(y, sign), z)


RULES = (
    rule(
        "sad_signed_by_unsigned",
        op("sad_s", "x", "y", "z"),
        _by_unsigned,
        widths=(32,),
        cost=(4, 3),
        shown="sad_u(x ^ 2^31, y ^ 2^31, z)",
    ),
)
