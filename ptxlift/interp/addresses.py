"""Moves of addresses, special registers and whole vectors; conversions between state spaces.

Comes in: an instruction. Goes out: a step. Addresses of global, const and kernel parameter space
are generic addresses already; those of shared and local space are offsets into a window.
"""

from __future__ import annotations

import numpy as np

from ptxlift.interp.access import space_of
from ptxlift.interp.memory import LOCAL_WINDOW, SHARED_WINDOW, Region
from ptxlift.interp.state import Selection, State
from ptxlift.interp.steps import Step, runs
from ptxlift.interp.values import Operands, resize
from ptxlift.ptx import module as ptx

_WINDOWS = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW}


@runs("mov_sreg", "mov_address")
def make_move(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: mov."""
    kind = inst.form.type
    read = operands.scalar(inst.operands[1], kind.bits)
    write = operands.writer(inst.operands[0], kind)

    def step(state: State, lanes: Selection) -> None:
        write(state, lanes, read(state, lanes))

    return step


@runs("mov_vector")
def make_vector_move(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: mov (.v2, .v4)."""
    result, source = inst.form.operands
    readers = operands.elements(inst.operands[1], source.type.bits, source.count)
    writers = operands.writers(inst.operands[0], result)

    def step(state: State, lanes: Selection) -> None:
        values = [read(state, lanes).copy() for read in readers]
        for write, value in zip(writers, values, strict=True):
            write(state, lanes, value)

    return step


def _window(operands: Operands, space: str) -> int:
    """What is added to an address of a space to make it generic."""
    if space == "param" and operands.function.kind != "entry":
        return LOCAL_WINDOW
    return _WINDOWS.get(space, 0)


@runs("cvta")
def make_to_generic(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: cvta."""
    window = np.uint64(_window(operands, space_of(inst.form.get("ss"))))
    read = operands.scalar(inst.operands[1], 64)
    write = operands.writer(inst.operands[0], inst.form.type)

    def step(state: State, lanes: Selection) -> None:
        write(state, lanes, read(state, lanes) + window)

    return step


@runs("cvta_to")
def make_from_generic(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: cvta.to."""
    window = np.uint64(_window(operands, space_of(inst.form.get("ss"))))
    read = operands.scalar(inst.operands[1], 64)
    write = operands.writer(inst.operands[0], inst.form.type)

    def step(state: State, lanes: Selection) -> None:
        write(state, lanes, read(state, lanes) - window)

    return step


@runs("isspacep")
def make_space_test(operands: Operands, inst: ptx.Inst) -> Step:
    """Data Movement and Conversion Instructions: isspacep."""
    space = space_of(inst.form.get("ss"))
    read = operands.scalar(inst.operands[1], 64)
    write = operands.writer(inst.operands[0], inst.form.operands[0].type)

    def step(state: State, lanes: Selection) -> None:
        addresses = resize(read(state, lanes), 64)
        indices = state.memory.region_indices(addresses)
        truth = np.zeros(len(addresses), np.bool_)
        for index in np.unique(indices[indices >= 0]):
            region = state.memory.regions[int(index)]
            inside = addresses - np.uint64(region.base) < np.uint64(max(region.size, 1))
            truth |= (indices == index) & inside & _belongs(state, region, space)
        write(state, lanes, truth)

    return step


def _belongs(state: State, region: Region, space: str) -> bool:
    special = {
        "shared": region is state.shared_region,
        "local": region is state.local_region,
        "param": region is state.param_region,
        "const": region.what.startswith("constant"),
    }
    return special[space] if space in special else not any(special.values())
