"""Moves whose source is no register: special registers and addresses; whole vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.lifter.registry import lifts
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter


@lifts("mov_sreg", "mov_address", "mov_vector")
def lift_move(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: mov."""
    specs = inst.form.operands
    value = at.read(inst.operands[1], specs[1])
    values = value if isinstance(value, tuple) else (value,)
    at.write(inst.operands[0], specs[0], values, inst)
