"""State-space conversions: cvta, cvta.to, isspacep, mapa, getctarank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.attributes import Space
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
    if space in (Space.CONST, Space.PARAM):
        raise at.refuse(
            f"isspacep.{space.value} cannot be answered: AMD hardware has no such window",
            "constants and parameters lie in global memory there; test for .global instead",
        )
    generic = at.scalar(inst.operands[1], 64)
    at.write(inst.operands[0], inst.form.operands[0], (at.builder.is_space(generic, space),), inst)


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
