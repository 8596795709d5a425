"""Loads and stores in every state space, and the parameters of kernels and functions.

A scalar `.param` of a function or call is a key of the SSA variables, like a register; an array,
or one whose address is taken, is a local slot. A kernel's parameters are read from its parameter
block.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Value
from ptxlift.isa import Form
from ptxlift.lifter.registry import lifts
from ptxlift.lifter.words import hint_of, order_of, scope_of, space_of
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter


def _shape(form: Form, value: ptx.Operand) -> tuple[int, int]:
    """Width and number of the elements an access moves."""
    width = form.types[-1].bits
    match value:
        case ptx.VectorOperand():
            return width, len(value.elements)
        case ptx.Register():
            return width, value.vector
        case _:
            return width, 1


@lifts("ld", "ldu")
def lift_load(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: ld, ld.global.nc, ldu."""
    form = inst.form
    result, memory = inst.operands[0], inst.operands[1]
    assert isinstance(memory, ptx.Memory)
    width, count = _shape(form, result)
    space = space_of(form)
    values = _parameter(at, memory, width, count) if space is Space.PARAM else None
    if values is None:
        values = _load(at, form, memory, space, width, count)
    at.write(result, form.operands[0], values, inst)


def _load(
    at: FunctionLifter, form: Form, memory: ptx.Memory, space: Space, width: int, count: int
) -> list[Value]:
    space = _frame_space(memory, space)
    address = at.memory_address(memory, space)
    align = width // 8 * count
    order, scope, hint = order_of(form), scope_of(form), hint_of(form)
    return at.builder.load(address, space, width, count, align, order, scope, hint)


def _frame_space(memory: ptx.Memory, space: Space) -> Space:
    """Function and call parameters lie in the frame."""
    base = memory.base
    if space is Space.PARAM and isinstance(base, ptx.Variable) and base.offset < 0:
        return Space.LOCAL
    return space


def _parameter(
    at: FunctionLifter, memory: ptx.Memory, width: int, count: int
) -> list[Value] | None:
    """A parameter read that needs no memory, or None."""
    base = memory.base
    if not isinstance(base, ptx.Variable):
        return None
    if base.offset >= 0:
        step = width // 8
        first = base.offset + memory.offset
        return [at.builder.kernel_param(width, first + i * step) for i in range(count)]
    if base in at.in_memory:
        return None
    value = at.variables.read(at.node, base, base.type.bits)
    return [at.fit(value, width)]


@lifts("st")
def lift_store(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: st."""
    form = inst.form
    memory, value = inst.operands[0], inst.operands[1]
    assert isinstance(memory, ptx.Memory)
    width, count = _shape(form, value)
    space = space_of(form)
    read = at.read(value, form.operands[1])
    parts: Sequence[Value] = read if isinstance(read, tuple) else (read,)
    parts = [at.fit(part, width) for part in parts]
    base = memory.base
    if space is Space.PARAM and isinstance(base, ptx.Variable) and base not in at.in_memory:
        at.set(base, at.fit(parts[0], base.type.bits), inst)
        return
    space = _frame_space(memory, space)
    address = at.memory_address(memory, space)
    align = width // 8 * count
    order, scope, hint = order_of(form), scope_of(form), hint_of(form)
    at.builder.store(address, parts, space, width, align, order, scope, hint)
