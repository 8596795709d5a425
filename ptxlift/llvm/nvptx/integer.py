"""Lowerings of integer ops: LLVM's own where they are total, else PTX's.

LLVM's undefined cases (shift amounts, division by zero) are guarded, or the PTX instruction, which
is total, stands in the text.
"""

from __future__ import annotations

from ptxlift.ir.core import Op
from ptxlift.llvm.nvptx.emitter import Emitter
from ptxlift.llvm.nvptx.registry import lowers
from ptxlift.llvm.plain.integer import binary, intrinsic


@lowers("sadd_sat", "ssub_sat")
def _saturating(e: Emitter, op: Op) -> None:
    a = op.operands[0]
    word = "add" if op.name == "sadd_sat" else "sub"
    if a.width == 32:
        e.instruction(f"{word}.sat.s32", op.results[0], op.operands)
    else:
        intrinsic(f"s{word}.sat")(e, op)


_DIVISIONS = {"udiv": "div.u", "urem": "rem.u", "sdiv": "div.s", "srem": "rem.s"}


@lowers("udiv", "urem", "sdiv", "srem")
def _divide(e: Emitter, op: Op) -> None:
    a, b = op.operands
    divisor = e.constant(b)
    minus_one = (1 << b.width) - 1
    if divisor not in (None, 0, minus_one) or (divisor == minus_one and op.name[0] == "u"):
        binary(op.name)(e, op)
    elif a.width == 8:
        _divide_bytes(e, op)
    else:
        e.instruction(f"{_DIVISIONS[op.name]}{a.width}", op.results[0], (a, b))


def _divide_bytes(e: Emitter, op: Op) -> None:
    """PTX divides no bytes; as words they have the same quotients."""
    extend = "zext" if op.name[0] == "u" else "sext"
    words = [e.let(f"{extend} i8 {e.bits(value)} to i32") for value in op.operands]
    kind = f"{_DIVISIONS[op.name]}32"
    made = e.let(e.ptx(f"{kind} $0, $1, $2;", [32], words))
    e.set_bits(op.results[0], f"trunc i32 {made} to i8")


@lowers("shl", "lshr", "ashr")
def _shift(e: Emitter, op: Op) -> None:
    a, amount = op.operands
    width, t = a.width, f"i{a.width}"
    known = e.constant(amount)
    if known is not None:
        _shift_by(e, op, known)
        return
    if op.name == "ashr" and width in (16, 32, 64):
        e.instruction(f"shr.s{width}", op.results[0], (a, amount))
        return
    count = e.bits(amount)
    inside = e.let(f"icmp ult i32 {count}, {width}")
    if op.name == "ashr":
        count = e.let(f"select i1 {inside}, i32 {count}, i32 {width - 1}")
    if width != 32:
        change = "zext" if width > 32 else "trunc"
        count = e.let(f"{change} i32 {count} to {t}")
    shifted = f"{op.name} {t} {e.bits(a)}, {count}"
    if op.name == "ashr":
        e.set_bits(op.results[0], shifted)
        return
    # LLVM makes one shift of these two.
    e.set_bits(op.results[0], f"select i1 {inside}, {t} {e.let(shifted)}, {t} 0")


def _shift_by(e: Emitter, op: Op, amount: int) -> None:
    a, result = op.operands[0], op.results[0]
    if amount < a.width:
        e.set_bits(result, f"{op.name} i{a.width} {e.bits(a)}, {amount}")
    elif op.name == "ashr":
        e.set_bits(result, f"ashr i{a.width} {e.bits(a)}, {a.width - 1}")
    else:
        e.set_constant(result, 0)


@lowers("pack")
def _pack(e: Emitter, op: Op) -> None:
    result = op.results[0]
    widths = {value.width for value in op.operands}
    if len(widths) == 1 and result.width in (32, 64, 128):
        _pack_equal(e, op)
        return
    whole, at, t = "0", 0, f"i{result.width}"
    for value in op.operands:
        part = e.let(f"zext i{value.width} {e.bits(value)} to {t}")
        whole = e.let(f"or {t} {whole}, {e.let(f'shl {t} {part}, {at}')}")
        at += value.width
    e.alias(result, whole)


def _pack_equal(e: Emitter, op: Op) -> None:
    width = op.operands[0].width
    vector, whole = f"<{len(op.operands)} x i{width}>", "poison"
    for index, value in enumerate(op.operands):
        whole = e.let(f"insertelement {vector} {whole}, i{width} {e.bits(value)}, i32 {index}")
    e.set_bits(op.results[0], f"bitcast {vector} {whole} to i{op.results[0].width}")


@lowers("extract")
def _extract(e: Emitter, op: Op) -> None:
    a, result = op.operands[0], op.results[0]
    offset = int(str(op.attr("offset")))
    text = e.bits(a)
    if offset:
        text = e.let(f"lshr i{a.width} {text}, {offset}")
    if result.width == a.width:
        e.alias(result, text)
    else:
        e.set_bits(result, f"trunc i{a.width} {text} to i{result.width}")
