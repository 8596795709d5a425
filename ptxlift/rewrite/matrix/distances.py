"""Values that lie a uniform distance from another one: addresses that walk through a loop.

Comes in: a function, and which of its values differ between lanes. Goes out: for a value its root,
such that value - root is the same in all lanes where the value is used. Moving the root between
lanes, outside of the loop, then moves the value.
"""

from __future__ import annotations

from collections.abc import Callable

from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import predecessors


class Distances:
    """Roots of one function's values."""

    def __init__(self, function: Function, differs: Callable[[Value], bool]) -> None:
        self._before = predecessors(function)
        self._differs = differs

    def root(self, value: Value, loops: frozenset[Block]) -> Value:
        """The root as seen from a block in these loops: only their parameters are walked through,
        for of others a value may come from different rounds in different warps.
        """
        return self._root(value, loops, {}) or value

    def _root(
        self, value: Value, loops: frozenset[Block], open_: dict[Value, None]
    ) -> Value | None:
        """None for a value that leads back to itself only."""
        definition = value.definition
        if value in open_:
            return None
        if isinstance(definition, Op):
            step = self._before_step(definition)
            return value if step is None else self._root(step, loops, open_)
        if definition not in loops:
            return value
        open_[value] = None
        roots = {self._root(given, loops, open_) for given in self._incoming(value, definition)}
        del open_[value]
        roots.discard(None)
        return roots.pop() if len(roots) == 1 else value

    def _before_step(self, op: Op) -> Value | None:
        """The operand from which the result is a uniform distance away."""
        if op.name not in ("add", "sub"):
            return None
        a, b = op.operands
        if not self._differs(b):
            return a
        return b if op.name == "add" and not self._differs(a) else None

    def _incoming(self, param: Value, block: Block) -> list[Value]:
        return [
            before.terminator.arguments[edge][param.index]
            for before in dict.fromkeys(self._before[block])
            for edge, target in enumerate(before.terminator.successors)
            if target is block
        ]
