"""Chains of matrix products: accumulators that go from one product to the next.

Comes in: a function. Goes out: its webs. A web's nodes are the results of products, groups of block
parameters that carry them around loops, and results of one operation done on every register of
another node; a product takes its c from a node of the same web or enters the web with other values.
It must know no target.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import predecessors
from ptxlift.ir.matrix import Element, Product, operands_of, product_of
from ptxlift.records import dataclass, field

Group = tuple[Value, ...]  # the registers of one accumulator

# Operations that may be done in any layout, as long as their operands lie alike.
_STEPS = frozenset({"fadd", "fsub", "fmul", "ffma", "add", "sub", "mul"})


@dataclass(eq=False, slots=True)
class Node:
    """An accumulator as it is after a product (`op`), after one operation on each of its registers
    (`steps`, whose operand number `chained` is the accumulator's), or as parameters of a block.
    """

    group: Group
    block: Block
    op: Op | None = None
    steps: tuple[Op, ...] = ()
    chained: int = 0

    @property
    def is_carried(self) -> bool:
        """Whether these are parameters of a block."""
        return self.op is None and not self.steps

    @property
    def ops(self) -> tuple[Op, ...]:
        """What makes it, in the order of the block; nothing for parameters."""
        return self.steps if self.op is None else (self.op,)

    @property
    def entered(self) -> Group:
        """Of what is made: the accumulator before it."""
        if self.op is not None:
            return tuple(operands_of(self.op.operands, product_of(self.op))[2])
        return tuple(op.operands[self.chained] for op in self.steps)

    @property
    def others(self) -> list[Group]:
        """The other operands of the steps, each with its registers."""
        operands = zip(*(op.operands for op in self.steps), strict=True)
        return [group for number, group in enumerate(operands) if number != self.chained]


@dataclass(eq=False, slots=True)
class Web:
    """`sources`: of each node the node it takes its values from, by edge (0 for a product); None
    where they come from elsewhere. An edge is a predecessor and the number of its successor.
    """

    product: Product
    nodes: list[Node] = field(default_factory=list)
    sources: dict[Node, dict[tuple[Block, int] | None, Node | None]] = field(default_factory=dict)
    is_sound: bool = True  # no parameter is carried in two ways

    @property
    def products(self) -> list[Node]:
        return [node for node in self.nodes if node.op is not None]

    @property
    def parameters(self) -> list[Node]:
        return [node for node in self.nodes if node.is_carried]


class WebFinder:
    """Finds the webs of one function, of the products that `wanted` names."""

    def __init__(self, function: Function, wanted: Sequence[Op]) -> None:
        self._before = predecessors(function)
        self._nodes: dict[Group, Node] = {}
        self._web: dict[Node, Web] = {}
        self._owner: dict[Value, Node] = {}
        self._home = {op: block for block in function.blocks for op in block.ops}
        self._ops = [
            (op, block) for block in function.blocks for op in block.ops if op in set(wanted)
        ]

    def run(self) -> list[Web]:
        """All webs, in the order of their first products."""
        for op, block in self._ops:
            node = Node(tuple(op.results), block, op)
            self._add(node, Web(product_of(op)))
        for op, _ in self._ops:
            node = self._nodes[tuple(op.results)]
            self._link(node, None, node.entered)
        return list(dict.fromkeys(self._web[self._nodes[tuple(op.results)]] for op, _ in self._ops))

    def _add(self, node: Node, web: Web) -> None:
        self._nodes[node.group] = node
        self._web[node] = web
        web.nodes.append(node)
        web.sources[node] = {}
        for value in node.group:
            if self._owner.setdefault(value, node) is not node:
                web.is_sound = False
                self._web[self._owner[value]].is_sound = False

    def _link(self, node: Node, edge: tuple[Block, int] | None, group: Group) -> None:
        """Notes where a node's values come from."""
        source = self._source(self._web[node], group)
        web = self._web[node]
        web.sources[node][edge] = source
        if source is not None and self._web[source] is not web:
            self._merge(web, self._web[source])

    def _source(self, web: Web, group: Group) -> Node | None:
        found = self._nodes.get(group)
        if found is not None:
            return found if self._web[found].product == web.product else None
        block = group[0].definition
        if isinstance(block, Op):
            return self._after_steps(web, group)
        if any(v.definition is not block for v in group):
            return None
        if len(set(group)) < len(group) or not self._before[block]:
            return None
        node = Node(group, block)
        self._add(node, web)
        for edge, given in self._incoming(node):
            self._link(node, edge, given)
        return node

    def _after_steps(self, web: Web, group: Group) -> Node | None:
        """A node of one operation on every register of another, if that leads to products."""
        steps = tuple(value.definition for value in group)
        first = steps[0]
        assert isinstance(first, Op)
        if web.product.result is Element.F16:  # pairs in a register
            return None
        if first.name not in _STEPS or len(set(group)) < len(group):
            return None
        same = (first.name, first.attrs, self._home[first])
        ops = tuple(op for op in steps if isinstance(op, Op) and op.name == first.name)
        if len(ops) < len(steps) or any((o.name, o.attrs, self._home[o]) != same for o in ops):
            return None
        block = self._home[first]
        if not _are_read_behind(ops, block):
            return None
        for number in range(len(first.operands)):
            inner = tuple(op.operands[number] for op in ops)
            if len(set(inner)) == len(inner) and self._leads_to_products(inner):
                node = Node(group, block, None, ops, number)
                self._add(node, web)
                self._link(node, None, inner)
                return node
        return None

    def _leads_to_products(self, group: Group) -> bool:
        """Whether registers are a product's or, around a loop, become one's."""
        if group in self._nodes:
            return True
        block = group[0].definition
        return isinstance(block, Block) and all(v.definition is block for v in group)

    def _incoming(self, node: Node) -> Iterator[tuple[tuple[Block, int], Group]]:
        for block in dict.fromkeys(self._before[node.block]):
            for number, target in enumerate(block.terminator.successors):
                if target is node.block:
                    given = block.terminator.arguments[number]
                    yield (block, number), tuple(given[v.index] for v in node.group)

    def _merge(self, web: Web, other: Web) -> None:
        """The second web becomes part of the first."""
        web.nodes += other.nodes
        web.sources |= other.sources
        web.is_sound &= other.is_sound
        for node in other.nodes:
            self._web[node] = web


def _are_read_behind(ops: tuple[Op, ...], block: Block) -> bool:
    """Whether nothing reads the results before the last of them is there."""
    places = sorted(block.ops.index(op) for op in ops)
    results = {op.result for op in ops}
    return all(results.isdisjoint(op.operands) for op in block.ops[places[0] + 1 : places[-1] + 1])
