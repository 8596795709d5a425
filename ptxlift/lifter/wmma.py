"""wmma.load, wmma.store and wmma.mma.

PTX leaves open how a wmma fragment lies in the lanes; here it lies as mma.sync's fragments do, tile
by tile, so that wmma.mma is an `mma` of a larger shape. Registers that a fragment does not need (a
and b of f16 have eight whatever the shape) hold zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.attributes import Rounding
from ptxlift.ir.core import Value
from ptxlift.ir.matrix import Element, Operation, Product, packed, register_bits
from ptxlift.isa import Form, fragments
from ptxlift.isa.fragments import Fragment
from ptxlift.lifter.matrix import registers, shape_of
from ptxlift.lifter.matrix_moves import lane_bits
from ptxlift.lifter.operands import ADDRESS_WIDTH
from ptxlift.lifter.registry import lifts
from ptxlift.lifter.words import space_of
from ptxlift.ptx import module as ptx
from ptxlift.records import dataclass

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter


@dataclass(frozen=True, slots=True)
class _Tile:
    """One operand in memory: rows by columns, one after the other along `by_row`."""

    element: Element
    fragment: Fragment
    by_row: bool

    @property
    def bits(self) -> int:
        return register_bits(self.element) // self.fragment.packed

    @property
    def pitch(self) -> int:
        """The stride where none is given."""
        return self.fragment.columns if self.by_row else self.fragment.rows


def _fragment(which: str, shape: tuple[int, int, int], element: Element) -> Fragment:
    m, n, k = shape
    size = packed(element)
    match which:
        case "a":
            return fragments.left(m, k, size)
        case "b":
            return fragments.right(k, n, size)
        case _:
            return fragments.accumulator(m, n, size)


def _tile(form: Form) -> _Tile:
    element = Element(form.get("type"))
    fragment = _fragment(form.get("which"), shape_of(form), element)
    return _Tile(element, fragment, form.get("layout") == "row")


class _Places:
    """Addresses of a tile's elements in the lane at hand.

    Rows and columns are sums of a constant and multiples of the lane's group and of its place in
    the group, so that one address is computed and the others are at distances that all lanes share.
    """

    def __init__(self, at: FunctionLifter, tile: _Tile, base: Value, stride: Value) -> None:
        self._at = at
        self._tile = tile
        self._width = base.width
        self._stride = at.fit(stride, base.width)
        cells = tile.fragment.cells
        group, place = (at.fit(lane_bits(at, *bits), base.width) for bits in ((2, 3), (0, 2)))
        steps = [self._offset(*_step(cells[0][0], cells[lane][0])) for lane in (4, 1)]
        moved = [at.builder.mul(x, step) for x, step in zip((group, place), steps, strict=True)]
        self._first = at.builder.add(base, at.builder.add(*moved))

    def _offset(self, row: int, column: int) -> Value:
        """Bytes from the tile's begin to an element."""
        at, bits = self._at, self._tile.bits
        across, along = (row, column) if self._tile.by_row else (column, row)
        rows = at.builder.mul(self._stride, at.const(self._width, across * max(bits // 8, 1)))
        if bits < 8 and across:
            rows = at.builder.lshr(rows, at.const(32, (8 // bits).bit_length() - 1))
        return at.advance(rows, along * bits // 8)

    def of(self, element: int) -> Value:
        """Where the lane's element of this number lies."""
        _, row, column = self._tile.fragment.cells[0][element]
        return self._at.builder.add(self._first, self._offset(row, column))

    def are_neighbours(self, first: int, count: int) -> bool:
        """Whether elements follow each other in memory, in every lane."""
        for held in self._tile.fragment.cells:
            for index in range(1, count):
                step = _step(held[first], held[first + index])
                if step != ((0, index) if self._tile.by_row else (index, 0)):
                    return False
        return True


def _step(start: tuple[int, int, int], end: tuple[int, int, int]) -> tuple[int, int]:
    return end[1] - start[1], end[2] - start[2]


def _places(at: FunctionLifter, inst: ptx.Inst, tile: _Tile, memory: ptx.Operand) -> _Places:
    assert isinstance(memory, ptx.Memory), "the parser makes it an address"
    space = space_of(inst.form)
    stride: Value | None = None
    for operand, spec in zip(inst.operands, inst.form.operands, strict=True):
        if spec.name == "stride":
            stride = at.scalar(operand, 32)
    if stride is None:
        stride = at.const(ADDRESS_WIDTH[space], tile.pitch)
    return _Places(at, tile, at.memory_address(memory, space), stride)


def _pieces(tile: _Tile, places: _Places) -> list[tuple[int, int]]:
    """First element and count of the runs of a register: the whole of it, or single elements."""
    size = tile.fragment.packed
    whole = places.are_neighbours(0, size)
    step = size if whole else 1
    return [(first, step) for first in range(0, tile.fragment.elements, step)]


@lifts("wmma_load")
def lift_wmma_load(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Warp-Level Matrix Load Instruction: wmma.load."""
    form, spec = inst.form, inst.form.operands[0]
    tile, space = _tile(form), space_of(inst.form)
    places = _places(at, inst, tile, inst.operands[1])
    parts = []
    for first, count in _pieces(tile, places):
        width = tile.bits * count
        parts += at.builder.load(places.of(first), space, width, 1, width // 8)
    each = register_bits(tile.element) // parts[0].width
    results = [at.builder.pack(parts[i : i + each]) for i in range(0, len(parts), each)]
    results += [at.const(results[0].width, 0)] * (spec.count - len(results))
    at.write(inst.operands[0], spec, results, inst)


@lifts("wmma_store")
def lift_wmma_store(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Warp-Level Matrix Store Instruction: wmma.store."""
    tile, space = _tile(inst.form), space_of(inst.form)
    places = _places(at, inst, tile, inst.operands[0])
    values = registers(at, inst, "v")
    for first, count in _pieces(tile, places):
        width = tile.bits * count
        value = values[first // tile.fragment.packed]
        part = at.builder.extract(value, width, first % tile.fragment.packed * tile.bits)
        at.builder.store(places.of(first), (part,), space, width, width // 8)


_ROUNDINGS = {rounding.value: rounding for rounding in Rounding}


def wmma_product(form: Form) -> Product:
    """What a wmma.mma multiplies; a and b are f16 where no type is named."""
    a, b = (Element(form.get(key) or "f16") for key in ("atype", "btype"))
    c, d = (Element(form.get(key)) for key in ("ctype", "dtype"))
    return Product(
        shape_of(form),
        a,
        b,
        c,
        d,
        Operation(form.get("op") or "mul"),
        rounding=_ROUNDINGS[form.get("rnd") or "rn"],
        satfinite=bool(form.get("satfinite")),
    )


@lifts("wmma_mma")
def lift_wmma_mma(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Warp-Level Matrix Multiply-and-Accumulate Instruction: wmma.mma."""
    form = inst.form
    product = wmma_product(form)
    if product.satfinite and product.result is not Element.S32:
        raise at.refuse(
            "'wmma.mma.satfinite' of floating-point values is not translated",
            "PTX removed it in version 6.3; leave .satfinite out",
        )
    sizes = (product.left, product.right, product.sums(product.accumulator))
    operands = [
        registers(at, inst, name)[: fragment.registers]
        for name, fragment in zip("abc", sizes, strict=True)
    ]
    results = at.builder.mma(product, [value for group in operands for value in group])
    at.write(inst.operands[0], form.operands[0], results, inst)
