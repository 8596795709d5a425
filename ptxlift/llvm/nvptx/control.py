"""Lowerings of control flow and calls."""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.ir.core import Function, Op, Value
from ptxlift.llvm.context import symbol
from ptxlift.llvm.emitter import joined
from ptxlift.llvm.nvptx.emitter import Emitter
from ptxlift.llvm.nvptx.registry import lowers


@lowers("ret")
def _ret(e: Emitter, op: Op) -> None:
    if e.function.is_kernel:
        e.do("ret void")
        return
    e.leave()
    values = [e.result(index, value) for index, value in enumerate(op.operands)]
    e.joined_results(e.result_types(), values)


@lowers("exit")
def _exit(e: Emitter, op: Op) -> None:
    if e.function.is_kernel:
        e.do("ret void")
        return
    e.do(e.call("void @llvm.nvvm.exit()"))
    e.do("unreachable")


@lowers("call")
def _call(e: Emitter, op: Op) -> None:
    callee = e.context.module.functions.get(str(op.attr("symbol")))
    assert callee is not None, f"{op.attr('symbol')} is called and not in the module"
    _emit_call(e, op, symbol(callee.name), op.operands, callee)


@lowers("call_indirect")
def _call_indirect(e: Emitter, op: Op) -> None:
    address = e.let(f"inttoptr i64 {e.bits(op.operands[0])} to ptr")
    _emit_call(e, op, address, op.operands[1:], None)


def _emit_call(
    e: Emitter, op: Op, target: str, operands: Sequence[Value], callee: Function | None
) -> None:
    types = [f"i{result.width}" for result in op.results]
    arguments = ", ".join(f"i{value.width} {e.bits(value)}" for value in operands)
    call = f"call {joined(types)} {target}({arguments}) convergent nounwind"
    if callee is not None and callee.noreturn:
        call += " noreturn"
    if not types:
        e.do(call)
    elif len(types) == 1:
        e.set_bits(op.results[0], call)
    else:
        whole = e.let(call)
        for index, result in enumerate(op.results):
            e.set_bits(result, f"extractvalue {joined(types)} {whole}, {index}")
