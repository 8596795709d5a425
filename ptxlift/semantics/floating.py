"""Floating-point instructions of f32 and f64, and those that mix f32 with halves.

Comes in: an algebra, a form and operands. Goes out: the value that the PTX manual gives: rounded
once, flushed where the form says `.ftz`. It must know nothing of how values are represented.
"""

from __future__ import annotations

from typing import TypeVar

from ptxlift.ir.attributes import Approximation, FloatPredicate, Format, IntPredicate, Rounding
from ptxlift.isa import Form, type_of
from ptxlift.semantics.algebra import Algebra
from ptxlift.semantics.registry import semantics
from ptxlift.semantics.words import by_lanes, format_of, rounding_of

V = TypeVar("V")

_ONE = {Format.F32: 0x3F800000, Format.F64: 0x3FF0000000000000}


def saturated(algebra: Algebra[V], form: Form, fmt: Format, a: V) -> V:
    """Clamped to [0, 1] where the form says `.sat`."""
    return algebra.fsaturate(a, fmt) if form.get("sat") else a


def flushed(algebra: Algebra[V], form: Form, fmt: Format, a: V) -> V:
    """Without subnormals where the form says `.ftz`."""
    return algebra.fflush(a, fmt) if form.get("ftz") else a


def _ftz(form: Form) -> bool:
    return bool(form.get("ftz"))


