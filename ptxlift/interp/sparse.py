"""mma.sp.

Comes in: an instruction. Goes out: the end of its code block. The whole a is built from its stored
half and the metadata, chunk by chunk, and then multiplied as any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ptxlift.interp.collective import Work, collective, dense
from ptxlift.interp.ends import End, Labels, ends
from ptxlift.interp.lanes import Lanes
from ptxlift.interp.matrix import (
    fragment_readers,
    multiplication,
    scale_readers,
    sizes,
    warp_tiles,
)
from ptxlift.interp.scaled import scaled, stored_type
from ptxlift.interp.state import WARP, State
from ptxlift.interp.tiles import STORED_BITS, Layout
from ptxlift.interp.values import Operands
from ptxlift.isa import Form, fragments
from ptxlift.ptx import module as ptx
from ptxlift.records import dataclass

if TYPE_CHECKING:
    from ptxlift.interp.code import Code

_ROWS = 16
_CHUNK_BITS = 4


@dataclass(frozen=True, slots=True)
class _Chunks:
    """How a row of a is cut. `whole`: elements of a chunk; `together`: stored elements with one
    position.
    """

    whole: int
    together: int
    count: int  # of a row

    @property
    def stored(self) -> int:
        """Elements that a chunk keeps."""
        return self.whole // 2


def _chunks(form: Form) -> _Chunks:
    """ "Sparse matrix storage": 1 of 2 for tf32, pairs in 4 of 8 for 4-bit types, else 2 of 4."""
    k = sizes(form)[2]
    match STORED_BITS[stored_type(form, form.get("atype"))]:
        case 32:
            return _Chunks(2, 1, k // 2)
        case 4:
            return _Chunks(8, 2, k // 8)
        case _:
            return _Chunks(4, 1, k // 4)


def _holder(form: Form, row: int, chunk: int, count: int, selector: int) -> tuple[int, int]:
    """The lane that holds a chunk's metadata, and the lowest bit."""
    group, upper = 4 * (row % 8), row // 8
    if (
        STORED_BITS[stored_type(form, form.get("atype"))] >= 16
    ):  # both rows of the group in each lane
        block = chunk // 4
        place = selector if count == 4 else 2 * selector + block
        return group + place, 16 * upper + _CHUNK_BITS * (chunk % 4)
    place = upper + 2 * (chunk // 8) if count == 16 else 2 * selector + upper
    return group + place, _CHUNK_BITS * (chunk % 8)


def _whole(form: Form, stored: Lanes, metadata: Lanes, selector: int) -> Lanes:
    """a with zeros, from its stored elements (warps, 1, rows, k / 2) and the lanes' metadata."""
    chunks = _chunks(form)
    result = np.zeros((*stored.shape[:-1], 2 * stored.shape[-1]), stored.dtype)
    warps = np.arange(len(stored))
    for row in range(_ROWS):
        for chunk in range(chunks.count):
            lane, bit = _holder(form, row, chunk, chunks.count, selector)
            fields = metadata[:, lane] >> np.uint32(bit)
            for number in range(chunks.stored):
                field = fields >> np.uint32(2 * (number // chunks.together)) & np.uint32(3)
                # A tf32 element's position is given by halves.
                unit = field >> np.uint32(1) if chunks.whole == 2 else field
                at = unit.astype(np.intp) * chunks.together + number % chunks.together
                element = stored[:, 0, row, chunk * chunks.stored + number]
                result[warps, 0, row, chunk * chunks.whole + at] = element
    return result


def _work(form: Form, counts: tuple[int, int, int], selector: int) -> Work:
    m, n, k = sizes(form)
    names = [stored_type(form, form.get(f"{letter}type")) for letter in "abcd"]
    tiles = warp_tiles((m, n, k), names)
    packed = max(1, 32 // STORED_BITS[names[0]])
    stored_a = Layout(names[0], fragments.left, m, k // 2, packed)
    multiply = multiplication(form, names[0], names[3])
    first, second, third = counts[0], sum(counts[:2]), sum(counts)

    def work(state: State, slots: Lanes, values: list[Lanes]) -> list[Lanes]:
        whole = [dense(state, slots, value) for value in values]
        metadata = whole[third].reshape(-1, WARP)
        a = _whole(form, stored_a.matrices(whole[:first]), metadata, selector)
        b = tiles.b.matrices(whole[first:second])
        c = tiles.c.matrices(whole[second:third])
        if len(whole) > third + 1:
            a, b = scaled(form, a, b, whole[third + 1 :])
        return [register[slots] for register in tiles.d.registers(multiply(a, b, c))]

    return work


@ends("mma_sp")
def make_sparse(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Warp-Level Matrix Instructions: mma.sp."""
    assert inst is not None, "mma.sp is an instruction"
    form = inst.form
    a, b, c, e = (fragment_readers(operands, inst, name) for name in "abce")
    selector = next(
        operand.bits
        for operand, spec in zip(inst.operands, form.operands, strict=True)
        if spec.name == "f" and isinstance(operand, ptx.Immediate)
    )
    work = _work(form, (len(a), len(b), len(c)), selector)
    writers = operands.writers(inst.operands[0], form.operands[0])
    readers = [*a, *b, *c, *e, *scale_readers(operands, inst)]
    return collective(inst, following, readers, writers, work)
