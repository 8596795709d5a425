"""SSA construction: PTX registers become values while the blocks are lifted.

Comes in: reads and writes of keys (registers, parts of them, the carry flag) in the order of the
program. Goes out: values, and block parameters where paths join. A join gets a parameter for each
key read there, filled at the end; those that turn out to merge one value only are removed again
(Braun et al., "Simple and Efficient Construction of Static Single Assignment Form").
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping

from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, Value
from ptxlift.records import dataclass, field


@dataclass(slots=True, eq=False)
class Node:
    """A block of the PTX control-flow graph; guarded instructions may split it into several."""

    blocks: list[Block]
    predecessors: list[Node] = field(default_factory=list)
    definitions: dict[Hashable, Value] = field(default_factory=dict)

    @property
    def first(self) -> Block:
        return self.blocks[0]

    def edges_to(self, target: Block) -> Iterator[list[Value]]:
        """The argument lists of all branches from here to `target`."""
        for block in self.blocks:
            terminator = block.terminator
            for successor, arguments in zip(
                terminator.successors, terminator.arguments, strict=True
            ):
                if successor is target:
                    yield arguments


class Variables:
    """What each key holds in each node."""

    def __init__(self, entry: Block) -> None:
        self._entry = entry
        self._undefined: dict[Hashable, Value] = {}
        self._pending: deque[tuple[Node, Hashable, Value]] = deque()
        self._merged: dict[Value, list[Value]] = {}  # parameter -> its arguments

    def write(self, node: Node, key: Hashable, value: Value) -> None:
        node.definitions[key] = value

    def read(self, node: Node, key: Hashable, width: int) -> Value:
        """The value of `key` at this moment of `node`."""
        path = []
        at = node
        while (value := at.definitions.get(key)) is None:
            path.append(at)
            if len(at.predecessors) == 1:
                at = at.predecessors[0]
                continue
            value = self._join(at, key, width)
            break
        for passed in path:
            passed.definitions[key] = value
        return value

    def _join(self, node: Node, key: Hashable, width: int) -> Value:
        if not node.predecessors:
            return self._never_written(key, width)
        value = node.first.add_param(width)
        self._pending.append((node, key, value))
        return value

    def _never_written(self, key: Hashable, width: int) -> Value:
        value = self._undefined.get(key)
        if value is None:
            builder = Builder(Block("undefined"))
            value = builder.undef(width)
            self._entry.ops[:0] = builder.block.ops
            self._undefined[key] = value
        return value

    def finish(self, function: Function, reads: Mapping[Value, Value] | None = None) -> None:
        """Fills the parameters in, removes the needless ones. Call once, after the last block.
        `reads`: values that are to give way to what was read for them.
        """
        edges: dict[Node, list[tuple[Node, list[list[Value]]]]] = {}
        while self._pending:
            node, key, parameter = self._pending.popleft()
            if node not in edges:
                edges[node] = [(n, list(n.edges_to(node.first))) for n in node.predecessors]
            merged = self._merged.setdefault(parameter, [])
            for before, argument_lists in edges[node]:
                value = self.read(before, key, parameter.width)
                merged.append(value)
                for arguments in argument_lists:
                    arguments.append(value)
        replaced = _single_valued(self._merged)
        replaced |= {value: replaced.get(read, read) for value, read in (reads or {}).items()}
        if replaced:
            _substitute(function.blocks, replaced)


def _single_valued(merged: dict[Value, list[Value]]) -> dict[Value, Value]:
    """Parameters that merge one value (beside themselves), with that value.

    Joins were found from their readers upwards. Going back from the last, each is looked at after
    those it reads, but for loops, so that a few rounds are enough.
    """
    replaced: dict[Value, Value] = {}
    left = list(reversed(merged))
    while True:
        kept = []
        for parameter in left:
            only = _only_value(parameter, merged[parameter], replaced)
            if only is None:
                kept.append(parameter)
            else:
                replaced[parameter] = only
        if len(kept) == len(left):
            return {parameter: _resolve(parameter, replaced) for parameter in replaced}
        left = kept


def _only_value(
    parameter: Value, values: list[Value], replaced: dict[Value, Value]
) -> Value | None:
    """The one value that is merged, None for several."""
    only = None
    for value in values:
        if value in replaced:
            value = _resolve(value, replaced)
        if value is parameter or value is only:
            continue
        if only is not None:
            return None
        only = value
    return only


def _resolve(value: Value, replaced: dict[Value, Value]) -> Value:
    """What a value is replaced by in the end; whatever was passed on the way learns it."""
    passed = []
    while (further := replaced.get(value)) is not None:
        passed.append(value)
        value = further
    for before in passed[:-1]:
        replaced[before] = value
    return value


def _substitute(blocks: Iterable[Block], replaced: dict[Value, Value]) -> None:
    for block in blocks:
        for op in block.ops:
            op.operands = [replaced.get(value, value) for value in op.operands]
        terminator = block.terminator
        for target, arguments in zip(terminator.successors, terminator.arguments, strict=True):
            arguments[:] = [
                replaced.get(value, value)
                for parameter, value in zip(target.params, arguments, strict=True)
                if parameter not in replaced
            ]
    for block in blocks:
        block.params = [parameter for parameter in block.params if parameter not in replaced]
        for index, parameter in enumerate(block.params):
            parameter.index = index
