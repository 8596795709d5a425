"""Matrices of 8 by 8 halves between shared memory and lanes: ldmatrix, stmatrix, movmatrix.

Comes in: an instruction. Goes out: shuffles of row addresses and 16- or 32-bit accesses. Lane
8j + r holds the address of row r of matrix j. A lane's register holds two neighbours of a row:
lane i those of row i / 4 at columns 2 (i % 4) and the next; transposed, of a column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.attributes import IntPredicate, ShuffleMode, Space, Special
from ptxlift.ir.core import Value
from ptxlift.lifter.registry import lifts
from ptxlift.lifter.words import space_of
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_ROWS = 8
_LOW_HALVES, _HIGH_HALVES = 0x5410, 0x7632  # prmt selectors: a half of each of two words
_HINT = "compile the source for sm_80 or sm_90, which use the .m8n8 form of .b16"


def from_lane(at: FunctionLifter, value: Value, lane: Value) -> Value:
    """The value in another lane of the warp, all of whose lanes are there."""
    everyone, last = at.const(32, 0xFFFFFFFF), at.const(32, 31)
    return at.builder.shuffle(value, lane, last, everyone, ShuffleMode.IDX)[0]


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


def _scaled(at: FunctionLifter, value: Value, shift: int, plus: int = 0) -> Value:
    return at.advance(at.builder.shl(value, at.const(32, shift)), plus)


def _row_address(at: FunctionLifter, rows: Value, matrix: int, row: Value, offset: Value) -> Value:
    address = from_lane(at, rows, at.advance(row, _ROWS * matrix))
    return at.builder.add(address, offset)


def _places(at: FunctionLifter, rows: Value, matrix: int, transposed: bool) -> list[Value]:
    """Where the lane's element pair lies: one address of both, or one of each."""
    group, place = lane_bits(at, 2, 3), lane_bits(at, 0, 2)
    if not transposed:
        return [_row_address(at, rows, matrix, group, _scaled(at, place, 2))]
    offset = _scaled(at, group, 1)
    pair = [_scaled(at, place, 1, half) for half in (0, 1)]
    return [_row_address(at, rows, matrix, row, offset) for row in pair]


def _number(at: FunctionLifter, inst: ptx.Inst) -> int:
    form = inst.form
    if form.get("shape") != "m8n8" or form.get("type") != "b16":
        name = form.row.pattern.split(".", 1)[0]
        raise at.refuse(f"'{name}' of 8-bit and narrower elements is not translated", _HINT)
    return int(form.get("num")[1:])


@lifts("ldmatrix")
def lift_ldmatrix(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Warp-Level Matrix Load Instruction: ldmatrix."""
    form, count = inst.form, _number(at, inst)
    transposed = bool(form.get("trans"))
    rows = shared_address(at, inst.operands[1], space_of(form))
    results = []
    for matrix in range(count):
        places = _places(at, rows, matrix, transposed)
        width = 32 // len(places)
        parts = [at.builder.load(p, Space.SHARED, width, 1, width // 8)[0] for p in places]
        results.append(at.builder.pack(parts) if transposed else parts[0])
    at.write(inst.operands[0], form.operands[0], results, inst)


@lifts("stmatrix")
def lift_stmatrix(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Warp-Level Matrix Store Instruction: stmatrix."""
    form, count = inst.form, _number(at, inst)
    transposed = bool(form.get("trans"))
    rows = shared_address(at, inst.operands[0], space_of(form))
    values = at.read(inst.operands[1], form.operands[1])
    assert isinstance(values, tuple), "stmatrix has a vector"
    assert len(values) == count
    for matrix, value in enumerate(values):
        places = _places(at, rows, matrix, transposed)
        width = 32 // len(places)
        for index, place in enumerate(places):
            part = at.builder.extract(value, width, width * index) if transposed else value
            at.builder.store(place, (part,), Space.SHARED, width, width // 8)


@lifts("movmatrix")
def lift_movmatrix(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Warp-Level Matrix Transpose Instruction: movmatrix."""
    value = at.scalar(inst.operands[1], 32)
    group, place = lane_bits(at, 2, 3), lane_bits(at, 0, 2)
    column = at.builder.lshr(group, at.const(32, 1))
    pair = []
    for half in (0, 1):
        row = _scaled(at, place, 1, half)
        pair.append(from_lane(at, value, at.builder.add(_scaled(at, row, 2), column)))
    odd = at.builder.icmp(lane_bits(at, 2, 1), at.const(32, 1), IntPredicate.EQ)
    halves = [at.const(32, selector) for selector in (_HIGH_HALVES, _LOW_HALVES)]
    result = at.builder.prmt(pair[0], pair[1], at.builder.select(odd, *halves))
    at.write(inst.operands[0], inst.form.operands[0], (result,), inst)
