"""Makes a function SSA again after edges were moved.

Comes in: a function in which some uses are no longer dominated by their definition. Goes out: the
same function, where block parameters bring the value to such uses; paths that come from elsewhere
bring zero, which nobody reads. It must know no op but constants.
"""

from __future__ import annotations

from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import Tree, dominators, predecessors


def restore_dominance(function: Function) -> None:
    """Repairs every use that its definition does not dominate."""
    tree = dominators(function)
    function.blocks = list(tree.order)
    home = {value: block for block in tree.order for op in block.ops for value in op.results}
    home |= {param: block for block in tree.order for param in block.params}
    broken: dict[Value, list[tuple[Block, Op]]] = {}
    for block in tree.order:
        for op in block.ops:
            for value in {*op.operands, *(v for given in op.arguments for v in given)}:
                if not tree.dominates(home[value], block):
                    broken.setdefault(value, []).append((block, op))
    before = predecessors(function)
    for value, uses in broken.items():
        _Bringer(function, tree, before, value, home[value]).repair(uses)


class _Bringer:
    """Brings one value to where it is used."""

    def __init__(
        self,
        function: Function,
        tree: Tree,
        before: dict[Block, list[Block]],
        value: Value,
        home: Block,
    ) -> None:
        self._function = function
        self._tree = tree
        self._before = before
        self._value = value
        self._home = home
        self._at_start: dict[Block, Value] = {}  # of blocks that the definition does not dominate

    def repair(self, uses: list[tuple[Block, Op]]) -> None:
        """Rewrites the ops that use it."""
        self._bring([block for block, _ in uses])
        for block, op in uses:
            name = self._at_start[block]
            op.operands = [name if v is self._value else v for v in op.operands]
            op.arguments = [[name if v is self._value else v for v in g] for g in op.arguments]

    def _bring(self, goals: list[Block]) -> None:
        needed: dict[Block, None] = {}
        work = list(goals)
        while work:
            block = work.pop()
            if block in needed or self._tree.dominates(self._home, block):
                continue
            needed[block] = None
            work += self._before[block]
        joins = [block for block in needed if len(self._before[block]) > 1]
        for block in joins:
            self._at_start[block] = block.add_param(self._value.width)
        for block in self._tree.order:  # a block's only predecessor comes before it
            if block in needed and block not in self._at_start:
                self._at_start[block] = self._alone(block)
        for block in joins:
            for source in dict.fromkeys(self._before[block]):
                branch = source.terminator
                for target, given in zip(branch.successors, branch.arguments, strict=True):
                    if target is block:
                        given.append(self._at_end(source))

    def _alone(self, block: Block) -> Value:
        if self._before[block]:
            return self._at_end(self._before[block][0])
        first = Builder(Block("zero")).const(self._value.width, 0)
        assert isinstance(first.definition, Op)
        block.ops.insert(0, first.definition)
        return first

    def _at_end(self, block: Block) -> Value:
        if self._tree.dominates(self._home, block):
            return self._value
        return self._at_start[block]
