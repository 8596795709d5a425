"""Lowerings of integer arithmetic that LLVM leaves undefined somewhere, or miscompiles here.

Comes in: ops on bit patterns. Goes out: LLVM integer instructions. Every op is total, so LLVM's
undefined cases (shift amounts, division) are guarded unless a constant shows that they cannot
occur.
"""

from __future__ import annotations

from ptxlift.ir.core import Op, Value
from ptxlift.ir.ops import Effect
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.opaque import opaque_bits
from ptxlift.llvm.amdgpu.registry import Lowering, lowers
from ptxlift.llvm.plain.integer import intrinsic, shift_amount

for _op in ("sadd_sat", "ssub_sat"):
    lowers(_op)(intrinsic(_op.replace("_", ".")))


def _summand(e: Emitter, value: Value) -> str:
    """An operand of a sum with carry in, hidden: LLVM's AMDGPU backend turns (x + y) + 0 + carry
    into x + y + carry, whose carry out is another one; products of 64 bits are such sums too.
    """
    text = e.bits(value)
    return text if _is_no_sum(value) else opaque_bits(e, text, value.width)


def _is_no_sum(value: Value) -> bool:
    """Whether the value was not computed, or is half of a product of words, which is one
    instruction; hiding that would cost a copy.
    """
    definition = value.definition
    if isinstance(definition, Op) and definition.opdef.name == "extract":
        definition = definition.operands[0].definition
        if isinstance(definition, Op) and _is_word_product(definition):
            return True
    return not isinstance(definition, Op) or not (
        definition.opdef.effect is Effect.PURE and definition.operands
    )


def _is_word_product(op: Op) -> bool:
    """A 64-bit product of two words that are not choices."""
    if op.opdef.name != "mul":
        return False
    for factor in op.operands:
        extension = factor.definition
        if not isinstance(extension, Op) or extension.opdef.name not in ("zext", "sext"):
            return False
        word = extension.operands[0]
        source = word.definition.opdef.name if isinstance(word.definition, Op) else ""
        if word.width != 32 or source in ("const", "zext", "sext", "select"):
            return False
    return True


def _carry_chain(name: str) -> Lowering:
    """Two steps with overflow; LLVM makes add-with-carry chains of them."""

    def lower(e: Emitter, op: Op) -> None:
        a, b, c = op.operands
        n = f"i{a.width}"
        pair = f"{{ {n}, i1 }}"
        signature = f"{pair} @llvm.{name}.with.overflow.{n}({n}, {n})"
        alone = a.width < 64 and e.constant(c) == 0  # no carry comes in, so none can be miscounted
        addends = [e.bits(v) if alone else _summand(e, v) for v in (a, b)]
        first = e.let(e.call(signature, *addends))
        carry = e.let(f"extractvalue {pair} {first}, 1")
        if e.constant(c) == 0:
            e.set_bits(op.results[0], f"extractvalue {pair} {first}, 0")
            e.alias(op.results[1], carry)
            return
        partial = e.let(f"extractvalue {pair} {first}, 0")
        incoming = e.let(f"zext i1 {e.bits(c)} to {n}")
        second = e.let(e.call(signature, partial, incoming))
        e.set_bits(op.results[0], f"extractvalue {pair} {second}, 0")
        again = e.let(f"extractvalue {pair} {second}, 1")
        e.set_bits(op.results[1], f"or i1 {carry}, {again}")

    return lower


lowers("add_carry")(_carry_chain("uadd"))
lowers("sub_borrow")(_carry_chain("usub"))


def _distance(larger: str, smaller: str) -> Lowering:
    """`sad`: v_sad_u32 has this pattern."""

    def lower(e: Emitter, op: Op) -> None:
        a, b, c = op.operands
        t = f"i{a.width}"
        high = e.let(e.call(f"{t} @llvm.{larger}.{t}({t}, {t})", e.bits(a), e.bits(b)))
        low = e.let(e.call(f"{t} @llvm.{smaller}.{t}({t}, {t})", e.bits(a), e.bits(b)))
        difference = e.let(f"sub {t} {high}, {low}")
        e.set_bits(op.results[0], f"add {t} {difference}, {e.bits(c)}")

    return lower


