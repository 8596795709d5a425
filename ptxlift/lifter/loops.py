"""Small loops the lifter writes itself: retry a compare-and-swap, repeat over a count."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ptxlift.ir.attributes import AtomicOp, IntPredicate, Number, Order, Scope, Space
from ptxlift.ir.core import Value

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter


def update(
    at: FunctionLifter,
    address: Value,
    space: Space,
    width: int,
    order: Order,
    step: Callable[[Value], Value],
    scope: Scope = Scope.CTA,
) -> Value:
    """Replaces the word at `address` by `step(word)` atomically; the word it replaced."""
    first = at.builder.load(address, space, width, 1, width // 8, Order.RELAXED, scope)[0]
    again, done = at.new_block("again"), at.new_block("updated")
    old = again.add_param(width)
    at.builder.br(again, (first,))
    at.start_block(again)
    new = step(old)
    seen = at.builder.atomic(
        address, (old, new), space, width, AtomicOp.CAS, Number.BITS, order, scope, True
    )
    won = at.builder.icmp(seen, old, IntPredicate.EQ)
    at.builder.branch("cond_br", (won,), ((done, ()), (again, (seen,))))
    at.start_block(done)
    return old


def repeat(at: FunctionLifter, count: Value, body: Callable[[Value], None]) -> None:
    """Runs `body(i)` for i = 0 .. count-1."""
    loop, inside, after = at.new_block("loop"), at.new_block("inside"), at.new_block("after_loop")
    index = loop.add_param(count.width)
    at.builder.br(loop, (at.const(count.width, 0),))
    at.start_block(loop)
    at.builder.cond_br(at.builder.icmp(index, count, IntPredicate.ULT), inside, after)
    at.start_block(inside)
    body(index)
    at.builder.br(loop, (at.builder.add(index, at.const(count.width, 1)),))
    at.start_block(after)
