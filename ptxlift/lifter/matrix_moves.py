"""Matrices between shared memory and lanes: ldmatrix, stmatrix, movmatrix.

Comes in: an instruction. Goes out: an op for loads of 8 by 8 halves, which a product may take up;
for stores permutations of row addresses and 16- or 32-bit accesses. Lane
8j + r holds the address of row r of matrix j. A lane's register holds two neighbours of a row:
lane i those of row i / 4 at columns 2 (i % 4) and the next; transposed, of a column. Matrices of
bytes and narrower elements are in byte_matrices.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.attributes import IntPredicate, Space, Special
from ptxlift.ir.core import Value
from ptxlift.ir.exchange import LANES, Exchange
from ptxlift.lifter.byte_matrices import load_bytes, store_bytes
from ptxlift.lifter.registry import lifts
from ptxlift.lifter.words import space_of
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_ROWS = 8
_LOW_HALVES, _HIGH_HALVES = 0x5410, 0x7632  # prmt selectors: a half of each of two words


def lane_bits(at: FunctionLifter, first: int, count: int) -> Value:
    """Some bits of the lane number, moved to the bottom."""
    lane = at.builder.special(32, Special.LANEID)
    moved = at.builder.lshr(lane, at.const(32, first))
    return at.builder.and_(moved, at.const(32, (1 << count) - 1))


def shared_address(at: FunctionLifter, operand: ptx.Operand, space: Space) -> Value:
    """An address in shared memory; generic ones point there."""
    assert isinstance(operand, ptx.Memory), "the parser makes it an address"
    address = at.memory_address(operand, space)
    if space is Space.GENERIC:
        return at.builder.from_generic(address, 32, Space.SHARED)
    return address


def _scaled(at: FunctionLifter, value: Value, shift: int) -> Value:
    return at.builder.shl(value, at.const(32, shift))


def _row_address(exchange: Exchange, rows: Value, matrix: int, row: list[int]) -> Value:
    """For each lane the address of one of a matrix's rows."""
    return exchange.permute(rows, tuple(_ROWS * matrix + r for r in row))


def _places(
    at: FunctionLifter, exchange: Exchange, rows: Value, matrix: int, transposed: bool
) -> list[Value]:
    """Where the lane's element pair lies: one address of both, or one of each."""
    add = at.builder.add
    if not transposed:
        address = _row_address(exchange, rows, matrix, [lane // 4 for lane in range(LANES)])
        return [add(address, _scaled(at, lane_bits(at, 0, 2), 2))]
    offset = _scaled(at, lane_bits(at, 2, 3), 1)
    pair = [[2 * (lane % 4) + half for lane in range(LANES)] for half in (0, 1)]
    return [add(_row_address(exchange, rows, matrix, row), offset) for row in pair]


@lifts("ldmatrix")
def lift_ldmatrix(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Warp-Level Matrix Load Instruction: ldmatrix."""
    form = inst.form
    rows = shared_address(at, inst.operands[1], space_of(form))
    count = int(form.get("num")[1:])
    if form.get("shape") == "m8n8":
        results = at.builder.matrix_load(rows, count, bool(form.get("trans")))
    else:
        results = load_bytes(at, rows, form, count)
    at.write(inst.operands[0], form.operands[0], results, inst)


@lifts("stmatrix")
def lift_stmatrix(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Warp-Level Matrix Store Instruction: stmatrix."""
    form = inst.form
    transposed = bool(form.get("trans"))
    rows = shared_address(at, inst.operands[0], space_of(form))
    exchange = Exchange(at.builder)
    values = at.read(inst.operands[1], form.operands[1])
    assert isinstance(values, tuple), "stmatrix has a vector"
    if form.get("shape") != "m8n8":
        store_bytes(at, rows, values)
        return
    for matrix, value in enumerate(values):
        places = _places(at, exchange, rows, matrix, transposed)
        width = 32 // len(places)
        for index, place in enumerate(places):
            part = at.builder.extract(value, width, width * index) if transposed else value
            at.builder.store(place, (part,), Space.SHARED, width, width // 8)


@lifts("movmatrix")
def lift_movmatrix(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Warp-Level Matrix Transpose Instruction: movmatrix."""
    value = at.scalar(inst.operands[1], 32)
    exchange = Exchange(at.builder)
    pair = [
        exchange.permute(value, tuple(4 * (2 * (i % 4) + half) + i // 8 for i in range(LANES)))
        for half in (0, 1)
    ]
    odd = at.builder.icmp(lane_bits(at, 2, 1), at.const(32, 1), IntPredicate.EQ)
    halves = [at.const(32, selector) for selector in (_HIGH_HALVES, _LOW_HALVES)]
    result = at.builder.prmt(pair[0], pair[1], at.builder.select(odd, *halves))
    at.write(inst.operands[0], inst.form.operands[0], (result,), inst)
