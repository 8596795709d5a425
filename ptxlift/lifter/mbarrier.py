"""mbarrier: barriers in shared memory that count arrivals and bytes.

The object is opaque 64 bits; here they are, from bit 0: pending arrivals (20 bits), expected
arrivals of a phase (20), outstanding bytes (22, two's complement), 0, phase parity (bit 63). Every
change is one compare-and-swap; a phase completes when nothing is pending and no bytes are
outstanding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.attributes import IntPredicate, Order, Scope, Space
from ptxlift.ir.core import Value
from ptxlift.lifter.loops import update
from ptxlift.lifter.registry import lifts
from ptxlift.lifter.words import order_of, space_of, words
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_COUNT = (1 << 20) - 1
_BYTES = (1 << 22) - 1
_EXPECTED_AT = 20
_BYTES_AT = 40
_PHASE = 1 << 63


def place(at: FunctionLifter, memory: ptx.Operand, space: Space) -> Value:
    """The shared address of a barrier object; a generic one must point to shared memory."""
    assert isinstance(memory, ptx.Memory)
    address = at.memory_address(memory, space)
    if space is Space.GENERIC:
        return at.builder.from_generic(address, 32, Space.SHARED)
    return address


def _field(at: FunctionLifter, word: Value, first: int, mask: int) -> Value:
    return at.builder.and_(at.builder.lshr(word, at.const(32, first)), at.const(64, mask))


def _put(at: FunctionLifter, value: Value, first: int, mask: int) -> Value:
    kept = at.builder.and_(value, at.const(64, mask))
    return at.builder.shl(kept, at.const(32, first))


def _next(
    at: FunctionLifter,
    word: Value,
    arrivals: Value,
    received: Value,
    dropped: Value | None,
    completes: bool,
) -> Value:
    """The word after so many arrivals and bytes received (negative: expected)."""
    build = at.builder
    pending = build.and_(build.sub(word, arrivals), at.const(64, _COUNT))
    expected = _field(at, word, _EXPECTED_AT, _COUNT)
    if dropped is not None:
        expected = build.sub(expected, dropped)
    outstanding = build.sub(_field(at, word, _BYTES_AT, _BYTES), received)
    outstanding = _put(at, outstanding, _BYTES_AT, _BYTES)
    phase = build.and_(word, at.const(64, _PHASE))
    kept = build.or_(phase, _put(at, expected, _EXPECTED_AT, _COUNT))
    going_on = build.or_(build.or_(kept, pending), outstanding)
    if not completes:
        return going_on
    fresh = build.and_(expected, at.const(64, _COUNT))
    flipped = build.or_(build.xor(kept, at.const(64, _PHASE)), fresh)
    left = build.or_(pending, outstanding)
    over = build.icmp(left, at.const(64, 0), IntPredicate.EQ)
    return build.select(over, flipped, going_on)


def change(
    at: FunctionLifter,
    address: Value,
    order: Order,
    arrivals: Value,
    received: Value,
    dropped: Value | None = None,
    completes: bool = True,
) -> Value:
    """Counts arrivals and bytes in one step; the word before it."""
    return update(
        at,
        address,
        Space.SHARED,
        64,
        order,
        lambda word: _next(at, word, arrivals, received, dropped, completes),
    )


def received_bytes(at: FunctionLifter, address: Value, count: Value) -> None:
    """`complete_tx`: so many bytes have come."""
    change(at, address, Order.RELEASE, at.const(64, 0), at.fit(count, 64))


@lifts("mbarrier_init")
def lift_init(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: mbarrier.init."""
    address = place(at, inst.operands[0], space_of(inst.form))
    count = at.fit(at.scalar(inst.operands[1], 32), 64)
    word = at.builder.or_(
        _put(at, count, 0, _COUNT),
        _put(at, count, _EXPECTED_AT, _COUNT),
    )
    at.builder.store(address, (word,), Space.SHARED, 64, 8, Order.RELAXED, Scope.CTA)


@lifts("mbarrier_inval")
def lift_inval(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: mbarrier.inval. Nothing to undo."""


@lifts("mbarrier_expect_tx", "mbarrier_complete_tx")
def lift_tx(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: mbarrier.expect_tx, complete_tx."""
    address = place(at, inst.operands[0], space_of(inst.form))
    count = at.fit(at.scalar(inst.operands[1], 32), 64)
    expects = inst.form.name == "mbarrier_expect_tx"
    received = at.builder.sub(at.const(64, 0), count) if expects else count
    change(at, address, Order.RELAXED, at.const(64, 0), received, completes=not expects)


@lifts("mbarrier_arrive", "mbarrier_arrive_drop")
def lift_arrive(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: mbarrier.arrive, arrive_drop."""
    present = words(inst.form)
    address = place(at, inst.operands[1], space_of(inst.form))
    one = at.const(64, 1)
    given = at.fit(at.scalar(inst.operands[2], 32), 64) if len(inst.operands) > 2 else one
    expects = "expect_tx" in present
    arrivals = one if expects else given
    received = at.builder.sub(at.const(64, 0), given) if expects else at.const(64, 0)
    dropped = arrivals if inst.form.name == "mbarrier_arrive_drop" else None
    order = order_of(inst.form, Order.RELEASE)
    completes = "noComplete" not in present
    state = change(at, address, order, arrivals, received, dropped, completes)
    at.write(inst.operands[0], inst.form.operands[0], (state,), inst)


@lifts("mbarrier_pending_count")
def lift_pending_count(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: mbarrier.pending_count."""
    pending = _field(at, at.scalar(inst.operands[1], 64), 0, _COUNT)
    at.write(inst.operands[0], inst.form.operands[0], (at.fit(pending, 32),), inst)


@lifts("mbarrier_test_wait", "mbarrier_try_wait")
def lift_wait(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: mbarrier.test_wait, try_wait.

    True when the phase of the state, or of the parity, is over. `try_wait` may give up at once.
    """
    build = at.builder
    address = place(at, inst.operands[1], space_of(inst.form))
    order = order_of(inst.form, Order.ACQUIRE)
    word = build.load(address, Space.SHARED, 64, 1, 8, order, Scope.CTA)[0]
    now = build.extract(word, 1, 63)
    if "parity" in words(inst.form):
        then = at.fit(at.scalar(inst.operands[2], 32), 1)
    else:
        then = build.extract(at.scalar(inst.operands[2], 64), 1, 63)
    at.write(inst.operands[0], inst.form.operands[0], (build.xor(now, then),), inst)


@lifts("cp_async_mbarrier_arrive")
def lift_copy_arrive(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: cp.async.mbarrier.arrive.

    The copies before it are complete. Without `.noinc` the pending count is raised first, so that
    arriving changes nothing but the phase that may end.
    """
    address = place(at, inst.operands[0], space_of(inst.form))
    none, one = at.const(64, 0), at.const(64, 1)
    if "noinc" not in words(inst.form):
        minus_one = at.const(64, (1 << 64) - 1)
        change(at, address, Order.RELAXED, minus_one, none, completes=False)
    change(at, address, Order.RELEASE, one, none)
