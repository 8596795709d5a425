"""Fused multiply-add of f16 and bf16, with its own clamps.

The other half-precision instructions differ from f32 in their format only and are in `floating`.
Comes in: an algebra, a form and operands. Goes out: the value that the PTX manual gives. It must
know nothing of how values are represented.
"""

from __future__ import annotations

from typing import TypeVar

from ptxlift.diag import PtxError
from ptxlift.ir.attributes import FloatPredicate, Format
from ptxlift.isa import Form
from ptxlift.semantics.algebra import Algebra
from ptxlift.semantics.floating import saturated
from ptxlift.semantics.registry import semantics
from ptxlift.semantics.words import by_lanes, format_of, rounding_of

V = TypeVar("V")


def relu(algebra: Algebra[V], form: Form, fmt: Format, a: V) -> V:
    """Negative values, -0 too, become +0 where the form says `.relu`; a NaN stays one."""
    if not form.get("relu"):
        return a
    zero = algebra.const(fmt.bits, 0)
    kept = algebra.fcmp(a, zero, fmt, FloatPredicate.UGT, False)
    return algebra.select(kept, a, zero)


@semantics("fma_half")
def fma_half(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Half Precision Floating Point Instructions: fma.

    .oob makes products with an OOB NaN zero. The manual ("Tensors", out-of-boundary access) gives
    no bits of that NaN, ptxas folds no such fma, and public sources differ: CUTLASS compares with
    0x7eff, measurements of tensor maps on sm_120 say 0x7ff7.
    """
    if form.get("oob"):
        raise PtxError.of(
            "PTX201",
            "fma.oob is not translated: NVIDIA does not document which NaN it takes for zero",
            hint="only tensor maps make such NaNs; where there is none, fma.rn gives the same",
        )
    fmt, rounding = format_of(form.type), rounding_of(form)
    ftz = bool(form.get("ftz"))

    def one(x: V, y: V, z: V) -> V:
        total = algebra.ffma(x, y, z, fmt, rounding, ftz)
        return relu(algebra, form, fmt, saturated(algebra, form, fmt, total))

    return by_lanes(algebra, form.type, one, a, b, c)