@semantics("add_f32", "add_f64", "add_f32x2", "add_half")
def add(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Floating Point Instructions: add."""
    fmt, rounding = format_of(form.type), rounding_of(form)

    def one(x: V, y: V) -> V:
        return saturated(algebra, form, fmt, algebra.fadd(x, y, fmt, rounding, _ftz(form)))

    return by_lanes(algebra, form.type, one, a, b)


@semantics("sub_f32", "sub_f64", "sub_f32x2", "sub_half")
def sub(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Floating Point Instructions: sub."""
    fmt, rounding = format_of(form.type), rounding_of(form)

    def one(x: V, y: V) -> V:
        return saturated(algebra, form, fmt, algebra.fsub(x, y, fmt, rounding, _ftz(form)))

    return by_lanes(algebra, form.type, one, a, b)


@semantics("mul_f32", "mul_f64", "mul_f32x2", "mul_half")
def mul(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Floating Point Instructions: mul."""
    fmt, rounding = format_of(form.type), rounding_of(form)

    def one(x: V, y: V) -> V:
        return saturated(algebra, form, fmt, algebra.fmul(x, y, fmt, rounding, _ftz(form)))

    return by_lanes(algebra, form.type, one, a, b)


@semantics("fma_f32", "fma_f64", "fma_f32x2", "mad_f32", "mad_f64")
def fma(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Floating Point Instructions: fma, mad."""
    fmt, rounding = format_of(form.type), rounding_of(form)

    def one(x: V, y: V, z: V) -> V:
        return saturated(algebra, form, fmt, algebra.ffma(x, y, z, fmt, rounding, _ftz(form)))

    return by_lanes(algebra, form.type, one, a, b, c)


def _to_f32(algebra: Algebra[V], form: Form, a: V) -> V:
    source = format_of(type_of(form.get("atype")))
    return algebra.fconvert(a, source, Format.F32, Rounding.RN, False)


@semantics("add_mixed")
def add_mixed(algebra: Algebra[V], form: Form, a: V, c: V) -> V:
    """Mixed Precision Floating Point Instructions: add."""
    wide = _to_f32(algebra, form, a)
    total = algebra.fadd(wide, c, Format.F32, rounding_of(form), False)
    return saturated(algebra, form, Format.F32, total)


@semantics("sub_mixed")
def sub_mixed(algebra: Algebra[V], form: Form, a: V, c: V) -> V:
    """Mixed Precision Floating Point Instructions: sub."""
    wide = _to_f32(algebra, form, a)
    difference = algebra.fsub(wide, c, Format.F32, rounding_of(form), False)
    return saturated(algebra, form, Format.F32, difference)


@semantics("fma_mixed")
def fma_mixed(algebra: Algebra[V], form: Form, a: V, b: V, c: V) -> V:
    """Mixed Precision Floating Point Instructions: fma."""
    left, right = _to_f32(algebra, form, a), _to_f32(algebra, form, b)
    total = algebra.ffma(left, right, c, Format.F32, rounding_of(form), False)
    return saturated(algebra, form, Format.F32, total)


@semantics("div_f32")
def div_f32(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Floating Point Instructions: div."""
    mode = form.get("mode")
    if mode in ("approx", "full"):
        return algebra.fdiv_approx(a, b, Format.F32, _ftz(form), mode == "full")
    return algebra.fdiv(a, b, Format.F32, rounding_of(form, "mode"), _ftz(form))


@semantics("div_f64")
def div_f64(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Floating Point Instructions: div."""
    return algebra.fdiv(a, b, Format.F64, rounding_of(form), False)


@semantics("rcp_f32")
def rcp_f32(algebra: Algebra[V], form: Form, a: V) -> V:
    """Floating Point Instructions: rcp."""
    if form.get("mode") == "approx":
        return algebra.fapprox(a, Approximation.RCP, Format.F32, _ftz(form))
    one = algebra.const(32, _ONE[Format.F32])
    return algebra.fdiv(one, a, Format.F32, rounding_of(form, "mode"), _ftz(form))


@semantics("rcp_f64")
def rcp_f64(algebra: Algebra[V], form: Form, a: V) -> V:
    """Floating Point Instructions: rcp."""
    one = algebra.const(64, _ONE[Format.F64])
    return algebra.fdiv(one, a, Format.F64, rounding_of(form), False)


@semantics("rcp_approx_f64")
def rcp_approx_f64(algebra: Algebra[V], form: Form, a: V) -> V:
    """Floating Point Instructions: rcp.approx.ftz.f64. The row has no form without .ftz."""
    return algebra.fapprox(a, Approximation.RCP, Format.F64, True)


@semantics("sqrt_f32")
def sqrt_f32(algebra: Algebra[V], form: Form, a: V) -> V:
    """Floating Point Instructions: sqrt."""
    if form.get("mode") == "approx":
        return algebra.fapprox(a, Approximation.SQRT, Format.F32, _ftz(form))
    return algebra.fsqrt(a, Format.F32, rounding_of(form, "mode"), _ftz(form))


@semantics("sqrt_f64")
def sqrt_f64(algebra: Algebra[V], form: Form, a: V) -> V:
    """Floating Point Instructions: sqrt."""
    return algebra.fsqrt(a, Format.F64, rounding_of(form), False)


@semantics("rsqrt_f32", "rsqrt_f64")
def rsqrt(algebra: Algebra[V], form: Form, a: V) -> V:
    """Floating Point Instructions: rsqrt, rsqrt.approx.ftz.f64."""
    return algebra.fapprox(a, Approximation.RSQRT, format_of(form.type), _ftz(form))


@semantics("sin_f32")
def sin(algebra: Algebra[V], form: Form, a: V) -> V:
    """Floating Point Instructions: sin."""
    return algebra.fapprox(a, Approximation.SIN, Format.F32, _ftz(form))


@semantics("cos_f32")
def cos(algebra: Algebra[V], form: Form, a: V) -> V:
    """Floating Point Instructions: cos."""
    return algebra.fapprox(a, Approximation.COS, Format.F32, _ftz(form))


@semantics("lg2_f32")
def lg2(algebra: Algebra[V], form: Form, a: V) -> V:
    """Floating Point Instructions: lg2."""
    return algebra.fapprox(a, Approximation.LG2, Format.F32, _ftz(form))


@semantics("ex2_f32", "ex2_half")
def ex2(algebra: Algebra[V], form: Form, a: V) -> V:
    """Floating Point Instructions: ex2. The bf16 forms always flush."""
    fmt = format_of(form.type)
    ftz = _ftz(form) or fmt is Format.BF16

    def one(x: V) -> V:
        return algebra.fapprox(x, Approximation.EX2, fmt, ftz)

    return by_lanes(algebra, form.type, one, a)


@semantics("tanh_f32", "tanh_half")
def tanh(algebra: Algebra[V], form: Form, a: V) -> V:
    """Floating Point Instructions: tanh. It keeps subnormals."""
    fmt = format_of(form.type)

    def one(x: V) -> V:
        return algebra.fapprox(x, Approximation.TANH, fmt, False)

    return by_lanes(algebra, form.type, one, a)


@semantics("abs_f32", "abs_f64", "abs_half")
def abs_(algebra: Algebra[V], form: Form, a: V) -> V:
    """Floating Point Instructions: abs."""
    fmt = format_of(form.type)

    def one(x: V) -> V:
        return algebra.fabs(flushed(algebra, form, fmt, x), fmt)

    return by_lanes(algebra, form.type, one, a)


@semantics("neg_f32", "neg_f64", "neg_half")
def neg(algebra: Algebra[V], form: Form, a: V) -> V:
    """Floating Point Instructions: neg."""
    fmt = format_of(form.type)

    def one(x: V) -> V:
        return algebra.fneg(flushed(algebra, form, fmt, x), fmt)

    return by_lanes(algebra, form.type, one, a)


def _with_sign(algebra: Algebra[V], fmt: Format, sign: V, magnitude: V) -> V:
    """The sign bit of one value, everything else of the other."""
    top = algebra.const(fmt.bits, 1 << (fmt.bits - 1))
    return algebra.or_(algebra.and_(sign, top), algebra.fabs(magnitude, fmt))


def _extreme(algebra: Algebra[V], form: Form, fmt: Format, larger: bool, a: V, b: V) -> V:
    """min or max of two elements with `.NaN`, `.ftz`, `.abs` and `.xorsign.abs`."""
    choose = algebra.fmax if larger else algebra.fmin
    sign = algebra.xor(a, b)
    if form.get("abs"):
        a, b = algebra.fabs(a, fmt), algebra.fabs(b, fmt)
    chosen = choose(a, b, fmt, _ftz(form), bool(form.get("NaN")))
    if not form.get("xorsign"):
        return chosen
    signed = _with_sign(algebra, fmt, sign, chosen)
    number = algebra.fcmp(chosen, chosen, fmt, FloatPredicate.ORD, False)
    return algebra.select(number, signed, chosen)


@semantics("min_f32", "min_f64", "min_half", "min3_f32")
def min_(algebra: Algebra[V], form: Form, a: V, b: V, *more: V) -> V:
    """Floating Point Instructions: min."""
    fmt = format_of(form.type)

    def one(x: V, y: V) -> V:
        return _extreme(algebra, form, fmt, False, x, y)

    result = by_lanes(algebra, form.type, one, a, b)
    return by_lanes(algebra, form.type, one, result, *more) if more else result


@semantics("max_f32", "max_f64", "max_half", "max3_f32")
def max_(algebra: Algebra[V], form: Form, a: V, b: V, *more: V) -> V:
    """Floating Point Instructions: max."""
    fmt = format_of(form.type)

    def one(x: V, y: V) -> V:
        return _extreme(algebra, form, fmt, True, x, y)

    result = by_lanes(algebra, form.type, one, a, b)
    return by_lanes(algebra, form.type, one, result, *more) if more else result


@semantics("copysign")
def copysign(algebra: Algebra[V], form: Form, a: V, b: V) -> V:
    """Floating Point Instructions: copysign. The sign of a, the magnitude of b."""
    return _with_sign(algebra, format_of(form.type), a, b)


@semantics("testp")
def testp(algebra: Algebra[V], form: Form, a: V) -> V:
    """Floating Point Instructions: testp. Zeros count as normal numbers."""
    fmt = format_of(form.type)
    magnitude = algebra.fabs(a, fmt)
    infinity = algebra.const(fmt.bits, ((1 << fmt.exponent_bits) - 1) << fmt.mantissa_bits)
    smallest = algebra.const(fmt.bits, 1 << fmt.mantissa_bits)
    zero = algebra.const(fmt.bits, 0)
    below = algebra.icmp(magnitude, smallest, IntPredicate.ULT)
    subnormal = algebra.and_(below, algebra.icmp(magnitude, zero, IntPredicate.NE))
    match form.get("op"):
        case "finite":
            return algebra.icmp(magnitude, infinity, IntPredicate.ULT)
        case "infinite":
            return algebra.icmp(magnitude, infinity, IntPredicate.EQ)
        case "number":
            return algebra.icmp(magnitude, infinity, IntPredicate.ULE)
        case "notanumber":
            return algebra.icmp(magnitude, infinity, IntPredicate.UGT)
        case "subnormal":
            return subnormal
        case _:
            finite = algebra.icmp(magnitude, infinity, IntPredicate.ULT)
            return algebra.and_(finite, algebra.not_(subnormal))
