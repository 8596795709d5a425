"""Lowerings of the dot products dp4a and dp2a.

Comes in: packed bytes and halves. Goes out: AMD's dot instructions where the target has them (LLVM
stops the process for others), else products and sums that it turns into 24-bit multiplies.
"""

from __future__ import annotations

from ptxlift.ir.core import Op
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.target import Feature

_SAME_SIGN = "i32 @llvm.amdgcn.{}dot4(i32, i32, i32, i1)"
_MIXED = "i32 @llvm.amdgcn.sudot4(i1, i32, i1, i32, i32, i1)"
_BYTE_SIGNS = -0x7F7F7F80  # 0x80808080
_ONES = 0x01010101


@lowers("dp4a")
def _dp4a(e: Emitter, op: Op) -> None:
    a, b, c = (e.bits(value) for value in op.operands)
    a_signed, b_signed = bool(op.attr("a_signed")), bool(op.attr("b_signed"))
    result, has = op.results[0], e.context.has
    if has(Feature.DOT4_IU8):
        flags = ("true" if a_signed else "false", "true" if b_signed else "false")
        e.set_bits(result, e.call(_MIXED, flags[0], a, flags[1], b, c, "false"))
    elif has(Feature.DOT4_I8) and a_signed == b_signed:
        name = _SAME_SIGN.format("s" if a_signed else "u")
        e.set_bits(result, e.call(name, a, b, c, "false"))
    elif has(Feature.DOT4_I8):
        _mixed_by_signed(e, op, *((a, b) if a_signed else (b, a)), c)
    else:
        pairs = [(f"{_part(e, a, i, 8, a_signed)}", _part(e, b, i, 8, b_signed)) for i in range(4)]
        _sum_of_products(e, op, pairs, c)


def _mixed_by_signed(e: Emitter, op: Op, signed: str, unsigned: str, c: str) -> None:
    """An unsigned byte is 128 more than the signed byte with its top bit flipped."""
    dot = _SAME_SIGN.format("s")
    flipped = e.let(f"xor i32 {unsigned}, {_BYTE_SIGNS}")
    total = e.let(e.call(dot, signed, str(_ONES), "0", "false"))
    excess = e.let(f"shl i32 {total}, 7")
    start = e.let(f"add i32 {excess}, {c}")
    e.set_bits(op.results[0], e.call(dot, signed, flipped, start, "false"))


@lowers("dp2a")
def _dp2a(e: Emitter, op: Op) -> None:
    a, b, c = (e.bits(value) for value in op.operands)
    a_signed, b_signed = bool(op.attr("a_signed")), bool(op.attr("b_signed"))
    first = 2 if op.attr("high") else 0
    pairs = [(_part(e, a, i, 16, a_signed), _part(e, b, first + i, 8, b_signed)) for i in range(2)]
    _sum_of_products(e, op, pairs, c)


def _part(e: Emitter, text: str, index: int, width: int, signed: bool) -> str:
    """A byte or half of a word, extended to 32 bits."""
    moved = e.let(f"lshr i32 {text}, {index * width}") if index else text
    narrow = e.let(f"trunc i32 {moved} to i{width}")
    return e.let(f"{'sext' if signed else 'zext'} i{width} {narrow} to i32")


def _sum_of_products(e: Emitter, op: Op, pairs: list[tuple[str, str]], c: str) -> None:
    total = c
    for left, right in pairs[:-1]:
        product = e.let(f"mul i32 {left}, {right}")
        total = e.let(f"add i32 {total}, {product}")
    last = e.let(f"mul i32 {pairs[-1][0]}, {pairs[-1][1]}")
    e.set_bits(op.results[0], f"add i32 {total}, {last}")
