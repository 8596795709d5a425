"""Lowerings of floating-point arithmetic rounded to nearest, comparison, minimum and rounding.

Comes in: ops on the bits of a format. Goes out: LLVM float instructions without any fast-math flag.
bf16 is computed in f32 and rounded once more, which is exact for all but fma. Flushing is left to
the mode where the whole kernel flushes f32, else done here. Directed rounding is in `directed`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.ir.attributes import FloatPredicate, Rounding
from ptxlift.ir.core import Op, Value
from ptxlift.llvm.amdgpu import directed
from ptxlift.llvm.amdgpu.bfloat import exact_bfloat, fused_for_bfloat, widened
from ptxlift.llvm.amdgpu.division import flushing_quotient, nearest_quotient
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.folds import kept_sum, may_be_negation
from ptxlift.llvm.amdgpu.opaque import opaque_real
from ptxlift.llvm.amdgpu.registry import Lowering, lowers
from ptxlift.llvm.floats import BFLOAT, DOUBLE, FLOAT, HALF, FloatType, literal, type_of

_SUBNORMAL = 0x90  # of llvm.is.fpclass: negative and positive subnormal


def format_of(op: Op) -> FloatType:
    """The op's `fmt`."""
    return type_of(op.attr("fmt"))


def flushed(e: Emitter, text: str, type: FloatType, tiny: str | None = None) -> str:
    """Subnormals, or what `tiny` says, become zeros of their sign."""
    n = type.name
    if tiny is None:
        tiny = e.let(e.call(f"i1 @llvm.is.fpclass.{type.suffix}({n}, i32)", text, str(_SUBNORMAL)))
    # Not llvm.copysign: of a truncated number it would ask for an instruction that is not there.
    bits = e.let(f"bitcast {n} {text} to {type.integer}")
    sign = e.let(f"and {type.integer} {bits}, {-type.sign_bit}")
    zero = e.let(f"bitcast {type.integer} {sign} to {n}")
    return e.let(f"select i1 {tiny}, {n} {zero}, {n} {text}")


def flushes_itself(e: Emitter, type: FloatType) -> bool:
    """Whether the mode flushes this format."""
    return type is FLOAT and not e.facts.keeps_subnormals


def inputs(
    e: Emitter, values: Sequence[Value], type: FloatType, ftz: object, *, folds: bool = True
) -> list[str]:
    """Float operands, flushed where the op asks for it and the mode does not do it.

    `folds`: LLVM may fold the op into one of its operands.
    """
    texts = [e.real(value, type) for value in values]
    if not ftz or (flushes_itself(e, type) and not (folds and _may_vanish(e, values, type))):
        return texts
    return [flushed(e, text, type) for text in texts]


def _may_vanish(e: Emitter, values: Sequence[Value], type: FloatType) -> bool:
    """Whether LLVM may put an operand in the op's place, which then flushes nothing: x * 1, x + 0,
    max(x, x), max(x, -inf).
    """
    constants = [e.constant(value) for value in values]
    neutral = _neutral(type)
    if any(bits is not None and bits & type.magnitude_mask in neutral for bits in constants):
        return True
    sources = {
        _without_sign(value) for value, bits in zip(values, constants, strict=True) if bits is None
    }
    return len(sources) < constants.count(None)


def _neutral(type: FloatType) -> tuple[int, int, int]:
    """0, 1 and infinity."""
    infinity = type.magnitude_mask & ~((1 << type.mantissa) - 1)
    one = infinity >> 1 & ~((1 << type.mantissa) - 1)
    return 0, one, infinity


def _without_sign(value: Value) -> Value:
    definition = value.definition
    while isinstance(definition, Op) and definition.name in ("fabs", "fneg", "fflush"):
        value = definition.operands[0]
        definition = value.definition
    return value


def define(
    e: Emitter,
    op: Op,
    type: FloatType,
    expression: str,
    loose_nan: bool = False,
    tiny: str | None = None,
) -> None:
    """The result, flushed where the op asks for it and the mode does not do it.

    `tiny`: whether it is below the normal numbers, where its own bits do not tell.
    """
    if op.attr("ftz") and not flushes_itself(e, type):
        text = flushed(e, e.let(expression), type, tiny)
        e.set_real(op.results[0], type, f"freeze {type.name} {text}", loose_nan)
    else:
        e.set_real(op.results[0], type, expression, loose_nan)


def fenced_product(e: Emitter, text: str) -> str:
    """LLVM makes one instruction of an f32 product and its conversion to 16 bits, product + 0,
    which loses the sign of a negative zero.
    """
    return opaque_real(e, text, FLOAT)


# ---- arithmetic ----


def vanishes(e: Emitter, name: str, type: FloatType, operands: Sequence[str]) -> str | None:
    """Whether a product or fused sum is flushed: rounded as if exponents had no end, it is below
    the normal numbers, though as a subnormal it may round up to the smallest of them.

    Computed at twice the size, where that number and its neighbours are normal. Sums of flushed
    numbers are exact there, and no quotient or root comes so close.
    """
    if name not in ("fmul", "ffma") or type not in (FLOAT, HALF):
        return None
    n = type.name
    doubled = [e.let(f"fadd {n} {text}, {text}") for text in (operands[0], *operands[2:])]
    twice = e.let(_nearest(e, name, type, (doubled[0], operands[1], *doubled[1:])))
    size = e.let(e.call(f"{n} @llvm.fabs.{type.suffix}({n})", twice))
    return e.let(f"fcmp olt {n} {size}, {literal(2 * type.smallest_normal, type)}")


