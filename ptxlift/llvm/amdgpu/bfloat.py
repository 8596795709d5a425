"""bf16 through f32, which has the same exponents.

Comes in: names of float values. Goes out: names of others. Sums, products, quotients and roots in
f32 can be rounded again; an fma cannot, unless the f32 result is moved off the middle between two
bf16 numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.floats import BFLOAT, FLOAT, FloatType

Sum = Callable[[Emitter, str, FloatType, Sequence[str]], str]  # of an op's name and operands
_LOWER = 0xFFFF
_MIDDLE = 0x8000


def widened(e: Emitter, text: str, type: FloatType) -> str:
    """A 16-bit float as f32, exactly."""
    return e.let(f"fpext {type.name} {text} to float")


def exact_bfloat(e: Emitter, text: str) -> str:
    """The bits of an f32 that is a bf16 number."""
    return upper_half(e, e.let(f"bitcast float {text} to i32"))


def upper_half(e: Emitter, bits: str) -> str:
    """Bits 16 to 31 of a word."""
    high = e.let(f"lshr i32 {bits}, 16")
    return e.let(f"trunc i32 {high} to i16")


def flushed_bfloat(e: Emitter, text: str) -> str:
    """Subnormals become zeros of their sign."""
    bits = e.let(f"bitcast bfloat {text} to i16")
    exponent = e.let(f"and i16 {bits}, {BFLOAT.infinity}")
    tiny = e.let(f"icmp eq i16 {exponent}, 0")
    sign = e.let(f"and i16 {bits}, {-BFLOAT.sign_bit}")
    kept = e.let(f"select i1 {tiny}, i16 {sign}, i16 {bits}")
    return e.let(f"bitcast i16 {kept} to bfloat")


def nearest_bfloat(e: Emitter, text: str) -> str:
    """f32 to the bits of bf16 by integers: half a unit less one, and one more when the last bit is
    odd; PTX's NaN for NaNs.
    """
    bits = e.let(f"bitcast float {text} to i32")
    high = e.let(f"lshr i32 {bits}, 16")
    odd = e.let(f"and i32 {high}, 1")
    biased = e.let(f"add i32 {bits}, {odd}")
    rounded = upper_half(e, e.let(f"add i32 {biased}, {0x7FFF}"))
    return number_or_nan(e, text, rounded)


def number_or_nan(e: Emitter, text: str, bits: str) -> str:
    """The bits, or PTX's NaN where the f32 is one."""
    unordered = e.let(f"fcmp uno float {text}, 0.0")
    return e.let(f"select i1 {unordered}, i16 {BFLOAT.canonical_nan}, i16 {bits}")


def fused_for_bfloat(e: Emitter, operands: Sequence[str], fused: Sum) -> str:
    """An f32 that rounds to bf16 as the exact a * b + c does. `fused` writes the f32 fma.

    The f32 fma does so unless it lies in the middle of two bf16 numbers: one time in 2^16 the sign
    of its error decides, and it moves by one unit. Lanes rarely get there, so it is a branch.
    """
    wide = [widened(e, text, BFLOAT) for text in operands]
    nearest = e.let(fused(e, "ffma", FLOAT, wide))
    bits = e.let(f"bitcast float {nearest} to i32")
    low = e.let(f"and i32 {bits}, {_LOWER}")
    middle = e.let(f"icmp eq i32 {low}, {_MIDDLE}")
    before, tie, after = e.label, e.fresh("tie"), e.fresh("rounded")
    e.do(f"br i1 {middle}, label %{tie}, label %{after}, !prof !6")
    e.start_block(tie)
    moved = _off_the_middle(e, wide, nearest, bits)
    e.do(f"br label %{after}")
    e.start_block(after)
    chosen = e.let(f"phi i32 [ {bits}, %{before} ], [ {moved}, %{tie} ]")
    return e.let(f"bitcast i32 {chosen} to float")


def _off_the_middle(e: Emitter, wide: Sequence[str], nearest: str, bits: str) -> str:
    """One unit toward the exact value. The product and the sum of few bits are exact in f64, and
    so is what the larger of both terms leaves of the result.
    """
    a, b, c = (e.let(f"fpext float {text} to double") for text in wide)
    product = e.let(f"fmul double {a}, {b}")
    result = e.let(f"fpext float {nearest} to double")
    sizes = [e.let(e.call("double @llvm.fabs.f64(double)", text)) for text in (product, c)]
    larger = e.let(f"fcmp ogt double {sizes[0]}, {sizes[1]}")
    first = e.let(f"select i1 {larger}, double {product}, double {c}")
    second = e.let(f"select i1 {larger}, double {c}, double {product}")
    rest = e.let(f"fsub double {first}, {result}")
    error = e.let(f"fadd double {rest}, {second}")
    above = e.let(f"fcmp ogt double {error}, 0.0")
    below = e.let(f"fcmp olt double {error}, 0.0")
    up, down = e.let(f"zext i1 {above} to i32"), e.let(f"sext i1 {below} to i32")
    step = e.let(f"add i32 {up}, {down}")
    sign = e.let(f"ashr i32 {bits}, 31")
    flipped = e.let(f"xor i32 {step}, {sign}")
    outward = e.let(f"sub i32 {flipped}, {sign}")
    return e.let(f"add i32 {bits}, {outward}")
