"""Locks that lanes of one warp may contend for, and that stay outside of what a wave can do.

Comes in: a kernel, after what locks guard has moved into their loops. Goes out: an atomic that a
loop repeats until it takes what another lane of the warp may hold forever, or none.
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlift.ir.attributes import AtomicOp
from ptxlift.ir.core import Block, Function, Module, Op, Value
from ptxlift.ir.dominators import dominators, predecessors
from ptxlift.ir.locks import decides, is_poll, natural_loops, one_lane_reaches, users_of, varies
from ptxlift.ir.packing import reached_functions, waiting_ops

_TAKING = frozenset({AtomicOp.CAS, AtomicOp.EXCH, AtomicOp.OR, AtomicOp.AND})


def lock_of(kernel: Function, module: Module) -> Op | None:
    """Such an atomic, or a call of a function that tries to take a lock.

    Where lanes of one warp contend for it, NVIDIA's make progress one by one; those of a wave do
    not: the lane that has the lock waits behind the loop for the others. Whoever counts, or tries
    another word in each turn, takes no lock.
    """
    functions = reached_functions(kernel, module)
    takers = _takers(functions)
    for function in functions:
        for op in (*_attempts(function), *_calls(function, takers)):
            if not _is_for_one_lane(op, function, functions, set()):
                return op
    return None


def _attempts(function: Function) -> Iterator[Op]:
    """Atomics that take something, tried on one word until they have it."""
    if not any(map(_is_taking, function.ops())):
        return
    waiting = [op for op in waiting_ops(function) if op.name == "atomic"]
    home = {op: block for block in function.blocks for op in block.ops} if waiting else {}
    loops = _loops(function) if waiting else []
    for op in waiting:
        around = [loop for loop in loops if home[op] in loop]
        moves = around and varies(op.operands[0], min(around, key=len), home)
        if _is_taking(op) and not moves:
            yield op


def _loops(function: Function) -> list[set[Block]]:
    return [loop for _, loop in natural_loops(dominators(function), predecessors(function))]


def _is_for_one_lane(
    op: Op, function: Function, functions: list[Function], seen: set[Function]
) -> bool:
    """Whether one lane of a warp comes to an op, of a device function: by each of its calls."""
    if one_lane_reaches(op, function):
        return True
    if function.is_kernel or function in seen:
        return False
    calls = [
        (call, caller)
        for caller in functions
        for call in caller.ops()
        if call.name in ("call", "function_address") and call.attr("symbol") == function.name
    ]
    return all(_is_for_one_lane(*call, functions, seen | {function}) for call in calls)


# ---- code that calls a function for each atomic ----


def _takers(functions: list[Function]) -> set[str]:
    """Functions that may try to take a lock for their caller, themselves or by what they call."""
    found: set[str] = set()
    while True:
        more = {f.name for f in functions if f.name not in found and _takes(f, found)}
        if not more:
            return found
        found |= more


def _takes(function: Function, takers: set[str]) -> bool:
    if any(op.name == "call" and op.attr("symbol") in takers for op in function.ops()):
        return True
    return any(not _counts(op, function) for op in function.ops() if _is_taking(op))


def _counts(op: Op, function: Function) -> bool:
    """Whether a compare-and-swap is repeated with what it found until it succeeds: it always does,
    so its function comes back to no caller without having what it wanted.
    """
    if op.attr("op") is not AtomicOp.CAS:
        return False
    home = {op: block for block in function.blocks for op in block.ops}
    around = [loop for loop in _loops(function) if home[op] in loop]
    return bool(around) and varies(op.operands[1], min(around, key=len), home)


def _is_taking(op: Op) -> bool:
    return op.name == "atomic" and op.attr("op") in _TAKING and not is_poll(op)


def _calls(function: Function, takers: set[str]) -> Iterator[Op]:
    """Calls of such functions whose result decides how a loop goes on that calls again with the
    same. Calls are not looked into, so that a release inside the loop does not help.
    """
    calls = [op for op in function.ops() if op.name == "call" and op.attr("symbol") in takers]
    if not calls:
        return
    home = {op: block for block in function.blocks for op in block.ops}
    users = users_of(function)
    for loop in _loops(function):
        for call in calls:
            if home[call] not in loop or not decides(call, loop, users, home, must_leave=False):
                continue
            if not _differs(call, loop, home):
                yield call


def _differs(call: Op, loop: set[Block], home: dict[Op, Block]) -> bool:
    """Whether a call has other arguments in the next turn: a new value to try with, or a new
    address. The address, which comes first, is often read back from the stack unchanged.
    """
    address, *others = call.operands
    if any(varies(value, loop, home) for value in others):
        return True
    return varies(_behind_loads(address), loop, home)


def _behind_loads(address: Value) -> Value:
    definition = address.definition
    if isinstance(definition, Op) and definition.name == "load":
        return definition.operands[0]
    return address
