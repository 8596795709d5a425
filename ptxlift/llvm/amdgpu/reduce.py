"""Reductions and scans over the lanes of a warp: redux.sync, and chains of shuffles of integers.

Comes in: a value a lane. Goes out: the same result in every lane, and where a wave is one warp it
ends in a scalar register; for scans what the lanes up to the own one give. Rows of 16 lanes are
done by operands that other lanes provide (DPP); what then goes between the rows depends on what the
chip has.
"""

from __future__ import annotations

from collections.abc import Callable

from ptxlift.ir.attributes import Number, ReduceOp
from ptxlift.ir.core import Op
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.opaque import opaque_bits
from ptxlift.llvm.amdgpu.permute import DPP, move, way
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.llvm.amdgpu.warp import first_lane, members_of, read_lane_of_warp
from ptxlift.records import dataclass
from ptxlift.target import Feature
from ptxlift.target.lane_steps import Program, Step
from ptxlift.target.permutes import ROW, Unit

_UNSIGNED = {ReduceOp.MIN: "umin", ReduceOp.MAX: "umax"}
_SIGNED = {ReduceOp.MIN: "smin", ReduceOp.MAX: "smax"}
_PLAIN = {ReduceOp.ADD: "add", ReduceOp.AND: "and", ReduceOp.OR: "or", ReduceOp.XOR: "xor"}
_ROW_SHR, _ROW_ROR, _ROW_BCAST_15, _OWN = 0x110, 0x120, 0x142, 0xE4  # dpp_ctrl
_ODD_ROWS, _EVERY_ROW = 0b1010, 0b1111
_NEUTRAL = {  # but for zero; of signed numbers
    (ReduceOp.AND, False): -1,
    (ReduceOp.MIN, False): -1,
    (ReduceOp.MIN, True): (1 << 31) - 1,
    (ReduceOp.MAX, True): -(1 << 31),
}
_ALL_LAST = 0xFFFFFFFFFFFFFFFF  # v_permlane16: lane 15 of the row, for all
_LAST = 31


@dataclass(frozen=True, slots=True)
class _Join:
    """What makes one value of two."""

    kind: ReduceOp
    number: Number

    @staticmethod
    def of(op: Op) -> _Join:
        kind, number = op.attr("op"), op.attr("number")
        assert isinstance(kind, ReduceOp)
        assert isinstance(number, Number)
        return _Join(kind, number)

    @property
    def neutral(self) -> int:
        """What changes nothing."""
        return _NEUTRAL.get((self.kind, self.number is Number.SIGNED), 0)

    def emit(self, e: Emitter, a: str, b: str) -> str:
        if self.kind in _PLAIN:
            return e.let(f"{_PLAIN[self.kind]} i32 {a}, {b}")
        name = (_SIGNED if self.number is Number.SIGNED else _UNSIGNED)[self.kind]
        return e.let(e.call(f"i32 @llvm.{name}.i32(i32, i32)", a, b))


_Whole = Callable[[Emitter, _Join, str], str]


def _with_fusing_ops(e: Emitter, join: _Join, value: str, whole: _Whole) -> str:
    """Chips with v_bitop3 do `and` by it, which takes no value of another lane on the way: there
    some lane's zero is sought, and LLVM must not see why.
    """
    if join.kind is not ReduceOp.AND or not e.context.has(Feature.V_BITOP3):
        return whole(e, join, value)
    zeros = opaque_bits(e, e.let(f"xor i32 {value}, -1"), 32)
    found = whole(e, _Join(ReduceOp.OR, join.number), zeros)
    if whole is not _reduced:  # whose result may be a scalar, and must stay one
        found = opaque_bits(e, found, 32)
    return e.let(f"xor i32 {found}, -1")


@lowers("reduce_warp")
def _reduce_warp(e: Emitter, op: Op) -> None:
    value = e.bits(op.operands[0])
    e.alias(op.results[0], _with_fusing_ops(e, _Join.of(op), value, _reduced))


@lowers("scan_warp")
def _scan_warp(e: Emitter, op: Op) -> None:
    whole = _scanned_row if op.attr("width") == ROW else _scanned
    value = e.bits(op.operands[0])
    e.alias(op.results[0], _with_fusing_ops(e, _Join.of(op), value, whole))


def _scanned_row(e: Emitter, join: _Join, value: str) -> str:
    for distance in (1, 2, 4, 8):
        below = _or_neutral(e, join, value, _ROW_SHR | distance, _EVERY_ROW)
        value = join.emit(e, value, below)
    return value


def _scanned(e: Emitter, join: _Join, value: str) -> str:
    value = _scanned_row(e, join, value)
    below, control = value, _ROW_BCAST_15
    if not e.context.has(Feature.DPP_ROW_BCAST):
        below, control = _by(e, value, Step(Unit.OTHER_ROWS, _ALL_LAST)), _OWN
    return join.emit(e, value, _or_neutral(e, join, below, control, _ODD_ROWS))


def _or_neutral(e: Emitter, join: _Join, value: str, control: int, rows: int) -> str:
    """A move in some rows; lanes that get nothing have what changes nothing."""
    return e.let(e.call(DPP, str(join.neutral), value, str(control), str(rows), "15", "false"))


def _reduced(e: Emitter, join: _Join, value: str) -> str:
    """The reduction over the 32 lanes of a warp, all of which are there."""
    for distance in (8, 4, 2, 1):
        value = join.emit(e, value, _by(e, value, Step(Unit.DPP, _ROW_ROR | distance)))
    if not e.context.is_packed:
        rows = [_by(e, value, Step(Unit.SCALAR, lane)) for lane in (0, ROW)]
        return join.emit(e, *rows)
    if e.context.has(Feature.PERMLANE16_SWAP):
        rows = [_by(e, value, Step(unit, ROW)) for unit in (Unit.LOWER, Unit.UPPER)]
        return join.emit(e, *rows)
    if e.context.has(Feature.DPP_ROW_BCAST):
        total = join.emit(e, value, _by(e, value, Step(Unit.DPP, _ROW_BCAST_15)))
        return _by(e, total, Step(Unit.SCALARS, _LAST))
    other = way(e.context, tuple(lane ^ ROW for lane in range(2 * ROW)), all_active=True)
    assert other is not None, "a chip has one of these"
    return join.emit(e, value, move(e, value, other, all_active=True))


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
    join = _Join.of(op)
    all_lanes = _with_fusing_ops(e, join, value, _reduced)
    e.do(f"br label %{done}")
    e.start_block(some)
    one_by_one, last = _one_by_one(e, join, value, members)
    e.do(f"br label %{done}")
    e.start_block(done)
    e.set_bits(op.results[0], f"phi i32 [ {all_lanes}, %{whole} ], [ {one_by_one}, %{last} ]")


def _one_by_one(e: Emitter, join: _Join, value: str, members: str) -> tuple[str, str]:
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
    e.do(f"{next_total} = add i32 0, {join.emit(e, total, other)}")
    e.do(f"{next_left} = add i32 0, {_without_first(e, left)}")
    again = e.let(f"icmp ne i32 {next_left}, 0")
    e.do(f"br i1 {again}, label %{loop}, label %{after}")
    e.start_block(after)
    edges = f"[ {first}, %{before} ], [ {next_total}, %{loop} ]"
    return e.let(f"phi i32 {edges}"), after


def _without_first(e: Emitter, lanes: str) -> str:
    less = e.let(f"add i32 {lanes}, -1")
    return e.let(f"and i32 {lanes}, {less}")
