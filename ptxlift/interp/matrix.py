"""mma.sync.

Comes in: an instruction. Goes out: the end of its code block. Whole matrices are multiplied by
numpy: floats in f64 and rounded once, f64 by fused multiply-adds along K, integers exactly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ptxlift.interp.collective import Work, collective, dense
from ptxlift.interp.ends import End, Labels, ends
from ptxlift.interp.floats import FloatOps
from ptxlift.interp.lanes import Lanes
from ptxlift.interp.scaled import OPERANDS, scaled, stored_type
from ptxlift.interp.state import State
from ptxlift.interp.tiles import STORED_BITS, Layout, encode
from ptxlift.interp.values import Operands, Reader
from ptxlift.ir.attributes import Format, Rounding
from ptxlift.isa import Form, fragments
from ptxlift.ptx import module as ptx
from ptxlift.records import dataclass

if TYPE_CHECKING:
    from ptxlift.interp.code import Code

_FLOATS = FloatOps()
_INTEGERS = ("s8", "u8", "s4", "u4")
_LEAST, _MOST = -(1 << 31), (1 << 31) - 1

Multiply = Callable[[Lanes, Lanes, Lanes], Lanes]  # a, b, c -> bit patterns of d


@dataclass(frozen=True, slots=True)
class Tiles:
    """The layouts of an instruction's operands."""

    a: Layout
    b: Layout
    c: Layout
    d: Layout


def sizes(form: Form) -> tuple[int, int, int]:
    found = re.fullmatch(r"m(\d+)n(\d+)k(\d+)", form.get("shape"))
    assert found is not None, "every form has a shape"
    return int(found[1]), int(found[2]), int(found[3])


def _per_register(name: str) -> int:
    return max(1, 32 // STORED_BITS[name])


def warp_tiles(shape: tuple[int, int, int], names: Sequence[str]) -> Tiles:
    """The usual layouts, for the types of a, b, c and d."""
    m, n, k = shape
    a, b, c, d = names
    return Tiles(
        Layout(a, fragments.left, m, k, _per_register(a)),
        Layout(b, fragments.right, k, n, _per_register(b)),
        Layout(c, fragments.accumulator, m, n, _per_register(c)),
        Layout(d, fragments.accumulator, m, n, _per_register(d)),
    )


def _quad_tiles(form: Form) -> Tiles:
    """The four tiles of m8n8k4."""
    c, d = form.get("ctype"), form.get("dtype")
    return Tiles(
        Layout("f16", fragments.quad_left, form.get("al") == "row"),
        Layout("f16", fragments.quad_right, form.get("bl") == "row"),
        Layout(c, fragments.quad_accumulator, _per_register(c)),
        Layout(d, fragments.quad_accumulator, _per_register(d)),
    )


def _tiles(form: Form) -> Tiles:
    names = [stored_type(form, form.get(f"{letter}type")) for letter in "abcd"]
    if form.get("shape") == "m8n8k4" and names[0] == "f16":
        return _quad_tiles(form)
    return warp_tiles(sizes(form), names)


# ---- arithmetic on stacks of matrices ----


def _floats(name: str) -> Multiply:
    def multiply(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
        with np.errstate(invalid="ignore", over="ignore"):
            return encode(name, a @ b + c)

    return multiply


def _doubles(rounding: Rounding) -> Multiply:
    def multiply(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
        total = c
        for k in range(a.shape[-1]):
            column, row = a[..., k : k + 1], b[..., k : k + 1, :]
            total = _FLOATS.ffma(column, row, total, Format.F64, rounding, False)
        return total

    return multiply


def _integers(saturates: bool) -> Multiply:
    def multiply(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
        total = a @ b + c
        return encode("s32", np.clip(total, _LEAST, _MOST) if saturates else total)

    return multiply


def _counted_bits(operation: str) -> Multiply:
    def multiply(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
        both = a @ b
        if operation == "and":
            return encode("s32", both + c)
        ones = a.sum(axis=-1, keepdims=True) + b.sum(axis=-2, keepdims=True)
        return encode("s32", ones - 2 * both + c)

    return multiply


def multiplication(form: Form, a_type: str, d_type: str) -> Multiply:
    """The arithmetic of a form whose a and d have these types."""
    if a_type == "b1":
        return _counted_bits(form.get("op"))
    if a_type in _INTEGERS:
        return _integers(bool(form.get("satfinite")))
    if a_type == "f64":
        return _doubles(Rounding(form.get("rnd") or "rn"))
    return _floats(d_type)


# ---- the instruction ----


def product(form: Form, tiles: Tiles, counts: Sequence[int], multiply: Multiply) -> Work:
    """Takes the registers of a, b and c in a row, then scales; `counts`: how many of a, b and c."""
    first, second, third = counts[0], sum(counts[:2]), sum(counts)

    def work(state: State, slots: Lanes, values: list[Lanes]) -> list[Lanes]:
        whole = [dense(state, slots, value) for value in values]
        a = tiles.a.matrices(whole[:first])
        b = tiles.b.matrices(whole[first:second])
        c = tiles.c.matrices(whole[second:third])
        if len(whole) > third:
            a, b = scaled(form, a, b, whole[third:])
        return [register[slots] for register in tiles.d.registers(multiply(a, b, c))]

    return work


def scale_readers(operands: Operands, inst: ptx.Inst) -> list[Reader]:
    """The operands of block scaling, if there are any."""
    if not inst.form.get("stype"):
        return []
    return [reader for name in OPERANDS for reader in fragment_readers(operands, inst, name)]


def fragment_readers(operands: Operands, inst: ptx.Inst, name: str) -> list[Reader]:
    """The registers of the operand with this name."""
    for operand, spec in zip(inst.operands, inst.form.operands, strict=True):
        if spec.name == name:
            return operands.elements(operand, spec.type.bits, spec.count)
    raise AssertionError(f"{inst.form.name} has no operand {name}")


@ends("mma")
def make_mma(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Warp-Level Matrix Instructions: mma."""
    assert inst is not None, "mma is an instruction"
    form = inst.form
    a, b, c = (fragment_readers(operands, inst, name) for name in "abc")
    multiply = multiplication(form, form.get("atype"), form.get("dtype"))
    work = product(form, _tiles(form), (len(a), len(b), len(c)), multiply)
    writers = operands.writers(inst.operands[0], form.operands[0])
    readers = [*a, *b, *c, *scale_readers(operands, inst)]
    return collective(inst, following, readers, writers, work)
