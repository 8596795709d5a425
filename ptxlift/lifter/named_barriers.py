"""Barriers that count threads, in shared memory: `bar.sync a, b`, `bar.arrive a, b`, `bar.red`.

AMD hardware before gfx1250 has one barrier a block and counts waves. So each of PTX's sixteen
barriers has words of shared memory: threads arrived, phases completed, votes of this phase, and the
votes of the last four. A warp counts as 32 threads, whatever lanes it has; its first lane counts
for it. Who completes the count takes it back and ends the phase; the others wait for that. The
kernel clears the words before its first instruction. The named barriers
of gfx1250 are not used, though a wave may arrive at one without having joined it (LLVM's "AMDGPU
Execution Synchronization"): their numbers and counts are constants, they take no votes, and one
barrier of PTX may be used in both ways. A wave arrives whatever lanes are active, so that all of it
would depend on LLVM's jumps over blocks that no lane takes; memory operations heed the lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ptxlift.ir import core as ir
from ptxlift.ir.attributes import (
    AtomicOp,
    BarrierMode,
    IntPredicate,
    Number,
    Order,
    Scope,
    ShuffleMode,
    Space,
    Special,
)
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Value

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_WARP, _EVERYONE = 32, 0xFFFFFFFF
_ARRIVED, _PHASE, _VOTES, _RESULTS = 0, 4, 8, 16  # byte offsets
_KEPT = 4  # phases whose votes are kept: a warp may be slow to read them
_BYTES_LOG = 5
_BARRIERS = 16
WORDS = ir.Variable("__ptxlift_barriers", Space.SHARED, _BARRIERS << _BYTES_LOG, 8)


def arrive(at: FunctionLifter, ident: Value, count: Value) -> None:
    """`bar.arrive`: counts the warp and goes on."""
    at.builder.fence(Order.RELEASE, Scope.CTA)
    _by_first_lane(at, lambda: _count(at, _place(at, ident), count))


def sync(at: FunctionLifter, ident: Value, count: Value) -> None:
    """`bar.sync`: counts the warp and waits for the end of the phase."""
    at.builder.fence(Order.RELEASE, Scope.CTA)
    _by_first_lane(at, lambda: _count_and_wait(at, _place(at, ident), count))
    at.builder.fence(Order.ACQUIRE, Scope.CTA)


def reduce(at: FunctionLifter, ident: Value, count: Value, predicate: Value) -> Value:
    """`bar.red`: as `sync`; the number of threads that came with a true predicate."""
    at.builder.fence(Order.RELEASE, Scope.CTA)
    votes = at.builder.popcount(at.builder.ballot(predicate, at.const(32, _EVERYONE)))

    def action() -> Value:
        place = _place(at, ident)
        _add(at, at.advance(place, _VOTES), votes)
        phase = _count_and_wait(at, place, count)
        return _load(at, _results(at, place, phase))

    total = _by_first_lane(at, action)
    at.builder.fence(Order.ACQUIRE, Scope.CTA)
    return total


def prepare(kernel: ir.Function) -> None:
    """Clears the words at the kernel's entry, before any warp can arrive."""
    entry = kernel.blocks[0]
    leave = entry.ops.pop()
    build = Builder(entry)
    zero = build.const(32, 0)
    lane = build.and_(build.special(32, Special.LANEID), build.const(32, _WARP - 1))
    for first in range(0, WORDS.size, 4 * _WARP):
        base = build.add(build.symbol_address(32, WORDS.name), build.const(32, first))
        place = build.add(base, build.shl(lane, build.const(32, 2)))
        build.store(place, (zero,), Space.SHARED, 32, 4)
    build.barrier(zero, zero, build.const(1, 0), BarrierMode.SYNC, counted=False)
    entry.ops.append(leave)


def _place(at: FunctionLifter, ident: Value) -> Value:
    at.scratch[WORDS.name] = WORDS
    number = at.builder.and_(ident, at.const(32, _BARRIERS - 1))
    base = at.builder.symbol_address(32, WORDS.name)
    return at.builder.add(base, at.builder.shl(number, at.const(32, _BYTES_LOG)))


