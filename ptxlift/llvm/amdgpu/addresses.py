"""Addresses: the ops that make, move and ask about them, as LLVM pointers where possible.

Comes in: ops that give an address. Goes out: AMDGPU's base pointers, casts and aperture tests.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Op
from ptxlift.llvm.addresses import share_pointer
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.llvm.amdgpu.spaces import FLAT, pointer_type
from ptxlift.llvm.context import symbol

_NONNULL = {Space.SHARED: "p0.p3", Space.LOCAL: "p0.p5"}
_APERTURES = {Space.SHARED: "shared", Space.LOCAL: "private"}


@lowers("kernel_param")
def _kernel_param(e: Emitter, op: Op) -> None:
    result = op.results[0]
    offset = int(str(op.attr("offset")))
    name = e.arguments.exact(offset, result.width)
    if name is not None and offset in e.arguments.pointers and result.width == 64:
        e.alias_pointer(result, name, pointer_type(Space.GLOBAL))
        e.place_at_entry(result)
    elif name is not None:
        e.alias(result, name)
        e.place_at_entry(result)
    else:
        align = offset & -offset if offset else 16
        place = _param_pointer(e, offset)
        constant = "!invariant.load !0"
        load = f"load i{result.width}, ptr addrspace(4) {place}, align {min(align, 16)}, {constant}"
        e.set_bits(result, load)


def _param_pointer(e: Emitter, offset: int) -> str:
    segment = e.let(e.call("ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()"))
    return e.let(f"getelementptr i8, ptr addrspace(4) {segment}, i64 {offset}")


@lowers("kernel_param_address")
def _kernel_param_address(e: Emitter, op: Op) -> None:
    place = _param_pointer(e, int(str(op.attr("offset"))))
    e.alias_pointer(op.results[0], place, pointer_type(Space.PARAM))


@lowers("symbol_address")
def _symbol_address(e: Emitter, op: Op) -> None:
    name = str(op.attr("symbol"))
    variable = e.context.module.variables[name]
    e.alias_pointer(op.results[0], symbol(name), pointer_type(variable.space))


@lowers("function_address")
def _function_address(e: Emitter, op: Op) -> None:
    e.alias_pointer(op.results[0], symbol(str(op.attr("symbol"))), "ptr")


@lowers("frame_address")
def _frame_address(e: Emitter, op: Op) -> None:
    e.alias_pointer(op.results[0], f"%slot.{op.attr('slot')}", pointer_type(Space.LOCAL))


@lowers("to_generic")
def _to_generic(e: Emitter, op: Op) -> None:
    value, result = op.operands[0], op.results[0]
    space = op.attr("space")
    assert isinstance(space, Space)
    if space in FLAT:
        if e.spaces.of(result) is None:
            e.alias(result, e.bits(value))
        share_pointer(e, op)
        return
    pointee = e.spaces.of(value)
    if pointee is not None and pointee.space is space:
        place = e.pointer(value, pointer_type(space))
        generic = e.let(f"addrspacecast {pointer_type(space)} {place} to ptr")
        e.set_bits(result, f"ptrtoint ptr {generic} to i64")
        share_pointer(e, op)
        return
    inner = e.let(f"inttoptr i{value.width} {e.bits(value)} to {pointer_type(space)}")
    name = f"ptr @llvm.amdgcn.addrspacecast.nonnull.{_NONNULL[space]}({pointer_type(space)})"
    generic = e.let(e.call(name, inner))
    e.set_bits(result, f"ptrtoint ptr {generic} to i64")
    share_pointer(e, op)


@lowers("from_generic")
def _from_generic(e: Emitter, op: Op) -> None:
    value, result = op.operands[0], op.results[0]
    pointee = e.spaces.of(result)
    if pointee is not None and not pointee.generic and e.spaces.of(value) is None:
        type = pointer_type(pointee.space)
        generic = e.let(f"inttoptr i64 {e.bits(value)} to ptr")
        e.alias_pointer(result, e.let(f"addrspacecast ptr {generic} to {type}"), type)
        return
    if result.width == value.width:
        if e.spaces.of(result) is None:
            e.alias(result, e.bits(value))
    else:
        e.set_bits(result, f"trunc i{value.width} {e.bits(value)} to i{result.width}")
    share_pointer(e, op)


@lowers("is_space")
def _is_space(e: Emitter, op: Op) -> None:
    value, space = op.operands[0], op.attr("space")
    pointer = e.let(f"inttoptr i64 {e.bits(value)} to ptr")
    if space in _APERTURES:
        name = _APERTURES[Space(space)]
        e.set_bits(op.results[0], e.call(f"i1 @llvm.amdgcn.is.{name}(ptr)", pointer))
        return
    if space is not Space.GLOBAL:
        raise e.error(
            op,
            "PTX202",
            f"isspacep.{Space(space).value} cannot be asked on AMD GPUs",
            "constants and parameters lie in global memory there",
        )
    shared = e.let(e.call("i1 @llvm.amdgcn.is.shared(ptr)", pointer))
    private = e.let(e.call("i1 @llvm.amdgcn.is.private(ptr)", pointer))
    either = e.let(f"or i1 {shared}, {private}")
    e.set_bits(op.results[0], f"xor i1 {either}, true")
