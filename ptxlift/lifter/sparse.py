"""mma.sp: products whose a is stored without half of its elements.

Comes in: an instruction. Goes out: IR that puts a's elements where the metadata says, and an `mma`
of the whole a. A register of the stored a becomes two, which hold twice as many neighbours along K.

Metadata has four bits a chunk: two positions of two bits. A chunk is two of four halves (f16, bf16;
a tf32 element counts as two halves) or two of four bytes (8-bit types; 4-bit types in pairs). Which
lanes of a group of four hold them is told by the manual's "Sparse matrix storage": where chunks are
of halves, one lane has four chunks of row g and, above, four of row g + 8; where they are of bytes,
one lane has eight chunks of one row. The selector names the lane, or the first of two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.core import Value
from ptxlift.ir.exchange import LANES, Exchange
from ptxlift.ir.matrix import Arrangement, Element, Product, packed
from ptxlift.lifter.matrix import product_of_form, registers
from ptxlift.lifter.matrix_moves import lane_bits
from ptxlift.lifter.registry import lifts
from ptxlift.lifter.scaled import has_pairs, lift_scaled
from ptxlift.ptx import module as ptx
from ptxlift.records import replace

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter


@lifts("mma_sp")
def lift_sparse(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Warp-Level Matrix Instructions: mma.sp."""
    form = inst.form
    a, b, c = (registers(at, inst, name) for name in "abc")
    (metadata,) = registers(at, inst, "e")
    selector = next(
        operand.bits
        for operand, spec in zip(inst.operands, form.operands, strict=True)
        if spec.name == "f" and isinstance(operand, ptx.Immediate)
    )
    product = product_of_form(form, Arrangement.SPREAD)
    stored = replace(product, a=Element.S4) if has_pairs(form) else product
    whole = _Spreader(at, stored, metadata, selector).run(a)
    if form.get("stype"):
        results = lift_scaled(at, inst, product, whole, b)
    else:
        results = at.builder.mma(product, whole, b, c)
    at.write(inst.operands[0], form.operands[0], results, inst)


class _Spreader:
    """One instruction's a."""

    def __init__(
        self, at: FunctionLifter, product: Product, metadata: Value, selector: int
    ) -> None:
        self._at = at
        self._exchange = Exchange(at.builder)
        self._metadata = metadata
        self._selector = selector
        self._by_halves = packed(product.a) <= 2
        self._place = lane_bits(at, 0, 2)
        self._blocks = product.left.registers // 4  # along K, of two registers as they are stored

    def run(self, registers_: tuple[Value, ...]) -> list[Value]:
        spread: list[Value] = []
        for index, register in enumerate(registers_):
            row, block = index % 2, index // 2
            fields = self._fields(row, block)
            spread += (self._halves if self._by_halves else self._bytes)(register, fields)
        return spread

    def _fields(self, row: int, block: int) -> Value:
        """Metadata of a register's chunks in the lowest bits. `row`: 0 for g, 1 for g + 8."""
        at = self._at
        several = self._blocks > 1
        if self._by_halves:
            place = 2 * self._selector + block if several else self._selector
            shift = at.advance(at.builder.shl(self._place, at.const(32, 2)), 16 * row)
        else:
            place = row + 2 * block if several else 2 * self._selector + row
            shift = at.builder.shl(self._place, at.const(32, 3))
        word = self._exchange.permute(
            self._metadata, tuple(lane & ~3 | place for lane in range(LANES))
        )
        return at.builder.lshr(word, shift)

    def _position(self, fields: Value, number: int, unit: int) -> Value:
        """A position in bits: two bits of the metadata times the size of a unit."""
        at = self._at
        field = at.builder.and_(at.builder.lshr(fields, at.const(32, 2 * number)), at.const(32, 3))
        return at.builder.shl(field, at.const(32, unit.bit_length() - 1))

    def _halves(self, register: Value, fields: Value) -> list[Value]:
        """Two halves among four."""
        b = self._at.builder
        parts = []
        for number in range(2):
            half = b.zext(b.extract(register, 16, 16 * number), 64)
            parts.append(b.shl(half, self._position(fields, number, 16)))
        both = b.or_(*parts)
        return [b.extract(both, 32, 0), b.extract(both, 32, 32)]

    def _bytes(self, register: Value, fields: Value) -> list[Value]:
        """Two bytes among four, twice."""
        b = self._at.builder
        words = []
        for chunk in range(2):
            parts = []
            for number in range(2 * chunk, 2 * chunk + 2):
                byte = b.zext(b.extract(register, 8, 8 * number), 32)
                parts.append(b.shl(byte, self._position(fields, number, 8)))
            words.append(b.or_(*parts))
        return words
