"""Reductions and scans over the lanes of a warp: redux.sync, and chains of shuffles of integers.

Comes in: a value a lane. Goes out: the same result in every lane, and where a wave is one warp it
ends in a scalar register; for scans what the lanes up to the own one give. Rows of 16 lanes are
done by operands that other lanes provide (DPP); what then goes between the rows depends on what the
chip has.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Number, ReduceOp
from ptxlift.ir.core import Op
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.permute import DPP, move, way
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.llvm.amdgpu.warp import first_lane, members_of, read_lane_of_warp
from ptxlift.target import Feature
from ptxlift.target.lane_steps import Program, Step
from ptxlift.target.permutes import ROW, Unit

_UNSIGNED = {ReduceOp.MIN: "umin", ReduceOp.MAX: "umax"}
_SIGNED = {ReduceOp.MIN: "smin", ReduceOp.MAX: "smax"}
_PLAIN = {ReduceOp.ADD: "add", ReduceOp.AND: "and", ReduceOp.OR: "or", ReduceOp.XOR: "xor"}
_ROW_SHR, _ROW_ROR, _ROW_BCAST_15, _OWN = 0x110, 0x120, 0x142, 0xE4  # dpp_ctrl
_ODD_ROWS = 0b1010
_ALL_LAST = 0xFFFFFFFFFFFFFFFF  # v_permlane16: lane 15 of the row, for all
_LAST = 31


@lowers("reduce_warp")
def _reduce_warp(e: Emitter, op: Op) -> None:
    e.alias(op.results[0], reduce_whole(e, op, e.bits(op.operands[0])))


@lowers("scan_warp")
def _scan_warp(e: Emitter, op: Op) -> None:
    """Lanes without one below in their row add zero: DPP gives that where there is no source."""
    value, width = e.bits(op.operands[0]), op.attr("width")
    for distance in (1, 2, 4, 8):
        value = combine(e, op, value, _by(e, value, Step(Unit.DPP, _ROW_SHR | distance)))
    if width == ROW:
        e.alias(op.results[0], value)
        return
    below, control = value, _ROW_BCAST_15
    if not e.context.has(Feature.DPP_ROW_BCAST):
        below, control = _by(e, value, Step(Unit.OTHER_ROWS, _ALL_LAST)), _OWN
    first = e.let(e.call(DPP, "0", below, str(control), str(_ODD_ROWS), "15", "false"))
    e.alias(op.results[0], combine(e, op, value, first))


def combine(e: Emitter, op: Op, a: str, b: str) -> str:
    """Two values into one, as the op's kind says."""
    kind, number = op.attr("op"), op.attr("number")
    assert isinstance(kind, ReduceOp)
    if kind in _PLAIN:
        return e.let(f"{_PLAIN[kind]} i32 {a}, {b}")
    name = (_SIGNED if number is Number.SIGNED else _UNSIGNED)[kind]
    return e.let(e.call(f"i32 @llvm.{name}.i32(i32, i32)", a, b))


def reduce_whole(e: Emitter, op: Op, value: str) -> str:
    """The reduction over the 32 lanes of a warp, all of which are there."""
    for distance in (8, 4, 2, 1):
        value = combine(e, op, value, _by(e, value, Step(Unit.DPP, _ROW_ROR | distance)))
    if not e.context.is_packed:
        rows = [_by(e, value, Step(Unit.SCALAR, lane)) for lane in (0, ROW)]
        return combine(e, op, *rows)
    if e.context.has(Feature.PERMLANE16_SWAP):
        rows = [_by(e, value, Step(unit, ROW)) for unit in (Unit.LOWER, Unit.UPPER)]
        return combine(e, op, *rows)
    if e.context.has(Feature.DPP_ROW_BCAST):
        total = combine(e, op, value, _by(e, value, Step(Unit.DPP, _ROW_BCAST_15)))
        return _by(e, total, Step(Unit.SCALARS, _LAST))
    other = way(e.context, tuple(lane ^ ROW for lane in range(2 * ROW)), all_active=True)
    assert other is not None, "a chip has one of these"
    return combine(e, op, value, move(e, value, other, all_active=True))


def _by(e: Emitter, value: str, step: Step) -> str:
    return move(e, value, Program((step,), 1), all_active=True)


@lowers("reduce")
def _reduce(e: Emitter, op: Op) -> None:
    """All lanes at once where all 32 take part, else one member after the other."""
    if op.attr("number") not in (Number.BITS, Number.UNSIGNED, Number.SIGNED):
        raise e.error(op, "PTX201", "redux.sync of floating-point values is not translated")
    value, mask = e.bits(op.operands[0]), e.bits(op.operands[1])
    members = members_of(e, mask)
    whole, some, done = e.fresh("whole"), e.fresh("some"), e.fresh("reduced")
    full = e.let(f"icmp eq i32 {members}, -1")
    e.do(f"br i1 {full}, label %{whole}, label %{some}")
    e.start_block(whole)
    all_lanes = reduce_whole(e, op, value)
    e.do(f"br label %{done}")
    e.start_block(some)
    one_by_one, last = _one_by_one(e, op, value, members)
    e.do(f"br label %{done}")
    e.start_block(done)
    e.set_bits(op.results[0], f"phi i32 [ {all_lanes}, %{whole} ], [ {one_by_one}, %{last} ]")


def _one_by_one(e: Emitter, op: Op, value: str, members: str) -> tuple[str, str]:
    """The reduction over the members in a loop, and the label of the block it ends in. Lanes of
    one warp leave the loop together, so that every lane that is read is active.
    """
    first = read_lane_of_warp(e, value, first_lane(e, members))
    before, loop, after = e.label, e.fresh("member"), e.fresh("members")
    rest = _without_first(e, members)
    more = e.let(f"icmp ne i32 {rest}, 0")
    e.do(f"br i1 {more}, label %{loop}, label %{after}")
    e.start_block(loop)
    left, total = e.fresh("%t"), e.fresh("%t")
    next_left, next_total = e.fresh("%t"), e.fresh("%t")
    e.do(f"{left} = phi i32 [ {rest}, %{before} ], [ {next_left}, %{loop} ]")
    e.do(f"{total} = phi i32 [ {first}, %{before} ], [ {next_total}, %{loop} ]")
    other = read_lane_of_warp(e, value, first_lane(e, left))
    e.do(f"{next_total} = add i32 0, {combine(e, op, total, other)}")
    e.do(f"{next_left} = add i32 0, {_without_first(e, left)}")
    again = e.let(f"icmp ne i32 {next_left}, 0")
    e.do(f"br i1 {again}, label %{loop}, label %{after}")
    e.start_block(after)
    edges = f"[ {first}, %{before} ], [ {next_total}, %{loop} ]"
    return e.let(f"phi i32 {edges}"), after


def _without_first(e: Emitter, lanes: str) -> str:
    less = e.let(f"add i32 {lanes}, -1")
    return e.let(f"and i32 {lanes}, {less}")
