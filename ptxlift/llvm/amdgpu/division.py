"""f64 division rounded to nearest, right also where the divisor's fraction is all ones.

Comes in: names of f64 values. Goes out: an expression. LLVM's sequence (v_div_scale, v_rcp, Newton
steps, v_div_fmas, v_div_fixup) gives every other quotient right from any reciprocal that is good to
2^-23. For d = 2 - 2^-52 its steps end at 1/2, below 1/d = 1/2 + 2^-54 + 2^-107, and the last one
meets a tie: 2^k / d comes out as the power of two below it, which is one unit too small.
"""

from __future__ import annotations

from ptxlift.llvm.amdgpu.emitter import Emitter

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
