"""Division rounded to nearest, right also for the operands for which LLVM's sequences are not.

Comes in: names of f32 or f64 values. Goes out: an expression.

f64 with a divisor whose fraction is all ones: LLVM's sequence (v_div_scale, v_rcp, Newton
steps, v_div_fmas, v_div_fixup) gives every other quotient right from any reciprocal that is good to
2^-23. For d = 2 - 2^-52 its steps end at 1/2, below 1/d = 1/2 + 2^-54 + 2^-107, and the last one
meets a tie: 2^k / d comes out as the power of two below it, which is one unit too small.

f32 where the mode flushes: LLVM keeps subnormals for the Newton steps only. The remainder that
v_div_fmas adds at last may be 2^48 times smaller than the dividend, and is lost below 2^-126.
"""

from __future__ import annotations

from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.floats import FLOAT, literal

_OUTSIDE = -(1 << 52)  # sign and exponent
_NORMAL = 0x108  # of llvm.is.fpclass: negative and positive normal


def nearest_quotient(e: Emitter, a: str, b: str) -> str:
    """a / b. The odd divisor is rare, so its lanes take a branch."""
    quotient = e.let(f"fdiv double {a}, {b}")
    ones = e.let(f"icmp eq i64 {_filled(e, b)}, -1")
    before, repair, after = e.label, e.fresh("ones"), e.fresh("divided")
    e.do(f"br i1 {ones}, label %{repair}, label %{after}, !prof !6")
    e.start_block(repair)
    moved = _repaired(e, quotient, a, b)
    e.do(f"br label %{after}")
    e.start_block(after)
    return f"phi double [ {quotient}, %{before} ], [ {moved}, %{repair} ]"


def flushing_quotient(e: Emitter, a: str, b: str) -> str:
    """a / b in f32 where the mode flushes. Dividends are made larger for the time below 2^-76, and
    below 4 for divisors above 1: a quotient that PTX flushes is told before it is rounded to a
    subnormal number, or up to 2^-126.
    """
    magnitude = "float @llvm.fabs.f32(float)"
    large = e.let(f"fcmp ogt float {e.let(e.call(magnitude, b))}, 1.0")
    limit = e.let(f"select i1 {large}, float 4.0, float {_power(-76)}")
    small = e.let(f"fcmp olt float {e.let(e.call(magnitude, a))}, {limit}")
    scale = e.let(f"select i1 {small}, float {_power(64)}, float 1.0")
    quotient = e.let(f"fdiv float {e.let(f'fmul float {a}, {scale}')}, {b}")
    tiny = e.let(f"fcmp olt float {e.let(e.call(magnitude, quotient))}, {_power(-62)}")
    down = e.let(f"select i1 {tiny}, float 0.0, float {_power(-64)}")
    back = e.let(f"select i1 {small}, float {down}, float 1.0")
    return f"fmul float {quotient}, {back}"


def _power(exponent: int) -> str:
    return literal((127 + exponent) << 23, FLOAT)


def _filled(e: Emitter, text: str) -> str:
    """The bits with sign and exponent all ones."""
    bits = e.let(f"bitcast double {text} to i64")
    return e.let(f"or i64 {bits}, {_OUTSIDE}")


def _repaired(e: Emitter, quotient: str, a: str, b: str) -> str:
    """One unit more where the quotient is a power of two but for a dividend of all ones; both must
    be normal numbers, a subnormal divisor lacks the leading one.
    """
    bits = e.let(f"bitcast double {quotient} to i64")
    fraction = e.let(f"and i64 {bits}, {~_OUTSIDE}")
    power = e.let(f"icmp eq i64 {fraction}, 0")
    inexact = e.let(f"icmp ne i64 {_filled(e, a)}, -1")
    wrong = e.let(f"and i1 {power}, {inexact}")
    for text in (quotient, b):
        normal = e.let(e.call("i1 @llvm.is.fpclass.f64(double, i32)", text, str(_NORMAL)))
        wrong = e.let(f"and i1 {wrong}, {normal}")
    unit = e.let(f"zext i1 {wrong} to i64")
    moved = e.let(f"or i64 {bits}, {unit}")
    return e.let(f"bitcast i64 {moved} to double")
