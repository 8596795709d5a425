"""Lowerings of the approximate functions, each within PTX's bound.

Comes in: `fapprox` and `fdiv_approx`. Goes out: AMD's own approximate instructions (1 ulp), which
flush subnormals; where PTX keeps them the operand is scaled. f16 and bf16 go through f32.
"""

from __future__ import annotations

from collections.abc import Callable

from ptxlift.ir.attributes import Approximation
from ptxlift.ir.core import Op
from ptxlift.llvm.amdgpu.bfloat import widened
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.floating import (
    define,
    flushed,
    format_of,
    inputs,
)
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.llvm.floats import DOUBLE, FLOAT, literal
from ptxlift.target import Feature

_INSTRUCTIONS = {
    Approximation.RCP: "rcp",
    Approximation.RSQRT: "rsq",
    Approximation.SQRT: "sqrt",
    Approximation.LG2: "log",
    Approximation.EX2: "exp2",
}
_FMA = "float @llvm.fma.f32(float, float, float)"
_ABS = "float @llvm.fabs.f32(float)"
_SMALLEST_NORMAL = literal(FLOAT.smallest_normal, FLOAT)
_TURN = literal(0x3E22F983, FLOAT)  # 1 / (2 pi)
_ROUNDER = literal(0x4B400000, FLOAT)  # 1.5 * 2^23: adding it rounds to an integer
_TWO_LOG2_E = literal(0x4038AA3B, FLOAT)  # 2 / ln 2


def _power(exponent: int) -> str:
    return literal((127 + exponent) << 23, FLOAT)


def _native(e: Emitter, name: str, text: str) -> str:
    return e.let(e.call(f"float @llvm.amdgcn.{name}.f32(float)", text))


@lowers("fapprox")
def _fapprox(e: Emitter, op: Op) -> None:
    type, function = format_of(op), op.attr("function")
    assert isinstance(function, Approximation)
    if type is DOUBLE:
        _double(e, op, function)
        return
    if type is not FLOAT:
        wide = widened(e, inputs(e, op.operands, type, op.attr("ftz"))[0], type)
        result = _function(e, function, wide, keep=False)
        define(e, op, type, f"fptrunc float {result} to {type.name}", loose_nan=True)
        return
    # The instructions flush by themselves, in any mode.
    text = e.real(op.operands[0], type)
    result = _function(e, function, text, keep=not op.attr("ftz"))
    e.set_real(op.results[0], type, f"freeze float {result}")


def _function(e: Emitter, function: Approximation, text: str, keep: bool) -> str:
    """`keep`: subnormal operands and results count."""
    if function in (Approximation.SIN, Approximation.COS):
        return _wave(e, function.value, text)
    if function is Approximation.TANH:
        return _tanh(e, text)
    if keep:
        return _KEEPING[function](e, text)
    return _native(e, _INSTRUCTIONS[function], text)


# ---- with subnormals ----


def _reciprocal(e: Emitter, text: str) -> str:
    """Mantissa and exponent apart."""
    mantissa = e.let(e.call("float @llvm.amdgcn.frexp.mant.f32(float)", text))
    exponent = e.let(e.call("i32 @llvm.amdgcn.frexp.exp.i32.f32(float)", text))
    down = e.let(f"sub i32 0, {exponent}")
    inverse = _native(e, "rcp", mantissa)
    return e.let(e.call("float @llvm.ldexp.f32.i32(float, i32)", inverse, down))


def _scaled(
    name: str, limit: int, factor: int, combine: str, after: str
) -> Callable[[Emitter, str], str]:
    """Operands below 2^limit are multiplied by 2^factor; `combine` with `after` undoes that."""

    def compute(e: Emitter, text: str) -> str:
        neutral = "1.0" if combine == "fmul" else "0.0"
        small = e.let(f"fcmp olt float {text}, {_power(limit)}")
        scale = e.let(f"select i1 {small}, float {_power(factor)}, float 1.0")
        scaled = e.let(f"fmul float {text}, {scale}")
        undo = e.let(f"select i1 {small}, float {after}, float {neutral}")
        return e.let(f"{combine} float {_native(e, name, scaled)}, {undo}")

    return compute


def _power_of_two(e: Emitter, text: str) -> str:
    """2^x below the normal range: 64 more, then 2^-64 times the result."""
    small = e.let(f"fcmp olt float {text}, {literal(0xC2FC0000, FLOAT)}")  # -126
    add = e.let(f"select i1 {small}, float {literal(0x42800000, FLOAT)}, float 0.0")  # 64
    raised = e.let(f"fadd float {text}, {add}")
    undo = e.let(f"select i1 {small}, float {_power(-64)}, float 1.0")
    return e.let(f"fmul float {_native(e, 'exp2', raised)}, {undo}")


_KEEPING: dict[Approximation, Callable[[Emitter, str], str]] = {
    Approximation.RCP: _reciprocal,
    Approximation.RSQRT: _scaled("rsq", -126, 24, "fmul", _power(12)),
    Approximation.SQRT: _scaled("sqrt", -96, 32, "fmul", _power(-16)),
    Approximation.LG2: _scaled("log", -126, 32, "fsub", literal(0x42000000, FLOAT)),
    Approximation.EX2: _power_of_two,
}


# ---- sine, cosine, hyperbolic tangent ----


def _wave(e: Emitter, name: str, text: str) -> str:
    """The instructions count in turns, within 256 of them; whole turns are taken off first."""
    near = e.let(e.call(_FMA, text, _TURN, _ROUNDER))
    turns = e.let(f"fsub float {near}, {_ROUNDER}")
    back = e.let(f"fneg float {turns}")
    part = e.let(e.call(_FMA, text, _TURN, back))
    return _native(e, name, part)


