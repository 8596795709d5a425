"""Which values and branches are the same for all lanes of a wave.

Comes in: a function. Goes out: the divergent values and, for each divergent branch, the blocks its
lanes may reach apart. It is cautious: what it cannot prove uniform is divergent. Two warps may
share the wave, so warp operations are divergent too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ptxlift.ir.attributes import Space, Special
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import post_dominators, predecessors, successors
from ptxlift.ir.ops import Effect

_PER_LANE = frozenset(
    (
        Special.TID_X,
        Special.TID_Y,
        Special.TID_Z,
        Special.LANEID,
        Special.WAVE_LANE,
        Special.WARPID,
        Special.LANEMASK_EQ,
        Special.LANEMASK_LE,
        Special.LANEMASK_LT,
        Special.LANEMASK_GE,
        Special.LANEMASK_GT,
    )
)
_SAME_FOR_ALL = (Effect.PURE, Effect.TERMINATOR)


class Uniformity:
    """`divergent`: values that may differ between lanes; `branches`: blocks that end in a
    divergent branch.
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self.divergent: set[Value] = set()
        self.branches: set[Block] = set()
        self._join = post_dominators(function)
        self._users = _users(function)
        self._home = {op: block for block in function.blocks for op in block.ops}
        self._work: list[Value] = []
        self._run()

    def region(self, branch: Block) -> set[Block]:
        """Blocks that lanes of a divergent branch may be in before they meet again."""
        return reach(successors(branch), successors, stop=self.meeting(branch))

    def meeting(self, branch: Block) -> Block | None:
        """Where all lanes of a divergent branch meet again; None if that is behind the end."""
        return self._join.parent.get(branch)

    def _run(self) -> None:
        if not self.function.is_kernel:
            self._mark(self.function.blocks[0].params)
        for op in self.function.ops():
            if self._starts_divergence(op):
                self._mark(op.results)
        while self._work:
            value = self._work.pop()
            for op in self._users.get(value, ()):
                self._use(op, value)

    def _starts_divergence(self, op: Op) -> bool:
        match op.name:
            case "special":
                return op.attr("register") in _PER_LANE
            case "undef" | "is_among":
                return True
            case "barrier":  # its result is the block's
                return bool(op.attr("counted"))
            case "load":
                return op.attr("space") in (Space.LOCAL, Space.GENERIC)
            case _:
                return op.opdef.effect not in (*_SAME_FOR_ALL, Effect.READ)

    def _mark(self, values: Iterable[Value]) -> None:
        for value in values:
            if value not in self.divergent:
                self.divergent.add(value)
                self._work.append(value)

    def _use(self, op: Op, value: Value) -> None:
        if op.opdef.effect is not Effect.TERMINATOR:
            self._mark(op.results)
            return
        for target, arguments in zip(op.successors, op.arguments, strict=True):
            self._mark(
                param
                for param, given in zip(target.params, arguments, strict=True)
                if given is value
            )
        block = self._home[op]
        if op.operands and op.operands[0] is value and block not in self.branches:
            self.branches.add(block)
            self._diverge(block)

    def _diverge(self, branch: Block) -> None:
        """Lanes part here: what merges or is read before they meet may differ."""
        region = self.region(branch)
        join = self.meeting(branch)
        for block in region | ({join} if join is not None else set()):
            self._mark(block.params)
        for block in region:
            for op in block.ops:
                if op.opdef.effect not in _SAME_FOR_ALL:
                    self._mark(op.results)


def _users(function: Function) -> dict[Value, list[Op]]:
    users: dict[Value, list[Op]] = {}
    for op in function.ops():
        for value in {*op.operands, *(v for given in op.arguments for v in given)}:
            users.setdefault(value, []).append(op)
    return users


def reach(
    starts: Sequence[Block],
    follow: object,
    stop: Block | None = None,
) -> set[Block]:
    """Blocks reachable from `starts` without passing `stop`."""
    assert callable(follow)
    seen = {block for block in starts if block is not stop}
    work = list(seen)
    while work:
        for block in follow(work.pop()):
            if block is not stop and block not in seen:
                seen.add(block)
                work.append(block)
    return seen


def can_reach(function: Function, goals: Iterable[Block]) -> set[Block]:
    """Blocks from which a goal is reachable, the goals included."""
    before = predecessors(function)
    return reach(list(goals), lambda block: before[block])
