"""Arithmetic rounded toward zero, up or down, without changing the rounding mode.

Comes in: float operands and a direction. Goes out: expressions. f32 is computed in f64 and made
round-to-odd (the last bit tells that something was cut off), after which one more rounding in any
direction is right. f64 is rounded to nearest, then corrected by one unit where the sign of the
error says so. Down is up with all signs flipped.

LLVM ignores the rounding of constrained operations and merges equal operations across changes of
the mode. `llvm.fptrunc.round` sets the mode, but LLVM 22 does not set it back for the v_fmac_f16,
v_fmac_f64 and v_cvt_f32_f64 that follow (their descriptions lack the flag), so it is not used: a
conversion rounds to nearest and is then corrected by one unit.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.ir.attributes import Rounding
from ptxlift.ir.core import Op
from ptxlift.llvm.amdgpu import directed_double
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.floats import DOUBLE, FLOAT, HALF, FloatType, literal

_DIRECTED = (Rounding.RZ, Rounding.RM, Rounding.RP)
_FMA = "double @llvm.fma.f64(double, double, double)"
_SQRT = "double @llvm.sqrt.f64(double)"
_SMALLEST = (1023 - 126) << 52  # f32's smallest normal number as bits of f64


def expression(
    e: Emitter, op: Op, type: FloatType, operands: Sequence[str]
) -> tuple[str, str | None]:
    """The op with its direction, and of f32 whether `.ftz` flushes the result."""
    rounding = op.attr("rounding")
    assert isinstance(rounding, Rounding)
    if rounding not in _DIRECTED or type not in (FLOAT, DOUBLE):
        raise e.error(op, "PTX201", f"{type.suffix} arithmetic has no rounding .{rounding.value}")
    name = op.opdef.name
    if type is DOUBLE:
        return directed_double.expression(e, name, operands, rounding), None
    wide = [e.let(f"fpext float {text} to double") for text in operands]
    if name == "fsub":
        name, wide[1] = "fadd", e.let(f"fneg double {wide[1]}")
    down = rounding is Rounding.RM and name in ("fadd", "ffma")
    if down:  # an exact sum of zero is -0: rounding -a-b up and flipping gives just that
        rounding = Rounding.RP
        for index in (0, len(wide) - 1):
            wide[index] = e.let(f"fneg double {wide[index]}")
    exact = _EXACT_OR_ODD[name](e, wide)
    tiny = vanishes(e, exact, rounding) if op.attr("ftz") else None
    rounded = round_to_float(e, exact, rounding)
    return (f"fneg float {e.let(rounded)}" if down else rounded), tiny


def vanishes(e: Emitter, text: str, rounding: Rounding) -> str:
    """Whether an f64, rounded to f32 as if exponents had no end, is below the normal numbers.

    That is what NVIDIA's chips and ptxas flush; as a subnormal it might round up to the smallest
    normal number.
    """
    below, nearest = (_SMALLEST - (1 << place) for place in (29, 28))
    if rounding in (Rounding.RN, Rounding.RZ):
        limit = _SMALLEST if rounding is Rounding.RZ else nearest
        size = e.let(e.call("double @llvm.fabs.f64(double)", text))
        return e.let(f"fcmp olt double {size}, {literal(limit, DOUBLE)}")
    up = rounding is Rounding.RP
    inward, outward = ("ogt", "ole") if up else ("olt", "oge")
    sign = DOUBLE.sign_bit
    near, far = (_SMALLEST | sign, below) if up else (_SMALLEST, below | sign)
    inside = e.let(f"fcmp {inward} double {text}, {literal(near, DOUBLE)}")
    short = e.let(f"fcmp {outward} double {text}, {literal(far, DOUBLE)}")
    return e.let(f"and i1 {inside}, {short}")


def round_to_float(e: Emitter, text: str, rounding: Rounding) -> str:
    """The expression that rounds f64 to f32 in a direction."""
    return _narrow(e, text, DOUBLE, FLOAT, rounding)


def round_to_half(e: Emitter, text: str, rounding: Rounding) -> str:
    """The expression that rounds f32 to f16 in a direction. Toward zero the chips have a way of
    their own, which no mode changes.
    """
    if rounding is Rounding.RZ:
        return f"extractelement <2 x half> {cut_to_halves(e, text, '0.0')}, i64 0"
    return _narrow(e, text, FLOAT, HALF, rounding)


def cut_to_halves(e: Emitter, low: str, high: str) -> str:
    """Two f32 toward zero, as a vector."""
    return e.let(e.call("<2 x half> @llvm.amdgcn.cvt.pkrtz(float, float)", low, high))


def _narrow(e: Emitter, text: str, wide: FloatType, narrow: FloatType, rounding: Rounding) -> str:
    """To nearest, then one unit back where that went past the exact value."""
    nearest = e.let(f"fptrunc {wide.name} {text} to {narrow.name}")
    back = e.let(f"fpext {narrow.name} {nearest} to {wide.name}")
    integer = f"i{narrow.bits}"
    bits = e.let(f"bitcast {narrow.name} {nearest} to {integer}")
    if rounding is Rounding.RZ:
        magnitude = f"{wide.name} @llvm.fabs.{wide.suffix}({wide.name})"
        size, exact = e.let(e.call(magnitude, back)), e.let(e.call(magnitude, text))
        beyond = e.let(f"fcmp ogt {wide.name} {size}, {exact}")
        step = e.let(f"zext i1 {beyond} to {integer}")
        kept = e.let(f"sub {integer} {bits}, {step}")
    else:
        up = rounding is Rounding.RP
        wrong = e.let(f"fcmp {'olt' if up else 'ogt'} {wide.name} {back}, {text}")
        sign = e.let(f"ashr {integer} {bits}, {narrow.bits - 1}")
        away = e.let(f"or {integer} {sign}, 1")
        moved = e.let(f"{'add' if up else 'sub'} {integer} {bits}, {away}")
        kept = e.let(f"select i1 {wrong}, {integer} {moved}, {integer} {bits}")
    return f"bitcast {integer} {kept} to {narrow.name}"


def odd_float(e: Emitter, text: str) -> str:
    """f64 to f32 rounded to odd."""
    cut = e.let(round_to_float(e, text, Rounding.RZ))
    back = e.let(f"fpext float {cut} to double")
    inexact = e.let(f"fcmp one double {back}, {text}")
    bits = e.let(f"bitcast float {cut} to i32")
    last = e.let(f"zext i1 {inexact} to i32")
    odd = e.let(f"or i32 {bits}, {last}")
    return e.let(f"bitcast i32 {odd} to float")


def odd_sum(e: Emitter, a: str, b: str) -> str:
    """a + b in f64 rounded to odd."""
    total, error = two_sum(e, a, b)
    return _to_odd(e, total, error)


def two_sum(e: Emitter, a: str, b: str) -> tuple[str, str]:
    """The sum and what rounding cut off, exactly (Knuth)."""
    total = e.let(f"fadd double {a}, {b}")
    part = e.let(f"fsub double {total}, {a}")
    rest = e.let(f"fsub double {total}, {part}")
    error_a = e.let(f"fsub double {a}, {rest}")
    error_b = e.let(f"fsub double {b}, {part}")
    return total, e.let(f"fadd double {error_a}, {error_b}")


def _to_odd(e: Emitter, nearest: str, error: str) -> str:
    """Moves an even last bit one unit toward the exact value; NaN errors move nothing."""
    bits = e.let(f"bitcast double {nearest} to i64")
    error_bits = e.let(f"bitcast double {error} to i64")
    differ = e.let(f"xor i64 {bits}, {error_bits}")
    sign = e.let(f"ashr i64 {differ}, 63")
    step = e.let(f"or i64 {sign}, 1")
    inexact = e.let(f"fcmp one double {error}, 0.0")
    last = e.let(f"and i64 {bits}, 1")
    even = e.let(f"icmp eq i64 {last}, 0")
    move = e.let(f"and i1 {inexact}, {even}")
    moved = e.let(f"add i64 {bits}, {step}")
    odd = e.let(f"select i1 {move}, i64 {moved}, i64 {bits}")
    return e.let(f"bitcast i64 {odd} to double")


def _sum(e: Emitter, operands: Sequence[str]) -> str:
    return odd_sum(e, operands[0], operands[1])


def _product(e: Emitter, operands: Sequence[str]) -> str:
    """48 bits: exact."""
    return e.let(f"fmul double {operands[0]}, {operands[1]}")


def _fused(e: Emitter, operands: Sequence[str]) -> str:
    return odd_sum(e, _product(e, operands), operands[2])


def _quotient(e: Emitter, operands: Sequence[str]) -> str:
    a, b = operands
    quotient = e.let(f"fdiv double {a}, {b}")
    negated = e.let(f"fneg double {quotient}")
    remainder = e.let(e.call(_FMA, negated, b, a))
    # The error has the remainder's sign where b is positive.
    sign = e.let(e.call("double @llvm.copysign.f64(double, double)", "1.0", b))
    return _to_odd(e, quotient, e.let(f"fmul double {remainder}, {sign}"))


def _root(e: Emitter, operands: Sequence[str]) -> str:
    root = e.let(e.call(_SQRT, operands[0]))
    negated = e.let(f"fneg double {root}")
    return _to_odd(e, root, e.let(e.call(_FMA, negated, root, operands[0])))


_EXACT_OR_ODD = {
    "fadd": _sum,
    "fmul": _product,
    "ffma": _fused,
    "fdiv": _quotient,
    "fsqrt": _root,
}
