"""Lowerings of warp operations: PTX's own, as LLVM's intrinsics where those are old enough."""

from __future__ import annotations

from ptxlift.ir.attributes import Number, ReduceOp, ShuffleMode, VoteMode
from ptxlift.ir.core import Op
from ptxlift.llvm.nvptx.emitter import Emitter
from ptxlift.llvm.nvptx.registry import lowers
from ptxlift.target.nvidia import NvidiaFeature


@lowers("shuffle")
def _shuffle(e: Emitter, op: Op) -> None:
    mode = ShuffleMode(op.attr("mode")).value
    value, b, c, mask = (e.bits(operand) for operand in op.operands)
    name = f"llvm.nvvm.shfl.sync.{mode}.i32"
    if not e.is_read(op.results[1]):
        call = e.call(f"i32 @{name}(i32, i32, i32, i32)", mask, value, b, c)
        e.set_bits(op.results[0], f"{call} convergent")
        return
    call = e.call(f"{{ i32, i1 }} @{name}p(i32, i32, i32, i32)", mask, value, b, c)
    _pair(e, op, call)


def _pair(e: Emitter, op: Op, call: str) -> None:
    whole = e.let(f"{call} convergent")
    for index, result in enumerate(op.results):
        e.set_bits(result, f"extractvalue {{ i32, i1 }} {whole}, {index}")


@lowers("vote")
def _vote(e: Emitter, op: Op) -> None:
    mode = VoteMode(op.attr("mode")).value
    predicate, mask = (e.bits(operand) for operand in op.operands)
    call = e.call(f"i1 @llvm.nvvm.vote.{mode}.sync(i32, i1)", mask, predicate)
    e.set_bits(op.results[0], f"{call} convergent")


@lowers("ballot")
def _ballot(e: Emitter, op: Op) -> None:
    predicate, mask = (e.bits(operand) for operand in op.operands)
    call = e.call("i32 @llvm.nvvm.vote.ballot.sync(i32, i1)", mask, predicate)
    e.set_bits(op.results[0], f"{call} convergent")


@lowers("active_mask")
def _active_mask(e: Emitter, op: Op) -> None:
    e.define(op.results, e.ptx("activemask.b32 $0;", [32], [], effects=True))


@lowers("match_any")
def _match_any(e: Emitter, op: Op) -> None:
    value, mask = op.operands
    t = f"i{value.width}"
    signature = f"i32 @llvm.nvvm.match.any.sync.{t}(i32, {t})"
    e.set_bits(op.results[0], f"{e.call(signature, e.bits(mask), e.bits(value))} convergent")


@lowers("match_all")
def _match_all(e: Emitter, op: Op) -> None:
    value, mask = op.operands
    t = f"i{value.width}"
    signature = f"{{ i32, i1 }} @llvm.nvvm.match.all.sync.{t}p(i32, {t})"
    _pair(e, op, e.call(signature, e.bits(mask), e.bits(value)))


@lowers("reduce")
def _reduce(e: Emitter, op: Op) -> None:
    if not e.context.has(NvidiaFeature.REDUX):
        name = e.context.target.name
        raise e.error(op, "PTX302", f"{name} has no redux.sync", "choose sm_80 or later")
    what, value, mask = ReduceOp(op.attr("op")), *map(e.bits, op.operands)
    unsigned = what in (ReduceOp.MIN, ReduceOp.MAX) and op.attr("number") is not Number.SIGNED
    name = f"{'u' if unsigned else ''}{what.value}"
    call = e.call(f"i32 @llvm.nvvm.redux.sync.{name}(i32, i32)", value, mask)
    e.set_bits(op.results[0], f"{call} convergent")


@lowers("elect")
def _elect(e: Emitter, op: Op) -> None:
    if not e.context.has(NvidiaFeature.ELECT):
        name = e.context.target.name
        raise e.error(op, "PTX302", f"{name} has no elect.sync", "choose sm_90 or later")
    e.define(op.results, e.ptx("elect.sync $0|$1, $2;", [32, 1], op.operands, effects=True))


@lowers("warp_barrier")
def _warp_barrier(e: Emitter, op: Op) -> None:
    e.do(e.ptx("bar.warp.sync $0;", [], op.operands, effects=True))
