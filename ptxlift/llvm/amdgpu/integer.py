"""Lowerings of integer arithmetic: sums, products, quotients, shifts, comparisons, counts.

Comes in: ops on bit patterns. Goes out: LLVM integer instructions. Every op is total, so LLVM's
undefined cases (shift amounts, division) are guarded unless a constant shows that they cannot
occur.
"""

from __future__ import annotations

from ptxlift.ir.attributes import IntPredicate
from ptxlift.ir.core import Op, Value
from ptxlift.ir.ops import Effect
from ptxlift.llvm.addresses import select_as_pointer, share_pointer, sum_as_pointer
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.opaque import opaque_bits
from ptxlift.llvm.amdgpu.registry import Lowering, lowers


@lowers("const")
def _const(e: Emitter, op: Op) -> None:
    e.set_constant(op.results[0], int(str(op.attrs[1])))


@lowers("undef")
def _undef(e: Emitter, op: Op) -> None:
    e.set_bits(op.results[0], f"freeze i{op.results[0].width} poison")


# ---- sums, products, logic ----


def _binary(instruction: str) -> Lowering:
    def lower(e: Emitter, op: Op) -> None:
        a, b = op.operands
        e.set_bits(op.results[0], f"{instruction} i{a.width} {e.bits(a)}, {e.bits(b)}")

    return lower


def _intrinsic(name: str) -> Lowering:
    """An LLVM intrinsic of two operands of the result's width."""

    def lower(e: Emitter, op: Op) -> None:
        a, b = op.operands
        t = f"i{a.width}"
        e.set_bits(op.results[0], e.call(f"{t} @llvm.{name}.{t}({t}, {t})", e.bits(a), e.bits(b)))

    return lower


def _sum(instruction: str) -> Lowering:
    """`add` or `sub`; of addresses as pointers."""
    plain = _binary(instruction)

    def lower(e: Emitter, op: Op) -> None:
        pointee = e.spaces.of(op.results[0])
        if pointee is None:
            plain(e, op)
            return
        sum_as_pointer(e, op, pointee)

    return lower


_INSTRUCTIONS = {"mul": "mul", "and_": "and", "or_": "or", "xor": "xor"}
_INTRINSICS = {
    "umin": "umin", "umax": "umax", "smin": "smin", "smax": "smax",
    "uadd_sat": "uadd.sat", "sadd_sat": "sadd.sat", "ssub_sat": "ssub.sat",
}  # fmt: skip
for _op, _name in _INSTRUCTIONS.items():
    lowers(_op)(_binary(_name))
for _op, _name in _INTRINSICS.items():
    lowers(_op)(_intrinsic(_name))
for _op in ("add", "sub"):
    lowers(_op)(_sum(_op))


@lowers("not_")
def _not(e: Emitter, op: Op) -> None:
    a = op.operands[0]
    ones = "true" if a.width == 1 else "-1"
    e.set_bits(op.results[0], f"xor i{a.width} {e.bits(a)}, {ones}")


def _high_product(extension: str) -> Lowering:
    def lower(e: Emitter, op: Op) -> None:
        a, b = op.operands
        n, wide = a.width, f"i{2 * a.width}"
        x = e.let(f"{extension} i{n} {e.bits(a)} to {wide}")
        y = e.let(f"{extension} i{n} {e.bits(b)} to {wide}")
        product = e.let(f"mul {wide} {x}, {y}")
        high = e.let(f"lshr {wide} {product}, {n}")
        e.set_bits(op.results[0], f"trunc {wide} {high} to i{n}")

    return lower


lowers("umulh")(_high_product("zext"))
lowers("smulh")(_high_product("sext"))


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


def shift_amount(e: Emitter, amount: Value | str, width: int) -> str:
    """A 32-bit amount as an operand of another width."""
    text = amount if isinstance(amount, str) else e.bits(amount)
    if width == 32:
        return text
    return e.let(f"{'zext' if width > 32 else 'trunc'} i32 {text} to i{width}")


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


def _funnel(name: str) -> Lowering:
    def lower(e: Emitter, op: Op) -> None:
        a, b, amount = op.operands
        t = f"i{a.width}"
        signature = f"{t} @llvm.{name}.{t}({t}, {t}, {t})"
        call = e.call(signature, e.bits(a), e.bits(b), shift_amount(e, amount, a.width))
        e.set_bits(op.results[0], call)

    return lower


lowers("fshl")(_funnel("fshl"))
lowers("fshr")(_funnel("fshr"))


# ---- counting ----


def _to_i32(e: Emitter, result: Value, expression: str, width: int) -> None:
    """Defines a 32-bit result from a count of the operand's width."""
    if width == 32:
        e.set_bits(result, expression)
    else:
        change = "trunc" if width > 32 else "zext"
        e.set_bits(result, f"{change} i{width} {e.let(expression)} to i32")


@lowers("popcount")
def _popcount(e: Emitter, op: Op) -> None:
    a = op.operands[0]
    t = f"i{a.width}"
    _to_i32(e, op.results[0], e.call(f"{t} @llvm.ctpop.{t}({t})", e.bits(a)), a.width)


def _zeros(name: str) -> Lowering:
    def lower(e: Emitter, op: Op) -> None:
        a = op.operands[0]
        t = f"i{a.width}"
        count = e.call(f"{t} @llvm.{name}.{t}({t}, i1)", e.bits(a), "false")
        _to_i32(e, op.results[0], count, a.width)

    return lower


lowers("clz")(_zeros("ctlz"))
lowers("ctz")(_zeros("cttz"))


@lowers("bitreverse")
def _bitreverse(e: Emitter, op: Op) -> None:
    a = op.operands[0]
    t = f"i{a.width}"
    e.set_bits(op.results[0], e.call(f"{t} @llvm.bitreverse.{t}({t})", e.bits(a)))


# ---- comparing, choosing, widths ----


@lowers("icmp")
def _icmp(e: Emitter, op: Op) -> None:
    a, b = op.operands
    predicate = op.attrs[0]
    assert isinstance(predicate, IntPredicate)
    e.set_bits(op.results[0], f"icmp {predicate.value} i{a.width} {e.bits(a)}, {e.bits(b)}")


@lowers("select")
def _select(e: Emitter, op: Op) -> None:
    condition, a, b = op.operands
    pointee = e.spaces.of(op.results[0])
    if pointee is None or not e.spaces.is_plain(pointee):
        t = f"i{a.width}"
        chosen = f"select i1 {e.bits(condition)}, {t} {e.bits(a)}, {t} {e.bits(b)}"
        e.set_bits(op.results[0], chosen)
    if pointee is not None:
        select_as_pointer(e, op, pointee)


def _cast(instruction: str) -> Lowering:
    def lower(e: Emitter, op: Op) -> None:
        a, result = op.operands[0], op.results[0]
        e.set_bits(result, f"{instruction} i{a.width} {e.bits(a)} to i{result.width}")
        share_pointer(e, op)

    return lower


for _op in ("zext", "sext", "trunc"):
    lowers(_op)(_cast(_op))
