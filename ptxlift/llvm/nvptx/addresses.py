"""Addresses: kernel parameters, symbols, local variables, state-space conversions."""

from __future__ import annotations

from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Op
from ptxlift.llvm.addresses import share_pointer
from ptxlift.llvm.context import symbol
from ptxlift.llvm.nvptx.emitter import FLAT, POINTERS, Emitter
from ptxlift.llvm.nvptx.registry import lowers

_PARAM = POINTERS[Space.PARAM]


@lowers("kernel_param")
def _kernel_param(e: Emitter, op: Op) -> None:
    result = op.results[0]
    offset = int(str(op.attr("offset")))
    name = e.arguments.exact(offset, result.width)
    if name is None:
        align = min(offset & -offset, 16) if offset else 16
        place = _param_pointer(e, op, offset)
        e.set_bits(result, f"load i{result.width}, {_PARAM} {place}, align {align}")
        return
    if offset in e.arguments.pointers and result.width == 64:
        e.alias_pointer(result, name, POINTERS[Space.GLOBAL])
    else:
        e.alias(result, name)
    e.place_at_entry(result)


def _param_pointer(e: Emitter, op: Op, offset: int) -> str:
    found = e.arguments.block_at(offset)
    if found is None:
        raise e.error(op, "PTX102", f"the kernel has no parameter at byte {offset}")
    block, inside = found
    place = e.let(f"addrspacecast ptr {block} to {_PARAM}")
    return e.let(f"getelementptr i8, {_PARAM} {place}, i64 {inside}") if inside else place


@lowers("kernel_param_address")
def _kernel_param_address(e: Emitter, op: Op) -> None:
    place = _param_pointer(e, op, int(str(op.attr("offset"))))
    e.alias_pointer(op.results[0], place, _PARAM)


@lowers("symbol_address")
def _symbol_address(e: Emitter, op: Op) -> None:
    name = str(op.attr("symbol"))
    variable = e.context.module.variables[name]
    e.alias_pointer(op.results[0], symbol(name), POINTERS[variable.space])


@lowers("function_address")
def _function_address(e: Emitter, op: Op) -> None:
    e.alias_pointer(op.results[0], symbol(str(op.attr("symbol"))), "ptr")


@lowers("frame_address")
def _frame_address(e: Emitter, op: Op) -> None:
    e.alias_pointer(op.results[0], f"%slot.{op.attr('slot')}", POINTERS[Space.LOCAL])


@lowers("to_generic")
def _to_generic(e: Emitter, op: Op) -> None:
    value, result = op.operands[0], op.results[0]
    space = Space(op.attr("space"))
    if space not in FLAT:
        pointee = e.spaces.of(value)
        if pointee is not None and pointee.space is space and e.spaces.is_plain(pointee):
            pointer = e.pointer(value, POINTERS[space])
        else:
            pointer = e.let(f"inttoptr i{value.width} {e.bits(value)} to {POINTERS[space]}")
        generic = e.let(f"addrspacecast {POINTERS[space]} {pointer} to ptr")
        e.set_bits(result, f"ptrtoint ptr {generic} to i64")
    elif e.spaces.of(result) is None:
        e.alias(result, e.bits(value))
    share_pointer(e, op)


@lowers("from_generic")
def _from_generic(e: Emitter, op: Op) -> None:
    value, result = op.operands[0], op.results[0]
    space = Space(op.attr("space"))
    if space not in FLAT:
        pointer = e.let(f"inttoptr i64 {e.bits(value)} to ptr")
        inside = e.let(f"addrspacecast ptr {pointer} to {POINTERS[space]}")
        e.set_bits(result, f"ptrtoint {POINTERS[space]} {inside} to i{result.width}")
    elif e.spaces.of(result) is None:
        e.alias(result, e.bits(value))
    share_pointer(e, op)


@lowers("is_space")
def _is_space(e: Emitter, op: Op) -> None:
    space = Space(op.attr("space"))
    text = f"isspacep.{space.value} $0, $1;"
    e.define(op.results, e.ptx(text, [1], [op.operands[0]]))
