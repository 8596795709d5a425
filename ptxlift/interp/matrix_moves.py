"""Matrices between shared memory and lanes: ldmatrix, stmatrix, movmatrix.

Comes in: an instruction. Goes out: the end of its code block. Rows of 16 bytes are read and written
whole, by the lanes that hold their addresses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ptxlift.interp.access import Locator, load, locator, space_of, store
from ptxlift.interp.collective import collective, dense, warp_base
from ptxlift.interp.ends import End, Labels, ends
from ptxlift.interp.lanes import Lanes
from ptxlift.interp.memory import Region
from ptxlift.interp.state import WARP, Selection, State
from ptxlift.interp.values import Operands, Reader
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.interp.code import Code

_ROWS = 8


def _is_transposed(inst: ptx.Inst) -> bool:
    return bool(inst.form.get("trans"))


def _row_reader(locate: Locator) -> Reader:
    """The lanes' row addresses in their region."""

    def read(state: State, lanes: Selection) -> Lanes:
        return locate(state, lanes)[1]

    return read


def _region(state: State, is_shared: bool) -> Region | None:
    """Where rows lie; generic addresses find their region themselves."""
    return state.shared_region if is_shared else None


def _position(slots: Lanes, matrix: int, half: int, transposed: bool) -> tuple[Lanes, Lanes]:
    """The slot whose row holds a lane's element, and the element's column."""
    lane = slots % WARP
    outer, inner = lane // 4, 2 * (lane % 4) + half
    row, column = (inner, outer) if transposed else (outer, inner)
    return warp_base(slots) + _ROWS * matrix + row, column


def _halves(rows: Lanes, slots: Lanes, count: int, transposed: bool) -> list[Lanes]:
    """Registers of m8n8; `rows` are the thread slots' as halves."""
    results = []
    for matrix in range(count):
        low, high = (
            rows[_position(slots, matrix, half, transposed)].astype(np.uint32) for half in (0, 1)
        )
        results.append(low | high << np.uint32(16))
    return results


_BITS = {"b6x16_p32": 6, "b4x16_p64": 4}


def _elements(rows: Lanes, bits: int) -> Lanes:
    """Sixteen elements a row, of rows as bytes."""
    truths = np.unpackbits(rows, axis=1, bitorder="little")[:, : 16 * bits]
    weights = 1 << np.arange(bits)
    elements: Lanes = (truths.reshape(-1, 16, bits) * weights).sum(axis=2).astype(np.uint32)
    return elements


def _bytes(rows: Lanes, slots: Lanes, count: int, shape: str) -> list[Lanes]:
    """Registers of m8n16, or of m16n16, which is transposed; `rows` are the thread slots'
    elements.
    """
    lane, base = slots % WARP, warp_base(slots)
    outer, inner = lane // 4, 4 * (lane % 4)
    results = []
    for matrix in range(count):
        for half in range(1 if shape == "m8n16" else 2):
            register = np.zeros(len(slots), np.uint32)
            for e in range(4):
                if shape == "m8n16":
                    element = rows[base + _ROWS * matrix + outer, inner + e]
                else:
                    element = rows[base + 2 * _ROWS * matrix + inner + e, outer + 8 * half]
                register |= element << np.uint32(8 * e)
            results.append(register)
    return results


@ends("ldmatrix")
def make_ldmatrix(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Warp-Level Matrix Load Instruction: ldmatrix."""
    assert inst is not None, "ldmatrix is an instruction"
    form, transposed = inst.form, _is_transposed(inst)
    shape, count = form.get("shape"), int(form.get("num")[1:])
    memory = inst.operands[1]
    assert isinstance(memory, ptx.Memory), "ldmatrix has an address"
    space = space_of(form.get("ss"))
    rows_of_matrix = 2 * _ROWS if shape == "m16n16" else _ROWS

    def work(state: State, slots: Lanes, values: list[Lanes]) -> list[Lanes]:
        holds_row = slots % WARP < rows_of_matrix * count
        owners = slots[holds_row]
        place = (_region(state, space == "shared"), values[0][holds_row])
        words = np.stack(load(state, owners, place, 32, 4), axis=1)
        if shape == "m8n8":
            return _halves(dense(state, owners, words.view(np.uint16)), slots, count, transposed)
        elements = _elements(words.view(np.uint8), _BITS.get(form.get("sf"), 8))
        return _bytes(dense(state, owners, elements), slots, count, shape)

    readers = [_row_reader(locator(operands, memory, space))]
    writers = operands.writers(inst.operands[0], form.operands[0])
    return collective(inst, following, readers, writers, work)


def _put_halves(rows: Lanes, slots: Lanes, matrix: int, value: Lanes, transposed: bool) -> None:
    """A register of m8n8 into rows of halves."""
    for half in (0, 1):
        part = (value >> np.uint32(16 * half)).astype(np.uint16)
        rows.view(np.uint16)[_position(slots, matrix, half, transposed)] = part


def _put_bytes(rows: Lanes, slots: Lanes, matrix: int, value: Lanes) -> None:
    """A register of m16n8, which is transposed, into rows of bytes."""
    lane = slots % WARP
    for byte in range(4):
        row = warp_base(slots) + _ROWS * matrix + 2 * (lane % 4) + byte % 2
        part = (value >> np.uint32(8 * byte)).astype(np.uint8)
        rows.view(np.uint8)[row, lane // 4 + 8 * (byte // 2)] = part


@ends("stmatrix")
def make_stmatrix(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Warp-Level Matrix Store Instruction: stmatrix."""
    assert inst is not None, "stmatrix is an instruction"
    count, transposed = int(inst.form.get("num")[1:]), _is_transposed(inst)
    is_bytes = inst.form.get("type") == "b8"
    memory = inst.operands[0]
    assert isinstance(memory, ptx.Memory), "stmatrix has an address"
    space = space_of(inst.form.get("ss"))

    def work(state: State, slots: Lanes, values: list[Lanes]) -> list[Lanes]:
        rows = np.zeros((len(state.slots), 4), np.uint32)
        for matrix, value in enumerate(values[1:]):
            if is_bytes:
                _put_bytes(rows, slots, matrix, value)
            else:
                _put_halves(rows, slots, matrix, value, transposed)
        holds_row = slots % WARP < _ROWS * count
        owners = slots[holds_row]
        place = (_region(state, space == "shared"), values[0][holds_row])
        store(state, owners, place, 32, list(rows[owners].T))
        return []

    readers = [_row_reader(locator(operands, memory, space))]
    readers += operands.elements(inst.operands[1], 32, count)
    return collective(inst, following, readers, [], work)


@ends("movmatrix")
def make_movmatrix(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Warp-Level Matrix Transpose Instruction: movmatrix."""
    assert inst is not None, "movmatrix is an instruction"

    def work(state: State, slots: Lanes, values: list[Lanes]) -> list[Lanes]:
        halves = np.ascontiguousarray(dense(state, slots, values[0])).view(np.uint16)
        square = halves.reshape(-1, _ROWS, _ROWS).swapaxes(1, 2)
        return [np.ascontiguousarray(square).reshape(-1).view(np.uint32)[slots]]

    readers = [operands.scalar(inst.operands[1], 32)]
    writers = operands.writers(inst.operands[0], inst.form.operands[0])
    return collective(inst, following, readers, writers, work)
