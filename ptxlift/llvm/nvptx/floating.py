"""Lowerings of floating-point ops: every rounding and `.ftz` is PTX's own.

The module keeps subnormals; `.ftz` is in the instruction. What LLVM has as an instruction or as an
intrinsic is written so, the rest as inline PTX.
"""

from __future__ import annotations

from ptxlift.diag import PtxError
from ptxlift.ir.attributes import Approximation, FloatPredicate, Format, Rounding
from ptxlift.ir.core import Op, Value
from ptxlift.llvm.floats import BFLOAT, FLOAT, FloatType, type_of
from ptxlift.llvm.nvptx.emitter import Emitter
from ptxlift.llvm.nvptx.registry import lowers
from ptxlift.target.nvidia import NvidiaFeature

_PLAIN = {"fadd": "fadd", "fsub": "fsub", "fmul": "fmul", "fdiv": "fdiv"}
_NAMED = {"fadd": "add", "fmul": "mul", "ffma": "fma", "fdiv": "div", "fsqrt": "sqrt"}
_SUFFIX = {Format.F32: "f", Format.F64: "d"}  # of LLVM's NVVM intrinsics


def _type(op: Op) -> FloatType:
    return type_of(op.attr("fmt"))


def flushes(e: Emitter, op: Op) -> bool:
    """Whether the instruction has `.ftz`; f64 has none, and nothing in PTX flushes bf16."""
    fmt = op.attr("fmt")
    if not op.attr("ftz") or fmt is Format.F64:
        return False
    if fmt is Format.BF16:
        raise not_in_ptx(e, op, "flushed bf16")
    return True


def not_in_ptx(e: Emitter, op: Op, what: str) -> PtxError:
    """The error for what no PTX instruction does, so that no PTX can ask for it."""
    return e.error(op, "PTX202", f"{op.name}: {what} is not in PTX")


@lowers("fadd", "fsub", "fmul", "fdiv", "ffma", "fsqrt")
def _arithmetic(e: Emitter, op: Op) -> None:
    type, rounding = _type(op), Rounding(op.attr("rounding"))
    if op.name == "ffma" and type is BFLOAT and not e.context.has(NvidiaFeature.FMA_BF16):
        name = e.context.target.name
        raise e.error(op, "PTX302", f"{name} has no fma of bf16", "choose sm_80 or later")
    values = [e.real(value, type) for value in op.operands]
    if rounding is Rounding.RN and not flushes(e, op):
        e.set_real(op.results[0], type, _nearest(e, op, type, values), loose_nan=False)
        return
    if type.bits == 16:
        _half(e, op, type)
        return
    name = op.name
    if name == "fsub":  # there is no intrinsic; a - b is a + (-b)
        name, values[1] = "fadd", e.let(f"fneg {type.name} {values[1]}")
    ftz = ".ftz" if flushes(e, op) else ""
    arguments = ", ".join([type.name] * len(values))
    intrinsic = f"llvm.nvvm.{_NAMED[name]}.{rounding.value}{ftz}.{_SUFFIX[type.format]}"
    e.set_real(op.results[0], type, e.call(f"{type.name} @{intrinsic}({arguments})", *values))


def _nearest(e: Emitter, op: Op, type: FloatType, values: list[str]) -> str:
    plain = _PLAIN.get(op.name)
    if plain is not None:
        return f"{plain} {type.name} {values[0]}, {values[1]}"
    name = "fma" if op.name == "ffma" else "sqrt"
    arguments = ", ".join([type.name] * len(values))
    return e.call(f"{type.name} @llvm.{name}.{type.suffix}({arguments})", *values)


def _half(e: Emitter, op: Op, type: FloatType) -> None:
    """PTX's own instruction for a 16-bit format."""
    rounding = Rounding(op.attr("rounding"))
    if rounding is not Rounding.RN or op.name in ("fdiv", "fsqrt"):
        raise not_in_ptx(e, op, f"{type.suffix} rounded {rounding.value}")
    name = {"fsub": "sub"}.get(op.name) or _NAMED[op.name]
    e.instruction(f"{name}.rn.ftz.{type.suffix}", op.results[0], op.operands)


