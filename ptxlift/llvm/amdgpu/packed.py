"""Pairs of equal float ops on the halves of a word, as one packed instruction.

Comes in: a `pack` of two results. Goes out: a vector expression, or None where the two are not the
same op or the target has no packed form. The ops themselves were written before; where nothing else
uses them LLVM drops them.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Format, Rounding
from ptxlift.ir.core import Op, Value
from ptxlift.llvm.amdgpu.convert import single_of
from ptxlift.llvm.amdgpu.directed import cut_to_halves
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.folds import may_be_negation
from ptxlift.llvm.amdgpu.opaque import opaque_bits
from ptxlift.llvm.floats import FLOAT, HALF, FloatType, type_of
from ptxlift.target import Feature

_INSTRUCTIONS = {"fadd": "fadd", "fsub": "fsub", "fmul": "fmul"}
_EXTREMES = {"fmin": "minimumnum", "fmax": "maximumnum"}
_DEPTH = 8  # operand pairs are followed through so many ops


def packed_pair(e: Emitter, op: Op) -> str | None:
    """The packed form of `pack`'s operands as bits, or None."""
    low, high = op.operands
    type = _type_of_pair(e, low, high)
    if type is None:
        return None
    vector = _vector(e, low, high, type, _DEPTH)
    if type is HALF and (e.has_loose_nan(low) or e.has_loose_nan(high)):
        vector = _with_ptx_nan(e, vector or _side_by_side(e, low, high, type))
    if vector is None:
        return None
    width = op.results[0].width
    return f"bitcast <2 x {type.name}> {vector} to i{width}"


_BOTH_SIGNS = -0x7FFF8000  # 0x80008000
_BOTH_NANS = 0x7FFF7FFF


def _with_ptx_nan(e: Emitter, halves: str) -> str:
    """0x7fff for every NaN: the maximum with it. Of two NaNs v_pk_max_f16 returns the second, and
    v_pk_max_num_f16 of gfx12 the first; LLVM does not swap operands of packed instructions.
    """
    nans = e.let(f"bitcast i32 {opaque_bits(e, str(_BOTH_NANS), 32)} to <2 x half>")
    operands = (nans, halves) if e.context.target.generation >= 12 else (halves, nans)
    maximum = "<2 x half> @llvm.maximumnum.v2f16(<2 x half>, <2 x half>)"
    return e.let(e.call(maximum, *operands))


def _type_of_pair(e: Emitter, low: Value, high: Value) -> FloatType | None:
    definition = low.definition
    if not isinstance(definition, Op) or "fmt" not in definition.opdef.attributes:
        return None
    type = type_of(definition.attr("fmt"))
    if type is FLOAT:
        return type if e.context.has(Feature.PK_FMA_F32) else None
    return type if type is HALF else None


def _vector(e: Emitter, low: Value, high: Value, type: FloatType, depth: int) -> str | None:
    """Both values as one vector by packed instructions, or None."""
    a, b = low.definition, high.definition
    if depth == 0 or not isinstance(a, Op) or not isinstance(b, Op):
        return None
    name = a.opdef.name
    if a.opdef is not b.opdef or a.attrs != b.attrs or not _has_packed_form(e, a, b, type):
        return None
    pairs = zip(a.operands, b.operands, strict=True)
    operands = [_operand(e, x, y, type, depth - 1) for x, y in pairs]
    vector = f"<2 x {type.name}>"
    suffix = f"v2{type.suffix}"
    if name in _INSTRUCTIONS:
        return e.let(f"{_INSTRUCTIONS[name]} {vector} {operands[0]}, {operands[1]}")
    if name == "fneg" and type is HALF:
        return _flipped(e, operands[0])
    if name == "fneg":
        return e.let(f"fneg {vector} {operands[0]}")
    intrinsic = _EXTREMES.get(name, "fma")
    types = ", ".join([vector] * len(operands))
    return e.let(e.call(f"{vector} @llvm.{intrinsic}.{suffix}({types})", *operands))


def _flipped(e: Emitter, halves: str) -> str:
    """Both signs flipped, as bits: LLVM 22 makes +0 of the upper half of <-x, -0>."""
    bits = opaque_bits(e, e.let(f"bitcast <2 x half> {halves} to i32"), 32)
    flipped = e.let(f"xor i32 {bits}, {_BOTH_SIGNS}")
    return e.let(f"bitcast i32 {flipped} to <2 x half>")


def _has_packed_form(e: Emitter, a: Op, b: Op, type: FloatType) -> bool:
    name = a.opdef.name
    if name == "fneg":
        return a.attr("fmt") is type.format
    if name in _EXTREMES:
        return type is HALF and not a.attr("nan") and not a.attr("ftz")
    if name not in _INSTRUCTIONS and name != "ffma":
        return False
    plain = a.attr("rounding") is Rounding.RN and a.attr("fmt") is type.format
    flushes = bool(a.attr("ftz")) and (type is not FLOAT or e.facts.keeps_subnormals)
    kept = any(may_be_negation(e, name, type, op.operands) for op in (a, b))
    return plain and not flushes and not kept


def _operand(e: Emitter, low: Value, high: Value, type: FloatType, depth: int) -> str:
    """Two operands as a vector: the halves of one word as they are, others side by side."""
    whole = _halves_of(low, high, type)
    vector = f"<2 x {type.name}>"
    if whole is not None and _is_pair(whole):
        assert isinstance(whole.definition, Op)
        low, high = whole.definition.operands  # as numbers, not as bits with PTX's NaN
    elif whole is not None:
        return e.let(f"bitcast i{whole.width} {e.bits(whole)} to {vector}")
    nested = _vector(e, low, high, type, depth)
    if nested is not None:
        return nested
    return _side_by_side(e, low, high, type)


def _side_by_side(e: Emitter, low: Value, high: Value, type: FloatType) -> str:
    a, b = low.definition, high.definition
    if isinstance(a, Op) and isinstance(b, Op) and _is_cut(a) and _is_cut(b):
        sources = (op.operands[0] for op in (a, b))
        return cut_to_halves(e, *(single_of(e, v, e.real(v, FLOAT), FLOAT) for v in sources))
    vector = f"<2 x {type.name}>"
    first = e.let(f"insertelement {vector} poison, {type.name} {e.real(low, type)}, i32 0")
    return e.let(f"insertelement {vector} {first}, {type.name} {e.real(high, type)}, i32 1")


def _is_cut(op: Op) -> bool:
    """Whether it rounds an f32 to f16 toward zero, which the chips do in pairs."""
    formats = (Format.F32, Format.F16, Rounding.RZ, False)
    names = ("source", "fmt", "rounding", "ftz")
    return op.opdef.name == "fconvert" and tuple(map(op.attr, names)) == formats


def _is_pair(word: Value) -> bool:
    definition = word.definition
    return (
        isinstance(definition, Op)
        and definition.opdef.name == "pack"
        and len(definition.operands) == 2
    )


def _halves_of(low: Value, high: Value, type: FloatType) -> Value | None:
    """The word that both are the halves of."""
    a, b = low.definition, high.definition
    if not isinstance(a, Op) or not isinstance(b, Op):
        return None
    if a.opdef.name != "extract" or a.opdef is not b.opdef:
        return None
    whole = a.operands[0]
    offsets = (a.attr("offset"), b.attr("offset"))
    fits = whole.width == 2 * type.bits and whole is b.operands[0]
    return whole if fits and offsets == (0, type.bits) else None
