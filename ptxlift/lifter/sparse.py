"""mma.sp: products whose a is stored without half of its elements.

Comes in: an instruction. Goes out: one `mma` of the stored a with its metadata; where elements are
scaled in blocks, IR of the whole a.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.exchange import Exchange
from ptxlift.ir.matrix import Arrangement, Element
from ptxlift.ir.spreading import dense_product, spread_left
from ptxlift.lifter.matrix import product_of_form, registers
from ptxlift.lifter.registry import lifts
from ptxlift.lifter.scaled import has_pairs, lift_scaled
from ptxlift.ptx import module as ptx
from ptxlift.records import replace

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter


@lifts("mma_sp")
def lift_sparse(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Warp-Level Matrix Instructions: mma.sp."""
    form = inst.form
    a, b, c = (registers(at, inst, name) for name in "abc")
    metadata = registers(at, inst, "e")
    selectors = (
        next(
            operand.bits
            for operand, spec in zip(inst.operands, form.operands, strict=True)
            if spec.name == "f" and isinstance(operand, ptx.Immediate)
        ),
    )
    product = product_of_form(form, Arrangement.SPARSE)
    if form.get("stype"):
        stored = replace(product, a=Element.S4) if has_pairs(form) else product
        whole = spread_left(Exchange(at.builder), stored, a, metadata, selectors)
        results = lift_scaled(at, inst, dense_product(product), whole, b)
    else:
        results = at.builder.mma(product, (*a, *b, *c, *metadata), selectors)
    at.write(inst.operands[0], form.operands[0], results, inst)
