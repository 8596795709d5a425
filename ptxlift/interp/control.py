"""Branches, exits and traps.

Comes in: an instruction. Goes out: the end of its code block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ptxlift.interp.ends import End, Labels, ends
from ptxlift.interp.state import DONE, Selection, State
from ptxlift.interp.values import Operands
from ptxlift.interp.waiting import retire
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.interp.code import Code


class Trap(Exception):
    """`trap` or `brkpt` by the active lanes; the scheduler adds thread and place."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


@ends("bra")
def make_branch(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Control Flow Instructions: bra."""
    assert inst is not None, "a branch is an instruction"
    target = inst.operands[0]
    assert isinstance(target, ptx.LabelRef), "bra has a label"
    number = labels[target.label]

    def end(state: State, lanes: Selection) -> int | None:
        return number

    return end


@ends("brx")
def make_indexed_branch(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Control Flow Instructions: brx.idx. An index outside the list takes the last label."""
    assert inst is not None, "a branch is an instruction"
    targets = inst.operands[1]
    assert isinstance(targets, ptx.TargetsRef), "brx.idx has a list"
    numbers = np.array([labels[label] for label in targets.labels], np.int32)
    read = operands.scalar(inst.operands[0], 32)

    def end(state: State, lanes: Selection) -> int | None:
        index = np.minimum(read(state, lanes), np.uint32(len(numbers) - 1))
        state.place[lanes] = numbers[index]
        return None

    return end


def exit_threads(state: State, lanes: Selection) -> None:
    """Ends threads; who waits for them need wait no longer."""
    state.status[lanes] = DONE
    retire(state, state.slots[lanes])


@ends("exit")
def make_exit(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Control Flow Instructions: exit."""

    def end(state: State, lanes: Selection) -> int | None:
        exit_threads(state, lanes)
        return None

    return end


@ends("trap", "brkpt")
def make_trap(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Miscellaneous Instructions: trap, brkpt."""
    assert inst is not None, "a trap is an instruction"
    name = inst.form.name

    def end(state: State, lanes: Selection) -> int | None:
        raise Trap(f"'{name}' executed")

    return end
