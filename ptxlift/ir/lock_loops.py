"""Moves what a lock guards into the loop that takes the lock.

Lanes of a wave leave a loop together: the lane that has a lock would wait behind the loop for the
lanes that want it. Here it goes on inside the loop as far as the release, and leaves after it:

    while (!try_lock()) {}         do { taken = try_lock();
    critical(); unlock();    ->         if (taken) { critical(); unlock(); }
                                   } while (!taken);

Comes in: a module. Goes out: the same functions, changed in place. Where lanes exchange values
between taking and releasing, which needs all of them there, a loop stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, Module, Op
from ptxlift.ir.dominators import dominators, predecessors, successors
from ptxlift.ir.hubs import Edge, meet
from ptxlift.ir.locks import Lock, locks_of
from ptxlift.ir.ops import Effect
from ptxlift.ir.repair import restore_dominance
from ptxlift.ir.uniformity import reach

_CONVERGENT = (Effect.WARP, Effect.BARRIER)


def release_in_loops(module: Module) -> None:
    """Rewrites the lock loops of all functions of a module."""
    convergent: set[str] | None = None
    for function in module.functions.values():
        seen: set[Op] = set()
        while True:
            fresh = [lock for lock in locks_of(function) if lock.attempt not in seen]
            if not fresh:
                break
            seen.add(fresh[0].attempt)
            if convergent is None:
                convergent = _convergent_functions(module)
            _Rewrite(function, fresh[0], convergent).run()


def _convergent_functions(module: Module) -> set[str]:
    """Functions in which lanes exchange values or wait, themselves or in what they call."""
    found: set[str] = set()
    while True:
        more = {
            name
            for name, function in module.functions.items()
            if name not in found and any(_is_convergent(op, found) for op in function.ops())
        }
        if not more:
            return found
        found |= more


def _is_convergent(op: Op, functions: set[str]) -> bool:
    if op.name == "call_indirect":
        return True
    if op.name == "call":
        return op.attr("symbol") in functions
    return op.opdef.effect in _CONVERGENT


class _Rewrite:
    """The change for one lock."""

    def __init__(self, function: Function, lock: Lock, convergent: set[str]) -> None:
        self._function = function
        self._lock = lock
        self._convergent = convergent
        self._inner: set[Block] = set(lock.loop)

    def run(self) -> None:
        """Changes the function, unless the loop is one that must stay."""
        region = self._region()
        if region is None:
            return
        self._inner |= region
        meet(self._function, self._leaving())
        entries = self._edges_into(region)
        if entries:  # the loop is also entered behind its header
            meet(self._function, [*entries, *self._edges_into({self._lock.header})])
        restore_dominance(self._function)

    # ---- what goes into the loop ----

    def _region(self) -> set[Block] | None:
        """The blocks behind the loop as far as the last release; None where lanes exchange values
        in them, or where they lead back into the loop's middle.
        """
        loop, header = self._lock.loop, self._lock.header
        tree, before = dominators(self._function), predecessors(self._function)
        home = {op: block for block in tree.order for op in block.ops}
        outside = [op for op in self._lock.releases if home[op] not in loop]
        stops = loop | {block for block in tree.order if tree.dominates(block, header)}
        starts = {after for block in loop for after in successors(block)} - stops
        later = reach(list(starts), lambda b: [s for s in successors(b) if s not in stops])
        region = reach([home[op] for op in outside], lambda b: [p for p in before[b] if p in later])
        ends = {block: _end(block, region, outside) for block in region}
        for block, end in ends.items():
            if any(_is_convergent(op, self._convergent) for op in block.ops[:end]):
                return None
            if any(s in loop and s is not header for s in successors(block)):
                return None
        for block, end in ends.items():
            if end < len(block.ops):
                self._split(block, end)
        return region

    def _split(self, block: Block, place: int) -> None:
        rest = Block(f"{block.name}_released")
        rest.ops = block.ops[place:]
        del block.ops[place:]
        Builder(block).br(rest)
        self._function.blocks.append(rest)

    # ---- edges of the new loop ----

    def _edges_into(self, targets: set[Block]) -> list[Edge]:
        """Edges from outside of the loop; who meets at its end and tries again comes so too."""
        return [
            (block, index)
            for block in self._function.blocks
            if block not in self._inner
            for index, after in enumerate(successors(block))
            if after in targets
        ]

    def _leaving(self) -> list[Edge]:
        """Edges out of the loop and back to its header."""
        header = self._lock.header
        return [
            (block, index)
            for block in self._function.blocks
            if block in self._inner
            for index, after in enumerate(successors(block))
            if after is header or after not in self._inner
        ]


def _end(block: Block, region: set[Block], releases: Sequence[Op]) -> int:
    """How many of the block's ops belong into the loop."""
    if any(after in region for after in successors(block)):
        return len(block.ops)
    return 1 + max(index for index, op in enumerate(block.ops) if op in releases)
