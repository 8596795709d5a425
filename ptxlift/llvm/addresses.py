"""Addresses as LLVM pointers where they are derived from one: accesses, sums, selections, casts.

Comes in: values and what `PointerSpaces` found. Goes out: `getelementptr` chains from one base for
addresses that are derived from exactly one pointer, `inttoptr` for all others. No offset is claimed
to stay in bounds. It must know no target.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Op, Value
from ptxlift.llvm.emitter import FunctionEmitter
from ptxlift.llvm.forms import Shared
from ptxlift.llvm.pointers import Pointee


def access(e: FunctionEmitter[Shared], value: Value, space: Space) -> tuple[str, str]:
    """The pointer and its type for an access through a state space."""
    pointee = e.spaces.of(value)
    if pointee is not None and e.spaces.fits(pointee, space):
        type = e.pointer_types[pointee.space]
        return e.pointer(value, type), type
    type = e.pointer_types[space]
    return e.let(f"inttoptr i{value.width} {e.bits(value)} to {type}"), type


def sum_as_pointer(e: FunctionEmitter[Shared], op: Op, pointee: Pointee) -> None:
    """`add` and `sub` whose result is an address: the pointer side plus the other as offset."""
    result = op.results[0]
    base, offset = op.operands
    if e.spaces.of(base) is None:
        base, offset = offset, base
    type = e.pointer_types[pointee.space]
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


def _stays_in_window(e: FunctionEmitter[Shared], base: Value, offset: Value) -> bool:
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


def select_as_pointer(e: FunctionEmitter[Shared], op: Op, pointee: Pointee) -> None:
    """`select` between two addresses of one space."""
    condition, left, right = op.operands
    type = e.pointer_types[pointee.space]
    a, b = e.pointer(left, type), e.pointer(right, type)
    text = e.let(f"select i1 {e.bits(condition)}, {type} {a}, {type} {b}")
    e.alias_pointer(op.results[0], text, type)


def share_pointer(e: FunctionEmitter[Shared], op: Op) -> None:
    """The result of a cast has its operand's pointer, where an access uses it."""
    pointee = e.spaces.of(op.results[0])
    if pointee is not None:
        type = e.pointer_types[pointee.space]
        e.alias_pointer(op.results[0], e.pointer(op.operands[0], type), type)
