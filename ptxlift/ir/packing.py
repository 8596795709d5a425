"""May two warps of a kernel share a wave of 64 lanes?

They may when every barrier is reached by the whole wave together, and when no warp waits in a loop
for what its wave-mate must do: lanes of one wave make no progress of their own. Comes in: a
kernel; goes out: yes, or the reason why not.
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlift.ir.attributes import Order
from ptxlift.ir.core import Block, Function, Module, Op, Value
from ptxlift.ir.dominators import cycles, dominators, post_dominators, predecessors, successors
from ptxlift.ir.locks import (
    decides,
    is_count,
    is_retry,
    is_used,
    locks_of,
    natural_loops,
    users_of,
)
from ptxlift.ir.uniformity import Uniformity, can_reach, reach
from ptxlift.records import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reason`: why packing is not proven right; `span`: PTX offset of the op it is about."""

    safe: bool
    reason: str = ""
    span: int = -1


def packing_verdict(kernel: Function, module: Module) -> Verdict:
    """Judges a kernel with all the functions it calls."""
    for function in reached_functions(kernel, module):
        waiting = next(waiting_ops(function), None)
        if waiting is not None:
            return Verdict(False, "a loop waits for another thread", waiting.span)
        if not any(op.name == "barrier" for op in function.ops()):
            continue
        if function is not kernel:
            return Verdict(False, "a function it calls has a barrier")
        op = _apart_barrier(function)
        if op is not None:
            return Verdict(False, "a barrier is not reached by all lanes together", op.span)
    return Verdict(True)


def reached_functions(kernel: Function, module: Module) -> list[Function]:
    """The kernel and all functions it may call."""
    seen = {kernel.name: kernel}
    work = [kernel]
    while work:
        for op in work.pop().ops():
            if op.name in ("call", "function_address"):
                function = module.functions.get(str(op.attr("symbol")))
                if function is not None and function.name not in seen and function.blocks:
                    seen[function.name] = function
                    work.append(function)
    return list(seen.values())


# ---- barriers ----


def _is_barrier(op: Op) -> bool:
    return op.name == "barrier"


def _apart_barrier(function: Function) -> Op | None:
    """A barrier that lanes of one wave may reach apart, or one that counts threads."""
    homes = {block: [op for op in block.ops if _is_barrier(op)] for block in function.blocks}
    for ops in homes.values():
        for op in ops:
            if op.attr("counted"):
                return op
    live = can_reach(function, [block for block, ops in homes.items() if ops])

    def follow(block: Block) -> list[Block]:
        return [after for after in successors(block) if after in live]

    uniformity = Uniformity(function)
    join = post_dominators(function, follow)
    for branch in uniformity.branches:
        ways = list(dict.fromkeys(follow(branch)))
        if branch not in live or len(ways) < 2:
            continue
        for block in reach(ways, follow, stop=join.parent.get(branch)):
            if homes[block]:
                return homes[block][0]
    return None


# ---- waiting loops ----


def waiting_ops(function: Function) -> Iterator[Op]:
    """Each load or atomic on whose result the exit of a loop depends, so that the loop waits for
    another thread. Who takes a lock and releases it in the same loop is not waited for.
    """
    if not any(map(_may_change, function.ops())):
        return
    users = users_of(function)
    sources = [op for op in function.ops() if _may_change(op) and is_used(op, users)]
    if not sources:
        return
    home = {op: block for block in function.blocks for op in block.ops}
    before = predecessors(function)
    around_block = cycles(function, before)
    loops = [loop for _, loop in natural_loops(dominators(function), before)]
    released = _released(function, home)
    for op in sources:
        around = [loop for loop in loops if home[op] in loop]
        around += filter(None, [around_block.get(home[op])])
        if op not in released and any(_waits(op, loop, users, home) for loop in around):
            yield op


def _released(function: Function, home: dict[Op, Block]) -> set[Op]:
    """Attempts at locks whose every release is in the loop of the attempt."""
    return {
        lock.attempt
        for lock in locks_of(function)
        if all(home[op] in lock.loop for op in lock.releases)
    }


def _waits(op: Op, loop: set[Block], users: dict[Value, list[Op]], home: dict[Op, Block]) -> bool:
    return not is_retry(op, loop, home) and decides(op, loop, users, home)


def _may_change(op: Op) -> bool:
    if op.name == "load":
        return op.attr("order") is not Order.WEAK
    return op.name == "atomic" and not is_count(op)
