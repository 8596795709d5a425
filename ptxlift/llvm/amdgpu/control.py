"""Lowerings of control flow and calls.

Comes in: terminators and calls. Goes out: LLVM branches. A thread ends by returning from the
kernel; a device function that may end it returns one more value, which says so, and every call
tests that.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.ir.core import Op, Value
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.llvm.context import symbol
from ptxlift.llvm.emitter import joined

_EXITED = "exited"  # the block that ends the thread after a call said so


def return_types(widths: Sequence[int], may_exit: bool) -> list[str]:
    """What a device function returns: its results and whether the thread has ended."""
    types = [f"i{width}" for width in widths]
    return [*types, "i1"] if may_exit else types


@lowers("ret")
def _ret(e: Emitter, op: Op) -> None:
    if e.function.is_kernel:
        e.do("ret void")
        return
    e.leave()
    values = [e.result(index, value) for index, value in enumerate(op.operands)]
    _return(e, [*values, "false"] if e.facts.may_exit else values)


@lowers("exit")
def _exit(e: Emitter, op: Op) -> None:
    _end_thread(e)


def _end_thread(e: Emitter) -> None:
    if e.function.is_kernel:
        e.do("ret void")
    else:
        _return(e, ["poison"] * len(e.function.result_widths) + ["true"])


def _return(e: Emitter, values: Sequence[str]) -> None:
    types = [*e.result_types(), "i1"] if e.facts.may_exit else e.result_types()
    e.joined_results(types, values)


@lowers("native", "native_value")
def _native(e: Emitter, op: Op) -> None:
    raise e.error(
        op,
        "PTX202",
        f"this program was lifted for an NVIDIA target: {op.attr('text')} is its own instruction",
        "lift the text for the AMD target",
    )


@lowers("call")
def _call(e: Emitter, op: Op) -> None:
    name = str(op.attr("symbol"))
    callee = e.context.module.functions.get(name)
    if callee is None or not (callee.blocks or callee.linkage == "extern"):
        raise e.error(op, "PTX111", f"the function {name} is called but never defined")
    _emit_call(e, op, symbol(name), op.operands, e.context.facts[name].may_exit)


@lowers("call_indirect")
def _call_indirect(e: Emitter, op: Op) -> None:
    may_exit = e.context.indirect_exit
    if may_exit and e.context.outside:
        raise e.error(
            op,
            "PTX201",
            f"{e.context.outside[0]} is called by address as functions are that end the thread, "
            "and is not defined here",
            "return from them and exit in the kernel, or call them by name",
        )
    address = e.let(f"inttoptr i64 {e.bits(op.operands[0])} to ptr")
    _emit_call(e, op, address, op.operands[1:], may_exit)


def _emit_call(e: Emitter, op: Op, target: str, operands: Sequence[Value], may_exit: bool) -> None:
    types = return_types([result.width for result in op.results], may_exit)
    arguments = ", ".join(f"i{value.width} {e.bits(value)}" for value in operands)
    call = f"call {joined(types)} {target}({arguments}) convergent nounwind"
    if not types:
        e.do(call)
        return
    if len(types) == 1 and op.results:
        e.set_bits(op.results[0], call)
        return
    whole, flag = e.let(call), ""
    if len(types) > 1:
        for index, result in enumerate(op.results):
            e.set_bits(result, f"extractvalue {joined(types)} {whole}, {index}")
    if may_exit:
        last = len(types) - 1
        flag = whole if last == 0 else e.let(f"extractvalue {joined(types)} {whole}, {last}")
        _leave_if(e, flag)


def _leave_if(e: Emitter, flag: str) -> None:
    following = e.fresh("after")
    e.do(f"br i1 {flag}, label %{_EXITED}, label %{following}")
    e.leaves_after_call = True
    e.start_block(following)


def finish(e: Emitter) -> None:
    """Adds the blocks that calls leave through, and that no lane comes to."""
    e.finish_trap()
    if e.leaves_after_call:
        e.start_block(_EXITED)
        _end_thread(e)
