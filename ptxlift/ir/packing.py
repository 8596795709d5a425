"""May two warps of a kernel share a wave of 64 lanes?

They may when every barrier is reached by the whole wave together, and when no warp waits in a loop
for what its wave-mate must do: lanes of one wave make no progress of their own. Comes in: a
kernel; goes out: yes, or the reason why not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ptxlift.ir.attributes import AtomicOp, Order
from ptxlift.ir.core import Block, Function, Module, Op, Value
from ptxlift.ir.dominators import dominators, post_dominators, predecessors, successors
from ptxlift.ir.ops import Effect
from ptxlift.ir.uniformity import Uniformity, can_reach, reach


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reason`: why packing is not proven right; `span`: PTX offset of the op it is about."""

    safe: bool
    reason: str = ""
    span: int = -1


def packing_verdict(kernel: Function, module: Module) -> Verdict:
    """Judges a kernel with all the functions it calls."""
    for function in _reached(kernel, module):
        waiting = next(_waiting_ops(function), None)
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


def lock_of(kernel: Function, module: Module) -> Op | None:
    """An atomic that a loop repeats until it takes what another thread must release.

    Where lanes of one warp contend for it, NVIDIA's make progress one by one; those of a wave do
    not: the lane that has the lock waits behind the loop for the others.
    """
    ops = (op for function in _reached(kernel, module) for op in _waiting_ops(function))
    return next((op for op in ops if op.name == "atomic"), None)


def _reached(kernel: Function, module: Module) -> list[Function]:
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


def _waiting_ops(function: Function) -> Iterator[Op]:
    """Each load or atomic on whose result the exit of a loop depends, so that the loop waits for
    another thread.
    """
    sources = [op for op in function.ops() if _may_change(op)]
    if not sources:
        return
    home = {op: block for block in function.blocks for op in block.ops}
    before = predecessors(function)
    users: dict[Value, list[Op]] = {}
    for op in function.ops():
        for value in {*op.operands, *(v for given in op.arguments for v in given)}:
            users.setdefault(value, []).append(op)
    loops = _loops(function, before)
    for op in sources:
        around = [loop for loop in loops if home[op] in loop] + [_cycle(home[op], before)]
        if any(_waits(op, loop, users, home) for loop in around if loop):
            yield op


def _waits(op: Op, loop: set[Block], users: dict[Value, list[Op]], home: dict[Op, Block]) -> bool:
    return not _retries(op, loop, home) and _decides(op, loop, users, home)


def _loops(function: Function, before: dict[Block, list[Block]]) -> list[set[Block]]:
    """The natural loops: what leads back to a block that dominates it, each by itself."""
    tree = dominators(function)
    found = []
    for block in tree.order:
        for header in successors(block):
            if tree.dominates(header, block):
                found.append(reach([block], before.__getitem__, stop=header) | {header})
    return found


def _may_change(op: Op) -> bool:
    if op.name == "load":
        return op.attr("order") is not Order.WEAK
    return op.name == "atomic"


def _cycle(block: Block, before: dict[Block, list[Block]]) -> set[Block]:
    """The blocks on a cycle through `block`; empty if there is none."""
    return reach(successors(block), successors) & reach([block], before.__getitem__)


def _retries(op: Op, cycle: set[Block], home: dict[Op, Block]) -> bool:
    """A compare-and-swap whose comparand is what it last saw: some lane always gets on."""
    if op.name != "atomic" or op.attr("op") is not AtomicOp.CAS:
        return False
    return _varies(op.operands[1], cycle, home, set())


def _varies(value: Value, cycle: set[Block], home: dict[Op, Block], seen: set[Value]) -> bool:
    """Whether a value comes from a load, an atomic or a parameter inside the cycle."""
    if value in seen:
        return False
    seen.add(value)
    definition = value.definition
    if isinstance(definition, Block):
        return definition in cycle
    if home[definition] not in cycle:
        return False
    if definition.opdef.effect is not Effect.PURE:
        return True
    return any(_varies(operand, cycle, home, seen) for operand in definition.operands)


def _decides(
    op: Op, cycle: set[Block], users: dict[Value, list[Op]], home: dict[Op, Block]
) -> bool:
    """Whether a branch out of the cycle depends on the op's result."""
    work: list[Value] = list(op.results)
    seen: set[Value] = set()
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        for user in users.get(value, ()):
            if home[user] not in cycle:
                continue
            leaves = any(target not in cycle for target in user.successors)
            if value in user.operands and leaves:
                return True
            work += _receivers(user, value)
            if user.opdef.effect is Effect.PURE:
                work += user.results
    return False


def _receivers(branch: Op, value: Value) -> list[Value]:
    """The block parameters to which a branch passes a value."""
    return [
        param
        for target, arguments in zip(branch.successors, branch.arguments, strict=True)
        for param, given in zip(target.params, arguments, strict=True)
        if given is value
    ]
