"""Matrices of 8 by 8 halves between shared memory and lanes: ldmatrix, stmatrix, movmatrix.

Comes in: an instruction. Goes out: the end of its code block. Rows are read and written whole, by
the lanes that hold their addresses.
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
from ptxlift.interp.values import Operands, Reader, Unsupported
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.interp.code import Code

_ROWS = 8


def _matrices(inst: ptx.Inst) -> int:
    form = inst.form
    if form.get("shape") != "m8n8" or form.get("type") != "b16":
        raise Unsupported(f"{form.row.pattern.split('.', 1)[0]} of 8-bit elements")
    return int(form.get("num")[1:])


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


@ends("ldmatrix")
def make_ldmatrix(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Warp-Level Matrix Load Instruction: ldmatrix."""
    assert inst is not None, "ldmatrix is an instruction"
    count, transposed = _matrices(inst), _is_transposed(inst)
    memory = inst.operands[1]
    assert isinstance(memory, ptx.Memory), "ldmatrix has an address"
    space = space_of(inst.form.get("ss"))

    def work(state: State, slots: Lanes, values: list[Lanes]) -> list[Lanes]:
        holds_row = slots % WARP < _ROWS * count
        owners = slots[holds_row]
        place = (_region(state, space == "shared"), values[0][holds_row])
        words = np.stack(load(state, owners, place, 32, 4), axis=1)
        rows = dense(state, owners, words.view(np.uint16))
        results = []
        for matrix in range(count):
            low, high = (
                rows[_position(slots, matrix, half, transposed)].astype(np.uint32)
                for half in (0, 1)
            )
            results.append(low | high << np.uint32(16))
        return results

    readers = [_row_reader(locator(operands, memory, space))]
    writers = operands.writers(inst.operands[0], inst.form.operands[0])
    return collective(inst, following, readers, writers, work)


@ends("stmatrix")
def make_stmatrix(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Warp-Level Matrix Store Instruction: stmatrix."""
    assert inst is not None, "stmatrix is an instruction"
    count, transposed = _matrices(inst), _is_transposed(inst)
    memory = inst.operands[0]
    assert isinstance(memory, ptx.Memory), "stmatrix has an address"
    space = space_of(inst.form.get("ss"))

    def work(state: State, slots: Lanes, values: list[Lanes]) -> list[Lanes]:
        rows = np.zeros((len(state.slots), _ROWS), np.uint16)
        for matrix, value in enumerate(values[1:]):
            for half in (0, 1):
                part = (value >> np.uint32(16 * half)).astype(np.uint16)
                rows[_position(slots, matrix, half, transposed)] = part
        holds_row = slots % WARP < _ROWS * count
        owners = slots[holds_row]
        place = (_region(state, space == "shared"), values[0][holds_row])
        store(state, owners, place, 32, list(rows[owners].view(np.uint32).T))
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
