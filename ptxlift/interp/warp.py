"""Operations between the lanes of a warp.

Comes in: an instruction. Goes out: the end of its code block: lanes may have to wait there. Values
are exchanged through one array with an element a thread slot.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ptxlift.interp.ends import End, Labels, ends
from ptxlift.interp.lanes import Lanes
from ptxlift.interp.numpy_algebra import NumpyAlgebra
from ptxlift.interp.state import WARP, Selection, State
from ptxlift.interp.values import Operands, Reader
from ptxlift.interp.waiting import Arrival, Compute, arrive_at_warp, live_words, warp_words
from ptxlift.ir.attributes import Format
from ptxlift.isa import Form, Role
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.interp.code import Code

_ALGEBRA = NumpyAlgebra()
_FULL = np.uint32(0xFFFFFFFF)


def _dense(state: State, slots: Lanes, values: Lanes) -> Lanes:
    """The lanes' values, one element a thread slot."""
    whole = np.zeros(len(state.slots), values.dtype)
    whole[slots] = values
    return whole


def _participants(state: State, slots: Lanes, masks: Lanes) -> Lanes:
    """For each lane the members of its mask that are there."""
    members: Lanes = masks & live_words(state)[slots // WARP]
    return members


def _truth_words(state: State, slots: Lanes, truth: Lanes) -> Lanes:
    """For each lane the bits of the lanes in its warp whose predicate is true."""
    words: Lanes = warp_words(state, slots[truth])[slots // WARP]
    return words


def _shuffle(form: Form) -> Compute:
    mode = form.get("mode")

    def compute(state: State, slots: Lanes, masks: Lanes, values: list[Lanes]) -> list[Lanes]:
        a, b, c = values
        lane = (slots % WARP).astype(np.int64)
        distance = (b & np.uint32(31)).astype(np.int64)
        clamp = (c & np.uint32(31)).astype(np.int64)
        segment = (c >> np.uint32(8) & np.uint32(31)).astype(np.int64)
        first = lane & segment
        last = first | clamp & ~segment
        match mode:
            case "up":
                source = lane - distance
                inside = source >= last
            case "down":
                source = lane + distance
                inside = source <= last
            case "bfly":
                source = lane ^ distance
                inside = source <= last
            case _:
                source = first | distance & ~segment
                inside = source <= last
        source = np.where(inside, source, lane)
        return [_dense(state, slots, a)[slots - lane + source], inside]

    return compute


def _vote(form: Form) -> Compute:
    mode = form.get("mode")

    def compute(state: State, slots: Lanes, masks: Lanes, values: list[Lanes]) -> list[Lanes]:
        members = _participants(state, slots, masks)
        true = _truth_words(state, slots, values[0]) & members
        match mode:
            case "ballot":
                return [true]
            case "all":
                return [true == members]
            case "any":
                return [true != 0]
            case _:
                return [(true == members) | (true == 0)]

    return compute


def _match(form: Form) -> Compute:
    """`any`: who holds the lane's value; `all`: the members if all hold the same, else 0."""
    every = form.get("mode") == "all"

    def compute(state: State, slots: Lanes, masks: Lanes, values: list[Lanes]) -> list[Lanes]:
        members = _participants(state, slots, masks)
        whole = _dense(state, slots, values[0])
        base = slots // WARP * WARP
        same = np.zeros(len(slots), np.uint32)
        for lane in range(WARP):
            equal = (whole[base + lane] == values[0]).astype(np.uint32)
            same |= equal << np.uint32(lane)
        same &= members
        if not every:
            return [same]
        agreed = same == members
        return [np.where(agreed, members, np.uint32(0)), agreed]

    return compute


def _combiner(form: Form) -> Callable[[Lanes, Lanes], Lanes]:
    operation, kind = form.get("op"), form.type
    if kind.is_float:
        return _float_combiner(form)
    return {
        "add": _ALGEBRA.add,
        "and": _ALGEBRA.and_,
        "or": _ALGEBRA.or_,
        "xor": _ALGEBRA.xor,
        "min": _ALGEBRA.smin if kind.is_signed else _ALGEBRA.umin,
        "max": _ALGEBRA.smax if kind.is_signed else _ALGEBRA.umax,
    }[operation]


def _float_combiner(form: Form) -> Callable[[Lanes, Lanes], Lanes]:
    choose = _ALGEBRA.fmin if form.get("op") == "min" else _ALGEBRA.fmax
    nan, magnitude = bool(form.get("NaN")), bool(form.get("abs"))

    def combine(a: Lanes, b: Lanes) -> Lanes:
        if magnitude:
            a, b = _ALGEBRA.fabs(a, Format.F32), _ALGEBRA.fabs(b, Format.F32)
        return choose(a, b, Format.F32, False, nan)

    return combine


def _reduce(form: Form) -> Compute:
    combine = _combiner(form)

    def compute(state: State, slots: Lanes, masks: Lanes, values: list[Lanes]) -> list[Lanes]:
        members = _participants(state, slots, masks)
        whole = _dense(state, slots, values[0])
        base = slots // WARP * WARP
        total = np.zeros_like(values[0])
        empty = np.ones(len(slots), np.bool_)
        for lane in range(WARP):
            member = members >> np.uint32(lane) & np.uint32(1) != 0
            other = whole[base + lane]
            # A float alone still goes through `.abs`; its minimum with itself does that.
            alone = combine(other, other) if form.type.is_float else other
            joined = np.where(empty, alone, combine(total, other))
            total = np.where(member, joined, total)
            empty &= ~member
        return [total]

    return compute


def _elect(form: Form) -> Compute:
    """The lowest member leads."""

    def compute(state: State, slots: Lanes, masks: Lanes, values: list[Lanes]) -> list[Lanes]:
        members = _participants(state, slots, masks)
        leader = _ALGEBRA.ctz(members)
        return [leader, leader == (slots % WARP).astype(np.uint32)]

    return compute


def _barrier(form: Form) -> Compute:
    def compute(state: State, slots: Lanes, masks: Lanes, values: list[Lanes]) -> list[Lanes]:
        if state.watch is not None and state.watch.races is not None:
            state.watch.races.meet_warps(state, slots)
        return []

    return compute


_COMPUTES: dict[str, Callable[[Form], Compute]] = {
    "shfl": _shuffle,
    "shfl_sync": _shuffle,
    "vote": _vote,
    "vote_ballot": _vote,
    "vote_sync": _vote,
    "vote_sync_ballot": _vote,
    "match": _match,
    "redux": _reduce,
    "redux_f32": _reduce,
    "elect": _elect,
    "bar_warp_sync": _barrier,
}
_WITHOUT_MASK = ("shfl", "vote", "vote_ballot")


@ends(*_COMPUTES)
def make_exchange(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Data Movement (shfl); Parallel Synchronization and Communication Instructions."""
    assert inst is not None, "an exchange is an instruction"
    form = inst.form
    compute = _COMPUTES[form.name](form)
    pairs = list(zip(inst.operands, form.operands, strict=True))
    sources = [p for p in pairs if p[1].role is Role.SOURCE]
    readers = [operands.scalar(operand, spec.type.bits) for operand, spec in sources]
    writers = [w for o, s in pairs if s.role is Role.RESULT for w in operands.writers(o, s)]
    mask: Reader | None = None if form.name in _WITHOUT_MASK else readers.pop()
    start = inst.start

    def deliver(state: State, slots: Lanes, results: list[Lanes]) -> None:
        for write, result in zip(writers, results, strict=False):
            write(state, slots, result)

    def end(state: State, lanes: Selection) -> int | None:
        slots = state.slots[lanes]
        values = [np.array(np.broadcast_to(r(state, lanes), slots.shape)) for r in readers]
        if mask is None:
            masks = warp_words(state, slots)[slots // WARP]
            results = compute(state, slots, masks, values)
            deliver(state, slots, results)
            return following
        masks = np.broadcast_to(mask(state, lanes), slots.shape)
        arrival = Arrival(slots, values, state.level, state.registers, deliver, following, start)
        return following if arrive_at_warp(state, form, compute, masks, arrival) else None

    return end


@ends("activemask")
def make_active_mask(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Parallel Synchronization and Communication Instructions: activemask."""
    assert inst is not None, "activemask is an instruction"
    write = operands.writer(inst.operands[0], inst.form.operands[0].type)

    def end(state: State, lanes: Selection) -> int | None:
        slots = state.slots[lanes]
        write(state, lanes, warp_words(state, slots)[slots // WARP])
        return following

    return end
