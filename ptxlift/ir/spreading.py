"""Products whose a is stored without half of its elements: where the metadata of these lies, and
how the whole a is made.

Comes in: a product with a sparse a, its stored registers and metadata. Goes out: IR that puts a's
elements where the metadata says. A register of the stored a becomes two, which hold twice as many
neighbours along K. It must know no PTX text and no target.

Metadata has four bits a chunk: two positions of two bits. A chunk is two of four halves (f16, bf16;
a tf32 element counts as two halves) or two of four bytes (8-bit types; 4-bit types in pairs). So a
stored register has one chunk of halves or two of bytes: it is a unit of K. Which lanes of a group
of four hold them is told by the manual's "Sparse matrix storage": where chunks are of halves, one
lane has four units of row g and, above, four of row g + 8; where they are of bytes, one lane has
four units of one row. The selector names the lane, or the first of two.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.ir.core import Value
from ptxlift.ir.exchange import LANES, Exchange
from ptxlift.ir.matrix import Arrangement, Product, packed
from ptxlift.records import replace

_GROUP = 4  # lanes of a group, and units of one row that a lane's metadata has
_ROWS = 8


def unit_bits(product: Product) -> int:
    """Bits of metadata of a stored register."""
    return 4 if _has_halves(product) else 8


def metadata_holder(
    product: Product, units: int, selector: int, row: int, unit: int
) -> tuple[int, int]:
    """The lane that holds a unit's metadata, and the lowest bit. `units`: of a row."""
    upper, several = row // _ROWS, units > _GROUP
    if _has_halves(product):
        place = 2 * selector + unit // _GROUP if several else selector
        bit = 16 * upper + 4 * (unit % _GROUP)
    else:
        place = upper + 2 * (unit // _GROUP) if several else 2 * selector + upper
        bit = 8 * (unit % _GROUP)
    return _GROUP * (row % _ROWS) + place, bit


def dense_product(product: Product) -> Product:
    """The product of the whole a."""
    return replace(product, arrangement=Arrangement.SPREAD)


def spread_left(
    exchange: Exchange,
    product: Product,
    stored: Sequence[Value],
    metadata: Sequence[Value],
    selectors: Sequence[int],
) -> list[Value]:
    """The registers of the whole a. `metadata`, `selectors`: one for each equal part of K."""
    each = len(stored) // len(selectors)
    whole: list[Value] = []
    for part, (word, selector) in enumerate(zip(metadata, selectors, strict=True)):
        registers = stored[part * each : (part + 1) * each]
        whole += _Spreader(exchange, product, word, selector).run(registers)
    return whole


def _has_halves(product: Product) -> bool:
    return packed(product.a) <= 2


class _Spreader:
    """One part's a."""

    def __init__(
        self, exchange: Exchange, product: Product, metadata: Value, selector: int
    ) -> None:
        self._exchange = exchange
        self._product = product
        self._metadata = metadata
        self._selector = selector

    def run(self, registers: Sequence[Value]) -> list[Value]:
        spread: list[Value] = []
        units = _GROUP * len(registers) // 2
        make = self._halves if _has_halves(self._product) else self._bytes
        for index, register in enumerate(registers):
            upper, block = index % 2, index // 2
            spread += make(register, self._fields(units, upper, block))
        return spread

    def _fields(self, units: int, upper: int, block: int) -> Value:
        """Metadata of a register's chunks in the lowest bits."""
        holders = [
            metadata_holder(
                self._product,
                units,
                self._selector,
                lane // _GROUP + _ROWS * upper,
                _GROUP * block + lane % _GROUP,
            )
            for lane in range(LANES)
        ]
        word = self._exchange.permute(self._metadata, tuple(lane for lane, _ in holders))
        shift = self._exchange.number([bit for _, bit in holders])
        return self._exchange.builder.lshr(word, shift)

    def _position(self, fields: Value, number: int, unit: int) -> Value:
        """A position in bits: two bits of the metadata times the size of a unit."""
        b, const = self._exchange.builder, self._exchange.const
        field = b.and_(b.lshr(fields, const(32, 2 * number)), const(32, 3))
        return b.shl(field, const(32, unit.bit_length() - 1))

    def _halves(self, register: Value, fields: Value) -> list[Value]:
        """Two halves among four."""
        b = self._exchange.builder
        parts = []
        for number in range(2):
            half = b.zext(b.extract(register, 16, 16 * number), 64)
            parts.append(b.shl(half, self._position(fields, number, 16)))
        both = b.or_(*parts)
        return [b.extract(both, 32, 0), b.extract(both, 32, 32)]

    def _bytes(self, register: Value, fields: Value) -> list[Value]:
        """Two bytes among four, twice."""
        b = self._exchange.builder
        words = []
        for chunk in range(2):
            parts = []
            for number in range(2 * chunk, 2 * chunk + 2):
                byte = b.zext(b.extract(register, 8, 8 * number), 32)
                parts.append(b.shl(byte, self._position(fields, number, 8)))
            words.append(b.or_(*parts))
        return words
