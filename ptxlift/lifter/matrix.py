"""mma.sync as the IR's `mma`.

Comes in: an instruction. Goes out: one op, whose operands are the fragments' registers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.attributes import Rounding
from ptxlift.ir.core import Value
from ptxlift.ir.matrix import Arrangement, Element, Operation, Product
from ptxlift.isa import Form
from ptxlift.lifter.registry import lifts
from ptxlift.lifter.scaled import lift_scaled
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_ROUNDINGS = {rounding.value: rounding for rounding in Rounding}
_QUADS = {
    ("row", "row"): Arrangement.QUADS_ROW_ROW,
    ("row", "col"): Arrangement.QUADS_ROW_COL,
    ("col", "row"): Arrangement.QUADS_COL_ROW,
    ("col", "col"): Arrangement.QUADS_COL_COL,
}


def shape_of(form: Form) -> tuple[int, int, int]:
    """m, n, k."""
    m, n, k = form.get("shape")[1:].replace("n", " ").replace("k", " ").split()
    return int(m), int(n), int(k)


def product_of_form(form: Form, arrangement: Arrangement = Arrangement.WARP) -> Product:
    """What an mma multiplies."""
    a, b, c, d = (Element(form.get(key)) for key in ("atype", "btype", "ctype", "dtype"))
    shape = shape_of(form)
    if shape == (8, 8, 4) and a is Element.F16:
        arrangement = _QUADS[form.get("al"), form.get("bl")]
    operation = Operation(form.get("op") or "mul")
    rounding = _ROUNDINGS[form.get("rnd") or "rn"]
    return Product(shape, a, b, c, d, operation, arrangement, rounding, bool(form.get("satfinite")))


def registers(at: FunctionLifter, inst: ptx.Inst, name: str) -> tuple[Value, ...]:
    """The registers of the operand with this name."""
    for operand, spec in zip(inst.operands, inst.form.operands, strict=True):
        if spec.name == name:
            value = at.read(operand, spec)
            return value if isinstance(value, tuple) else (value,)
    raise AssertionError(f"{inst.form.name} has no operand {name}")


@lifts("mma")
def lift_mma(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Warp-Level Matrix Instructions: mma."""
    form = inst.form
    product = product_of_form(form)
    a, b, c = (registers(at, inst, name) for name in "abc")
    if form.get("stype"):
        results = lift_scaled(at, inst, product, a, b)
    else:
        results = at.builder.mma(product, (*a, *b, *c))
    at.write(inst.operands[0], form.operands[0], results, inst)
