"""A matrix product of a warp as shuffles and scalar arithmetic, for any target.

Comes in: an `mma` op. Goes out: the registers of d. Each lane gathers the rows of a and columns of
b that its elements of d need and adds up along K, from the first element to the last:

- floats: one fused multiply-add a term, beginning with c, in f32 (f64 in the rounding asked for).
  Products of f16, bf16, tf32 and narrower formats are exact in f32. d of f16 is rounded once, last.
- integers: exact; sums wrap at 32 bits, or with `satfinite` the sum of all terms and c saturates.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ptxlift.ir.attributes import Format, Rounding
from ptxlift.ir.core import Op, Value
from ptxlift.ir.exchange import Exchange, Place
from ptxlift.ir.matrix import (
    Element,
    Operation,
    Product,
    metadata_of,
    operands_of,
    packed,
    product_of,
    selectors_of,
)
from ptxlift.ir.spreading import dense_product, spread_left
from ptxlift.isa.fragments import Cell, Fragment
from ptxlift.records import replace
from ptxlift.rewrite.matrix.numbers import HALF_FORMATS, Singles, halves_of_bytes, is_bytes
from ptxlift.rewrite.matrix.terms import Piece, Term, terms

_BYTE_WIDE = (Element.S8, Element.U8)
_NIBBLES = (Element.S4, Element.U4)
_UPPER_NIBBLES = 0xF0F0F0F0


@cache
def _terms(product: Product, element: int) -> tuple[Term, ...]:
    """The terms of one element of d, once a process for each kind of product."""
    left, right = product.left, product.right
    if is_bytes(product.a):  # each register has become two of f16
        left = replace(left, packed=left.packed // 2)
    if is_bytes(product.b):
        right = replace(right, packed=right.packed // 2)
    sums = product.sums(product.result)
    return tuple(terms(left, right, sums, element, product.shape[2]))


def expand_mma(op: Op, operands: Sequence[Value], exchange: Exchange) -> list[Value]:
    """The registers of d. `operands`: what stands for those of the op."""
    product = product_of(op)
    a, b, c = operands_of(operands, product)
    if product.is_sparse:
        metadata = metadata_of(operands, product)
        a = spread_left(exchange, product, a, metadata, selectors_of(op))
        product = dense_product(product)
    return _Expansion(exchange, product, a, b).run(c)


class _Expansion:
    """One op at work."""

    def __init__(
        self, exchange: Exchange, product: Product, a: Sequence[Value], b: Sequence[Value]
    ) -> None:
        self.exchange = exchange
        self.builder = exchange.builder
        self.product = product
        self.a = self._prepared(product.a, a)
        self.b = self._prepared(product.b, b)
        self.singles = Singles(exchange)

    def _prepared(self, element: Element, registers: Sequence[Value]) -> list[Value]:
        """The registers in the form in which they travel between lanes."""
        if is_bytes(element):
            return halves_of_bytes(self.exchange, element, registers)
        return list(registers)

    def run(self, c: Sequence[Value]) -> list[Value]:
        product = self.product
        count = product.sums(product.result).elements
        sums = [self._sum(index, self._element(c, index)) for index in range(count)]
        size = packed(product.result)
        return [self.builder.pack(sums[i : i + size]) for i in range(0, count, size)]

    def _element(self, c: Sequence[Value], index: int) -> Value:
        """The element of c that becomes this one of d, as wide as it is."""
        product = self.product
        have, want = product.sums(product.accumulator), product.sums(product.result)
        if have.cells != want.cells:  # of four small tiles, where the types differ
            return self._moved_element(c, have, [held[index] for held in want.cells])
        register, at = divmod(index, have.packed)
        value = c[register]
        if product.accumulator is Element.F16:
            return self.builder.extract(value, 16, 16 * at)
        return value

    def _moved_element(self, c: Sequence[Value], have: Fragment, cells: Sequence[Cell]) -> Value:
        holders = dict(have.holders())
        wanted = [holders[cell] for cell in cells]
        places = [Place(h.lane, h.element // have.packed) for h in wanted]
        value = self.exchange.fetch(c, places)
        if have.packed == 1:
            return value
        shift = self.exchange.number([16 * (h.element % have.packed) for h in wanted])
        return self.builder.extract(self.builder.lshr(value, shift), 16, 0)

    def _sum(self, index: int, start: Value) -> Value:
        product = self.product
        steps = _terms(product, index)
        if product.operation is not Operation.MULTIPLY:
            return self._count_bits(steps, start)
        if product.a in _BYTE_WIDE:
            return self._sum_bytes(steps, start)
        if product.a in _NIBBLES:
            return self._sum_nibbles(steps, start)
        if product.a is Element.F64:
            return self._sum_doubles(steps, start)
        return self._sum_singles(steps, start)

    def _fetched(self, term: Term) -> tuple[Value, Value]:
        """The registers of a and b that hold the term's elements from their bottom on."""
        return self._piece(self.a, term.a, term.length), self._piece(self.b, term.b, term.length)

    def _piece(self, registers: Sequence[Value], piece: Piece, length: int) -> Value:
        value = self.exchange.fetch(registers, piece.places)
        if not any(piece.starts):
            return value
        assert length == 1, "runs begin at the bottom of a register"
        shift = self.exchange.number([16 * start for start in piece.starts])
        return self.builder.lshr(value, shift)

    # ---- floats ----

    def _sum_singles(self, steps: Sequence[Term], start: Value) -> Value:
        product = self.product
        a_kind = Element.F16 if is_bytes(product.a) else product.a
        b_kind = Element.F16 if is_bytes(product.b) else product.b
        total = self._to_single(product.accumulator, start)
        for term in steps:
            a, b = self._fetched(term)
            for index in range(term.length):
                x = self.singles.of(a, index, a_kind)
                y = self.singles.of(b, index, b_kind)
                total = self.builder.ffma(x, y, total, Format.F32, Rounding.RN, False)
        if product.result is Element.F16:
            return self.builder.fconvert(total, Format.F32, Format.F16, Rounding.RN, False)
        return total

    def _to_single(self, element: Element, value: Value) -> Value:
        if element is Element.F32:
            return value
        fmt = HALF_FORMATS[element]
        return self.builder.fconvert(value, fmt, Format.F32, Rounding.RN, False)

    def _sum_doubles(self, steps: Sequence[Term], start: Value) -> Value:
        total = start
        for term in steps:
            a, b = self._fetched(term)
            total = self.builder.ffma(a, b, total, Format.F64, self.product.rounding, False)
        return total

    # ---- integers ----

    def _sum_bytes(self, steps: Sequence[Term], start: Value) -> Value:
        saturates = self.product.satfinite
        total = self.exchange.const(32, 0) if saturates else start
        for term in steps:
            a, b = self._fetched(term)
            total = self._dot(a, b, total)
        return self.builder.sadd_sat(total, start) if saturates else total

    def _dot(self, a: Value, b: Value, total: Value) -> Value:
        product = self.product
        return self.builder.dp4a(a, b, total, product.a.is_signed, product.b.is_signed)

    def _sum_nibbles(self, steps: Sequence[Term], start: Value) -> Value:
        """Nibbles in the upper halves of bytes are 16 times as large: both, 256 times."""
        total = self.exchange.const(32, 0)
        for term in steps:
            a, b = self._fetched(term)
            for a_part, b_part in zip(self._nibbles(a), self._nibbles(b), strict=True):
                total = self._dot(a_part, b_part, total)
        total = self.builder.ashr(total, self.exchange.const(32, 8))
        if self.product.satfinite:
            return self.builder.sadd_sat(total, start)
        return self.builder.add(total, start)

    def _nibbles(self, word: Value) -> tuple[Value, Value]:
        """The even and the odd nibbles, each as the upper half of a byte."""
        mask = self.exchange.const(32, _UPPER_NIBBLES)
        even = self.builder.shl(word, self.exchange.const(32, 4))
        return self.builder.and_(even, mask), self.builder.and_(word, mask)

    def _count_bits(self, steps: Sequence[Term], start: Value) -> Value:
        b = self.builder
        join = b.xor if self.product.operation is Operation.XOR else b.and_
        total = start
        for term in steps:
            total = b.add(total, b.popcount(join(*self._fetched(term))))
        return total