lowers("sad_u")(_distance("umax", "umin"))
lowers("sad_s")(_distance("smax", "smin"))


# ---- division: by 0 the quotient is the dividend and the remainder 0 ----


def _unsigned_division(instruction: str) -> Lowering:
    def lower(e: Emitter, op: Op) -> None:
        a, b = op.operands
        t = f"i{a.width}"
        divisor = e.bits(b)
        if not e.constant(b):
            divisor = e.let(e.call(f"{t} @llvm.umax.{t}({t}, {t})", divisor, "1"))
        e.set_bits(op.results[0], f"{instruction} {t} {e.bits(a)}, {divisor}")

    return lower


lowers("udiv")(_unsigned_division("udiv"))
lowers("urem")(_unsigned_division("urem"))


def _signed_division(instruction: str) -> Lowering:
    """By magnitudes and signs, as the hardware sequence does anyway; MIN / -1 wraps."""

    def lower(e: Emitter, op: Op) -> None:
        a, b = op.operands
        n, t = a.width, f"i{a.width}"
        divisor = e.constant(b)
        if divisor not in (None, 0, (1 << n) - 1):
            e.set_bits(op.results[0], f"s{instruction} {t} {e.bits(a)}, {e.bits(b)}")
            return
        absolute = f"{t} @llvm.abs.{t}({t}, i1)"
        x = e.let(e.call(absolute, e.bits(a), "false"))
        y = e.let(e.call(absolute, e.bits(b), "false"))
        y = e.let(e.call(f"{t} @llvm.umax.{t}({t}, {t})", y, "1"))
        magnitude = e.let(f"u{instruction} {t} {x}, {y}")
        signs = e.bits(a)
        if instruction == "div":
            signs = e.let(f"xor {t} {signs}, {e.bits(b)}")
        sign = e.let(f"ashr {t} {signs}, {n - 1}")
        flipped = e.let(f"xor {t} {magnitude}, {sign}")
        e.set_bits(op.results[0], f"sub {t} {flipped}, {sign}")

    return lower


lowers("sdiv")(_signed_division("div"))
lowers("srem")(_signed_division("rem"))


# ---- shifts: amounts are unsigned 32-bit numbers ----


def is_below(e: Emitter, amount: Value, width: int) -> bool:
    """Whether the amount is known to be less than the width."""
    constant = e.constant(amount)
    if constant is not None:
        return constant < width
    definition = amount.definition
    if not isinstance(definition, Op) or definition.opdef.name != "and_":
        return False
    masks = [e.constant(operand) for operand in definition.operands]
    return any(mask is not None and mask < width for mask in masks)


def _logical_shift(instruction: str) -> Lowering:
    def lower(e: Emitter, op: Op) -> None:
        a, amount = op.operands
        n = a.width
        constant = e.constant(amount)
        if constant is not None and constant >= n:
            e.set_constant(op.results[0], 0)
            return
        shift = f"{instruction} i{n} {e.bits(a)}, {shift_amount(e, amount, n)}"
        if is_below(e, amount, n):
            e.set_bits(op.results[0], shift)
            return
        shifted = e.let(shift)
        inside = e.let(f"icmp ult i32 {e.bits(amount)}, {n}")
        e.set_bits(op.results[0], f"select i1 {inside}, i{n} {shifted}, i{n} 0")

    return lower


lowers("shl")(_logical_shift("shl"))
lowers("lshr")(_logical_shift("lshr"))


@lowers("ashr")
def _ashr(e: Emitter, op: Op) -> None:
    a, amount = op.operands
    n = a.width
    text = e.bits(amount)
    if not is_below(e, amount, n):
        text = e.let(e.call("i32 @llvm.umin.i32(i32, i32)", text, str(n - 1)))
    e.set_bits(op.results[0], f"ashr i{n} {e.bits(a)}, {shift_amount(e, text, n)}")
