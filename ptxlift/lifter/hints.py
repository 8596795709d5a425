"""Instructions that never change a result: prefetches, priorities, events, waiting a little."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.lifter.registry import lifts
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_HINTS = (
    "prefetch",
    "prefetchu",
    "prefetch_tensormap",
    "applypriority",
    "discard",
    "pmevent",
    "pmevent_mask",
    "griddepcontrol",
    "setmaxnreg",
)


@lifts(*_HINTS)
def lift_hint(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Nothing to do: the manual lets an implementation ignore each of them.

    `griddepcontrol` orders dependent grids: without that launch attribute grids run one after
    another.
    """


@lifts("createpolicy_range", "createpolicy_fractional", "createpolicy_cvt")
def lift_createpolicy(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: createpolicy. A policy is a hint, its value
    opaque.
    """
    at.write(inst.operands[0], inst.form.operands[0], (at.const(64, 0),), inst)


@lifts("nanosleep")
def lift_nanosleep(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Miscellaneous Instructions: nanosleep."""
    at.builder.sleep(at.scalar(inst.operands[0], 32))
