"""ldmatrix and stmatrix of elements of 8, 6 and 4 bits.

Comes in: row addresses in shared memory, held by lanes, and a form. Goes out: IR. Every element
gets a byte of a register. In memory a row of 16 elements takes 16 bytes; elements of six or four
bits fill the first twelve or eight of them. With g = lane / 4 and t = lane % 4:

- m8n16: lane 8j + r has the address of row r of matrix j; register j holds the elements 4t to
  4t + 3 of row g.
- m16n16, always transposed: lane 16j + r has the address of row r of matrix j; register 2j + h
  holds the elements of rows 4t to 4t + 3 in column g + 8h.
- m16n8 of stmatrix, always transposed: lane 8j + r has the address of row r of matrix j, of 16
  elements; the bytes of register j go to rows 2t and 2t + 1 at g, then to the same rows at g + 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Value
from ptxlift.ir.exchange import LANES, Exchange
from ptxlift.isa import Form

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_BITS = {"b6x16_p32": 6, "b4x16_p64": 4}
_BYTE = 8
_OF_LANE = range(4)  # elements of a register


def load_bytes(at: FunctionLifter, rows: Value, form: Form, count: int) -> list[Value]:
    """The registers of ldmatrix."""
    loader = _Loader(at, rows, _BITS.get(form.get("sf"), _BYTE))
    if form.get("shape") == "m8n16":
        return [loader.of_row(matrix) for matrix in range(count)]
    return [loader.of_column(matrix, half) for matrix in range(count) for half in range(2)]


def store_bytes(at: FunctionLifter, rows: Value, registers: Sequence[Value]) -> None:
    """Stores of stmatrix."""
    exchange = Exchange(at.builder)
    for matrix, register in enumerate(registers):
        for byte in _OF_LANE:
            lanes = tuple(_BYTE * matrix + 2 * (lane % 4) + byte % 2 for lane in range(LANES))
            offset = exchange.number([lane // 4 + _BYTE * (byte // 2) for lane in range(LANES)])
            address = at.builder.add(exchange.permute(rows, lanes), offset)
            value = at.builder.extract(register, _BYTE, _BYTE * byte)
            at.builder.store(address, (value,), Space.SHARED, _BYTE, 1)


class _Loader:
    """Loads of one ldmatrix; an element has `bits` in memory."""

    def __init__(self, at: FunctionLifter, rows: Value, bits: int) -> None:
        self._at = at
        self._rows = rows
        self._bits = bits
        self._exchange = Exchange(at.builder)

    def of_row(self, matrix: int) -> Value:
        """Four neighbours of a row."""
        row = self._exchange.permute(
            self._rows, tuple(8 * matrix + lane // 4 for lane in range(LANES))
        )
        places = [[4 * (lane % 4) + e for lane in range(LANES)] for e in _OF_LANE]
        return self._at.builder.pack([self._element(row, columns) for columns in places])

    def of_column(self, matrix: int, half: int) -> Value:
        """Four neighbours of a column."""
        parts = []
        for e in _OF_LANE:
            lanes = tuple(16 * matrix + 4 * (lane % 4) + e for lane in range(LANES))
            row = self._exchange.permute(self._rows, lanes)
            parts.append(self._element(row, [lane // 4 + 8 * half for lane in range(LANES)]))
        return self._at.builder.pack(parts)

    def _element(self, row: Value, columns: Sequence[int]) -> Value:
        """One element of a row as a byte. An element of six bits may begin in one byte and end in
        the next; both lie inside the row.
        """
        b, exchange = self._at.builder, self._exchange
        starts = [self._bits * column for column in columns]
        address = b.add(row, exchange.number([start // _BYTE for start in starts]))
        (low,) = b.load(address, Space.SHARED, _BYTE, 1, 1)
        if self._bits == _BYTE:
            return low
        word = b.zext(low, 32)
        if _BYTE % self._bits:
            next_one = b.add(address, exchange.const(32, 1))
            (high,) = b.load(next_one, Space.SHARED, _BYTE, 1, 1)
            word = b.or_(word, b.shl(b.zext(high, 32), exchange.const(32, _BYTE)))
        moved = b.lshr(word, exchange.number([start % _BYTE for start in starts]))
        return b.trunc(b.and_(moved, exchange.const(32, (1 << self._bits) - 1)), _BYTE)
