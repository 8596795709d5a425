"""Addresses: the ops that make, move and ask about them, as LLVM pointers where possible.

Comes in: values and what `PointerSpaces` found. Goes out: `getelementptr` chains from one base for
addresses that are derived from exactly one pointer, `inttoptr` for all others. No offset is claimed
to stay in bounds.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Op, Value
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.llvm.amdgpu.spaces import FLAT, pointer_type
from ptxlift.llvm.context import symbol
from ptxlift.llvm.pointers import Pointee

_NONNULL = {Space.SHARED: "p0.p3", Space.LOCAL: "p0.p5"}
_APERTURES = {Space.SHARED: "shared", Space.LOCAL: "private"}


def access(e: Emitter, value: Value, space: Space) -> tuple[str, str]:
    """The pointer and its type for an access through a state space."""
    pointee = e.spaces.of(value)
    if pointee is not None and e.spaces.fits(pointee, space):
        type = pointer_type(pointee.space)
        return e.pointer(value, type), type
    type = pointer_type(space)
    return e.let(f"inttoptr i{value.width} {e.bits(value)} to {type}"), type


def sum_as_pointer(e: Emitter, op: Op, pointee: Pointee) -> None:
    """`add` and `sub` whose result is an address: the pointer side plus the other as offset."""
    result = op.results[0]
    base, offset = op.operands
    if e.spaces.of(base) is None:
        base, offset = offset, base
    type = pointer_type(pointee.space)
    distance = e.bits(offset)
    if op.opdef.name == "sub":
        distance = e.let(f"sub i{offset.width} 0, {distance}")
    text = e.let(f"getelementptr i8, {type} {e.pointer(base, type)}, i{offset.width} {distance}")
    e.alias_pointer(result, text, type)
    if e.spaces.is_plain(pointee):
        return
    if _stays_in_window(e, base, offset):
        generic = e.let(f"addrspacecast {type} {text} to ptr")
        e.set_bits(result, f"ptrtoint ptr {generic} to i64")
    else:
        e.set_bits(
            result, f"{op.opdef.name} i64 {e.bits(op.operands[0])}, {e.bits(op.operands[1])}"
        )


def _stays_in_window(e: Emitter, base: Value, offset: Value) -> bool:
    """Whether the sum of a generic address and an offset is that of its 32-bit part: the offset is
    a constant above the start of a variable, which lies in the window's first half."""
    definition = base.definition
    distance = e.constant(offset)
    if distance is None or distance >> 31 or not isinstance(definition, Op):
        return False
    inner = definition.operands[0].definition if definition.operands else None
    while isinstance(inner, Op) and inner.opdef.name in {"zext", "trunc"}:
        inner = inner.operands[0].definition
    roots = {"frame_address", "symbol_address"}
    is_variable = isinstance(inner, Op) and inner.opdef.name in roots
    return definition.opdef.name == "to_generic" and is_variable


def select_as_pointer(e: Emitter, op: Op, pointee: Pointee) -> None:
    """`select` between two addresses of one space."""
    condition, left, right = op.operands
    type = pointer_type(pointee.space)
    a, b = e.pointer(left, type), e.pointer(right, type)
    text = e.let(f"select i1 {e.bits(condition)}, {type} {a}, {type} {b}")
    e.alias_pointer(op.results[0], text, type)


def share_pointer(e: Emitter, op: Op) -> None:
    """The result of a cast has its operand's pointer, where an access uses it."""
    pointee = e.spaces.of(op.results[0])
    if pointee is not None:
        type = pointer_type(pointee.space)
        e.alias_pointer(op.results[0], e.pointer(op.operands[0], type), type)


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
