"""Block barriers: bar and barrier with .sync, .arrive and .red; the barriers of a one-block
cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.attributes import BarrierMode, IntPredicate, Order, Scope
from ptxlift.ir.warp_uniformity import constant
from ptxlift.isa import Role
from ptxlift.lifter.registry import lifts
from ptxlift.lifter.words import words
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_MODES = {
    "arrive": BarrierMode.ARRIVE,
    "popc": BarrierMode.POPC,
    "and": BarrierMode.AND,
    "or": BarrierMode.OR,
}


_WARP, _MOST_THREADS = 32, 1024


@lifts("bar_sync", "bar_arrive", "bar_red")
def lift_barrier(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: bar, barrier."""
    present = words(inst.form)
    named = dict(zip((spec.name for spec in inst.form.operands), inst.operands, strict=True))
    counted = "b" in named
    ident = at.scalar(named["a"], 32)
    count = at.scalar(named["b"], 32) if counted else at.const(32, 0)
    known = constant(count) if counted else None
    if known is not None and not (0 < known <= _MOST_THREADS and known % _WARP == 0):
        raise at.refuse(
            f"a barrier for {known} threads is never complete",
            f"the count is a multiple of {_WARP} up to {_MOST_THREADS}, the largest block",
        )
    predicate = at.scalar(named["c"], 1) if "c" in named else at.const(1, 0)
    mode = next((_MODES[word] for word in present if word in _MODES), BarrierMode.SYNC)
    result = at.builder.barrier(ident, count, predicate, mode, counted)
    spec = inst.form.operands[0]
    if spec.role is Role.RESULT:
        if spec.type.bits == 1:
            result = at.builder.icmp(result, at.const(32, 0), IntPredicate.NE)
        at.write(inst.operands[0], spec, (result,), inst)


@lifts("barrier_cluster_arrive", "barrier_cluster_wait")
def lift_cluster_barrier(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: barrier.cluster.

    The cluster is the block: arriving orders memory, waiting is the block's barrier.
    """
    if "arrive" in words(inst.form):
        at.builder.fence(Order.RELEASE, Scope.CTA)
        return
    zero = at.const(32, 0)
    at.builder.barrier(zero, zero, at.const(1, 0), BarrierMode.SYNC, counted=False)