@lowers("fneg")
def _negate(e: Emitter, op: Op) -> None:
    type = _type(op)
    if type is BFLOAT:
        bits = e.bits(op.operands[0])
        e.set_bits(op.results[0], f"xor i16 {bits}, {type.sign_bit}")
        return
    e.set_real(op.results[0], type, f"fneg {type.name} {e.real(op.operands[0], type)}")


@lowers("fabs")
def _absolute(e: Emitter, op: Op) -> None:
    type = _type(op)
    if type is BFLOAT:  # as an operation it would go by way of f32 before sm_80
        bits = e.bits(op.operands[0])
        e.set_bits(op.results[0], f"and i16 {bits}, {type.magnitude_mask}")
        return
    signature = f"{type.name} @llvm.fabs.{type.suffix}({type.name})"
    e.set_real(op.results[0], type, e.call(signature, e.real(op.operands[0], type)))


@lowers("fflush")
def flush(e: Emitter, op: Op) -> None:
    """A subnormal becomes zero; all else, NaNs too, keeps its bits."""
    type = _type(op)
    t, bits = type.integer, e.bits(op.operands[0])
    exponent = e.let(f"and {t} {bits}, {type.infinity}")
    tiny = e.let(f"icmp eq {t} {exponent}, 0")
    sign = e.let(f"and {t} {bits}, {type.sign_bit}")
    e.set_bits(op.results[0], f"select i1 {tiny}, {t} {sign}, {t} {bits}")


@lowers("fsaturate")
def _saturate(e: Emitter, op: Op) -> None:
    type = _type(op)
    if type.format is Format.BF16:
        single = e.let(f"fpext bfloat {e.real(op.operands[0], type)} to float")
        word = e.let(f"bitcast float {single} to i32")
        clamped = e.let(e.ptx("cvt.sat.f32.f32 $0, $1;", [32], [word]))
        single = e.let(f"bitcast i32 {clamped} to float")
        e.set_real(op.results[0], type, f"fptrunc float {single} to bfloat")
        return
    e.instruction(f"cvt.sat.{type.suffix}.{type.suffix}", op.results[0], op.operands)


@lowers("fmin", "fmax")
def _extreme(e: Emitter, op: Op) -> None:
    type, word = _type(op), op.name[1:]
    nan = bool(op.attr("nan"))
    if type.bits == 16 and not e.context.has(NvidiaFeature.MINMAX_16):
        _extreme_as_single(e, op, type)
        return
    if nan and (type.bits == 64 or not e.context.has(NvidiaFeature.MINMAX_NAN)):
        _extreme_or_nan(e, op, type)
        return
    marks = (".ftz" if flushes(e, op) else "") + (".NaN" if nan else "")
    e.instruction(f"{word}{marks}.{type.suffix}", op.results[0], op.operands)


def _extreme_or_nan(e: Emitter, op: Op, type: FloatType) -> None:
    """A NaN where one operand is one, on a chip without `.NaN`."""
    a, b = op.operands
    x, y = e.real(a, type), e.real(b, type)
    ftz = ".ftz" if flushes(e, op) else ""
    text = f"{op.name[1:]}{ftz}.{type.suffix} $0, $1, $2;"
    least = e.let(e.ptx(text, [type.bits], [a, b]))
    unordered = e.let(f"fcmp uno {type.name} {x}, {y}")
    t = type.integer
    e.set_bits(op.results[0], f"select i1 {unordered}, {t} {type.canonical_nan}, {t} {least}")


