"""Atomic operations and reductions on memory.

Comes in: an instruction. Goes out: a step. Lanes that meet at one address take turns, lowest first;
lanes at different addresses go together. It must know nothing of how lanes are scheduled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from ptxlift.interp.access import Location, load, locator, pieces, space_of, store
from ptxlift.interp.lanes import Lanes, dtype_of
from ptxlift.interp.memory import Region, element_indices
from ptxlift.interp.numpy_algebra import NumpyAlgebra
from ptxlift.interp.state import Selection, State
from ptxlift.interp.steps import Step, runs
from ptxlift.interp.values import Operands, Reader, Unsupported, Writer
from ptxlift.ir.attributes import Format, IntPredicate, Rounding
from ptxlift.isa import Form, Type
from ptxlift.ptx import module as ptx
from ptxlift.semantics.words import FORMATS, by_lanes

Update = Callable[[Lanes, Lanes], Lanes]  # old value, operand -> new value
_ALGEBRA = NumpyAlgebra()


def _increment(old: Lanes, limit: Lanes) -> Lanes:
    one, zero = old.dtype.type(1), old.dtype.type(0)
    result: Lanes = np.where(old >= limit, zero, old + one)
    return result


def _decrement(old: Lanes, limit: Lanes) -> Lanes:
    one = old.dtype.type(1)
    return np.where((old == 0) | (old > limit), limit, old - one)


def _exchange(old: Lanes, new: Lanes) -> Lanes:
    return new


_INTEGER: dict[str, Update] = {
    "add": _ALGEBRA.add,
    "and": _ALGEBRA.and_,
    "or": _ALGEBRA.or_,
    "xor": _ALGEBRA.xor,
    "exch": _exchange,
    "inc": _increment,
    "dec": _decrement,
}
_EXTREMES: dict[tuple[str, bool], Update] = {
    ("min", False): _ALGEBRA.umin,
    ("max", False): _ALGEBRA.umax,
    ("min", True): _ALGEBRA.smin,
    ("max", True): _ALGEBRA.smax,
}


def _float_update(operation: str, kind: Type, fmt: Format, ftz: bool) -> Update:
    def one(old: Lanes, new: Lanes) -> Lanes:
        match operation:
            case "add":
                return _ALGEBRA.fadd(old, new, fmt, Rounding.RN, ftz)
            case "min":
                return _ALGEBRA.fmin(old, new, fmt, False, False)
            case _:
                return _ALGEBRA.fmax(old, new, fmt, False, False)

    def update(old: Lanes, new: Lanes) -> Lanes:
        return by_lanes(_ALGEBRA, kind, one, old, new)

    return update


def update_of(form: Form, in_shared: bool) -> Update:
    """What the form does to a value in memory. f32 sums flush, except in shared memory."""
    operation, kind = form.get("op"), form.type
    fmt = FORMATS.get(kind.element)
    if fmt is not None and operation in ("add", "min", "max"):
        ftz = fmt is Format.F32 and not in_shared
        return _float_update(operation, kind, fmt, ftz)
    return integer_update(operation, kind.is_signed)


def integer_update(operation: str, signed: bool) -> Update:
    """What an operation does to an integer in memory."""
    if operation in ("min", "max"):
        return _EXTREMES[operation, signed]
    if operation not in _INTEGER:
        raise Unsupported(f"atomic operation .{operation}")
    return _INTEGER[operation]


def turns(indices: Lanes) -> Iterator[Lanes]:
    """Positions in rounds: in each round every index occurs once, the lowest lanes first."""
    order = np.argsort(indices, kind="stable")
    ordered = indices[order]
    starts = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    firsts = np.flatnonzero(starts)
    rank = np.arange(len(order)) - np.repeat(firsts, np.diff([*firsts, len(order)]))
    for turn in range(int(rank.max()) + 1):
        yield order[rank == turn]


def apply_in_turns(
    region: Region, first: Lanes, width: int, value: Lanes, update: Update, old: Lanes
) -> None:
    """Updates memory in turns and notes what was there before."""
    memory = region.view(width)
    for positions in turns(first):
        places = first[positions]
        before = memory[places]
        old[positions] = before
        memory[places] = update(before, value[positions])


def modify(
    state: State,
    lanes: Selection,
    location: Location,
    width: int,
    values: list[Lanes],
    update_for: Callable[[bool], Update],
) -> list[Lanes]:
    """Reads, updates and writes consecutive elements; gives the old ones. `update_for`: what is
    done, in shared memory or not.
    """
    slots = state.slots[lanes]
    results = [np.empty(len(slots), dtype_of(width)) for _ in values]
    size = width // 8 * len(values)
    for region, offsets, positions in pieces(state, lanes, location, size, True):
        update = update_for(region is state.shared_region)
        chosen: Selection = slice(None) if positions is None else positions
        first = element_indices(region, offsets, slots[chosen], width)
        for number, value in enumerate(values):
            operand = np.broadcast_to(value, slots.shape)[chosen]
            old = np.empty(len(first), dtype_of(width))
            apply_in_turns(region, first + number, width, operand, update, old)
            results[number][chosen] = old
    return results


def _compare_and_swap(compare: Lanes, new: Lanes) -> Callable[[Lanes, Lanes], Lanes]:
    """`positions` stand for the operand, so that each lane finds its own pair."""

    def update(old: Lanes, positions: Lanes) -> Lanes:
        same = _ALGEBRA.icmp(old, compare[positions], IntPredicate.EQ)
        return np.where(same, new[positions], old)

    return update


def _swap(
    state: State, lanes: Selection, location: Location, width: int, compare: Lanes, new: Lanes
) -> Lanes:
    slots = state.slots[lanes]
    compare, new = (np.broadcast_to(value, slots.shape) for value in (compare, new))
    result = np.empty(len(slots), dtype_of(width))
    for region, offsets, positions in pieces(state, lanes, location, width // 8, True):
        chosen = np.arange(len(slots)) if positions is None else positions
        first = element_indices(region, offsets, slots[chosen], width)
        old = np.empty(len(first), dtype_of(width))
        apply_in_turns(region, first, width, chosen, _compare_and_swap(compare, new), old)
        result[chosen] = old
    return result


def _one_by_one(state: State, lanes: Selection, location: Location, act: Update) -> Lanes:
    """b128: pairs of 64-bit elements, one lane at a time."""
    slots = state.slots[lanes]
    region, places = location
    places = np.broadcast_to(places, slots.shape)
    results = np.empty(len(slots), object)
    for position, slot in enumerate(slots):
        at = (region, places[position : position + 1])
        alone = np.array([slot])
        old = _ALGEBRA.pack(load(state, alone, at, 64, 2))
        new = act(old, np.array([position]))
        store(state, alone, at, 64, [_ALGEBRA.extract(new, 64, o) for o in (0, 64)])
        results[position] = old[0]
    return results


def _make(operands: Operands, inst: ptx.Inst, result: int | None) -> Step:
    """`result`: the number of the result operand, None for `red`."""
    first = 0 if result is None else result + 1
    memory = inst.operands[first]
    assert isinstance(memory, ptx.Memory), "atomics have an address"
    locate = locator(operands, memory, space_of(inst.form.get("ss")))
    spec = inst.form.operands[first + 1]
    width = spec.type.bits
    writers = [] if result is None else _writers(operands, inst, result)
    if inst.form.get("op") == "cas":
        more = [operands.scalar(inst.operands[i], width) for i in (first + 1, first + 2)]
        return _swapping(locate, width, more, writers)
    update_for = partial(update_of, inst.form)
    update_for(False)  # refuses what there is not
    readers = operands.elements(inst.operands[first + 1], width, spec.count)
    if width == 128:
        return _exchanging_wide(locate, readers[0], writers)

    def step(state: State, lanes: Selection) -> None:
        values = [read(state, lanes) for read in readers]
        old = modify(state, lanes, locate(state, lanes), width, values, update_for)
        for write, value in zip(writers, old, strict=bool(writers)):
            write(state, lanes, value)

    return step


def _writers(operands: Operands, inst: ptx.Inst, result: int) -> list[Writer]:
    return operands.writers(inst.operands[result], inst.form.operands[result])


def _swapping(
    locate: Callable[[State, Selection], Location],
    width: int,
    readers: list[Reader],
    writers: list[Writer],
) -> Step:
    def step(state: State, lanes: Selection) -> None:
        compare, new = (read(state, lanes) for read in readers)
        location = locate(state, lanes)
        if width == 128:
            count = len(state.slots[lanes])
            pair = (np.broadcast_to(value, count) for value in (compare, new))
            old = _one_by_one(state, lanes, location, _compare_and_swap(*pair))
        else:
            old = _swap(state, lanes, location, width, compare, new)
        for write in writers:
            write(state, lanes, old)

    return step


def _exchanging_wide(
    locate: Callable[[State, Selection], Location], read: Reader, writers: list[Writer]
) -> Step:
    def step(state: State, lanes: Selection) -> None:
        values = np.broadcast_to(read(state, lanes), len(state.slots[lanes]))

        def act(old: Lanes, position: Lanes) -> Lanes:
            return values[position]

        old = _one_by_one(state, lanes, locate(state, lanes), act)
        for write in writers:
            write(state, lanes, old)

    return step


@runs("atom", "atom_vector")
def make_atomic(operands: Operands, inst: ptx.Inst) -> Step:
    """Parallel Synchronization and Communication Instructions: atom."""
    return _make(operands, inst, 0)


@runs("red", "red_vector")
def make_reduction(operands: Operands, inst: ptx.Inst) -> Step:
    """Parallel Synchronization and Communication Instructions: red."""
    return _make(operands, inst, None)
