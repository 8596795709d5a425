"""Barriers that count threads, in shared memory: `bar.sync a, b` and `bar.arrive a, b`.

AMD hardware before gfx1250 has one barrier a block and counts waves. So each of PTX's sixteen
barriers has two words of shared memory: threads arrived, and phases completed. A warp counts as 32
threads, whatever lanes it has; its first lane counts for it. Who completes the count takes it back
and ends the phase; the others wait for that. The kernel clears the words before its first
instruction.
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
    Space,
    Special,
)
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Value

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

WORDS = ir.Variable("__ptxlift_barriers", Space.SHARED, 128, 8)
_WARP = 32


def arrive(at: FunctionLifter, ident: Value, count: Value) -> None:
    """`bar.arrive`: counts the warp and goes on."""
    at.builder.fence(Order.RELEASE, Scope.CTA)
    _by_first_lane(at, lambda: _count(at, _place(at, ident), count))


def sync(at: FunctionLifter, ident: Value, count: Value) -> None:
    """`bar.sync`: counts the warp and waits for the end of the phase."""
    at.builder.fence(Order.RELEASE, Scope.CTA)
    _by_first_lane(at, lambda: _count_and_wait(at, _place(at, ident), count))
    at.builder.fence(Order.ACQUIRE, Scope.CTA)


def prepare(kernel: ir.Function) -> None:
    """Clears the words at the kernel's entry, before any warp can arrive."""
    entry = kernel.blocks[0]
    leave = entry.ops.pop()
    build = Builder(entry)
    lane = build.and_(build.special(32, Special.LANEID), build.const(32, _WARP - 1))
    base = build.symbol_address(32, WORDS.name)
    place = build.add(base, build.shl(lane, build.const(32, 2)))
    build.store(place, (build.const(32, 0),), Space.SHARED, 32, 4)
    zero = build.const(32, 0)
    build.barrier(zero, zero, build.const(1, 0), BarrierMode.SYNC, counted=False)
    entry.ops.append(leave)


def _place(at: FunctionLifter, ident: Value) -> Value:
    at.scratch[WORDS.name] = WORDS
    number = at.builder.and_(ident, at.const(32, 15))
    base = at.builder.symbol_address(32, WORDS.name)
    return at.builder.add(base, at.builder.shl(number, at.const(32, 3)))


def _by_first_lane(at: FunctionLifter, action: Callable[[], None]) -> None:
    """Runs `action` in the warp's first lane only; the others wait for it behind the branch."""
    _, first = at.builder.elect(at.builder.active_mask())
    once, after = at.new_block("first_lane"), at.new_block("counted")
    at.builder.cond_br(first, once, after)
    at.start_block(once)
    action()
    at.builder.br(after)
    at.start_block(after)


def _atomic(at: FunctionLifter, address: Value, value: Value) -> Value:
    return at.builder.atomic(
        address,
        (value,),
        Space.SHARED,
        32,
        AtomicOp.ADD,
        Number.UNSIGNED,
        Order.ACQ_REL,
        Scope.CTA,
        True,
    )


def _count(at: FunctionLifter, place: Value, count: Value) -> None:
    before = _atomic(at, place, at.const(32, _WARP))
    last, after = at.new_block("last_arrival"), at.new_block("arrived")
    at.builder.cond_br(_completes(at, before, count), last, after)
    at.start_block(last)
    _end_phase(at, place, count)
    at.builder.br(after)
    at.start_block(after)


def _completes(at: FunctionLifter, before: Value, count: Value) -> Value:
    now = at.builder.add(before, at.const(32, _WARP))
    return at.builder.icmp(now, count, IntPredicate.EQ)


def _end_phase(at: FunctionLifter, place: Value, count: Value) -> None:
    _atomic(at, place, at.builder.sub(at.const(32, 0), count))
    _atomic(at, at.advance(place, 4), at.const(32, 1))


def _phase(at: FunctionLifter, place: Value) -> Value:
    address = at.advance(place, 4)
    return at.builder.load(address, Space.SHARED, 32, 1, 4, Order.ACQUIRE, Scope.CTA)[0]


def _count_and_wait(at: FunctionLifter, place: Value, count: Value) -> None:
    phase = _phase(at, place)
    before = _atomic(at, place, at.const(32, _WARP))
    last, wait, over = (at.new_block(name) for name in ("last_arrival", "wait", "phase_over"))
    at.builder.cond_br(_completes(at, before, count), last, wait)
    at.start_block(last)
    _end_phase(at, place, count)
    at.builder.br(over)
    at.start_block(wait)
    at.builder.sleep(at.const(32, 32))
    same = at.builder.icmp(_phase(at, place), phase, IntPredicate.EQ)
    at.builder.cond_br(same, wait, over)
    at.start_block(over)
