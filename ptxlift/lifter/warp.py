"""Warp operations: shfl, vote, match, redux, activemask, elect, bar.warp.sync."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.attributes import (
    FloatPredicate,
    Format,
    IntPredicate,
    Number,
    ReduceOp,
    ShuffleMode,
    VoteMode,
)
from ptxlift.ir.core import Value
from ptxlift.lifter.registry import lifts
from ptxlift.lifter.words import words
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_MODES = {mode.value: mode for mode in ShuffleMode}
_VOTES = {mode.value: mode for mode in VoteMode}
_REDUCTIONS = {op.value: op for op in ReduceOp}


def _mask(at: FunctionLifter, inst: ptx.Inst, index: int) -> Value:
    """The member mask; forms without `.sync` name the lanes that are there."""
    if index < len(inst.operands):
        return at.scalar(inst.operands[index], 32)
    return at.builder.active_mask()


@lifts("shfl", "shfl_sync")
def lift_shuffle(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: shfl, shfl.sync."""
    mode = next(_MODES[word] for word in words(inst.form) if word in _MODES)
    a, b, c = (at.scalar(operand, 32) for operand in inst.operands[1:4])
    results = at.builder.shuffle(a, b, c, _mask(at, inst, 4), mode)
    at.write(inst.operands[0], inst.form.operands[0], results, inst)


@lifts("vote", "vote_sync", "vote_ballot", "vote_sync_ballot")
def lift_vote(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: vote, vote.sync."""
    predicate = at.scalar(inst.operands[1], 1)
    mask = _mask(at, inst, 2)
    present = words(inst.form)
    if "ballot" in present:
        result = at.builder.ballot(predicate, mask)
    else:
        mode = next(_VOTES[word] for word in present if word in _VOTES)
        result = at.builder.vote(predicate, mask, mode)
    at.write(inst.operands[0], inst.form.operands[0], (result,), inst)


@lifts("match")
def lift_match(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: match.sync."""
    value = at.scalar(inst.operands[1], inst.form.type.bits)
    mask = _mask(at, inst, 2)
    if "any" in words(inst.form):
        results: tuple[Value, ...] = (at.builder.match_any(value, mask),)
    else:
        results = at.builder.match_all(value, mask)
    at.write(inst.operands[0], inst.form.operands[0], results, inst)


@lifts("activemask")
def lift_activemask(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: activemask."""
    at.write(inst.operands[0], inst.form.operands[0], (at.builder.active_mask(),), inst)


@lifts("redux")
def lift_redux(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: redux.sync (integers)."""
    form = inst.form
    op = next(_REDUCTIONS[word] for word in words(form) if word in _REDUCTIONS)
    number = Number.SIGNED if form.type.is_signed else Number.UNSIGNED
    result = at.builder.reduce(at.scalar(inst.operands[1], 32), _mask(at, inst, 2), op, number)
    at.write(inst.operands[0], form.operands[0], (result,), inst)


_SIGN, _ALL_ONES, _NAN = 0x80000000, 0xFFFFFFFF, 0x7FFFFFFF


@lifts("redux_f32")
def lift_redux_float(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: redux.sync (f32).

    A minimum of floats is one of integers that lie in the same order, -0 before +0. NaN becomes
    the number that never wins, or with `.NaN` the one that always does.
    """
    build, form = at.builder, inst.form
    value = at.scalar(inst.operands[1], 32)
    if form.get("abs"):
        value = build.fabs(value, Format.F32)
    least = form.get("op") == "min"
    last = _ALL_ONES if least != bool(form.get("NaN")) else 0
    negative = build.icmp(value, build.const(32, 0), IntPredicate.SLT)
    flips = build.select(negative, build.const(32, _ALL_ONES), build.const(32, _SIGN))
    key = build.xor(value, flips)
    is_nan = build.fcmp(value, value, Format.F32, FloatPredicate.UNO, False)
    key = build.select(is_nan, build.const(32, last), key)
    op = ReduceOp.MIN if least else ReduceOp.MAX
    best = build.reduce(key, _mask(at, inst, 2), op, Number.UNSIGNED)
    lower = build.icmp(best, build.const(32, 0), IntPredicate.SGE)
    back = build.select(lower, build.const(32, _ALL_ONES), build.const(32, _SIGN))
    nothing = build.icmp(best, build.const(32, last), IntPredicate.EQ)
    result = build.select(nothing, build.const(32, _NAN), build.xor(best, back))
    at.write(inst.operands[0], form.operands[0], (result,), inst)


@lifts("elect")
def lift_elect(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: elect.sync."""
    results = at.builder.elect(_mask(at, inst, 1))
    at.write(inst.operands[0], inst.form.operands[0], results, inst)


@lifts("bar_warp_sync")
def lift_warp_barrier(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: bar.warp.sync."""
    at.builder.warp_barrier(at.scalar(inst.operands[0], 32))
