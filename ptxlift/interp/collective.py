"""Operations that all lanes of a warp do together, without a member mask.

Comes in: what each lane brings, and a function of it. Goes out: the end of a code block that waits
for every thread of the warp that has not ended. It must know no instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ptxlift.interp.ends import End
from ptxlift.interp.lanes import Lanes
from ptxlift.interp.state import WARP, Selection, State
from ptxlift.interp.values import Reader, Writer
from ptxlift.interp.waiting import Arrival, Compute, arrive_at_warp
from ptxlift.ptx import module as ptx

# thread slots, what each lane brings -> what each lane gets
Work = Callable[[State, Lanes, list[Lanes]], list[Lanes]]
_EVERYONE = np.uint32(0xFFFFFFFF)


def dense(state: State, slots: Lanes, values: Lanes) -> Lanes:
    """The lanes' values, one row a thread slot."""
    whole = np.zeros((len(state.slots), *values.shape[1:]), values.dtype)
    whole[slots] = values
    return whole


def warp_base(slots: Lanes) -> Lanes:
    """The first slot of each lane's warp."""
    base: Lanes = slots // WARP * WARP
    return base


def collective(
    inst: ptx.Inst, following: int, readers: Sequence[Reader], writers: Sequence[Writer], work: Work
) -> End:
    """The end that gathers `readers`, does `work` and hands its results to `writers`."""

    def compute(state: State, slots: Lanes, masks: Lanes, values: list[Lanes]) -> list[Lanes]:
        return work(state, slots, values)

    joined: Compute = compute

    def deliver(state: State, slots: Lanes, results: list[Lanes]) -> None:
        for write, result in zip(writers, results, strict=True):
            write(state, slots, result)

    def end(state: State, lanes: Selection) -> int | None:
        slots = state.slots[lanes]
        values = [np.array(np.broadcast_to(read(state, lanes), slots.shape)) for read in readers]
        masks = np.broadcast_to(_EVERYONE, slots.shape)
        level, registers = state.level, state.registers
        arrival = Arrival(slots, values, level, registers, deliver, following, inst.start)
        return following if arrive_at_warp(state, id(inst), joined, masks, arrival) else None

    return end
