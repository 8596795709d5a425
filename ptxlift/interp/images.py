"""Textures and surfaces: lanes are sampled by the shared semantics, out of the same objects.

Comes in: an instruction. Goes out: a step. Objects and images lie in the interpreter's memory, so a
handle that is none, and a texel outside of its array, are faults.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ptxlift.interp.access import load, store
from ptxlift.interp.atomics import integer_update, modify
from ptxlift.interp.lanes import Lanes, constant, dtype_of
from ptxlift.interp.memory import Fault
from ptxlift.interp.numpy_algebra import numpy_algebra
from ptxlift.interp.state import Selection, State
from ptxlift.interp.steps import Step, runs
from ptxlift.interp.values import Operands, Unsupported
from ptxlift.ir.attributes import AtomicOp, Number
from ptxlift.ptx import module as ptx
from ptxlift.semantics.algebra import Algebra
from ptxlift.semantics.images import surfaces, textures
from ptxlift.semantics.images.instructions import (
    query_call,
    reduction_of,
    surface_call,
    texture_call,
    typed_channels,
)
from ptxlift.semantics.images.queries import image_query


class LaneMachine:
    """The interpreter's memory for one group of lanes. `_active`: who takes the way at hand."""

    def __init__(self, state: State, lanes: Selection) -> None:
        self.algebra: Algebra[Lanes] = numpy_algebra()
        self._state = state
        self._slots = state.slots[lanes]
        self._active = np.ones(len(self._slots), np.bool_)

    def _broadcast(self, value: Lanes) -> Lanes:
        return np.broadcast_to(value, self._slots.shape)

    # ---- memory ----

    def object_words(self, address: Lanes, count: int) -> list[Lanes]:
        return self.load(address, 32, count)

    def load(self, address: Lanes, width: int, count: int = 1) -> list[Lanes]:
        """Lanes that take another way get zeros."""
        positions = np.flatnonzero(self._active)
        places = (None, self._broadcast(address)[positions])
        try:
            found = load(self._state, self._slots[positions], places, width, count)
        except Fault as fault:
            raise self._at_lane(fault, positions) from None
        if len(positions) == len(self._slots):
            return found
        results = [np.zeros(len(self._slots), dtype_of(width)) for _ in found]
        for result, values in zip(results, found, strict=True):
            result[positions] = values
        return results

    def store(self, address: Lanes, values: Sequence[Lanes], width: int) -> None:
        positions = np.flatnonzero(self._active)
        places = (None, self._broadcast(address)[positions])
        parts = [self._broadcast(value)[positions] for value in values]
        try:
            store(self._state, self._slots[positions], places, width, parts)
        except Fault as fault:
            raise self._at_lane(fault, positions) from None

    def reduce(
        self, address: Lanes, value: Lanes, width: int, op: AtomicOp, number: Number
    ) -> None:
        positions = np.flatnonzero(self._active)
        places = (None, self._broadcast(address)[positions])
        update = integer_update(op.value, number is Number.SIGNED)
        part = self._broadcast(value)[positions]
        try:
            slots = self._slots[positions]
            modify(self._state, slots, places, width, [part], lambda in_shared: update)
        except Fault as fault:
            raise self._at_lane(fault, positions) from None

    def _at_lane(self, fault: Fault, positions: Lanes) -> Fault:
        return Fault(int(positions[fault.lane]), fault.text)

    # ---- ways ----

    def either(
        self,
        condition: Lanes,
        yes: Callable[[], Sequence[Lanes]],
        no: Callable[[], Sequence[Lanes]],
    ) -> Sequence[Lanes]:
        chosen = self._broadcast(condition)
        before = self._active
        if (chosen | ~before).all():
            return yes()
        if not (chosen & before).any():
            return no()
        self._active = before & chosen
        taken = yes()
        self._active = before & ~chosen
        other = no()
        self._active = before
        pairs = zip(taken, other, strict=True)
        return [self.algebra.select(chosen, a, b) for a, b in pairs]

    def when(self, condition: Lanes, action: Callable[[], None]) -> None:
        before = self._active
        chosen = self._broadcast(condition) & before
        if not chosen.any():
            return
        self._active = chosen
        action()
        self._active = before

    def trap(self) -> None:
        lane = int(np.flatnonzero(self._active)[0])
        raise Fault(lane, "a surface access outside of the surface, which traps")


