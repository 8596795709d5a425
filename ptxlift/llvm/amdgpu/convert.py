"""Lowerings of conversions between float formats and between floats and integers.

Comes in: `fconvert`, `float_to_int`, `int_to_float`. Goes out: LLVM conversions. v_cvt saturates
and makes 0 of NaN, as PTX does, but LLVM calls that undefined: constants are converted here, and
everything else is frozen.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, trunc

from ptxlift.ir.attributes import Format, Rounding
from ptxlift.ir.core import Op, Value
from ptxlift.llvm.amdgpu import directed
from ptxlift.llvm.amdgpu.bfloat import (
    flushed_bfloat,
    nearest_bfloat,
    number_or_nan,
    upper_half,
    widened,
)
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.facts import is_flushed
from ptxlift.llvm.amdgpu.floating import (
    INTEGRAL,
    define,
    fenced_product,
    flushed,
    flushes_itself,
    format_of,
)
from ptxlift.llvm.amdgpu.folds import may_be_product
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.llvm.floats import BFLOAT, DOUBLE, FLOAT, HALF, FloatType, literal, type_of
from ptxlift.target import Feature

# ---- float to float ----


@lowers("fconvert")
def _fconvert(e: Emitter, op: Op) -> None:
    source_format, rounding = op.attr("source"), op.attr("rounding")
    assert isinstance(source_format, Format) and isinstance(rounding, Rounding)
    source, type = type_of(source_format), format_of(op)
    text = e.real(op.operands[0], source)
    if op.attr("ftz") and source is FLOAT:  # .ftz concerns the f32 side only
        text = flushed(e, text, source)
    if source is type:
        e.set_real(op.results[0], type, f"freeze {type.name} {text}", loose_nan=True)
    elif type.bits > source.bits:
        if op.attr("ftz") and source is BFLOAT and type is FLOAT:
            text = flushed_bfloat(e, text)  # a widening is a shift: no mode flushes it
        e.set_real(op.results[0], type, f"fpext {source.name} {text} to {type.name}")
    elif type is FLOAT:
        nearest = f"fptrunc double {text} to float"
        direction = rounding is not Rounding.RN
        explicit = op.attr("ftz") and not flushes_itself(e, type)
        tiny = directed.vanishes(e, text, rounding) if explicit else None
        chosen = directed.round_to_float(e, text, rounding) if direction else nearest
        define(e, op, type, chosen, loose_nan=True, tiny=tiny)
    else:
        single = single_of(e, op.operands[0], text, source)
        if type is BFLOAT and not _converts_itself(e, op):
            directly = nearest_bfloat(e, single) if rounding is Rounding.RN else ""
            bits = directly or _directed_bfloat(e, single, rounding)
            e.set_bits(op.results[0], f"add i16 {bits}, 0")
            return
        narrow = _to_16_bits(e, single, type, rounding)
        e.set_real(op.results[0], type, narrow, loose_nan=True)


def _converts_itself(e: Emitter, op: Op) -> bool:
    """Whether the target has the conversion to bf16 and it would not flush what must be kept."""
    flushes = flushes_itself(e, FLOAT) and not op.attr("ftz") and not is_flushed(op.operands[0])
    return e.context.has(Feature.CVT_PK_BF16) and not flushes


def single_of(e: Emitter, value: Value, text: str, source: FloatType) -> str:
    """An f32 that rounds to a 16-bit format as the source does."""
    if source is FLOAT:
        return fenced_product(e, text) if may_be_product(e, FLOAT, value) else text
    if source is DOUBLE:
        return directed.odd_float(e, text)
    return widened(e, text, source)


def _to_16_bits(e: Emitter, text: str, type: FloatType, rounding: Rounding) -> str:
    if rounding is Rounding.RN:
        return f"fptrunc float {text} to {type.name}"
    if type is HALF:
        return directed.round_to_half(e, text, rounding)
    return f"bitcast i16 {_directed_bfloat(e, text, rounding)} to bfloat"


def _directed_bfloat(e: Emitter, text: str, rounding: Rounding) -> str:
    """The bits of the upper half of an f32, one more where the direction leads away from zero.
    Infinities have no lower half.
    """
    bits = e.let(f"bitcast float {text} to i32")
    if rounding is not Rounding.RZ:
        test = "icmp slt" if rounding is Rounding.RM else "icmp sge"
        outward = e.let(f"{test} i32 {bits}, 0")
        step = e.let(f"select i1 {outward}, i32 {0xFFFF}, i32 0")
        bits = e.let(f"add i32 {bits}, {step}")
    return number_or_nan(e, text, upper_half(e, bits))


# ---- float to integer ----


@lowers("float_to_int")
def _float_to_int(e: Emitter, op: Op) -> None:
    type, rounding = format_of(op), op.attr("rounding")
    width, signed = int(str(op.attr("width"))), bool(op.attr("signed"))
    assert isinstance(rounding, Rounding)
    constant = e.constant(op.operands[0])
    if constant is not None:
        result = converted(constant, type, width, signed, rounding, bool(op.attr("ftz")))
        e.set_constant(op.results[0], result)
        return
    text = e.real(op.operands[0], type)
    if op.attr("ftz") and rounding in (Rounding.RM, Rounding.RP):
        text = flushed(e, text, type)
    if type.bits == 16:
        text, type = widened(e, text, type), FLOAT
    n = type.name
    if rounding is not Rounding.RZ:
        text = e.let(e.call(f"{n} @llvm.{INTEGRAL[rounding]}.{type.suffix}({n})", text))
    if width == 64:
        _to_64_bits(e, op, text, type, signed)
    else:
        _to_32_bits(e, op, text, type, width, signed)


def _to_32_bits(e: Emitter, op: Op, text: str, type: FloatType, width: int, signed: bool) -> None:
    """The hardware clamps to 32 bits; narrower results are clamped once more."""
    word = e.let(f"{'fptosi' if signed else 'fptoui'} {type.name} {text} to i32")
    if width == 32:
        e.set_bits(op.results[0], f"freeze i32 {word}")
        return
    word = e.let(f"freeze i32 {word}")
    high = (1 << (width - signed)) - 1
    smaller = "smin" if signed else "umin"
    word = e.let(e.call(f"i32 @llvm.{smaller}.i32(i32, i32)", word, str(high)))
    if signed:
        word = e.let(e.call("i32 @llvm.smax.i32(i32, i32)", word, str(-high - 1)))
    e.set_bits(op.results[0], f"trunc i32 {word} to i{width}")


def _to_64_bits(e: Emitter, op: Op, text: str, type: FloatType, signed: bool) -> None:
    """LLVM's sequence does not clamp. NaN gives the top bit alone; a maximum takes the number."""
    n = type.name
    least = _power(63, type, negative=True) if signed else "0.0"
    inside = e.let(e.call(f"{n} @llvm.maxnum.{type.suffix}({n}, {n})", text, least))
    word = e.let(f"{'fptosi' if signed else 'fptoui'} {n} {inside} to i64")
    word = e.let(f"freeze i64 {word}")
    limit = _power(63 if signed else 64, type)
    above = e.let(f"fcmp oge {n} {text}, {limit}")
    high = (1 << (64 - signed)) - 1
    if signed:
        e.set_bits(op.results[0], f"select i1 {above}, i64 {high}, i64 {word}")
        return
    word = e.let(f"select i1 {above}, i64 {high}, i64 {word}")
    unordered = e.let(f"fcmp uno {n} {text}, 0.0")
    e.set_bits(op.results[0], f"select i1 {unordered}, i64 {-(1 << 63)}, i64 {word}")


