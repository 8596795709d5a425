"""Lowerings of warp operations: vote, ballot, match, elect.

Comes in: ops that exchange values among the 32 lanes of a PTX warp. Goes out: AMDGPU lane
intrinsics. In a wave of 64 two warps run side by side; every operation stays in the own half.
"""

from __future__ import annotations

from ptxlift.ir.attributes import VoteMode
from ptxlift.ir.core import Op, Value
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.lanes import ballot, lane_id, wave_lane
from ptxlift.llvm.amdgpu.registry import lowers

_BPERMUTE = "i32 @llvm.amdgcn.ds.bpermute(i32, i32)"


def read_lane_of_warp(e: Emitter, value: str, lane: str) -> str:
    """The value in another lane of the own warp; 0 where that lane is inactive."""
    if e.context.is_packed:
        base = e.let(f"and i32 {wave_lane(e)}, 32")
        lane = e.let(f"or i32 {lane}, {base}")
    byte = e.let(f"shl i32 {lane}, 2")
    return e.let(e.call(_BPERMUTE, byte, value))


# ---- votes ----


@lowers("vote")
def _vote(e: Emitter, op: Op) -> None:
    predicate, mask = e.bits(op.operands[0]), e.bits(op.operands[1])
    result = op.results[0]
    match op.attr("mode"):
        case VoteMode.ANY:
            e.set_bits(result, f"icmp ne i32 {_lanes_where(e, predicate, mask)}, 0")
        case VoteMode.ALL:
            e.set_bits(result, f"icmp eq i32 {_lanes_where_not(e, predicate, mask)}, 0")
        case _:
            none = e.let(f"icmp eq i32 {_lanes_where(e, predicate, mask)}, 0")
            all_ = e.let(f"icmp eq i32 {_lanes_where_not(e, predicate, mask)}, 0")
            e.set_bits(result, f"or i1 {none}, {all_}")


def _lanes_where(e: Emitter, predicate: str, mask: str) -> str:
    """The active members for which the predicate holds."""
    return e.let(f"and i32 {ballot(e, predicate)}, {mask}")


def _lanes_where_not(e: Emitter, predicate: str, mask: str) -> str:
    return _lanes_where(e, e.let(f"xor i1 {predicate}, true"), mask)


def members_of(e: Emitter, mask: str) -> str:
    """The members that are still there; threads that have exited are not waited for."""
    return _lanes_where(e, "true", mask)


@lowers("ballot")
def _ballot(e: Emitter, op: Op) -> None:
    lanes = ballot(e, e.bits(op.operands[0]))
    e.set_bits(op.results[0], f"and i32 {lanes}, {e.bits(op.operands[1])}")


@lowers("active_mask")
def _active_mask(e: Emitter, op: Op) -> None:
    e.alias(op.results[0], ballot(e, "true"))


@lowers("elect")
def _elect(e: Emitter, op: Op) -> None:
    leader = first_lane(e, members_of(e, e.bits(op.operands[0])))
    e.alias(op.results[0], leader)
    e.set_bits(op.results[1], f"icmp eq i32 {lane_id(e)}, {leader}")


def first_lane(e: Emitter, lanes: str) -> str:
    """The lowest lane of a mask that is not empty."""
    return e.let(e.call("i32 @llvm.cttz.i32(i32, i1)", lanes, "true"))


# ---- match ----


@lowers("match_all")
def _match_all(e: Emitter, op: Op) -> None:
    value, mask = op.operands[0], e.bits(op.operands[1])
    leader = first_lane(e, members_of(e, mask))
    same = _equals_lane(e, value, leader)
    differing = _lanes_where_not(e, same, mask)
    e.set_bits(op.results[1], f"icmp eq i32 {differing}, 0")
    agreed = e.bits(op.results[1])
    e.set_bits(op.results[0], f"select i1 {agreed}, i32 {mask}, i32 0")


def _equals_lane(e: Emitter, value: Value, lane: str) -> str:
    """Whether the value is the one in another lane."""
    words = _words(e, value)
    equal = [e.let(f"icmp eq i32 {word}, {read_lane_of_warp(e, word, lane)}") for word in words]
    return equal[0] if len(equal) == 1 else e.let(f"and i1 {equal[0]}, {equal[1]}")


def _words(e: Emitter, value: Value) -> list[str]:
    """The value as 32-bit words."""
    text = e.bits(value)
    if value.width == 32:
        return [text]
    high = e.let(f"lshr i64 {text}, 32")
    return [e.let(f"trunc i64 {part} to i32") for part in (text, high)]


@lowers("match_any")
def _match_any(e: Emitter, op: Op) -> None:
    """Each round takes the first lane's value; lanes that have the same leave with its ballot."""
    value, mask = op.operands[0], e.bits(op.operands[1])
    t, text = f"i{value.width}", e.bits(value)
    loop, done = e.fresh("match"), e.fresh("matched")
    e.do(f"br label %{loop}")
    e.start_block(loop)
    first = e.let(e.call(f"{t} @llvm.amdgcn.readfirstlane.{t}({t})", text))
    same = e.let(f"icmp eq {t} {text}, {first}")
    lanes = ballot(e, same)
    e.do(f"br i1 {same}, label %{done}, label %{loop}")
    e.start_block(done)
    e.set_bits(op.results[0], f"and i32 {lanes}, {mask}")
