"""Bulk copies between global and shared memory, done at once by the issuing thread.

Sizes and addresses are multiples of 16 bytes, so a copy is a loop over 16-byte steps. Bulk groups
are always complete. Tensor-map forms have no row here: they are refused by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.attributes import Order, Scope, Space
from ptxlift.ir.core import Value
from ptxlift.lifter.loops import repeat
from ptxlift.lifter.mbarrier import place, received_bytes
from ptxlift.lifter.registry import lifts
from ptxlift.lifter.words import atomic_op_of, number_of, scope_of
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_STEP = 16


@lifts(
    "cp_async_bulk_commit_group",
    "cp_async_bulk_wait_group",
    "cp_async_bulk_prefetch",
)
def lift_group(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: cp.async.bulk groups and prefetch."""


def _spaces(inst: ptx.Inst) -> tuple[Space, Space]:
    """Destination and source, in the order the pattern names them."""
    pattern = inst.form.row.pattern.split(" ", 1)[0]
    found = [word for word in pattern.split(".") if word.startswith(("global", "shared"))]
    spaces = [Space.GLOBAL if word.startswith("global") else Space.SHARED for word in found]
    return spaces[0], spaces[1]


@lifts("cp_async_bulk")
def lift_bulk(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: cp.async.bulk."""
    named = dict(zip((spec.name for spec in inst.form.operands), inst.operands, strict=True))
    if "bytemask" in named:
        raise at.refuse("cp.async.bulk with a byte mask is not translated", "copy whole steps")
    to_space, from_space = _spaces(inst)
    to = _address(at, named["dst"], to_space)
    origin = _address(at, named["src"], from_space)
    size = at.scalar(named["size"], 32)

    def step(index: Value) -> None:
        offset = at.builder.shl(index, at.const(32, 4))
        source = at.builder.add(origin, at.fit(offset, origin.width))
        words = at.builder.load(source, from_space, 32, 4, _STEP)
        target = at.builder.add(to, at.fit(offset, to.width))
        at.builder.store(target, words, to_space, 32, _STEP)

    repeat(at, at.builder.lshr(size, at.const(32, 4)), step)
    if "mbar" in named:
        received_bytes(at, place(at, named["mbar"], Space.SHARED), size)


def _address(at: FunctionLifter, memory: ptx.Operand, space: Space) -> Value:
    assert isinstance(memory, ptx.Memory)
    return at.memory_address(memory, space)


@lifts("cp_reduce_async_bulk")
def lift_reduce_bulk(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: cp.reduce.async.bulk. One atomic an element."""
    form = inst.form
    named = dict(zip((spec.name for spec in form.operands), inst.operands, strict=True))
    to_space, from_space = _spaces(inst)
    to = _address(at, named["dst"], to_space)
    origin = _address(at, named["src"], from_space)
    size = at.scalar(named["size"], 32)
    op = atomic_op_of(form)
    type_ = form.types[-1]
    number = number_of(type_)
    shift = type_.bytes.bit_length() - 1

    def step(index: Value) -> None:
        offset = at.builder.shl(index, at.const(32, shift))
        source = at.builder.add(origin, at.fit(offset, origin.width))
        value = at.builder.load(source, from_space, type_.bits, 1, type_.bytes)
        target = at.builder.add(to, at.fit(offset, to.width))
        at.builder.atomic(
            target, value, to_space, type_.bits, op, number, Order.RELAXED, Scope.GPU, False
        )

    repeat(at, at.builder.lshr(size, at.const(32, shift)), step)
    if "mbar" in named:
        received_bytes(at, place(at, named["mbar"], Space.SHARED), size)


@lifts("st_async")
def lift_st_async(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: st.async. A store that is complete at once."""
    form = inst.form
    named = dict(zip((spec.name for spec in form.operands), inst.operands, strict=True))
    space = Space.SHARED if "m" in named else Space.GLOBAL
    value = at.read(named["b"], next(spec for spec in form.operands if spec.name == "b"))
    width = form.types[-1].bits
    parts = [at.fit(part, width) for part in (value if isinstance(value, tuple) else (value,))]
    address = _address(at, named["a"], space)
    order = Order.RELEASE if space is Space.GLOBAL else Order.WEAK
    align = width // 8 * len(parts)
    at.builder.store(address, parts, space, width, align, order, scope_of(form))
    if "m" in named:
        count = at.const(32, align)
        received_bytes(at, place(at, named["m"], Space.SHARED), count)


@lifts("red_async")
def lift_red_async(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: red.async."""
    form = inst.form
    named = dict(zip((spec.name for spec in form.operands), inst.operands, strict=True))
    space = Space.SHARED if "m" in named else Space.GLOBAL
    type_ = form.types[-1]
    value = at.scalar(named["b"], type_.bits)
    address = _address(at, named["a"], space)
    op = atomic_op_of(form)
    order = Order.RELEASE if space is Space.GLOBAL else Order.RELAXED
    scope = scope_of(form)
    number = number_of(type_)
    at.builder.atomic(address, (value,), space, type_.bits, op, number, order, scope, False)
    if "m" in named:
        received_bytes(at, place(at, named["m"], Space.SHARED), at.const(32, type_.bytes))


@lifts("st_bulk")
def lift_st_bulk(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: st.bulk. Zeros over a run of shared memory."""
    address = _address(at, inst.operands[0], Space.SHARED)
    size = at.fit(at.scalar(inst.operands[1], 64), 32)
    zeros = [at.const(32, 0)] * 2

    def step(index: Value) -> None:
        target = at.builder.add(address, at.builder.shl(index, at.const(32, 3)))
        at.builder.store(target, zeros, Space.SHARED, 32, 8)

    repeat(at, at.builder.lshr(size, at.const(32, 3)), step)
