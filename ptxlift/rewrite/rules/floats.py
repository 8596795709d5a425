"""Single-precision operations that get cheaper by what is known of their operands."""

from __future__ import annotations

import struct

from ptxlift.ir.attributes import Approximation, Format, Rounding
from ptxlift.ir.core import Value
from ptxlift.ir.magnitudes import is_never_subnormal
from ptxlift.rewrite.pattern import Attribute, Known, op
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


# ---- the whole part by adding a large number ----


def _float(bits: int) -> float:
    number: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    return number


def _is_one_binade(factor: int, offset: int, **_: object) -> bool:
    """Whether offset + [0, factor] lies between two powers of two, where floats are equally far
    apart: then what is beyond the offset is exact."""
    number, width = _float(offset), _float(factor)
    exponent = (offset >> 23) - 127
    end = number + width
    return 0 <= exponent < 128 and 1 <= width <= 2.0**23 and end < 2.0 ** (exponent + 1)


def _floor_by_sum(b: Algebra[V], y: V, factor: int, offset: int, ftz: bool) -> V:
    """To nearest, then one unit down where that lies above the exact sum: the last fused operation
    has the sign of the difference."""
    fmt, nearest = Format.F32, Rounding.RN
    x, times, start = b.fsaturate(y, fmt), b.const(32, factor), b.const(32, offset)
    total = b.ffma(x, times, start, fmt, nearest, ftz)
    whole = b.fsub(total, start, fmt, nearest, ftz)
    rest = b.ffma(x, times, b.fneg(whole, fmt), fmt, nearest, False)
    return b.add(total, b.ashr(rest, b.const(32, 31)))


_FLOORS = (
    rule(
        "floor_by_sum",
        op(
            "ffma",
            op("fsaturate", "y", fmt=Format.F32),
            Known("factor"),
            Known("offset"),
            fmt=Format.F32,
            rounding=Rounding.RM,
            ftz=Attribute("ftz"),
        ),
        _floor_by_sum,
        when=_is_one_binade,
        widths=(32,),
        cost=(27, 5),
        unproven="floating-point fused operations are beyond Z3; run at every whole number's edge",
        shown="t = ffma.rn(sat(y), f, o); t - (ffma.rn(sat(y), f, o - t) < 0)",
    ),
)

RULES = (*_FLOORS, *(_of_normal(function, cost) for function, cost in _COSTS.items()))
