"""Loops that wait for a word which another lane of the same warp may write.

Lanes of a wave that wait in a loop hold up those that left it, and those of the other side of a
branch. Comes in: a function. Goes out: the same function, where each turn of such a loop is a
meeting of nobody (a warp barrier with an empty mask), at which `meeting_loop` lets all lanes on.
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import dominators, post_dominators, predecessors, successors
from ptxlift.ir.locks import (
    decides,
    is_poll,
    locks_of,
    natural_loops,
    one_lane_guards,
    same_address,
    users_of,
)
from ptxlift.ir.uniformity import reach
from ptxlift.ir.warp_uniformity import WarpUniformity, constant

_ON_THE_WAY = frozenset({"add", "to_generic", "from_generic"})


def yield_while_waiting(function: Function) -> bool:
    """Writes the meetings; whether there are any."""
    waiting = [op for op in function.ops() if is_poll(op)]
    writes = [op for op in function.ops() if op.name in ("store", "atomic") and not is_poll(op)]
    if not waiting or not writes:
        return False
    loops = list(_Search(function, writes).loops(waiting))
    for header, loop in loops:
        for block in loop:
            if header in successors(block):
                _meet_nobody(block)
    return bool(loops)


def _meet_nobody(block: Block) -> None:
    leave = block.ops.pop()
    build = Builder(block)
    build.span = leave.span
    build.warp_barrier(build.const(32, 0))
    block.ops.append(leave)


class _Search:
    def __init__(self, function: Function, writes: list[Op]) -> None:
        self._function = function
        self._writes = writes
        self._home = {op: block for block in function.blocks for op in block.ops}
        self._tree = dominators(function)
        self._before = predecessors(function)
        self._loops = list(natural_loops(self._tree, self._before))
        self._guards: dict[Block, set[Block]] = {}
        self._locks = {lock.attempt for lock in locks_of(function)}
        self._uniformity = WarpUniformity(function)

    def loops(self, waiting: list[Op]) -> Iterator[tuple[Block, set[Block]]]:
        """Header and blocks of each loop in which a load waits for another lane."""
        users = users_of(self._function)
        for header, loop in self._loops:
            for op in waiting:
                if op in self._locks or self._home.get(op) not in loop:
                    continue
                if decides(op, loop, users, self._home) and self._is_for_a_lane(op, header, loop):
                    yield header, loop
                    break

    def _is_for_a_lane(self, op: Op, header: Block, loop: set[Block]) -> bool:
        """Whether a lane of the same warp may write what is waited for, while others wait."""
        guards = self._guards_of(self._home[op])
        for write in self._writes:
            home = self._home[write]
            if home not in self._tree or home in loop or self._tree.dominates(home, header):
                continue
            if guards & self._guards_of(home):
                continue  # by the very lane that waits
            if same_address(op.operands[0], write.operands[0]):
                if self._are_apart(home, header):
                    return True
            elif self._may_be_another_lanes(op.operands[0], write.operands[0]):
                return True
        return False

    def _guards_of(self, block: Block) -> set[Block]:
        if block not in self._guards:
            self._guards[block] = one_lane_guards(block, self._tree, self._before)
        return self._guards[block]

    def _are_apart(self, first: Block, second: Block) -> bool:
        """Whether two blocks lie on different ways of a branch at which lanes part."""
        join = post_dominators(self._function)
        for branch in self._uniformity.branches:
            stop = join.parent.get(branch)
            ways = [reach([way], successors, stop=stop) for way in successors(branch)]
            for way in ways:
                others = [other for other in ways if other is not way]
                if first in way and second not in way and any(second in o for o in others):
                    return True
        return False

    def _may_be_another_lanes(self, read: Value, written: Value) -> bool:
        """Whether lanes surely or by their data read what others write: words of one array a fixed
        number apart, or one that an index from memory says.
        """
        divergent = self._uniformity.divergent
        if read not in divergent or written not in divergent:
            return False
        (there, first), (here, second) = _terms(read), _terms(written)
        if there == here:
            return first != second  # else each lane waits for its own word
        fresh = [term for term in there - here if term in divergent]
        return _bases(there) & _bases(here) != set() and any(_is_data(term) for term in fresh)


def _terms(address: Value) -> tuple[set[Value], int]:
    """What an address adds up, and the sum of the constants."""
    found: set[Value] = set()
    work, total = [address], 0
    while work:
        value = work.pop()
        definition = value.definition
        if isinstance(definition, Op) and definition.name in _ON_THE_WAY:
            work += definition.operands
        elif (bits := constant(value)) is not None:
            total += bits
        else:
            found.add(value)
    return found, total % (1 << address.width)


def _bases(terms: set[Value]) -> set[tuple[object, ...]]:
    """The parameters and symbols among them, by what they are."""
    ops = [term.definition for term in terms if isinstance(term.definition, Op)]
    return {(op.name, *op.attrs) for op in ops if op.name in ("kernel_param", "symbol_address")}


def _is_data(term: Value) -> bool:
    """Whether a value is computed from one in memory."""
    work, seen = [term], {term}
    while work:
        definition = work.pop().definition
        if isinstance(definition, Op):
            if definition.name == "load":
                return True
            fresh = [value for value in definition.operands if value not in seen]
            seen.update(fresh)
            work += fresh
    return False
