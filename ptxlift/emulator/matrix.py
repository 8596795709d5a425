"""Matrix instructions: MFMA and WMMA.

Comes in: a decoded instruction. Goes out: a closure over a `State`. They compute for all lanes
whatever EXEC says. Floating-point sums are made in float64 and rounded once; those of f64 by fused
multiply-adds along K; integers are exact. Wait states are not modelled.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from ptxlift.diag import PtxError
from ptxlift.emulator.matrix_elements import WIDTHS, Bits
from ptxlift.emulator.matrix_layouts import Index, Shape, input_index, result_index
from ptxlift.emulator.matrix_operands import Elements, elements_of, register_of, words_of
from ptxlift.emulator.operands import Const, Inst, Operand
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
_KNOWN = frozenset({"neg_lo", "clamp"})


@dataclass(frozen=True, slots=True)
class _Product:
    """What one instruction does."""

    shape: Shape
    elements: Elements


def compile_matrix(inst: Inst, target: str, lanes: int) -> Op | None:
    """The action of a matrix instruction, or None if it is none that is known."""
    found = _NAME.fullmatch(inst.mnemonic)
    if found is None:
        return None
    elements = elements_of(inst, found, target, _KNOWN)
    shape = _shape(inst, found, target, lanes)
    return _action(_Product(shape, elements), *inst.operands)


def _shape(inst: Inst, found: re.Match[str], target: str, lanes: int) -> Shape:
    m, n, k = (int(found[letter]) for letter in "mnk")
    repeated = found["family"] == "wmma" and target.startswith("gfx11")
    elements = register_of(inst.operands[1]).count * 32 // WIDTHS[found["a"]]  # in one lane
    blocks = 1 if repeated else elements * lanes // (m * k)
    together = _ROWS_TOGETHER[found["family"], repeated or found["d"] == "f64"]
    return Shape(m, n, k, blocks, lanes, together, repeated)


def _action(product: _Product, target: Operand, *sources: Operand) -> Op:
    shape, elements = product.shape, product.elements
    a_index, b_index = input_index(shape, shape.m), input_index(shape, shape.n)
    d_index = result_index(shape)
    read_a = _input(sources[0], elements.a, a_index, product, elements.signed[0])
    read_b = _input(sources[1], elements.b, b_index, product, elements.signed[1])
    read_c = _accumulator(sources[2], product, d_index)
    reg = register_of(target)
    multiply = _multiply_doubles if elements.d == "f64" else _multiply

    def run(st: State) -> None:
        values = multiply(read_a(st), read_b(st), read_c(st))
        elements.write(st, reg, values[:, d_index[0], d_index[1], d_index[2]])

    return run


Read = Callable[[State], Bits]


def _input(operand: Operand, name: str, index: Index, product: _Product, signed: bool) -> Read:
    """(waves, blocks, rows, k) of A; of B the columns for rows."""
    reg = register_of(operand)
    sizes = tuple(int(part.max()) + 1 for part in index)
    half = product.shape.lanes // 2

    def read(st: State) -> Bits:
        words = words_of(st, reg)[st.active]
        if product.shape.repeated and (words[:, :half] != words[:, half:]).any():
            raise PtxError.of("PTX406", "the half waves hold different inputs of a WMMA")
        values = product.elements.numbers(st, reg, name, signed)
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
        kind = np.int64 if product.elements.d == "i32" else np.float64
        constant = np.full((1, *sizes), value.value, kind)
        return lambda st: constant
    reg = register_of(operand)

    def read(st: State) -> Bits:
        values = product.elements.numbers(st, reg, product.elements.d)
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
