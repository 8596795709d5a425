"""Lowerings of barriers and waiting, and of instructions that are PTX's as they stand."""

from __future__ import annotations

from ptxlift.ir.attributes import BarrierMode
from ptxlift.ir.core import Op, Value
from ptxlift.llvm.nvptx.emitter import Emitter
from ptxlift.llvm.nvptx.registry import lowers


@lowers("barrier")
def _barrier(e: Emitter, op: Op) -> None:
    ident, count, predicate = op.operands
    mode, counted = BarrierMode(op.attr("mode")), bool(op.attr("counted"))
    numbers: list[Value] = [ident, count] if counted else [ident]
    result = op.results[0]
    if mode in (BarrierMode.SYNC, BarrierMode.ARRIVE):
        listed = ", ".join(f"${index}" for index in range(len(numbers)))
        e.do(e.ptx(f"barrier.{mode.value} {listed};", [], numbers, effects=True))
        e.set_constant(result, 0)
        return
    if mode is BarrierMode.POPC:
        listed = ", ".join(f"${index + 1}" for index in range(len(numbers) + 1))
        line = f"barrier.red.popc.u32 $0, {listed};"
        e.define([result], e.ptx(line, [32], [*numbers, predicate], effects=True))
        return
    listed = ", ".join(f"${index + 1}" for index in range(len(numbers) + 1))
    line = f"barrier.red.{mode.value}.pred $0, {listed};"
    voted = e.let(e.ptx(line, [1], [*numbers, predicate], effects=True))
    e.set_bits(result, f"zext i1 {voted} to i32")


@lowers("sleep")
def _sleep(e: Emitter, op: Op) -> None:
    e.do(e.ptx("nanosleep.u32 $0;", [], op.operands, effects=True))


@lowers("native")
def _native(e: Emitter, op: Op) -> None:
    widths = [result.width for result in op.results]
    tied = int(str(op.attr("tied")))
    text = str(op.attr("text"))
    e.define(op.results, e.ptx(text, widths, op.operands, effects=True, tied=tied))


@lowers("native_value")
def _native_value(e: Emitter, op: Op) -> None:
    widths = [result.width for result in op.results]
    e.define(op.results, e.ptx(str(op.attr("text")), widths, op.operands))
