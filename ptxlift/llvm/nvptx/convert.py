"""Lowerings of conversions between formats, and between floats and integers."""

from __future__ import annotations

from ptxlift.ir.attributes import Format, Rounding
from ptxlift.ir.core import Op
from ptxlift.llvm.floats import BFLOAT, DOUBLE, FLOAT, HALF, FloatType, type_of
from ptxlift.llvm.nvptx.emitter import Emitter
from ptxlift.llvm.nvptx.floating import as_single, flush, not_in_ptx
from ptxlift.llvm.nvptx.registry import lowers
from ptxlift.target.nvidia import NvidiaFeature

_INTEGRAL = {Rounding.RN: "rni", Rounding.RZ: "rzi", Rounding.RM: "rmi", Rounding.RP: "rpi"}


@lowers("fround")
def _round(e: Emitter, op: Op) -> None:
    type, rounding = type_of(op.attr("fmt")), Rounding(op.attr("rounding"))
    mode = _INTEGRAL[rounding]
    if type.format is Format.BF16 and not op.attr("ftz"):
        word = e.let(f"bitcast float {as_single(e, op.operands[0], type)} to i32")
        rounded = e.let(e.ptx(f"cvt.{mode}.f32.f32 $0, $1;", [32], [word]))
        single = e.let(f"bitcast i32 {rounded} to float")
        e.set_real(op.results[0], type, f"fptrunc float {single} to bfloat")
        return
    if op.attr("ftz") and type.bits == 16:
        raise not_in_ptx(e, op, f"flushed {type.suffix}")
    ftz = ".ftz" if op.attr("ftz") and type is FLOAT else ""
    e.instruction(f"cvt.{mode}{ftz}.{type.suffix}.{type.suffix}", op.results[0], op.operands)


@lowers("fconvert")
def _convert(e: Emitter, op: Op) -> None:
    source, target = type_of(op.attr("source")), type_of(op.attr("fmt"))
    rounding = Rounding(op.attr("rounding"))
    value, result = op.operands[0], op.results[0]
    ftz = bool(op.attr("ftz")) and FLOAT in (source, target)
    if source.bits == target.bits:  # one of 16 bits to the other, or no conversion
        _between_halves(e, op, source, target)
    elif rounding is Rounding.RN and not ftz:
        word = "fpext" if target.bits > source.bits else "fptrunc"
        text = f"{word} {source.name} {e.real(value, source)} to {target.name}"
        e.set_real(result, target, text, loose_nan=word == "fptrunc")
    else:
        _need_bf16(e, op, source, target)
        rounded = f".{rounding.value}" if target.bits < source.bits else ""
        mode = f"{rounded}{'.ftz' if ftz else ''}"
        e.instruction(f"cvt{mode}.{target.suffix}.{source.suffix}", result, [value])


def _need_bf16(e: Emitter, op: Op, source: FloatType, target: FloatType) -> None:
    """Refuses a conversion of bf16 on a chip without it."""
    if BFLOAT not in (source, target):
        return
    narrows = target is BFLOAT and source is not DOUBLE
    need = NvidiaFeature.CVT_BF16 if narrows else NvidiaFeature.ARITHMETIC_BF16
    if not e.context.has(need):
        message = f"{e.context.target.name} has no such conversion between bf16 and others"
        raise e.error(op, "PTX302", message, f"choose a target with {need.value}")


def _between_halves(e: Emitter, op: Op, source: FloatType, target: FloatType) -> None:
    """f16 and bf16 by way of f32, which holds both."""
    rounding = Rounding(op.attr("rounding"))
    if source is FLOAT and op.attr("ftz"):
        flush(e, op)
        return
    if source is target:
        e.alias(op.results[0], e.bits(op.operands[0]))
        return
    _need_bf16(e, op, HALF, target)
    single = as_single(e, op.operands[0], source)
    if rounding is Rounding.RN:
        narrowed = f"fptrunc float {single} to {target.name}"
        e.set_real(op.results[0], target, narrowed, loose_nan=True)
        return
    word = e.let(f"bitcast float {single} to i32")
    text = f"cvt.{rounding.value}.{target.suffix}.f32 $0, $1;"
    e.define(op.results, e.ptx(text, [16], [word]))


@lowers("float_to_int")
def _to_integer(e: Emitter, op: Op) -> None:
    source, value, result = type_of(op.attr("fmt")), op.operands[0], op.results[0]
    if op.attr("ftz") and source.bits == 16:
        raise not_in_ptx(e, op, f"flushed {source.suffix}")
    mode = _INTEGRAL[Rounding(op.attr("rounding"))]
    ftz = ".ftz" if op.attr("ftz") and source is FLOAT else ""
    kind = f"{'s' if op.attr('signed') else 'u'}{result.width}"
    if source.format is Format.BF16:
        word = e.let(f"bitcast float {as_single(e, value, source)} to i32")
        text = f"cvt.{mode}.{kind}.f32 $0, $1;"
        e.define(op.results, e.ptx(text, [result.width], [word]))
        return
    text = f"cvt.{mode}{ftz}.{kind}.{source.suffix} $0, $1;"
    if source is not DOUBLE or result.width == 64:
        e.define(op.results, e.ptx(text, [result.width], [value]))
        return
    # PTX gives the msb alone for a NaN of 64 bits, whatever the integer; the op gives 0.
    held = max(result.width, 16)
    converted = e.let(e.ptx(text, [held], [value]))
    real = e.real(value, source)
    number = e.let(f"fcmp ord double {real}, {real}")
    chosen = f"select i1 {number}, i{held} {converted}, i{held} 0"
    e.set_bits(result, f"trunc i16 {e.let(chosen)} to i8" if result.width == 8 else chosen)


@lowers("int_to_float")
def _from_integer(e: Emitter, op: Op) -> None:
    target, value, result = type_of(op.attr("fmt")), op.operands[0], op.results[0]
    rounding = Rounding(op.attr("rounding"))
    signed = bool(op.attr("signed"))
    if rounding is Rounding.RN and target.format is not Format.BF16:
        word = "sitofp" if signed else "uitofp"
        e.set_real(result, target, f"{word} i{value.width} {e.bits(value)} to {target.name}")
        return
    if target.format is Format.BF16 and not e.context.has(NvidiaFeature.ARITHMETIC_BF16):
        raise e.error(op, "PTX302", f"{e.context.target.name} has no conversion to bf16")
    kind = f"{'s' if signed else 'u'}{value.width}"
    e.define(
        [result],
        e.ptx(f"cvt.{rounding.value}.{target.suffix}.{kind} $0, $1;", [result.width], [value]),
    )
