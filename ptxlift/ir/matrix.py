"""What an `mma` op multiplies, and how its operands lie in the lanes.

Comes in: attributes of the op. Goes out: a `Product` with the fragments of its operands. It must
know no PTX text and no target.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from ptxlift.ir.attributes import Rounding
from ptxlift.ir.core import Attribute, Op, Value
from ptxlift.isa import fragments
from ptxlift.isa.fragments import Fragment
from ptxlift.records import dataclass

COLUMNS = 8  # of b, whose registers follow those of the next eight


class Element(Enum):
    """What a matrix holds; the value is PTX's name."""

    F16 = "f16"
    BF16 = "bf16"
    TF32 = "tf32"
    F32 = "f32"
    F64 = "f64"
    E4M3 = "e4m3"
    E5M2 = "e5m2"
    E2M3 = "e2m3"
    E3M2 = "e3m2"
    E2M1 = "e2m1"
    S8 = "s8"
    U8 = "u8"
    S4 = "s4"
    U4 = "u4"
    B1 = "b1"
    S32 = "s32"

    @property
    def is_signed(self) -> bool:
        return self in (Element.S8, Element.S4, Element.S32)


class Operation(Enum):
    """How two elements become one term: of bits, the ones of a logical operation are counted."""

    MULTIPLY = "mul"
    XOR = "xor"
    AND = "and"


class Arrangement(Enum):
    """Which fragment layouts: the usual ones, or those of four small tiles (m8n8k4 of f16) with A
    and B by rows or columns. `SPREAD`: A's registers hold twice as many neighbours along K;
    `WIDENED`: those of both do. `SPARSE`: half of A's elements are stored; see spreading.py.
    """

    WARP = "warp"
    SPREAD = "spread"
    WIDENED = "widened"
    SPARSE = "sparse"
    QUADS_ROW_ROW = "quads row row"
    QUADS_ROW_COL = "quads row col"
    QUADS_COL_ROW = "quads col row"
    QUADS_COL_COL = "quads col col"

    @property
    def is_quads(self) -> bool:
        return self.value.startswith("quads")


# Bits that an element takes in a register.
_STORED = {
    Element.F16: 16, Element.BF16: 16, Element.TF32: 32, Element.F32: 32, Element.F64: 64,
    Element.E4M3: 8, Element.E5M2: 8, Element.E2M3: 8, Element.E3M2: 8, Element.E2M1: 8,
    Element.S8: 8, Element.U8: 8, Element.S4: 4, Element.U4: 4, Element.B1: 1, Element.S32: 32,
}  # fmt: skip


def packed(element: Element) -> int:
    """Elements of one register."""
    return max(1, 32 // _STORED[element])


def register_bits(element: Element) -> int:
    """Width of one register."""
    return 64 if element is Element.F64 else 32


@dataclass(frozen=True, slots=True)
class Product:
    """d = a * b + c, with a of m by k and b of k by n."""

    shape: tuple[int, int, int]
    a: Element
    b: Element
    accumulator: Element  # of c
    result: Element  # of d
    operation: Operation = Operation.MULTIPLY
    arrangement: Arrangement = Arrangement.WARP
    rounding: Rounding = Rounding.RN
    satfinite: bool = False

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """In the order of the op table, but for the selectors."""
        kinds = (self.a, self.b, self.accumulator, self.result)
        return (
            self.shape,
            *kinds,
            self.operation,
            self.arrangement,
            self.rounding,
            self.satfinite,
        )

    @property
    def is_sparse(self) -> bool:
        """Whether half of a's elements are stored."""
        return self.arrangement is Arrangement.SPARSE

    @property
    def left(self) -> Fragment:
        """Of a."""
        m, _, k = self.shape
        match self.arrangement:
            case Arrangement.QUADS_ROW_ROW | Arrangement.QUADS_ROW_COL:
                return fragments.quad_left(True)
            case Arrangement.QUADS_COL_ROW | Arrangement.QUADS_COL_COL:
                return fragments.quad_left(False)
            case Arrangement.SPREAD | Arrangement.WIDENED:
                return fragments.spread_left(m, k, packed(self.a))
            case Arrangement.SPARSE:
                return fragments.left(m, k // 2, packed(self.a))
            case Arrangement.WARP:
                return fragments.left(m, k, packed(self.a))

    @property
    def right(self) -> Fragment:
        """Of b."""
        _, n, k = self.shape
        match self.arrangement:
            case Arrangement.QUADS_ROW_ROW | Arrangement.QUADS_COL_ROW:
                return fragments.quad_right(True)
            case Arrangement.QUADS_ROW_COL | Arrangement.QUADS_COL_COL:
                return fragments.quad_right(False)
            case Arrangement.WIDENED:
                return fragments.spread_right(k, n, packed(self.b))
            case _:
                return fragments.right(k, n, packed(self.b))

    def sums(self, element: Element) -> Fragment:
        """Of c or d."""
        m, n, _ = self.shape
        if self.arrangement.is_quads:
            return fragments.quad_accumulator(packed(element))
        return fragments.accumulator(m, n, packed(element))


def product_of(op: Op) -> Product:
    """The product that an `mma` op computes."""
    shape, *rest, _ = op.attrs
    assert isinstance(shape, tuple), "the shape is m, n, k"
    return Product(shape, *rest)  # type: ignore[arg-type]  # Product.attributes made them


def selectors_of(op: Op) -> tuple[int, ...]:
    """For each part of K that was a product of its own, the selector of its metadata; 0 without."""
    found = op.attr("selectors")
    assert isinstance(found, tuple), "the builder wrote it"
    return found


def operands_of(
    operands: Sequence[Value], product: Product
) -> tuple[list[Value], list[Value], list[Value]]:
    """The registers of a, b and c."""
    values = list(operands)
    a = product.left.registers
    b = a + product.right.registers
    c = b + product.sums(product.accumulator).registers
    return values[:a], values[a:b], values[b:c]


def part_of(registers: Sequence[Value], blocks: int, parts: int, part: int) -> list[Value]:
    """The registers of one part of K. `blocks`: that follow each other, each with all parts."""
    size = len(registers) // blocks
    each = size // parts
    return [
        value
        for block in range(blocks)
        for value in registers[block * size + part * each : block * size + (part + 1) * each]
    ]


def metadata_of(operands: Sequence[Value], product: Product) -> list[Value]:
    """The registers that say where the elements of a sparse a belong."""
    known = sum(len(part) for part in operands_of(operands, product))
    return list(operands)[known:]
