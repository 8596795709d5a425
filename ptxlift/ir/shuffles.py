"""Which lane each lane reads in a shuffle whose distance and segments are known.

Comes in: a mode and the operands b and c of `shfl`. Goes out: 32 source lanes, and the lanes whose
source is in range. PTX manual, Data Movement and Conversion Instructions: shfl.sync.
"""

from __future__ import annotations

from functools import cache

from ptxlift.ir.attributes import ShuffleMode
from ptxlift.ir.core import Op, Value

LANES = 32


@cache
def shuffled(mode: ShuffleMode, b: int, c: int) -> tuple[tuple[int, ...], int]:
    """The lane that each reads (its own where the source is out of range), and a bit for each lane
    whose source is in range.
    """
    b, clamp, segment = b & 31, c & 31, c >> 8 & 31
    sources, inside = [], 0
    for lane in range(LANES):
        first = lane & segment
        last = first | clamp & ~segment
        match mode:
            case ShuffleMode.UP:
                source = lane - b
            case ShuffleMode.DOWN:
                source = lane + b
            case ShuffleMode.BFLY:
                source = lane ^ b
            case ShuffleMode.IDX:
                source = first | b & ~segment
        in_range = source >= last if mode is ShuffleMode.UP else source <= last
        sources.append(source if in_range else lane)
        inside |= in_range << lane
    return tuple(sources), inside


def shuffled_by(op: Op) -> tuple[tuple[int, ...], int] | None:
    """The same for a `shuffle` op; None if its b or c is not known."""
    b, c = (known(value) for value in op.operands[1:3])
    mode = op.attr("mode")
    if b is None or c is None or not isinstance(mode, ShuffleMode):
        return None
    return shuffled(mode, b & 31, c & 0x1F1F)


def known(value: Value) -> int | None:
    """The bits of a constant."""
    op = value.definition
    if not isinstance(op, Op) or op.opdef.name != "const":
        return None
    bits = op.attrs[1]
    assert isinstance(bits, int)
    return bits
