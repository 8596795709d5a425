"""wmma.load, wmma.store and wmma.mma.

Comes in: an instruction. Goes out: the end of its code block. Fragments, whose layout PTX leaves
open, lie as those of mma.sync do; each element is loaded and stored by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ptxlift.interp.access import load, locator, space_of, store
from ptxlift.interp.collective import collective
from ptxlift.interp.ends import End, Labels, ends
from ptxlift.interp.lanes import Lanes, constant
from ptxlift.interp.matrix import (
    fragment_readers,
    multiplication,
    product,
    sizes,
    warp_tiles,
)
from ptxlift.interp.state import WARP, Selection, State
from ptxlift.interp.tiles import STORED_BITS
from ptxlift.interp.values import Operands, Reader, Unsupported
from ptxlift.isa import Form, fragments
from ptxlift.isa.fragments import Fragment
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.interp.code import Code

_SMALLEST = 8  # bits of an access


def _fragment(form: Form) -> Fragment:
    m, n, k = sizes(form)
    size = max(1, 32 // STORED_BITS[form.get("type")])
    match form.get("which"):
        case "a":
            return fragments.left(m, k, size)
        case "b":
            return fragments.right(k, n, size)
        case _:
            return fragments.accumulator(m, n, size)


class _Memory:
    """A tile in memory: which bytes each lane's pieces are. A piece is an element, or a register
    of elements that are smaller than a byte.
    """

    def __init__(self, operands: Operands, inst: ptx.Inst, memory: ptx.Operand) -> None:
        form = inst.form
        assert isinstance(memory, ptx.Memory), "the parser makes it an address"
        fragment = _fragment(form)
        self.bits = STORED_BITS[form.get("type")]
        self.step = 32 // self.bits if self.bits < _SMALLEST else 1
        self.pieces = fragment.elements // self.step
        self.per_register = max(1, fragment.packed // self.step)
        cells = np.array(fragment.cells)[:, :: self.step, 1:]
        by_row = form.get("layout") == "row"
        self._across, self._along = (cells[..., i] for i in ((0, 1) if by_row else (1, 0)))
        self._is_shared = space_of(form.get("ss")) == "shared"
        self._locate = locator(operands, memory, space_of(form.get("ss")))
        pitch = fragment.columns if by_row else fragment.rows
        self._stride = _stride(operands, inst, pitch)

    def readers(self) -> list[Reader]:
        """The lanes' address and stride."""

        def address(state: State, lanes: Selection) -> Lanes:
            return self._locate(state, lanes)[1]

        return [address, self._stride]

    def place(self, state: State, slots: Lanes, values: Sequence[Lanes], piece: int) -> Lanes:
        """The address of each lane's piece."""
        lane = slots % WARP
        across = self._across[lane, piece].astype(np.uint64)
        along = self._along[lane, piece].astype(np.uint64)
        elements = across * values[1].astype(np.uint64) + along
        where: Lanes = values[0] + elements * np.uint64(self.bits) // np.uint64(8)
        return where

    @property
    def width(self) -> int:
        """Bits of a piece."""
        return self.bits * self.step

    def load(self, state: State, slots: Lanes, values: Sequence[Lanes], piece: int) -> Lanes:
        region = state.shared_region if self._is_shared else None
        where = (region, self.place(state, slots, values, piece))
        return load(state, slots, where, self.width, 1)[0]

    def store(
        self, state: State, slots: Lanes, values: Sequence[Lanes], piece: int, value: Lanes
    ) -> None:
        region = state.shared_region if self._is_shared else None
        where = (region, self.place(state, slots, values, piece))
        store(state, slots, where, self.width, [value])


def _stride(operands: Operands, inst: ptx.Inst, pitch: int) -> Reader:
    """The given stride, or that of a tile without gaps."""
    for operand, spec in zip(inst.operands, inst.form.operands, strict=True):
        if spec.name == "stride":
            return operands.scalar(operand, 32)
    fixed = constant(32, pitch)

    def read(state: State, lanes: Selection) -> Lanes:
        return fixed

    return read


def _dtype(bits: int) -> Callable[[Lanes], Lanes]:
    kind = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[bits]
    return lambda value: value.astype(kind)


@ends("wmma_load")
def make_wmma_load(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Warp-Level Matrix Load Instruction: wmma.load."""
    assert inst is not None, "wmma.load is an instruction"
    spec = inst.form.operands[0]
    memory = _Memory(operands, inst, inst.operands[1])

    def work(state: State, slots: Lanes, values: list[Lanes]) -> list[Lanes]:
        kind = np.dtype(np.uint64 if memory.bits == 64 else np.uint32)
        results: list[Lanes] = [np.zeros(len(slots), kind) for _ in range(spec.count)]
        for piece in range(memory.pieces):
            register, at = divmod(piece, memory.per_register)
            value: Lanes = memory.load(state, slots, values, piece).astype(kind)
            results[register] = results[register] | value << kind.type(memory.bits * at)
        return results

    writers = operands.writers(inst.operands[0], spec)
    return collective(inst, following, memory.readers(), writers, work)


@ends("wmma_store")
def make_wmma_store(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Warp-Level Matrix Store Instruction: wmma.store."""
    assert inst is not None, "wmma.store is an instruction"
    memory = _Memory(operands, inst, inst.operands[0])
    cut = _dtype(memory.width)

    def work(state: State, slots: Lanes, values: list[Lanes]) -> list[Lanes]:
        for piece in range(memory.pieces):
            register, at = divmod(piece, memory.per_register)
            value = values[2 + register]
            part = cut(value >> value.dtype.type(memory.bits * at))
            memory.store(state, slots, values, piece, part)
        return []

    readers = memory.readers() + fragment_readers(operands, inst, "v")
    return collective(inst, following, readers, [], work)


@ends("wmma_mma")
def make_wmma_mma(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Warp-Level Matrix Multiply-and-Accumulate Instruction: wmma.mma."""
    assert inst is not None, "wmma.mma is an instruction"
    form = inst.form
    names = [form.get(key) or "f16" for key in ("atype", "btype", "ctype", "dtype")]
    if form.get("satfinite") and names[3] != "s32":
        raise Unsupported("wmma.mma.satfinite of floating-point values")
    m, n, k = sizes(form)
    tiles = warp_tiles((m, n, k), names)
    counts = [fragments.left(m, k, max(1, 32 // STORED_BITS[names[0]])).registers]
    counts.append(fragments.right(k, n, max(1, 32 // STORED_BITS[names[1]])).registers)
    a, b, c = (fragment_readers(operands, inst, name) for name in "abc")
    counts.append(len(c))
    multiply = multiplication(form, names[0], names[3])
    work = product(form, tiles, counts, multiply)
    readers = [*a[: counts[0]], *b[: counts[1]], *c]
    writers = operands.writers(inst.operands[0], form.operands[0])
    return collective(inst, following, readers, writers, work)
