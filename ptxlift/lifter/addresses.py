"""State-space conversions: cvta, cvta.to, isspacep, mapa, getctarank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.attributes import IntPredicate, Space
from ptxlift.ir.core import Value
from ptxlift.lifter.operands import ADDRESS_WIDTH
from ptxlift.lifter.registry import lifts
from ptxlift.lifter.words import space_of
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter


@lifts("cvta")
def lift_cvta(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: cvta. A state-space address becomes generic."""
    space = space_of(inst.form)
    address = at.scalar(inst.operands[1], ADDRESS_WIDTH[space])
    at.write(
        inst.operands[0], inst.form.operands[0], (at.builder.to_generic(address, space),), inst
    )


@lifts("cvta_to")
def lift_cvta_to(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: cvta.to. A generic address loses its window."""
    space = space_of(inst.form)
    generic = at.scalar(inst.operands[1], 64)
    local = at.builder.from_generic(generic, ADDRESS_WIDTH[space], space)
    at.write(inst.operands[0], inst.form.operands[0], (at.fit(local, 64),), inst)


@lifts("isspacep")
def lift_isspacep(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: isspacep."""
    space = space_of(inst.form)
    generic = at.scalar(inst.operands[1], 64)
    match space:
        case Space.CONST:
            answer = _among_constants(at, generic)
        case Space.PARAM:
            answer = _in_parameters(at, generic)
        case _:
            answer = at.builder.is_space(generic, space)
    at.write(inst.operands[0], inst.form.operands[0], (answer,), inst)


def _among_constants(at: FunctionLifter, generic: Value) -> Value:
    """AMD chips have no window of constants, so every `.const` variable is looked at."""
    answer = at.const(1, 0)
    for variable in at.program.constants:
        start = at.builder.symbol_address(64, at.symbol_name(variable))
        begin = at.builder.to_generic(start, Space.CONST)
        answer = at.builder.or_(answer, _within(at, generic, begin, variable.size))
    return answer


def _in_parameters(at: FunctionLifter, generic: Value) -> Value:
    if not at.function.is_kernel:
        raise at.refuse(
            "isspacep.param in a function: only a kernel knows where its parameters are",
            "test in the kernel; parameters lie in global memory",
        )
    begin = at.builder.to_generic(at.builder.kernel_param_address(0), Space.PARAM)
    return _within(at, generic, begin, at.function.param_bytes)


def _within(at: FunctionLifter, address: Value, begin: Value, size: int) -> Value:
    offset = at.builder.sub(address, begin)
    return at.builder.icmp(offset, at.const(64, size), IntPredicate.ULT)


@lifts("mapa")
def lift_mapa(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: mapa. A block is its own cluster, of rank 0."""
    spec = inst.form.operands[0]
    address = at.scalar(inst.operands[1], spec.type.bits)
    at.write(inst.operands[0], spec, (address,), inst)


@lifts("getctarank")
def lift_getctarank(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: getctarank."""
    at.write(inst.operands[0], inst.form.operands[0], (at.const(32, 0),), inst)
