"""Lowerings of the ops that PTX has an instruction for: fields, bytes, dot products, lop3."""

from __future__ import annotations

from ptxlift.ir.core import Op, Value
from ptxlift.llvm.nvptx.emitter import Emitter
from ptxlift.llvm.nvptx.registry import lowers


def _sign(flag: object) -> str:
    return "s" if flag else "u"


@lowers("bfe_u", "bfe_s")
def _field(e: Emitter, op: Op) -> None:
    result = op.results[0]
    e.instruction(f"bfe.{op.name[-1]}{result.width}", result, op.operands)


@lowers("bfi")
def _insert(e: Emitter, op: Op) -> None:
    e.instruction(f"bfi.b{op.results[0].width}", op.results[0], op.operands)


@lowers("bfind")
def _find(e: Emitter, op: Op) -> None:
    shift = ".shiftamt" if op.attr("shift") else ""
    kind = _sign(op.attr("signed")) + str(op.operands[0].width)
    e.instruction(f"bfind{shift}.{kind}", op.results[0], op.operands)


@lowers("prmt")
def _prmt(e: Emitter, op: Op) -> None:
    e.instruction("prmt.b32", op.results[0], op.operands)


@lowers("dp4a")
def _dp4a(e: Emitter, op: Op) -> None:
    kinds = f"{_sign(op.attr('a_signed'))}32.{_sign(op.attr('b_signed'))}32"
    e.instruction(f"dp4a.{kinds}", op.results[0], op.operands)


@lowers("dp2a")
def _dp2a(e: Emitter, op: Op) -> None:
    kinds = f"{_sign(op.attr('a_signed'))}32.{_sign(op.attr('b_signed'))}32"
    half = "hi" if op.attr("high") else "lo"
    e.instruction(f"dp2a.{half}.{kinds}", op.results[0], op.operands)


@lowers("sad_u", "sad_s")
def _sad(e: Emitter, op: Op) -> None:
    kind = op.name[-1]
    if op.results[0].width > 8:
        e.instruction(f"sad.{kind}{op.results[0].width}", op.results[0], op.operands)
        return
    extend = "zext" if kind == "u" else "sext"
    words = [e.let(f"{extend} i8 {e.bits(value)} to i32") for value in op.operands]
    made = e.let(e.ptx(f"sad.{kind}32 $0, $1, $2, $3;", [32], words))
    e.set_bits(op.results[0], f"trunc i32 {made} to i8")


@lowers("sad_bytes")
def _sad_bytes(e: Emitter, op: Op) -> None:
    e.instruction("vabsdiff4.u32.u32.u32.add", op.results[0], op.operands)


@lowers("bitwise3")
def _lop3(e: Emitter, op: Op) -> None:
    lut, result = int(str(op.attr("lut"))), op.results[0]
    words = [_words(e, value) for value in op.operands]
    made = [_lop3_of(e, [word[i] for word in words], lut) for i in range(len(words[0]))]
    if result.width == 32:
        e.alias(result, made[0])
    elif result.width < 32:
        e.set_bits(result, f"trunc i32 {made[0]} to i{result.width}")
    else:
        low, high = (e.let(f"zext i32 {word} to i64") for word in made)
        e.set_bits(result, f"or i64 {low}, {e.let(f'shl i64 {high}, 32')}")


def _lop3_of(e: Emitter, inputs: list[str], lut: int) -> str:
    return e.let(e.ptx(f"lop3.b32 $0, $1, $2, $3, 0x{lut:x};", [32], inputs))


def _words(e: Emitter, value: Value) -> list[str]:
    """A value as words of 32 bits."""
    text = e.bits(value)
    if value.width == 32:
        return [text]
    if value.width < 32:
        return [e.let(f"zext i{value.width} {text} to i32")]
    high = e.let(f"lshr i64 {text}, 32")
    return [e.let(f"trunc i64 {part} to i32") for part in (text, high)]
