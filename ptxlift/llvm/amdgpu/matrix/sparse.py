"""Where a product with a sparse a lies in the registers of a sparse matrix instruction.

Comes in: a product whose a is stored without half of its elements, and a `Core` that takes such
an a. Goes out: for each register and lane where it comes from, and the instruction's index made of
PTX's metadata.

The sparse input is the instruction's first one, so products are not transposed. K goes in units,
see spreading.py: units of the product are those of the instruction in the same order, so that what
a lane's index holds lies together in PTX's metadata, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ptxlift.ir.core import Value
from ptxlift.ir.exchange import LANES, Exchange, Place
from ptxlift.ir.matrix import packed
from ptxlift.ir.spreading import metadata_holder
from ptxlift.llvm.amdgpu.matrix.cores import SIDE
from ptxlift.llvm.amdgpu.matrix.layout import Layout, Places, Side, held
from ptxlift.records import dataclass

_UNIT = {Side.A: 1, Side.B: 2}  # registers of a unit


@dataclass(frozen=True, slots=True)
class SparseLayout(Layout):
    """The layouts of one product on one sparse core."""

    def parted(self, parts: int) -> Layout:
        """The whole: units do not part by registers."""
        return self

    def takes(self, parts: int) -> bool:
        return True

    @property
    def inputs(self) -> tuple[Side, Side]:
        return Side.A, Side.B

    def words(self, side: Side) -> int:
        return _UNIT[side] * self.core.words

    def row_of(self, lane: int) -> int:
        return lane % SIDE

    def column_of(self, number: int) -> int:
        return number % SIDE

    def cell(self, lane: int, register: int) -> tuple[int, int]:
        return self.core.row(lane, register), lane % SIDE

    @property
    def units(self) -> int:
        """Units of a row."""
        return self.product.shape[2] // (2 * packed(self.product.a))

    @property
    def steps(self) -> int:
        return -(-self.units // self.core.words_of_row)

    def places(self, side: Side, warp: int, step: int, word: int, linear: bool) -> Places:
        return _places(self, side, warp, step, word)

    def index(
        self,
        exchange: Exchange,
        metadata: Sequence[Value],
        selectors: tuple[int, ...],
        warp: int,
        step: int,
    ) -> list[Value]:
        """The registers of the index. `metadata`, `selectors`: see `spread_left`."""
        return [
            _gathered(exchange, metadata, _pieces(self, selectors, warp, step, word))
            for word in range(self.core.index_words)
        ]


@cache
def _places(layout: SparseLayout, side: Side, warp: int, step: int, word: int) -> Places:
    core, each = layout.core, _UNIT[side]
    numbers: dict[tuple[int, int], int] = {}
    for number, unit in enumerate(core.units(), step * core.words_of_row):
        group, first = unit.a if side is Side.A else unit.b
        for part in range(each):
            numbers[group, first + part] = each * number + part
    element = layout.product.a if side is Side.A else layout.product.b
    found: list[Place | None] = []
    for lane in range(core.lanes):
        number = numbers[lane // SIDE, word]
        inside = number < each * layout.units
        k = packed(element) * number
        found.append(held(layout, side, warp, lane, k) if inside else None)
    return tuple(found)


# ---- the index ----


@dataclass(frozen=True, slots=True)
class _Piece:
    """What lanes take from one register each: turned right by so many bits, those of the mask."""

    places: Places
    turns: tuple[int, ...]
    mask: int


@cache
def _pieces(
    layout: SparseLayout, selectors: tuple[int, ...], warp: int, step: int, word: int
) -> tuple[_Piece, ...]:
    """What one register of the index is made of."""
    lanes = [_sources(layout, selectors, lane, step, word) for lane in range(layout.core.lanes)]
    pieces = []
    for number in range(max(map(len, lanes))):
        wanted = [list(found.items())[number] if found else None for found in lanes]
        (mask,) = {each[1] for each in wanted if each is not None}
        places = [None if w is None else Place(LANES * warp + w[0][0], w[0][1]) for w in wanted]
        turns = [0 if w is None else w[0][2] for w in wanted]
        pieces.append(_Piece(tuple(places), tuple(turns), mask))
    return tuple(pieces)


def _sources(
    layout: SparseLayout, selectors: tuple[int, ...], lane: int, step: int, word: int
) -> dict[tuple[int, int, int], int]:
    """Bits of a lane's index, by the lane of the warp and the register they come from and how far
    they are turned. Nothing for units behind the end of K, whose a is zero.
    """
    core, product = layout.core, layout.product
    each = layout.units // len(selectors)
    found: dict[tuple[int, int, int], int] = {}
    for number, unit in enumerate(core.units(), step * core.words_of_row):
        group, register, low = unit.index
        if (group, register) != (lane // SIDE, word) or number >= layout.units:
            continue
        part, inner = divmod(number, each)
        holder, bit = metadata_holder(product, each, selectors[part], lane % SIDE, inner)
        key = holder, part, (bit - low) % 32
        found[key] = found.get(key, 0) | ((1 << core.unit_bits) - 1) << low
    return found


def _gathered(exchange: Exchange, registers: Sequence[Value], pieces: Sequence[_Piece]) -> Value:
    b = exchange.builder
    total: Value | None = None
    for piece in pieces:
        value = exchange.fetch(registers, piece.places)
        if any(piece.turns):
            value = b.fshr(value, value, exchange.number(piece.turns))
        if len(pieces) > 1:  # a lone piece may bring more: the instruction reads what it needs
            value = b.and_(value, exchange.const(32, piece.mask))
        total = value if total is None else b.or_(total, value)
    return exchange.const(32, 0) if total is None else total
