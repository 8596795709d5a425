"""Whose lanes' results of an operation matter.

Comes in: a function. Goes out: for a value the lanes of a warp, a bit each, in which some reader
may need it. Readers that run in few lanes, or choose by a shuffle's own predicate, need few. It is
cautious: what it cannot tell is needed everywhere.
"""

from __future__ import annotations

from ptxlift.ir.attributes import IntPredicate, Special
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import predecessors
from ptxlift.ir.lane_values import LANES
from ptxlift.ir.ops import Effect
from ptxlift.ir.shuffles import Moved, known, shuffled_by

ALL = (1 << LANES) - 1
_DEEPEST = 24  # readers of readers


class Demand:
    """Answers about one function."""

    def __init__(self, function: Function) -> None:
        self.readers: dict[Value, list[Op]] = {}
        self.home: dict[Op, Block] = {}
        for block in function.blocks:
            for op in block.ops:
                self.home[op] = block
                for value in dict.fromkeys((*op.operands, *(v for g in op.arguments for v in g))):
                    self.readers.setdefault(value, []).append(op)
        self.tid_is_lane = _tid_is_lane(function)
        self._before = predecessors(function)
        self._known: dict[Value, int] = {}

    def lanes(self, value: Value, depth: int = 0) -> int:
        """The lanes that need a value."""
        known = self._known.get(value)
        if known is not None:
            return known
        if depth > _DEEPEST:
            return ALL
        self._known[value] = ALL  # for loops
        found = 0
        for reader in self.readers.get(value, ()):
            found |= self._needed_by(reader, value, depth + 1)
        self._known[value] = found
        return found

    def moved(self, shuffle: Op) -> Moved | None:
        """The lanes that a shuffle reads, and those in range."""
        return shuffled_by(shuffle, self.tid_is_lane)

    def _needed_by(self, op: Op, value: Value, depth: int) -> int:
        if op.opdef.effect is Effect.PURE:
            return self._needed_by_pure(op, value, depth)
        if op.name == "shuffle" and value is op.operands[0]:
            moved = self.moved(op)
            if moved is not None and value not in op.operands[1:]:
                needed = self.lanes(op.results[0], depth)
                lanes = (at for lane, at in enumerate(moved[0]) if needed >> lane & 1)
                return _bits(set(lanes))
        if op.opdef.effect is Effect.TERMINATOR or op.opdef.effect is Effect.WARP:
            return ALL
        return self._guard(self.home[op])

    def _needed_by_pure(self, op: Op, value: Value, depth: int) -> int:
        needed = 0
        for result in op.results:
            needed |= self.lanes(result, depth)
        if op.name != "select" or value is op.operands[0]:
            return needed
        when = self._true_and_false(op.operands[0])
        chosen = 0
        for place in (0, 1):
            if value is op.operands[1 + place]:
                chosen |= when[place]
        return needed & chosen

    def _guard(self, block: Block) -> int:
        """The lanes that may be in a block."""
        found = ALL
        for _ in range(_DEEPEST):
            before = self._before[block]
            if len(before) != 1:
                return found
            branch = before[0].terminator
            if len(branch.successors) == 2 and branch.operands:
                when = self._true_and_false(branch.operands[0])
                found &= when[branch.successors.index(block)]
            block = before[0]
        return found

    def _true_and_false(self, condition: Value) -> tuple[int, int]:
        """The lanes where a condition may hold, and where it may not."""
        definition = condition.definition
        if not isinstance(definition, Op):
            return ALL, ALL
        match definition.name:
            case "shuffle":
                moved = self.moved(definition)
                return (ALL, ALL) if moved is None else (moved[1], ALL ^ moved[1])
            case "not_":
                true, false = self._true_and_false(definition.operands[0])
                return false, true
            case "icmp":
                return self._compared(definition)
            case _:
                return ALL, ALL

    def _compared(self, op: Op) -> tuple[int, int]:
        """Comparisons of the lane's number, or of a thread's, with a constant."""
        limit = known(op.operands[1])
        if limit is None:
            return ALL, ALL
        is_lane = self._is_lane(op.operands[0])
        if not is_lane and not (self.tid_is_lane and _is_tid(op.operands[0])):
            return ALL, ALL
        match op.attr("predicate"):
            case IntPredicate.EQ:
                true, exact = 1 << limit % LANES, limit < LANES
            case IntPredicate.NE:
                false = 1 << limit % LANES
                return (ALL ^ false if is_lane and limit < LANES else ALL), false
            case IntPredicate.ULT | IntPredicate.SLT if limit <= LANES:
                true, exact = (1 << limit) - 1, True
            case _:
                return ALL, ALL
        return true, (ALL ^ true if is_lane and exact else ALL)

    def _is_lane(self, value: Value) -> bool:
        """Whether a value is the lane's number."""
        op = value.definition
        if not isinstance(op, Op):
            return False
        if op.name == "special":
            return op.attr("register") is Special.LANEID
        low = op.name == "and_" and known(op.operands[1]) == LANES - 1
        return low and self.tid_is_lane and _is_tid(op.operands[0])


def _is_tid(value: Value) -> bool:
    op = value.definition
    return isinstance(op, Op) and op.name == "special" and op.attr("register") is Special.TID_X


def _tid_is_lane(function: Function) -> bool:
    """Whether %tid.x mod 32 is the lane: rows of the block are whole warps, or it is one row."""
    size = function.bounds.reqntid
    one_row = size is not None and size[1] == size[2] == 1
    return function.is_kernel and size is not None and (one_row or size[0] % LANES == 0)


def _bits(lanes: set[int]) -> int:
    return sum(1 << lane for lane in lanes)