def _power(exponent: int, type: FloatType, negative: bool = False) -> str:
    bias = (1 << (type.bits - 2 - type.mantissa)) - 1
    bits = (bias + exponent) << type.mantissa
    return literal(bits | (type.sign_bit if negative else 0), type)


def converted(
    bits: int, type: FloatType, width: int, signed: bool, rounding: Rounding, ftz: bool
) -> int:
    """`float_to_int` of a constant."""
    magnitude = bits & type.magnitude_mask
    if magnitude > type.infinity:
        return 1 << 63 if width == 64 else 0
    low = -(1 << (width - 1)) if signed else 0
    high = (1 << (width - signed)) - 1
    negative = bool(bits & type.sign_bit)
    if magnitude == type.infinity:
        whole = low if negative else high
    elif ftz and magnitude < type.smallest_normal:
        whole = 0
    else:
        value = _exact(magnitude, type)
        whole = _whole(-value if negative else value, rounding)
    return max(low, min(high, whole)) & ((1 << width) - 1)


def _whole(value: Fraction, rounding: Rounding) -> int:
    match rounding:
        case Rounding.RZ:
            return trunc(value)
        case Rounding.RM:
            return floor(value)
        case Rounding.RP:
            return ceil(value)
        case _:
            return round(value)


def _exact(magnitude: int, type: FloatType) -> Fraction:
    """The value of a finite number without its sign."""
    exponent = magnitude >> type.mantissa
    fraction = magnitude & ((1 << type.mantissa) - 1)
    if exponent:
        fraction |= 1 << type.mantissa
    bias = (1 << (type.bits - 2 - type.mantissa)) - 1
    power = max(exponent, 1) - bias - type.mantissa
    return Fraction(fraction) * Fraction(2) ** power


