"""Matrix instructions: MFMA and WMMA.

Comes in: a decoded instruction. Goes out: a closure over a `State`. They compute for all lanes
whatever EXEC says. Floating-point sums are made in float64 and rounded once; those of f64 by fused
multiply-adds along K; integers are exact. Wait states are not modelled.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.matrix_elements import WIDTHS, Bits, decode, encode, split
from ptxlift.emulator.matrix_layouts import Index, Shape, input_index, result_index
from ptxlift.emulator.operands import Const, File, Inst, Operand, Reg
from ptxlift.emulator.salu import Op
from ptxlift.emulator.state import State
from ptxlift.emulator.valu.double import fma
from ptxlift.records import dataclass

_NAME = re.compile(
    r"v_(?P<family>mfma|wmma)_(?P<d>f64|f32|i32)_(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)"
    r"(?:_\d+b)?_?(?P<a>bf16|xf32|f16|f32|f64|fp8|bf8|iu8|iu4|i8)(?:_(?P<b>fp8|bf8))?(?:_1k)?"
)
# Rows of a result that follow each other in a lane: usually, and for f64 and on gfx11.
_ROWS_TOGETHER = {("mfma", False): 4, ("mfma", True): 1, ("wmma", False): 8, ("wmma", True): 1}
_IGNORED_MODIFIERS = frozenset({"neg_lo", "clamp"})


@dataclass(frozen=True, slots=True)
class _Product:
    """What one instruction does."""

    shape: Shape
    a: str
    b: str
    d: str
    a_signed: bool
    b_signed: bool
    saturates: bool
    fnuz: bool


def compile_matrix(inst: Inst, target: str, lanes: int) -> Op | None:
    """The action of a matrix instruction, or None if it is none that is known."""
    found = _NAME.fullmatch(inst.mnemonic)
    if found is None:
        return None
    unknown = sorted(inst.modifiers.keys() - _IGNORED_MODIFIERS)
    if unknown:
        raise PtxError.of("PTX406", f"modifier {unknown[0]} of {inst.mnemonic} is not emulated")
    product = _product(inst, found, target, lanes)
    return _action(product, *inst.operands)


def _product(inst: Inst, found: re.Match[str], target: str, lanes: int) -> _Product:
    m, n, k = (int(found[letter]) for letter in "mnk")
    a = found["a"]
    signs = inst.modifiers.get("neg_lo", (0, 0, 0))
    assert isinstance(signs, tuple), "neg_lo has a bit a source"
    signed = [a == "i8" or bool(sign) for sign in signs[:2]]
    wave32 = found["family"] == "wmma"
    repeated = wave32 and target.startswith("gfx11")
    blocks = 1 if repeated else _elements(inst.operands[1], a) * lanes // (m * k)
    together = _ROWS_TOGETHER[found["family"], repeated or found["d"] == "f64"]
    shape = Shape(m, n, k, blocks, lanes, together, repeated)
    fnuz = target.startswith(("gfx940", "gfx941", "gfx942"))
    clamp = "clamp" in inst.modifiers
    kinds = (a, found["b"] or a, found["d"])
    return _Product(shape, *kinds, signed[0], signed[1], clamp, fnuz)


def _elements(operand: Operand, name: str) -> int:
    """Elements of an input in one lane."""
    if not isinstance(operand.value, Reg):
        raise PtxError.of("PTX406", f"matrix operand {operand.value} is not understood")
    return operand.value.count * 32 // WIDTHS[name]


def _action(product: _Product, target: Operand, *sources: Operand) -> Op:
    shape = product.shape
    a_index, b_index = input_index(shape, shape.m), input_index(shape, shape.n)
    d_index = result_index(shape)
    read_a = _input(sources[0], product.a, a_index, product, product.a_signed)
    read_b = _input(sources[1], product.b, b_index, product, product.b_signed)
    read_c = _accumulator(sources[2], product, d_index)
    reg = target.value
    assert isinstance(reg, Reg), "results go to registers"
    multiply = _multiply_doubles if product.d == "f64" else _multiply

    def run(st: State) -> None:
        values = multiply(read_a(st), read_b(st), read_c(st))
        elements = encode(
            product.d, values[:, d_index[0], d_index[1], d_index[2]], product.saturates
        )
        words = np.ascontiguousarray(elements).view(np.uint32)
        rows = st.a if reg.file is File.A else st.v
        for step in range(reg.count):
            np.copyto(rows[reg.index + step], words[..., step], where=st.active[:, None])

    return run


Read = Callable[[State], Bits]


def _registers(st: State, reg: Reg) -> NDArray[np.uint32]:
    """Registers as (waves, lanes, count)."""
    rows = st.a if reg.file is File.A else st.v
    return np.stack(rows[reg.index : reg.index + reg.count], axis=-1)


def _input(operand: Operand, name: str, index: Index, product: _Product, signed: bool) -> Read:
    """(waves, blocks, rows, k) of A; of B the columns for rows."""
    reg = operand.value
    assert isinstance(reg, Reg), "checked when the blocks were counted"
    sizes = tuple(int(part.max()) + 1 for part in index)
    half = product.shape.lanes // 2

    def read(st: State) -> Bits:
        bits = split(_registers(st, reg), WIDTHS[name])
        if product.shape.repeated and (bits[st.active, :half] != bits[st.active, half:]).any():
            raise PtxError.of("PTX406", "the half waves hold different inputs of a WMMA")
        values = decode(name, bits, product.fnuz, signed)
        matrices = np.zeros((st.waves, *sizes), values.dtype)
        matrices[:, index[0], index[1], index[2]] = values
        return matrices

    return read


def _accumulator(operand: Operand, product: _Product, index: Index) -> Read:
    """(waves, blocks, rows, columns) of C."""
    shape = product.shape
    sizes = (shape.blocks, shape.m, shape.n)
    value = operand.value
    if isinstance(value, Const):
        kind = np.int64 if product.d == "i32" else np.float64
        constant = np.full((1, *sizes), value.value, kind)
        return lambda st: constant
    if not isinstance(value, Reg):
        raise PtxError.of("PTX406", f"matrix operand {value} is not understood")

    def read(st: State) -> Bits:
        bits = split(_registers(st, value), WIDTHS[product.d])
        values = decode(product.d, bits, product.fnuz, True)
        matrices = np.zeros((st.waves, *sizes), values.dtype)
        matrices[:, index[0], index[1], index[2]] = values
        return matrices

    return read


def _multiply(a: Bits, b: Bits, c: Bits) -> Bits:
    with np.errstate(invalid="ignore", over="ignore"):
        d: Bits = a @ np.swapaxes(b, -1, -2) + c
    return d


def _multiply_doubles(a: Bits, b: Bits, c: Bits) -> Bits:
    total: Bits = c
    with np.errstate(invalid="ignore", over="ignore"):
        for k in range(a.shape[-1]):
            total = fma(a[..., k][..., :, None], b[..., k][..., None, :], total)
    return np.ascontiguousarray(total)