def _arithmetic(name: str) -> Lowering:
    def lower(e: Emitter, op: Op) -> None:
        fmt, rounding, ftz = op.attrs
        type = type_of(fmt)
        operands = inputs(e, op.operands, type, ftz)
        if rounding is not Rounding.RN:
            result, tiny = directed.expression(e, op, type, operands)
            define(e, op, type, result, tiny=tiny)
        elif _is_narrow(name, type):
            wide = [widened(e, text, type) for text in operands]
            kept = may_be_negation(e, name, type, op.operands)
            result = e.let((kept_sum if kept else _nearest)(e, name, FLOAT, wide))
            if name == "fmul":
                result = fenced_product(e, result)
            define(e, op, type, f"fptrunc float {result} to {type.name}")
        else:
            _define_nearest(e, op, type, name, operands)

    return lower


def _define_nearest(
    e: Emitter, op: Op, type: FloatType, name: str, operands: Sequence[str]
) -> None:
    if name == "fdiv" and type is FLOAT and flushes_itself(e, type):
        define(e, op, type, flushing_quotient(e, *operands))
        return
    explicit = op.attr("ftz") and not flushes_itself(e, type)
    tiny = vanishes(e, name, type, operands) if explicit else None
    kept = may_be_negation(e, name, type, op.operands)
    define(e, op, type, (kept_sum if kept else _nearest)(e, name, type, operands), tiny=tiny)


def _is_narrow(name: str, type: FloatType) -> bool:
    """Whether the op is computed in f32: bf16, and f16 where AMD's own is not exact."""
    return type is BFLOAT or (type is HALF and name in ("fdiv", "fsqrt"))


def _nearest(e: Emitter, name: str, type: FloatType, operands: Sequence[str]) -> str:
    n = type.name
    if name == "ffma":
        return e.call(f"{n} @llvm.fma.{type.suffix}({n}, {n}, {n})", *operands)
    if name == "fsqrt":
        return e.call(f"{n} @llvm.sqrt.{type.suffix}({n})", operands[0])
    if name == "fdiv" and type is DOUBLE:
        return nearest_quotient(e, *operands)
    return f"{name} {type.name} {operands[0]}, {operands[1]}"


for _name in ("fadd", "fsub", "fmul", "fdiv", "fsqrt"):
    lowers(_name)(_arithmetic(_name))


@lowers("ffma")
def _ffma(e: Emitter, op: Op) -> None:
    fmt, rounding, ftz = op.attrs
    type = type_of(fmt)
    operands = inputs(e, op.operands, type, ftz)
    if rounding is not Rounding.RN:
        result, tiny = directed.expression(e, op, type, operands)
        define(e, op, type, result, tiny=tiny)
    elif type is BFLOAT:
        kept = may_be_negation(e, "ffma", type, op.operands)
        exact = fused_for_bfloat(e, operands, kept_sum if kept else _nearest)
        define(e, op, type, f"fptrunc float {exact} to bfloat")
    else:
        _define_nearest(e, op, type, "ffma", operands)


# ---- signs and ranges ----


@lowers("fneg")
def _fneg(e: Emitter, op: Op) -> None:
    type, value = format_of(op), op.operands[0]
    if type is BFLOAT:
        e.set_bits(op.results[0], f"xor i16 {e.bits(value)}, {-type.sign_bit}")
    else:
        e.set_real(op.results[0], type, f"fneg {type.name} {e.real(value, type)}")


@lowers("fabs")
def _fabs(e: Emitter, op: Op) -> None:
    type, value = format_of(op), op.operands[0]
    if type is BFLOAT:
        e.set_bits(op.results[0], f"and i16 {e.bits(value)}, {type.magnitude_mask}")
    else:
        n = type.name
        call = e.call(f"{n} @llvm.fabs.{type.suffix}({n})", e.real(value, type))
        e.set_real(op.results[0], type, call)


@lowers("fflush")
def _fflush(e: Emitter, op: Op) -> None:
    type = format_of(op)
    text = flushed(e, e.real(op.operands[0], type), type)
    e.set_real(op.results[0], type, f"freeze {type.name} {text}")


# ---- comparing and rounding ----


@lowers("fcmp")
def _fcmp(e: Emitter, op: Op) -> None:
    type, predicate = format_of(op), op.attr("predicate")
    assert isinstance(predicate, FloatPredicate)
    texts = inputs(e, op.operands, type, op.attr("ftz"), folds=False)
    if type is BFLOAT:
        texts, type = [widened(e, text, type) for text in texts], FLOAT
    if predicate in (FloatPredicate.UEQ, FloatPredicate.ONE):
        # LLVM 22 takes x for C in `select (x ueq C), C, y`, also where x is NaN.
        texts = [
            opaque_real(e, text, type) if e.constant(value) is not None else text
            for text, value in zip(texts, op.operands, strict=True)
        ]
    e.set_bits(op.results[0], f"fcmp {predicate.value} {type.name} {texts[0]}, {texts[1]}")


INTEGRAL = {
    Rounding.RN: "rint",
    Rounding.RZ: "trunc",
    Rounding.RM: "floor",
    Rounding.RP: "ceil",
}


@lowers("fround")
def _fround(e: Emitter, op: Op) -> None:
    type, rounding = format_of(op), op.attr("rounding")
    assert isinstance(rounding, Rounding)
    text = e.real(op.operands[0], type)
    if op.attr("ftz") and rounding in (Rounding.RM, Rounding.RP):
        text = flushed(e, text, type)
    if type is BFLOAT:
        wide = widened(e, text, type)
        whole = e.let(e.call(f"float @llvm.{INTEGRAL[rounding]}.f32(float)", wide))
        e.alias(op.results[0], exact_bfloat(e, whole))
        return
    n = type.name
    call = e.call(f"{n} @llvm.{INTEGRAL[rounding]}.{type.suffix}({n})", text)
    e.set_real(op.results[0], type, call)
