"""mma and mma.sp whose products are scaled block by block along K.

Comes in: an instruction and, of a sparse one, the whole a. Goes out: IR: an `mma` for each block,
beginning at zero, and sums in f64 that are rounded to f32 once. A scale of a is shared by a row,
one of b by a column: lanes 4g + 2i and 4g + 2i + 1 hold those of rows g and g + 8 if the selector's
thread is i; lane 4g + i holds those of column g. They are bytes of a register, from the selector's
byte on one a block.

Two elements of four bits in a byte become two bytes of different registers: the order along K is
free as long as a and b agree, and blocks of 16 are told apart by lane.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ptxlift.ir.attributes import Format, IntPredicate, Rounding, ShuffleMode
from ptxlift.ir.core import Value
from ptxlift.ir.exchange import LANES, Exchange
from ptxlift.ir.matrix import Arrangement, Product
from ptxlift.isa import Form
from ptxlift.ptx import module as ptx
from ptxlift.records import replace

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_BLOCKS = {"": 1, "scale_vec::1X": 1, "scale_vec::2X": 2, "scale_vec::4X": 4}
_TWO_IN_A_BYTE = ("kind::mxf4", "kind::mxf4nvf4")
_MIDDLE = 0x3C3C3C3C  # where an element of four bits lies in its byte
_HALF_OF_K = 32  # elements of four bits in a register of all four places
_EVERYONE = 0xFFFFFFFF
_NAN = 0x7FF80000  # upper word in f64
_BIAS = 1023 - 127  # between f64 and ue8m0
_UPPER_MANTISSA = 20  # bits of f64's mantissa in the upper word
_SCALE_OF_E4M3 = (1023 - 7 + 1023) << _UPPER_MANTISSA  # a power of two, in the upper word

_Factors = tuple[Product, list[Value], list[Value]]  # a product's registers


def lift_scaled(
    at: FunctionLifter, inst: ptx.Inst, product: Product, a: Sequence[Value], b: Sequence[Value]
) -> list[Value]:
    """The registers of d. `product`: of a as it is given, whose whole a may be spread."""
    lifting = _Scaled(at, inst, product)
    return lifting.run(list(a), list(b))


def scale_blocks(form: Form) -> int:
    """Blocks along K."""
    return _BLOCKS[form.get("sv") or ("scale_vec::2X" if has_pairs(form) else "")]


def has_pairs(form: Form) -> bool:
    """Whether a byte holds two elements."""
    return form.get("kind") in _TWO_IN_A_BYTE


class _Scaled:
    """One instruction."""

    def __init__(self, at: FunctionLifter, inst: ptx.Inst, product: Product) -> None:
        self._at, self._inst, self._product = at, inst, product
        self._exchange = Exchange(at.builder)
        self._count = scale_blocks(inst.form)
        self._bytes = inst.form.get("stype")

    def run(self, a: list[Value], b: list[Value]) -> list[Value]:
        at = self._at
        totals = [self._to_double(value) for value in self._operand("c")]
        blocks = list(self._blocks(a, b))
        assert len(blocks) == self._count
        for number, factors in enumerate(blocks):
            sums = self._unscaled(factors)
            of_rows = [self._scale("a", half, number) for half in (0, 1)]
            of_columns = [self._scale("b", side, number) for side in (0, 1)]
            for element, value in enumerate(sums):
                row, column = of_rows[element // 2], of_columns[element % 2]
                scale = at.builder.fmul(row, column, Format.F64, Rounding.RN, False)
                totals[element] = at.builder.ffma(
                    self._to_double(value), scale, totals[element], Format.F64, Rounding.RN, False
                )
        return [
            at.builder.fconvert(total, Format.F64, Format.F32, Rounding.RN, False)
            for total in totals
        ]

    def _operand(self, name: str) -> tuple[Value, ...]:
        for operand, spec in zip(self._inst.operands, self._inst.form.operands, strict=True):
            if spec.name != name:
                continue
            if isinstance(operand, ptx.VectorOperand):
                return tuple(self._at.scalar(e, spec.type.bits) for e in operand.elements)
            value = self._at.read(operand, spec)
            return value if isinstance(value, tuple) else (value,)
        raise AssertionError(f"no operand {name}")

    def _to_double(self, value: Value) -> Value:
        return self._at.builder.fconvert(value, Format.F32, Format.F64, Rounding.RN, False)

    # ---- blocks ----

    def _unscaled(self, factors: Sequence[_Factors]) -> list[Value]:
        """A block's products, added up from zero."""
        sums = [self._exchange.const(32, 0)] * 4
        for product, a, b in factors:
            sums = self._at.builder.mma(product, (*a, *b, *sums))
        return sums

    def _blocks(self, a: list[Value], b: list[Value]) -> Iterator[list[_Factors]]:
        """What each block multiplies."""
        if not has_pairs(self._inst.form):
            yield [(self._product, a, b)]
            return
        spread = self._product.arrangement is Arrangement.SPREAD
        own, others = (4, 2) if spread else (2, 1)  # registers of a and b that meet
        for at in range(len(b) // others):
            left, right = a[own * at : own * (at + 1)], b[others * at : others * (at + 1)]
            if self._count == 2:
                yield list(self._pairs(left, right, spread))
                continue
            lower = self._exchange.is_one_of([lane for lane in range(LANES) if lane % 4 < 2])
            zero, select = self._exchange.const(32, 0), self._at.builder.select
            for parts in (
                [select(lower, value, zero) for value in left],
                [select(lower, zero, value) for value in left],
            ):
                yield list(self._pairs(parts, right, spread))

    def _pairs(self, a: list[Value], b: list[Value], spread: bool) -> Iterator[_Factors]:
        """Products of bytes in place of one of pairs of elements."""
        product = replace(self._product, shape=(16, 8, _HALF_OF_K))
        left, right = self._halves(a), self._halves(b)
        if spread:
            yield product, left[0], right[0]
            yield product, left[1], right[1]
        else:
            yield product, [*left[0], *left[1]], [*right[0], *right[1]]

    def _halves(self, registers: Sequence[Value]) -> tuple[list[Value], list[Value]]:
        """The first elements of all bytes, and the second ones, where bytes hold one."""
        b, two = self._at.builder, self._exchange.const(32, 2)
        middle = self._exchange.const(32, _MIDDLE)
        return (
            [b.and_(b.shl(value, two), middle) for value in registers],
            [b.and_(b.lshr(value, two), middle) for value in registers],
        )

    # ---- scales ----

    def _scale(self, side: str, number: int, block: int) -> Value:
        """The scale of row g + 8 `number`, or of column 2t + `number`, in f64."""
        b = self._at.builder
        (word,), (byte, thread) = self._operand(f"s{side}"), self._operand(f"b{side}")
        if side == "a":
            lanes, step, most = [lane & ~3 | number for lane in range(LANES)], 2, 1
        else:
            lanes, step, most = [4 * (2 * (lane % 4) + number) for lane in range(LANES)], 1, 3
        chosen = b.and_(b.zext(thread, 32), self._exchange.const(32, most))
        distance = b.mul(chosen, self._exchange.const(32, step))
        source = b.add(self._exchange.number(lanes), distance)
        everyone, last = self._exchange.const(32, _EVERYONE), self._exchange.const(32, LANES - 1)
        found, _ = b.shuffle(word, source, last, everyone, ShuffleMode.IDX)
        first = b.and_(b.zext(byte, 32), self._exchange.const(32, 3))
        place = b.add(first, self._exchange.const(32, block))
        moved = b.lshr(found, b.mul(place, self._exchange.const(32, 8)))
        return self._decoded(b.and_(moved, self._exchange.const(32, 255)))

    def _decoded(self, byte: Value) -> Value:
        b, const = self._at.builder, self._exchange.const
        if self._bytes == "ue8m0":
            biased = b.add(byte, const(32, _BIAS))
            upper, invalid = b.shl(biased, const(32, _UPPER_MANTISSA)), const(32, 0xFF)
            return self._double(byte, invalid, upper)
        # ue4m3: exponent and mantissa read as f64's are too small by a power of two.
        size = b.and_(byte, const(32, 0x7F))
        small = b.shl(size, const(32, _UPPER_MANTISSA - 3))
        power = b.pack([const(32, 0), const(32, _SCALE_OF_E4M3)])
        value = b.fmul(b.pack([const(32, 0), small]), power, Format.F64, Rounding.RN, False)
        return self._double(size, const(32, 0x7F), b.extract(value, 32, 32))

    def _double(self, code: Value, invalid: Value, upper: Value) -> Value:
        """An f64 whose lower word is zero; a NaN if the code is the invalid one."""
        b, const = self._at.builder, self._exchange.const
        is_nan = b.icmp(code, invalid, IntPredicate.EQ)
        return b.pack([const(32, 0), b.select(is_nan, const(32, _NAN), upper)])