def _extreme_as_single(e: Emitter, op: Op, type: FloatType) -> None:
    """16-bit formats are exact in f32."""
    if op.attr("ftz"):
        need, name = NvidiaFeature.MINMAX_16, e.context.target.name
        message = f"{name} has no {op.name[1:]}.ftz.{type.suffix}"
        raise e.error(op, "PTX302", message, f"choose a target with {need.value}")
    parts = []
    for value in op.operands:
        wide = e.let(f"fpext {type.name} {e.real(value, type)} to float")
        parts.append(e.let(f"bitcast float {wide} to i32"))
    least = e.let(e.ptx(f"{op.name[1:]}.f32 $0, $1, $2;", [32], parts))
    single = e.let(f"bitcast i32 {least} to float")
    narrow = e.let(f"fptrunc float {single} to {type.name}")
    t, bits = type.integer, e.let(f"bitcast {type.name} {narrow} to {type.integer}")
    x, y = (e.real(value, type) for value in op.operands)
    if op.attr("nan"):
        unordered = e.let(f"fcmp uno {type.name} {x}, {y}")
    else:
        unordered = e.let(f"fcmp uno {type.name} {narrow}, 0.0")
    e.set_bits(op.results[0], f"select i1 {unordered}, {t} {type.canonical_nan}, {t} {bits}")


_COMPARISONS = {
    FloatPredicate.OEQ: "eq", FloatPredicate.ONE: "ne", FloatPredicate.OLT: "lt",
    FloatPredicate.OLE: "le", FloatPredicate.OGT: "gt", FloatPredicate.OGE: "ge",
    FloatPredicate.UEQ: "equ", FloatPredicate.UNE: "neu", FloatPredicate.ULT: "ltu",
    FloatPredicate.ULE: "leu", FloatPredicate.UGT: "gtu", FloatPredicate.UGE: "geu",
    FloatPredicate.ORD: "num", FloatPredicate.UNO: "nan",
}  # fmt: skip


@lowers("fcmp")
def _compare(e: Emitter, op: Op) -> None:
    type, predicate = _type(op), FloatPredicate(op.attr("predicate"))
    if flushes(e, op):
        text = f"setp.{_COMPARISONS[predicate]}.ftz.{type.suffix} $0, $1, $2;"
        e.define(op.results, e.ptx(text, [1], op.operands))
        return
    x, y = (e.real(value, type) for value in op.operands)
    e.set_bits(op.results[0], f"fcmp {predicate.value} {type.name} {x}, {y}")


_APPROXIMATIONS = {Approximation.SIN, Approximation.COS, Approximation.LG2, Approximation.RCP,
                   Approximation.RSQRT, Approximation.SQRT, Approximation.EX2}  # fmt: skip


@lowers("fapprox")
def _approximate(e: Emitter, op: Op) -> None:
    type, function = _type(op), Approximation(op.attr("function"))
    ftz = ".ftz" if op.attr("ftz") and function is not Approximation.TANH else ""
    if type.bits == 16:
        _approximate_half(e, op, type, function)
        return
    if type.bits == 64:
        ftz = ".ftz" if function is Approximation.RCP else ftz
    e.instruction(f"{function.value}.approx{ftz}.{type.suffix}", op.results[0], op.operands)


def _approximate_half(e: Emitter, op: Op, type: FloatType, function: Approximation) -> None:
    is_half = type.format is Format.F16
    needed = NvidiaFeature.TANH_F16 if is_half else NvidiaFeature.TANH_BF16
    if not e.context.has(needed):
        raise e.error(
            op,
            "PTX302",
            f"{e.context.target.name} has no {function.value} of {type.suffix}",
            f"choose a target with {needed.value}",
        )
    ftz = ".ftz" if function is Approximation.EX2 and not is_half else ""
    e.instruction(f"{function.value}.approx{ftz}.{type.suffix}", op.results[0], op.operands)


@lowers("fdiv_approx")
def _divide(e: Emitter, op: Op) -> None:
    kind = "full" if op.attr("full") else "approx"
    ftz = ".ftz" if op.attr("ftz") else ""
    assert _type(op) is FLOAT, "PTX divides approximately in f32 only"
    e.instruction(f"div.{kind}{ftz}.f32", op.results[0], op.operands)


def as_single(e: Emitter, value: Value, type: FloatType) -> str:
    """A 16-bit value as f32; exact."""
    return e.let(f"fpext {type.name} {e.real(value, type)} to float")
