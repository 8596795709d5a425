"""Instructions that change no value: fences, prefetches and hints.

Every access is done at once and in order, so that fences have nothing to do.
"""

from __future__ import annotations

from ptxlift.interp.lanes import constant
from ptxlift.interp.state import Selection, State
from ptxlift.interp.steps import Step, runs
from ptxlift.interp.values import Operands
from ptxlift.ptx import module as ptx


def _nothing(state: State, lanes: Selection) -> None:
    """No effect."""


def _fence(state: State, lanes: Selection) -> None:
    """No effect but on what counts as a race."""
    if state.watch is not None and state.watch.races is not None:
        state.watch.races.fence(state, state.slots[lanes])


@runs(
    "membar",
    "membar_proxy",
    "fence",
    "fence_mbarrier_init",
    "fence_proxy",
    "fence_proxy_tensormap",
    "fence_proxy_async",
)
def make_fence(operands: Operands, inst: ptx.Inst) -> Step:
    """Parallel Synchronization and Communication Instructions: membar, fence."""
    return _fence


@runs(
    "prefetch",
    "prefetchu",
    "prefetch_tensormap",
    "applypriority",
    "discard",
    "nanosleep",
    "pmevent",
    "pmevent_mask",
    "griddepcontrol",
    "setmaxnreg",
)
def make_nothing(operands: Operands, inst: ptx.Inst) -> Step:
    """Memory Consistency Model; Miscellaneous Instructions."""
    return _nothing


@runs("createpolicy_range", "createpolicy_fractional", "createpolicy_cvt")
def make_policy(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: createpolicy. Nobody reads the value."""
    write = operands.writer(inst.operands[0], inst.form.operands[0].type)

    def step(state: State, lanes: Selection) -> None:
        write(state, lanes, constant(64, 0))

    return step
