"""Textures and surfaces: instructions become ops; what they mean is the target's.

Handles are addresses of objects: a variable is one, registers and parameters hold one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.attributes import IntPredicate
from ptxlift.ir.core import Value
from ptxlift.lifter.registry import lifts
from ptxlift.ptx import module as ptx
from ptxlift.semantics.images.instructions import (
    query_call,
    reduction_of,
    surface_call,
    texture_call,
    typed_channels,
)

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_CHANNELS = (32,) * 4
_DEPTH = (
    "a comparison with a depth takes its function from a sampler that CUDA cannot make; "
    "read the depth and compare it"
)


@lifts("tex", "tex_base", "tex_level", "tex_grad", "tld4")
def lift_texture(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Texture Instructions: tex, tld4. What is read is always resident."""
    call, form = texture_call(inst), texture_call(inst).form
    if call.has_depth:
        raise at.refuse(
            f"'{inst.form.row.opcode}' with a depth is not translated", _DEPTH, "PTX201"
        )
    texture = at.scalar(call.texture, 64)
    sampler = texture if call.sampler is call.texture else at.scalar(call.sampler, 64)
    operands = [texture, sampler, *(at.scalar(operand, 32) for operand in call.operands)]
    if call.component is None:
        attributes: tuple[object, ...] = (form.geometry, form.number, form.lod, form.offset)
        op = at.builder.emit("texture", operands, attributes, _CHANNELS)
    else:
        attributes = (form.geometry, call.component, form.offset)
        op = at.builder.emit("texture_gather", operands, attributes, _CHANNELS)
    values = typed_channels(at.builder, inst, op.results)
    at.write(inst.operands[0], inst.form.operands[0], [*values, at.const(1, 1)], inst)


@lifts("txq", "txq_level", "suq")
def lift_query(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Texture Instructions: txq. Surface Instructions: suq."""
    call = query_call(inst)
    operands = [at.scalar(call.image, 64), *(at.scalar(operand, 32) for operand in call.level)]
    value = at.builder.emit("image_query", operands, (call.query,), (32,)).result
    at.write(inst.operands[0], inst.form.operands[0], [value], inst)


@lifts("istypep")
def lift_istypep(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Texture Instructions: istypep. Only variables have a type; all of them are looked at."""
    address = at.scalar(inst.operands[1], 64)
    answer = at.const(1, 0)
    for variable in at.program.objects_of(inst.form.type):
        begin = at.address_of(variable, 0)
        offset = at.builder.sub(address, begin)
        within = at.builder.icmp(offset, at.const(64, variable.size), IntPredicate.ULT)
        answer = at.builder.or_(answer, within)
    at.write(inst.operands[0], inst.form.operands[0], (answer,), inst)


def _place(
    at: FunctionLifter, surface: ptx.Operand, operands: tuple[ptx.Operand, ...]
) -> list[Value]:
    return [at.scalar(surface, 64), *(at.scalar(operand, 32) for operand in operands)]


@lifts("suld_b")
def lift_surface_load(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Surface Instructions: suld."""
    call, form = surface_call(inst), surface_call(inst).form
    operands = _place(at, call.surface, call.operands)
    attributes = (form.geometry, form.width, form.count, form.border)
    widths = (form.width,) * form.count
    values = at.builder.emit("surface_load", operands, attributes, widths).results
    at.write(inst.operands[0], inst.form.operands[0], values, inst)


@lifts("sust_b", "sust_p")
def lift_surface_store(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Surface Instructions: sust."""
    call, form = surface_call(inst), surface_call(inst).form
    values = [at.scalar(value, form.width) for value in call.values]
    attributes = (form.geometry, form.width, form.count, form.border, form.formatted)
    operands = [*_place(at, call.surface, call.operands), *values]
    at.builder.emit("surface_store", operands, attributes)


@lifts("sured_b", "sured_p")
def lift_surface_reduction(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Surface Instructions: sured."""
    call, form = surface_call(inst), surface_call(inst).form
    value = at.scalar(call.values[0], form.width)
    attributes = (form.geometry, form.width, *reduction_of(inst), form.border, form.formatted)
    operands = [*_place(at, call.surface, call.operands), value]
    at.builder.emit("surface_reduce", operands, attributes)
