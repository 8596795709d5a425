"""Lowerings of integer ops for which LLVM has a total instruction.

Comes in: ops on bit patterns. Goes out: LLVM integer instructions. Shifts and divisions, which LLVM
leaves undefined for some operands, are each target's own.
"""

from __future__ import annotations

from ptxlift.ir.attributes import IntPredicate
from ptxlift.ir.core import Op, Value
from ptxlift.llvm.addresses import select_as_pointer, share_pointer, sum_as_pointer
from ptxlift.llvm.plain.registry import AnyEmitter, Lowering, lowers


@lowers("const")
def _const(e: AnyEmitter, op: Op) -> None:
    e.set_constant(op.results[0], int(str(op.attrs[1])))


@lowers("undef")
def _undef(e: AnyEmitter, op: Op) -> None:
    e.set_bits(op.results[0], f"freeze i{op.results[0].width} poison")


# ---- sums, products, logic ----


def binary(instruction: str) -> Lowering:
    """An LLVM instruction of two operands of the result's width."""

    def lower(e: AnyEmitter, op: Op) -> None:
        a, b = op.operands
        e.set_bits(op.results[0], f"{instruction} i{a.width} {e.bits(a)}, {e.bits(b)}")

    return lower


def intrinsic(name: str) -> Lowering:
    """An LLVM intrinsic of two operands of the result's width."""

    def lower(e: AnyEmitter, op: Op) -> None:
        a, b = op.operands
        t = f"i{a.width}"
        e.set_bits(op.results[0], e.call(f"{t} @llvm.{name}.{t}({t}, {t})", e.bits(a), e.bits(b)))

    return lower


def _sum(instruction: str) -> Lowering:
    """`add` or `sub`; of addresses as pointers."""
    plain = binary(instruction)

    def lower(e: AnyEmitter, op: Op) -> None:
        pointee = e.spaces.of(op.results[0])
        if pointee is None:
            plain(e, op)
        else:
            sum_as_pointer(e, op, pointee)

    return lower


_INSTRUCTIONS = {"mul": "mul", "and_": "and", "or_": "or", "xor": "xor"}
_INTRINSICS = {"umin": "umin", "umax": "umax", "smin": "smin", "smax": "smax",
               "uadd_sat": "uadd.sat"}  # fmt: skip
for _op, _name in _INSTRUCTIONS.items():
    lowers(_op)(binary(_name))
for _op, _name in _INTRINSICS.items():
    lowers(_op)(intrinsic(_name))
for _op in ("add", "sub"):
    lowers(_op)(_sum(_op))


@lowers("not_")
def _not(e: AnyEmitter, op: Op) -> None:
    a = op.operands[0]
    ones = "true" if a.width == 1 else "-1"
    e.set_bits(op.results[0], f"xor i{a.width} {e.bits(a)}, {ones}")


def _high_product(extension: str) -> Lowering:
    def lower(e: AnyEmitter, op: Op) -> None:
        a, b = op.operands
        n, wide = a.width, f"i{2 * a.width}"
        x, y = (e.let(f"{extension} i{n} {e.bits(value)} to {wide}") for value in (a, b))
        product = e.let(f"mul {wide} {x}, {y}")
        high = e.let(f"lshr {wide} {product}, {n}")
        e.set_bits(op.results[0], f"trunc {wide} {high} to i{n}")

    return lower


lowers("umulh")(_high_product("zext"))
lowers("smulh")(_high_product("sext"))


# ---- shifts: amounts are unsigned 32-bit numbers ----


def shift_amount(e: AnyEmitter, amount: Value | str, width: int) -> str:
    """A 32-bit amount as an operand of another width."""
    text = amount if isinstance(amount, str) else e.bits(amount)
    if width == 32:
        return text
    return e.let(f"{'zext' if width > 32 else 'trunc'} i32 {text} to i{width}")


@lowers("fshl", "fshr")
def _funnel(e: AnyEmitter, op: Op) -> None:
    a, b, amount = op.operands
    t = f"i{a.width}"
    signature = f"{t} @llvm.{op.name}.{t}({t}, {t}, {t})"
    count = shift_amount(e, amount, a.width)
    e.set_bits(op.results[0], e.call(signature, e.bits(a), e.bits(b), count))


# ---- counting ----


def _set_count(e: AnyEmitter, op: Op, expression: str) -> None:
    """Defines a 32-bit result from a count of the operand's width."""
    width, result = op.operands[0].width, op.results[0]
    if width == 32:
        e.set_bits(result, expression)
    else:
        change = "trunc" if width > 32 else "zext"
        e.set_bits(result, f"{change} i{width} {e.let(expression)} to i32")


@lowers("popcount")
def _popcount(e: AnyEmitter, op: Op) -> None:
    t = f"i{op.operands[0].width}"
    _set_count(e, op, e.call(f"{t} @llvm.ctpop.{t}({t})", e.bits(op.operands[0])))


@lowers("clz", "ctz")
def _zeros(e: AnyEmitter, op: Op) -> None:
    t = f"i{op.operands[0].width}"
    name = "ctlz" if op.name == "clz" else "cttz"
    _set_count(e, op, e.call(f"{t} @llvm.{name}.{t}({t}, i1)", e.bits(op.operands[0]), "false"))


@lowers("bitreverse")
def _bitreverse(e: AnyEmitter, op: Op) -> None:
    t = f"i{op.operands[0].width}"
    e.set_bits(op.results[0], e.call(f"{t} @llvm.bitreverse.{t}({t})", e.bits(op.operands[0])))


# ---- comparing, choosing, widths ----


@lowers("icmp")
def _icmp(e: AnyEmitter, op: Op) -> None:
    a, b = op.operands
    predicate = op.attr("predicate")
    assert isinstance(predicate, IntPredicate)
    e.set_bits(op.results[0], f"icmp {predicate.value} i{a.width} {e.bits(a)}, {e.bits(b)}")


@lowers("select")
def _select(e: AnyEmitter, op: Op) -> None:
    condition, a, b = op.operands
    pointee = e.spaces.of(op.results[0])
    if pointee is None or not e.spaces.is_plain(pointee):
        t = f"i{a.width}"
        chosen = f"select i1 {e.bits(condition)}, {t} {e.bits(a)}, {t} {e.bits(b)}"
        e.set_bits(op.results[0], chosen)
    if pointee is not None:
        select_as_pointer(e, op, pointee)


@lowers("zext", "sext", "trunc")
def _resize(e: AnyEmitter, op: Op) -> None:
    a, result = op.operands[0], op.results[0]
    e.set_bits(result, f"{op.name} i{a.width} {e.bits(a)} to i{result.width}")
    share_pointer(e, op)