def _tanh(e: Emitter, text: str) -> str:
    """1 - 2 / (e^2x + 1), near 0 the first terms of the series: x - x^3/3 + 2x^5/15."""
    if e.context.has(Feature.TANH):
        return _native(e, "tanh", text)
    doubled = e.let(f"fmul float {text}, {_TWO_LOG2_E}")
    power = _native(e, "exp2", doubled)
    inverse = _native(e, "rcp", e.let(f"fadd float {power}, 1.0"))
    far = e.let(e.call(_FMA, inverse, "-2.0", "1.0"))
    square = e.let(f"fmul float {text}, {text}")
    inner = e.let(
        e.call(_FMA, square, literal(0x3E088889, FLOAT), literal(0xBEAAAAAB, FLOAT))
    )  # 2/15, -1/3
    ratio = e.let(e.call(_FMA, square, inner, "1.0"))
    near = e.let(f"fmul float {text}, {ratio}")
    size = e.let(e.call(_ABS, text))
    small = e.let(f"fcmp olt float {size}, {_power(-2)}")
    return e.let(f"select i1 {small}, float {near}, float {far}")


# ---- f64: rcp.approx and rsqrt.approx ----


def _double(e: Emitter, op: Op, function: Approximation) -> None:
    """`.ftz` forms read and write the upper word only and flush."""
    if function not in (Approximation.RCP, Approximation.RSQRT):
        raise e.error(op, "PTX201", f"{function.value}.approx of f64 is not translated")
    value = op.operands[0]
    bits = e.bits(value)
    if op.attr("ftz"):
        bits = e.let(f"and i64 {bits}, {-(1 << 32)}")
    text = e.let(f"bitcast i64 {bits} to double")
    if op.attr("ftz"):
        text = flushed(e, text, DOUBLE)
    name = _INSTRUCTIONS[function]
    result = e.let(e.call(f"double @llvm.amdgcn.{name}.f64(double)", text))
    if op.attr("ftz"):
        kept = e.let(f"bitcast double {flushed(e, result, DOUBLE)} to i64")
        e.set_bits(op.results[0], f"and i64 {kept}, {-(1 << 32)}")
    else:
        e.set_real(op.results[0], DOUBLE, f"freeze double {result}")


# ---- division ----


@lowers("fdiv_approx")
def _fdiv_approx(e: Emitter, op: Op) -> None:
    type = format_of(op)
    if type is not FLOAT:
        raise e.error(op, "PTX201", f"approximate division of {type.suffix} is not translated")
    if op.attr("full"):
        a, b = inputs(e, op.operands, type, op.attr("ftz"))
        define(e, op, type, _full_division(e, a, b, bool(op.attr("ftz"))))
        return
    if op.attr("ftz"):
        a, b = inputs(e, op.operands, type, True, folds=False)
        define(e, op, type, f"fmul float {a}, {_refined_inverse(e, b)}")
        return
    a, b = (e.real(value, type) for value in op.operands)
    size = e.let(e.call(_ABS, b))
    small = e.let(f"fcmp olt float {size}, {_power(-126)}")
    scale = e.let(f"select i1 {small}, float {_power(32)}, float 1.0")
    inverse = _refined_inverse(e, e.let(f"fmul float {b}, {scale}"))
    quotient = e.let(f"fmul float {a}, {inverse}")
    define(e, op, type, f"fmul float {quotient}, {scale}")


def _full_division(e: Emitter, a: str, b: str, ftz: bool) -> str:
    """Within 2 ulp everywhere: the divisor's mantissa alone is inverted, its exponent taken off
    at the end.
    """
    if ftz:
        return _scaled_division(e, a, b)
    exponent = "i32 @llvm.amdgcn.frexp.exp.i32.f32(float)"
    mantissa = "float @llvm.amdgcn.frexp.mant.f32(float)"
    top, bottom = e.let(e.call(mantissa, a)), e.let(e.call(mantissa, b))
    quotient = e.let(f"fmul float {top}, {_refined_inverse(e, bottom)}")
    up, down = e.let(e.call(exponent, a)), e.let(e.call(exponent, b))
    shift = e.let(f"sub i32 {up}, {down}")
    return e.call("float @llvm.ldexp.f32.i32(float, i32)", quotient, shift)


def _scaled_division(e: Emitter, a: str, b: str) -> str:
    """A divisor beyond 2^96 would have a reciprocal that is flushed."""
    size = e.let(e.call(_ABS, b))
    large = e.let(f"fcmp ogt float {size}, {_power(96)}")
    scale = e.let(f"select i1 {large}, float {_power(-32)}, float 1.0")
    inverse = _refined_inverse(e, e.let(f"fmul float {b}, {scale}"))
    quotient = e.let(f"fmul float {a}, {inverse}")
    return f"fmul float {quotient}, {scale}"


def _refined_inverse(e: Emitter, text: str) -> str:
    """1 / text to half a unit and a bit: with an error of one unit, quotients of numbers just below
    powers of two would be 2.5 units off. At zero and infinity the error is NaN, and the minimum
    takes the other number, which leaves the reciprocal as it is.
    """
    inverse = _native(e, "rcp", text)
    back = e.let(f"fneg float {text}")
    error = e.let(e.call(_FMA, back, inverse, "1.0"))
    error = e.let(e.call("float @llvm.minnum.f32(float, float)", error, _power(-20)))
    return e.let(e.call(_FMA, error, inverse, inverse))
