"""Lowerings of minimum, maximum and saturation.

Comes in: ops whose zeros are ordered and whose NaNs PTX fixes. Goes out: `minimumnum` and
`maximumnum`, one instruction each in the mode that `kernel_abi` chooses. It must know no rounding.
"""

from __future__ import annotations

from ptxlift.ir.core import Op, Value
from ptxlift.llvm.amdgpu.bfloat import exact_bfloat, widened
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.floating import format_of, inputs
from ptxlift.llvm.amdgpu.registry import Lowering, lowers
from ptxlift.llvm.floats import BFLOAT, FLOAT, HALF, FloatType, literal
from ptxlift.target import Feature


def _extreme(e: Emitter, name: str, type: FloatType, a: str, b: str) -> str:
    """The expression of `minimumnum` and its like."""
    n = type.name
    return e.call(f"{n} @llvm.{name}.{type.suffix}({n}, {n})", a, b)


@lowers("fsaturate")
def _fsaturate(e: Emitter, op: Op) -> None:
    type = format_of(op)
    text = e.real(op.operands[0], type)
    if type is BFLOAT:
        low = e.let(_extreme(e, "maximumnum", FLOAT, widened(e, text, type), "0.0"))
        high = e.let(_extreme(e, "minimumnum", FLOAT, low, "1.0"))
        e.set_bits(op.results[0], f"add i16 {exact_bfloat(e, high)}, 0")
        return
    low = e.let(_extreme(e, "maximumnum", type, text, "0.0"))
    e.set_real(op.results[0], type, _extreme(e, "minimumnum", type, low, "1.0"))


def _minimum(number: str, propagating: str) -> Lowering:
    def lower(e: Emitter, op: Op) -> None:
        type = format_of(op)
        a, b = inputs(e, op.operands, type, op.attr("ftz"))
        if type is BFLOAT:
            _of_bfloat(e, op, propagating if op.attr("nan") else number, a, b)
        elif not op.attr("nan"):
            loose = not any(is_number(e, value, type) for value in op.operands)
            e.set_real(op.results[0], type, _extreme(e, number, type, a, b), loose)
        elif _propagates(e, type):
            e.set_real(op.results[0], type, _extreme(e, propagating, type, a, b), loose_nan=True)
        else:
            n = type.name
            result = e.let(_extreme(e, number, type, a, b))
            unordered = e.let(f"fcmp uno {n} {a}, {b}")
            nan = literal(type.canonical_nan, type)
            chosen = f"select i1 {unordered}, {n} {nan}, {n} {result}"
            e.set_real(op.results[0], type, chosen)

    return lower


lowers("fmin")(_minimum("minimumnum", "minimum"))
lowers("fmax")(_minimum("maximumnum", "maximum"))


def _of_bfloat(e: Emitter, op: Op, name: str, a: str, b: str) -> None:
    text = e.let(_extreme(e, name, FLOAT, widened(e, a, BFLOAT), widened(e, b, BFLOAT)))
    unordered = e.let(f"fcmp uno float {text}, 0.0")
    bits = exact_bfloat(e, text)
    e.set_bits(op.results[0], f"select i1 {unordered}, i16 {BFLOAT.canonical_nan}, i16 {bits}")


def _propagates(e: Emitter, type: FloatType) -> bool:
    """Whether one instruction propagates NaN."""
    feature = {FLOAT: Feature.MINIMUM3_F32, HALF: Feature.PK_MINIMUM3_F16}.get(type)
    return feature is not None and e.context.has(feature)


def is_number(e: Emitter, value: Value, type: FloatType) -> bool:
    """Whether the value is a constant and no NaN."""
    constant = e.constant(value)
    return constant is not None and constant & type.magnitude_mask <= type.infinity