# ---- integer to float ----


@lowers("int_to_float")
def _int_to_float(e: Emitter, op: Op) -> None:
    type, rounding = format_of(op), op.attr("rounding")
    assert isinstance(rounding, Rounding)
    value, signed = op.operands[0], bool(op.attr("signed"))
    text, convert = e.bits(value), "sitofp" if signed else "uitofp"
    n = f"i{value.width}"
    # LLVM's own way to f16 rounds to f32 first: harmless, what that rounds is infinite in f16.
    inexact = value.width > (24 if type is FLOAT else type.mantissa)
    if type is BFLOAT or (rounding is not Rounding.RN and inexact):
        _rounded_once(e, op, type, text, rounding)
    else:
        e.set_real(op.results[0], type, f"{convert} {n} {text} to {type.name}")


def _rounded_once(e: Emitter, op: Op, type: FloatType, text: str, rounding: Rounding) -> None:
    """Through f64, which holds 32 bits exactly and 64 bits rounded to odd."""
    value, signed = op.operands[0], bool(op.attr("signed"))
    convert = "sitofp" if signed else "uitofp"
    if value.width <= 32:
        wide = e.let(f"{convert} i{value.width} {text} to double")
    elif type is DOUBLE:
        _directed_i64_to_f64(e, op, text, rounding)
        return
    else:
        wide = _odd_f64(e, text, convert)
    if type is FLOAT:
        e.set_real(op.results[0], type, directed.round_to_float(e, wide, rounding))
        return
    single = directed.odd_float(e, wide)
    e.set_real(op.results[0], type, _to_16_bits(e, single, type, rounding))


def _halves(e: Emitter, text: str, convert: str) -> tuple[str, str]:
    """A 64-bit integer as the exact f64 sum of its upper part and its lower 32 bits."""
    shift = "ashr" if convert == "sitofp" else "lshr"
    upper = e.let(f"{shift} i64 {text}, 32")
    upper = e.let(f"trunc i64 {upper} to i32")
    high = e.let(f"{convert} i32 {upper} to double")
    high = e.let(f"fmul double {high}, {literal((1023 + 32) << 52, DOUBLE)}")
    lower = e.let(f"trunc i64 {text} to i32")
    return high, e.let(f"uitofp i32 {lower} to double")


def _odd_f64(e: Emitter, text: str, convert: str) -> str:
    return directed.odd_sum(e, *_halves(e, text, convert))


def _directed_i64_to_f64(e: Emitter, op: Op, text: str, rounding: Rounding) -> None:
    from ptxlift.llvm.amdgpu import directed_double

    convert = "sitofp" if op.attr("signed") else "uitofp"
    parts = _halves(e, text, convert)
    result = directed_double.expression(e, "fadd", parts, rounding)
    if rounding is Rounding.RM:  # an exact zero is +0: it comes from an integer
        result = f"fadd double {e.let(result)}, 0.0"
    e.set_real(op.results[0], DOUBLE, result)
