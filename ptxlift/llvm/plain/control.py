"""Lowerings of branches and of what never returns."""

from __future__ import annotations

from ptxlift.ir.core import Op
from ptxlift.llvm.plain.registry import AnyEmitter, lowers


@lowers("br")
def _br(e: AnyEmitter, op: Op) -> None:
    e.do(f"br {e.branch_target(op, 0)}")


@lowers("cond_br")
def _cond_br(e: AnyEmitter, op: Op) -> None:
    condition = e.bits(op.operands[0])
    e.do(f"br i1 {condition}, {e.branch_target(op, 0)}, {e.branch_target(op, 1)}")


@lowers("switch")
def _switch(e: AnyEmitter, op: Op) -> None:
    last = len(op.successors) - 1
    cases = " ".join(f"i32 {i}, {e.branch_target(op, i)}" for i in range(last))
    e.do(f"switch i32 {e.bits(op.operands[0])}, {e.branch_target(op, last)} [ {cases} ]")


@lowers("trap")
def _trap(e: AnyEmitter, op: Op) -> None:
    e.trap()


@lowers("unreachable")
def _unreachable(e: AnyEmitter, op: Op) -> None:
    e.do("unreachable")
