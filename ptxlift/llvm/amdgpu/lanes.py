"""The lane of a thread and the half of a ballot that belongs to its warp.

Comes in: an emitter. Goes out: operand text. In a wave of 64, lanes 0..31 and 32..63 are two PTX
warps (or the upper half idles); nothing here ever mixes them.
"""

from __future__ import annotations

from ptxlift.llvm.amdgpu.context import Context
from ptxlift.llvm.forms import Forms

_UPPER = "-4294967296"  # lanes 32..63 as an i64 mask
_BELOW_32, _BELOW_64 = ", !range !4", ", !range !5"
_MBCNT = "i32 @llvm.amdgcn.mbcnt.{}(i32, i32)"


def wave_lane(e: Forms[Context]) -> str:
    """The lane in the wave; of a split wave only the lower half runs."""
    low = e.call(_MBCNT.format("lo"), "-1", "0")
    if not e.context.is_packed:
        return e.let(low + _BELOW_32)
    return e.let(e.call(_MBCNT.format("hi"), "-1", e.let(low)) + _BELOW_64)


def lane_id(e: Forms[Context]) -> str:
    """The lane in the warp, 0..31."""
    lane = wave_lane(e)
    return e.let(f"and i32 {lane}, 31") if e.context.is_packed else lane


def ballot(e: Forms[Context], predicate: str) -> str:
    """32 bits: the active lanes of the own warp where the predicate holds."""
    if not e.context.is_wave64:
        return e.let(e.call("i32 @llvm.amdgcn.ballot.i32(i1)", predicate))
    return own_half(e, e.let(e.call("i64 @llvm.amdgcn.ballot.i64(i1)", predicate)))


def own_half(e: Forms[Context], mask: str) -> str:
    """The own warp's 32 bits of a wave's 64."""
    low = e.let(f"trunc i64 {mask} to i32")
    if not e.context.is_packed:
        return low
    shifted = e.let(f"lshr i64 {mask}, 32")
    high = e.let(f"trunc i64 {shifted} to i32")
    upper = in_upper_half(e)
    return e.let(f"select i1 {upper}, i32 {high}, i32 {low}")


def in_upper_half(e: Forms[Context]) -> str:
    """Whether the lane is one of 32..63; a constant lane mask, no comparison."""
    return e.let(e.call("i1 @llvm.amdgcn.inverse.ballot.i64(i64)", _UPPER))
