"""Makes products of narrow elements products of wider ones.

Comes in: a function. Goes out: another one in which the products that are asked for have elements
that more targets multiply: floats of eight and fewer bits become f16, integers of four bits s8,
unsigned ones, too. Every value stays exactly what it is. A register becomes two, with as many
neighbours along K as it had; of eight nibbles the even ones come first, alike in a and b. It must
know no target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ptxlift.ir.builder import Builder
from ptxlift.ir.copy import Copier
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.exchange import Exchange
from ptxlift.ir.matrix import Arrangement, Element, Operation, Product, operands_of, product_of
from ptxlift.records import replace
from ptxlift.rewrite.matrix.numbers import halves_of_bytes, is_bytes

_NIBBLES = (Element.S4, Element.U4)
_LOWER_NIBBLES, _SIGNS, _GUARDS = 0x0F0F0F0F, 0x08080808, 0x80808080


def wider(product: Product) -> Product | None:
    """The product of wider elements with the same values; None if there is none."""
    kinds = _wider_element(product.a), _wider_element(product.b)
    plain = product.arrangement is Arrangement.WARP and product.operation is Operation.MULTIPLY
    if kinds[0] is None or kinds[1] is None or not plain:
        return None
    return replace(product, a=kinds[0], b=kinds[1], arrangement=Arrangement.WIDENED)


def widen_products(function: Function, wanted: Callable[[Op], bool]) -> Function:
    """The function with those products widened."""
    found = {op for op in function.ops() if op.name == "mma" and wanted(op)}
    return _Widening(function, found).run() if found else function


def _wider_element(element: Element) -> Element | None:
    if element in _NIBBLES:
        return Element.S8
    return Element.F16 if is_bytes(element) else None


class _Widening(Copier):
    """One function at work; blocks share what is made of the same registers."""

    def __init__(self, function: Function, wanted: set[Op]) -> None:
        super().__init__(function)
        self._wanted = wanted
        self._exchanges: dict[Block, Exchange] = {}
        self._made: dict[tuple[Block, Element, Value], list[Value]] = {}

    def rewrite(self, op: Op, block: Block, builder: Builder) -> Sequence[Value] | None:
        if op not in self._wanted:
            return None
        product = product_of(op)
        wide = wider(product)
        assert wide is not None, "only those that can be are wanted"
        a, b, c = operands_of([self.value(v, block) for v in op.operands], product)
        left = self._widened(block, builder, product.a, a)
        right = self._widened(block, builder, product.b, b)
        return builder.mma(wide, [*left, *right, *c])

    def _widened(
        self, block: Block, builder: Builder, element: Element, registers: Sequence[Value]
    ) -> list[Value]:
        exchange = self._exchanges.setdefault(block, Exchange(builder))
        words: list[Value] = []
        for register in registers:
            key = block, element, register
            if key not in self._made:
                make = _bytes_of_nibbles if element in _NIBBLES else halves_of_bytes
                self._made[key] = make(exchange, element, [register])
            words += self._made[key]
        return words


def _bytes_of_nibbles(
    exchange: Exchange, element: Element, registers: Sequence[Value]
) -> list[Value]:
    """Registers of eight nibbles become twice as many of four bytes: the even and the odd ones."""
    b, const = exchange.builder, exchange.const
    words = []
    for register in registers:
        for moved in (register, b.lshr(register, const(32, 4))):
            word = b.and_(moved, const(32, _LOWER_NIBBLES))
            if (
                element is Element.S4
            ):  # n as (n ^ 8) - 8, with a bit above that no byte borrows past
                word = b.sub(b.xor(word, const(32, _SIGNS | _GUARDS)), const(32, _SIGNS))
                word = b.xor(word, const(32, _GUARDS))
            words.append(word)
    return words