@runs("tex", "tex_base", "tex_level", "tex_grad", "tld4")
def make_texture(operands: Operands, inst: ptx.Inst) -> Step:
    """Texture Instructions: tex, tld4. What is read is always resident."""
    call = texture_call(inst)
    if call.has_depth:
        raise Unsupported("a texture with a depth to compare with")
    texture, sampler = (operands.scalar(o, 64) for o in (call.texture, call.sampler))
    unified = call.texture is call.sampler
    readers = [operands.scalar(operand, 32) for operand in call.operands]
    writers = operands.writers(inst.operands[0], inst.form.operands[0])
    resident = constant(1, 1)

    def step(state: State, lanes: Selection) -> None:
        machine = LaneMachine(state, lanes)
        handle = texture(state, lanes)
        objects = (handle, handle if unified else sampler(state, lanes))
        values = [read(state, lanes) for read in readers]
        if call.component is None:
            channels = textures.texture(machine, call.form, objects, values)
        else:
            channels = textures.gather(machine, call.form, call.component, objects, values)
        results = [*typed_channels(machine.algebra, inst, channels), resident]
        for write, result in zip(writers, results, strict=False):
            write(state, lanes, result)

    return step


@runs("txq", "txq_level", "suq")
def make_query(operands: Operands, inst: ptx.Inst) -> Step:
    """Texture Instructions: txq. Surface Instructions: suq."""
    call = query_call(inst)
    handle = operands.scalar(call.image, 64)
    levels = [operands.scalar(operand, 32) for operand in call.level]
    (write,) = operands.writers(inst.operands[0], inst.form.operands[0])

    def step(state: State, lanes: Selection) -> None:
        level = [read(state, lanes) for read in levels]
        machine = LaneMachine(state, lanes)
        write(state, lanes, image_query(machine, call.query, handle(state, lanes), level))

    return step


@runs("istypep")
def make_istypep(operands: Operands, inst: ptx.Inst) -> Step:
    """Texture Instructions: istypep."""
    address = operands.scalar(inst.operands[1], 64)
    (write,) = operands.writers(inst.operands[0], inst.form.operands[0])
    objects = operands.objects(inst.form.type)

    def step(state: State, lanes: Selection) -> None:
        at = address(state, lanes)
        answer = np.zeros(at.shape, np.bool_)
        for begin, size in objects:
            answer |= at - np.uint64(begin) < np.uint64(size)
        write(state, lanes, answer)

    return step


@runs("suld_b")
def make_surface_load(operands: Operands, inst: ptx.Inst) -> Step:
    """Surface Instructions: suld."""
    call = surface_call(inst)
    handle = operands.scalar(call.surface, 64)
    readers = [operands.scalar(operand, 32) for operand in call.operands]
    writers = operands.writers(inst.operands[0], inst.form.operands[0])

    def step(state: State, lanes: Selection) -> None:
        machine = LaneMachine(state, lanes)
        place = [read(state, lanes) for read in readers]
        found = surfaces.surface_load(machine, call.form, handle(state, lanes), place)
        for write, value in zip(writers, found, strict=True):
            write(state, lanes, value)

    return step


@runs("sust_b", "sust_p", "sured_b", "sured_p")
def make_surface_write(operands: Operands, inst: ptx.Inst) -> Step:
    """Surface Instructions: sust, sured."""
    call = surface_call(inst)
    handle = operands.scalar(call.surface, 64)
    readers = [operands.scalar(operand, 32) for operand in call.operands]
    sources = [operands.scalar(operand, call.form.width) for operand in call.values]
    reduces = inst.form.name.startswith("sured")

    def step(state: State, lanes: Selection) -> None:
        machine = LaneMachine(state, lanes)
        place = [read(state, lanes) for read in readers]
        values = [read(state, lanes) for read in sources]
        surface = handle(state, lanes)
        if reduces:
            op, number = reduction_of(inst)
            surfaces.surface_reduce(machine, call.form, op, number, surface, place, values[0])
        else:
            surfaces.surface_store(machine, call.form, surface, place, values)

    return step
