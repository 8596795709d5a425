"""Single-precision functions whose operand is known to be no subnormal number."""

from __future__ import annotations

from ptxlift.ir.attributes import Approximation, Format
from ptxlift.ir.core import Value
from ptxlift.ir.magnitudes import is_never_subnormal
from ptxlift.rewrite.pattern import op
from ptxlift.rewrite.rule import Build, Rule, rule
from ptxlift.semantics.algebra import Algebra, V

# Vector instructions with care for subnormals; without, the chip's own instruction is enough.
_COSTS = {Approximation.RSQRT: 6, Approximation.SQRT: 6, Approximation.LG2: 6}


def _is_normal(x: Value) -> bool:
    return is_never_subnormal(x)


def _flushing(function: Approximation) -> Build:
    def build(b: Algebra[V], x: V) -> V:
        return b.fapprox(x, function, Format.F32, True)

    return build


def _of_normal(function: Approximation, cost: int) -> Rule:
    """Neither the operand nor the result of these can be subnormal, so nothing is flushed."""
    return rule(
        f"{function.value}_of_normal",
        op("fapprox", "x", function=function, fmt=Format.F32, ftz=False),
        _flushing(function),
        when=_is_normal,
        widths=(32,),
        cost=(cost, 1),
        unproven="an approximation has no exact value; .ftz changes subnormal numbers only",
        shown=f"{function.value}.ftz(x)",
    )


RULES = tuple(_of_normal(function, cost) for function, cost in _COSTS.items())
