"""A copy of a function in which ops and block parameters may be replaced.

Comes in: a function. Goes out: a new function; the old one stays as it is. Subclasses say what
differs; as it stands everything is copied. It must know no op by name.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import reverse_post_order, successors
from ptxlift.records import replace


class Copier:
    """Copies the reachable blocks, each after those that dominate it."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.order = reverse_post_order(function.blocks[:1], successors)
        self.blocks = {block: Block(block.name) for block in self.order}
        self.values: dict[Value, Value] = {}  # old to new
        self.origins: dict[Value, Value] = {}  # new to old

    # ---- what may differ; blocks, ops and operands are the old function's ----

    def keeps(self, param: Value) -> bool:
        """Whether a block parameter is copied."""
        return True

    def begin(self, block: Block, builder: Builder) -> None:
        """Writes before the block's ops."""

    def rewrite(self, op: Op, block: Block, builder: Builder) -> Sequence[Value] | None:
        """Writes something in place of an op and gives its results; None: the op is copied."""
        return None

    def finish(self, block: Block, builder: Builder) -> None:
        """Writes before the block's terminator."""

    def extra_params(self, block: Block) -> Sequence[int]:
        """Widths of the parameters that the new block has after those that are kept."""
        return ()

    def extra_arguments(self, block: Block, edge: int) -> Sequence[Value]:
        """New values for the extra parameters of a successor."""
        return ()

    def value(self, old: Value, block: Block) -> Value:
        """What stands for a value where it is used, in `block`."""
        return self.values[old]

    # ---- the copy ----

    def run(self) -> Function:
        """The new function."""
        for block in self.order:
            new = self.blocks[block]
            for param in filter(self.keeps, block.params):
                self._stands_for(param, new.add_param(param.width))
            for width in self.extra_params(block):
                new.add_param(width)
        for block in self.order:
            self._copy_ops(block)
        for block in self.order:
            self._connect(block)
        kept = [self.blocks[block] for block in self.function.blocks if block in self.blocks]
        return replace(self.function, blocks=kept)

    def extras(self, block: Block) -> list[Value]:
        """The extra parameters of a block."""
        return self.blocks[block].params[sum(map(self.keeps, block.params)) :]

    def _copy_ops(self, block: Block) -> None:
        builder = Builder(self.blocks[block])
        self.begin(block, builder)
        for op in block.ops:
            if op is block.terminator:
                self.finish(block, builder)
            builder.span = op.span
            results = self.rewrite(op, block, builder)
            if results is None:
                operands = [self.value(value, block) for value in op.operands]
                widths = [value.width for value in op.results]
                results = builder.emit(op.name, operands, op.attrs, widths).results
            for value, copied in zip(op.results, results, strict=False):
                self._stands_for(value, copied)

    def _stands_for(self, old: Value, new: Value) -> None:
        self.values[old] = new
        self.origins.setdefault(new, old)

    def _connect(self, block: Block) -> None:
        old, new = block.terminator, self.blocks[block].terminator
        new.successors = [self.blocks[target] for target in old.successors]
        for edge, (target, given) in enumerate(zip(old.successors, old.arguments, strict=True)):
            pairs = zip(target.params, given, strict=True)
            kept = [self.value(value, block) for param, value in pairs if self.keeps(param)]
            new.arguments.append([*kept, *self.extra_arguments(block, edge)])