def _results(at: FunctionLifter, place: Value, phase: Value) -> Value:
    """Where the votes of a phase are kept."""
    slot = at.builder.and_(phase, at.const(32, _KEPT - 1))
    offset = at.builder.shl(slot, at.const(32, 2))
    return at.builder.add(at.advance(place, _RESULTS), offset)


def _by_first_lane(at: FunctionLifter, action: Callable[[], Value]) -> Value:
    """Runs `action` in the warp's first lane only; the others wait for it behind the branch and get
    its result.
    """
    there = at.builder.active_mask()
    leader, first = at.builder.elect(there)
    once, after = at.new_block("first_lane"), at.new_block("counted")
    result = after.add_param(32)
    zero = at.const(32, 0)
    at.builder.branch("cond_br", (first,), ((once, ()), (after, (zero,))))
    at.start_block(once)
    at.builder.br(after, (action(),))
    at.start_block(after)
    whole = at.const(32, _WARP - 1)
    return at.builder.shuffle(result, leader, whole, there, ShuffleMode.IDX)[0]


def _atomic(at: FunctionLifter, address: Value, value: Value, op: AtomicOp) -> Value:
    number, order, scope = Number.UNSIGNED, Order.ACQ_REL, Scope.CTA
    return at.builder.atomic(address, (value,), Space.SHARED, 32, op, number, order, scope, True)


def _add(at: FunctionLifter, address: Value, value: Value) -> Value:
    return _atomic(at, address, value, AtomicOp.ADD)


def _load(at: FunctionLifter, address: Value) -> Value:
    return at.builder.load(address, Space.SHARED, 32, 1, 4, Order.ACQUIRE, Scope.CTA)[0]


def _count(at: FunctionLifter, place: Value, count: Value) -> Value:
    phase = _load(at, at.advance(place, _PHASE))
    before = _add(at, at.advance(place, _ARRIVED), at.const(32, _WARP))
    last, after = at.new_block("last_arrival"), at.new_block("arrived")
    at.builder.cond_br(_completes(at, before, count), last, after)
    at.start_block(last)
    _end_phase(at, place, count, phase)
    at.builder.br(after)
    at.start_block(after)
    return phase


def _completes(at: FunctionLifter, before: Value, count: Value) -> Value:
    now = at.builder.add(before, at.const(32, _WARP))
    return at.builder.icmp(now, count, IntPredicate.EQ)


def _end_phase(at: FunctionLifter, place: Value, count: Value, phase: Value) -> None:
    votes = _atomic(at, at.advance(place, _VOTES), at.const(32, 0), AtomicOp.EXCH)
    kept = _results(at, place, phase)
    at.builder.store(kept, (votes,), Space.SHARED, 32, 4, Order.RELAXED, Scope.CTA)
    _add(at, at.advance(place, _ARRIVED), at.builder.sub(at.const(32, 0), count))
    _add(at, at.advance(place, _PHASE), at.const(32, 1))


def _count_and_wait(at: FunctionLifter, place: Value, count: Value) -> Value:
    """The number of the phase that this warp waited for."""
    phase = _load(at, at.advance(place, _PHASE))
    before = _add(at, at.advance(place, _ARRIVED), at.const(32, _WARP))
    last, wait, over = (at.new_block(name) for name in ("last_arrival", "wait", "phase_over"))
    at.builder.cond_br(_completes(at, before, count), last, wait)
    at.start_block(last)
    _end_phase(at, place, count, phase)
    at.builder.br(over)
    at.start_block(wait)
    at.builder.sleep(at.const(32, 32))
    now = _load(at, at.advance(place, _PHASE))
    same = at.builder.icmp(now, phase, IntPredicate.EQ)
    at.builder.cond_br(same, wait, over)
    at.start_block(over)
    return phase
