"""Where a 16 by 16 product of PTX lies in the registers of a matrix instruction.

Comes in: a product's fragments and a `Core`. Goes out: for each register of the instruction's
operands and each lane, the fragment register it comes from; and the way back for results. On waves
of 64, which hold two warps, each warp has an instruction of its own that uses all lanes. It must
know no IR.

The instruction multiplies b's transpose by a's, which lie like its own a and b. Its results are d
transposed: neighbours of a row of d follow each other in registers, as they do in fragments, and
one select and one exchange the less moves them there.
"""

from __future__ import annotations

from enum import Enum
from functools import cache

from ptxlift.ir.exchange import LANES, Place
from ptxlift.ir.matrix import Product, packed
from ptxlift.isa.fragments import Cell, Fragment, Holder
from ptxlift.llvm.amdgpu.matrix.cores import SIDE, Core, Results
from ptxlift.records import dataclass, replace

Places = tuple[Place | None, ...]  # one a lane; None where any register will do


# Bits of a row or column, from the lowest, for the bits of a number.
_ROW_BITS = (3, 2, 0, 1)
_COLUMN_BITS = {Results.GFX11: (2, 0, 1, 3), Results.GFX12: (0, 1, 3, 2)}


class Side(Enum):
    """An input of a product."""

    A = "a"
    B = "b"


@dataclass(frozen=True, slots=True)
class Layout:
    """The layouts of one product on one core. `halves`: of the result's columns, eight each, those
    that are there.
    """

    product: Product
    core: Core
    halves: int

    def parted(self, parts: int) -> Layout:
        """Of one of the products that were joined along K: the instruction's input registers are
        shared out, for the order of K is free.
        """
        m, n, k = self.product.shape
        product = replace(self.product, shape=(m, n, k // parts))
        return Layout(product, replace(self.core, words=self.core.words // parts), self.halves)

    def takes(self, parts: int) -> bool:
        """Whether one instruction takes so many parts of K."""
        if self.steps > 1 or self.core.words % parts:
            return False
        return self.parted(parts).steps == 1

    @property
    def warps(self) -> int:
        """Warps of a wave."""
        return self.core.lanes // LANES

    @property
    def inputs(self) -> tuple[Side, Side]:
        """What the instruction's first and second inputs are."""
        return Side.B, Side.A

    def words(self, side: Side) -> int:
        """Registers of an input."""
        return self.core.words

    def cell(self, lane: int, register: int) -> tuple[int, int]:
        """The row and column of d in a result register."""
        return self.row_of(lane), self.column_of(self.core.row(lane, register))

    def row_of(self, lane: int) -> int:
        """The row of a and d that a lane has. In waves of 32, bits of the lane's number are there
        where fragments have them, as far as they can be.
        """
        at = lane % SIDE
        return _placed(at, _ROW_BITS) if self.core.lanes == LANES else at

    def column_of(self, number: int) -> int:
        """The column of b and d that is a row of the instruction's result."""
        at = number % SIDE
        if self.core.lanes != LANES:
            return at
        return _placed(at, _COLUMN_BITS[self.core.results])

    def near(self, side: Side, distance: int) -> int:
        """How the numbers of lanes differ whose rows of a, or columns of b, differ in one bit."""
        of = self.row_of if side is Side.A else self.column_of
        return next(1 << bit for bit in range(4) if of(1 << bit) == distance)

    @property
    def steps(self) -> int:
        """Instructions along K."""
        words = self.product.shape[2] // packed(self.product.a)
        return -(-words // self.core.words_of_row)

    def places(self, side: Side, warp: int, step: int, word: int, linear: bool) -> Places:
        """Fragment registers for one input register, with lanes of the wave. Of b, the registers of
        both halves' fragments follow each other. `linear`: words of a row lie in the order of K,
        else where they move least; a and b must agree.
        """
        return _places(self, side, warp, step, word, linear)

    def first_element(self, group: int, step: int, word: int, linear: bool) -> int | None:
        """First element along K of an input word; None past the end.

        Words of four lanes of a fragment follow each other: word 4c + t lies in place t of a group.
        """
        core = self.core
        group %= core.groups
        if core.groups == 4 and not linear:  # places become lane groups
            number = 4 * (step * core.words + word) + group
        elif core.groups == 2 and core.words > 1 and not linear:  # places' upper bits do
            number = step * core.words_of_row + 4 * (word // 2) + 2 * group + word % 2
        else:
            number = step * core.words_of_row + group * core.words + word
        k = number * packed(self.product.a)
        return k if k < self.product.shape[2] else None

    # ---- results ----

    def into_core(self, warp: int, register: int) -> Places:
        """Fragment registers (of both halves, one after the other) for a result register."""
        holders = self._sums()
        found: list[Place | None] = []
        for lane in range(self.core.lanes):
            holder = holders.get(self.cell(lane, register))
            if holder is None:
                found.append(None)
            else:
                found.append(Place(LANES * warp + holder.lane, holder.element))
        return tuple(found)

    def out_of_core(self, element: int) -> Places:
        """Result registers (of all warps, one after the other) for a fragment register."""
        holders = self._sums()
        cells = {(holder.lane, holder.element): cell for cell, holder in holders.items()}
        core = self.core
        natives = {
            self.cell(lane, register): (lane, register)
            for lane in range(core.lanes)
            for register in range(core.accumulators)
        }
        found = []
        for lane in range(core.lanes):
            warp, own = divmod(lane, LANES)
            at, register = natives[cells[own, element]]
            found.append(Place(at, warp * core.accumulators + register))
        return tuple(found)

    def _sums(self) -> dict[tuple[int, int], Holder]:
        """Holders of the result's elements; of two halves, the second's follow the first's."""
        fragment = self.product.sums(self.product.result)
        holders: dict[tuple[int, int], Holder] = {}
        copies = 1 if self.product.shape[1] == SIDE else self.halves
        for half in range(copies):
            for (_, row, column), holder in fragment.holders():
                place = Holder(holder.lane, holder.element + half * fragment.elements)
                holders[row, column + 8 * half] = place
        return holders

    @property
    def elements(self) -> int:
        """Fragment registers of all halves together."""
        return 4 * self.halves


@cache
def _places(layout: Layout, side: Side, warp: int, step: int, word: int, linear: bool) -> Places:
    found: list[Place | None] = []
    for lane in range(layout.core.lanes):
        k = layout.first_element(lane // SIDE, step, word, linear)
        found.append(None if k is None else held(layout, side, warp, lane, k))
    return tuple(found)


def held(layout: Layout, side: Side, warp: int, lane: int, k: int) -> Place:
    """The fragment register with the element at `k` of a lane's row of a, or column of b."""
    product = layout.product
    if side is Side.A:
        fragment, offset = product.left, 0
        holder = _holders(fragment)[0, layout.row_of(lane), k]
    else:
        # Columns that are not there repeat others: both halves of a wave must hold the same.
        fragment = product.right
        column = layout.column_of(lane) % (8 * layout.halves)
        alone = product.shape[1] == 8  # the second half is a fragment of its own
        offset = column // 8 * fragment.registers if alone else 0
        holder = _holders(fragment)[0, k, column % 8 if alone else column]
    return Place(LANES * warp + holder.lane, holder.element // fragment.packed + offset)


def _placed(number: int, bits: tuple[int, ...]) -> int:
    return sum((number >> at & 1) << bit for at, bit in enumerate(bits))


@cache
def _holders(fragment: Fragment) -> dict[Cell, Holder]:
    return dict(fragment.holders())
