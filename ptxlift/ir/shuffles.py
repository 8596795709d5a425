"""Which lane each lane reads in a shuffle whose distance and segments are known.

Comes in: a mode and the operands b and c of `shfl`. Goes out: 32 source lanes, and the lanes whose
source is in range. PTX manual, Data Movement and Conversion Instructions: shfl.sync.
"""

from __future__ import annotations

from functools import cache

from ptxlift.ir.attributes import ShuffleMode
from ptxlift.ir.core import Op, Value
from ptxlift.ir.lane_values import LANES, low_bits

Moved = tuple[tuple[int, ...], int]


def shuffled(mode: ShuffleMode, b: int, c: int) -> Moved:
    """The lane that each reads (its own where the source is out of range), and a bit for each lane
    whose source is in range.
    """
    return _shuffled(mode, (b & 31,) * LANES, c & 0x1F1F)


@cache
def _shuffled(mode: ShuffleMode, distances: tuple[int, ...], c: int) -> Moved:
    clamp, segment = c & 31, c >> 8 & 31
    sources, inside = [], 0
    for lane, b in enumerate(distances):
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


def shuffled_by(op: Op, tid_is_lane: bool) -> Moved | None:
    """The same for a `shuffle` op; None if its c is not a constant, or its b not the same in every
    warp. `tid_is_lane`: %tid.x modulo 32 is the lane.
    """
    mode, c = op.attr("mode"), known(op.operands[2])
    if c is None or not isinstance(mode, ShuffleMode):
        return None
    distances = low_bits(op.operands[1], tid_is_lane)
    return None if distances is None else _shuffled(mode, distances, c & 0x1F1F)


def known(value: Value) -> int | None:
    """The bits of a constant."""
    op = value.definition
    if not isinstance(op, Op) or op.opdef.name != "const":
        return None
    bits = op.attrs[1]
    assert isinstance(bits, int)
    return bits
