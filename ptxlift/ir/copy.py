"""A copy of a function in which chosen ops are replaced by others.

Comes in: a function and what to write in place of an op. Goes out: a new function; the old one
stays as it is. It must know no op by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import reverse_post_order, successors

# The op, its operands in the copy, where to write. None: the op is copied as it is.
Rewrite = Callable[[Op, list[Value], Builder], "Sequence[Value] | None"]


def copy_function(function: Function, rewrite: Rewrite) -> Function:
    """The copy, of the blocks that are reachable. `rewrite` gives an op's results in the copy."""
    if not function.blocks:
        return function
    order = reverse_post_order(function.blocks[:1], successors)
    blocks = {block: _empty_copy(block) for block in order}
    values = {
        old: new
        for block in order
        for old, new in zip(block.params, blocks[block].params, strict=True)
    }
    for block in order:
        builder = Builder(blocks[block])
        for op in block.ops:
            builder.span = op.span
            operands = [values[value] for value in op.operands]
            results = rewrite(op, operands, builder)
            if results is None:
                widths = [value.width for value in op.results]
                results = builder.emit(op.name, operands, op.attrs, widths).results
            values.update(zip(op.results, results, strict=True))
    for block in order:
        old, new = block.terminator, blocks[block].terminator
        new.successors = [blocks[target] for target in old.successors]
        new.arguments = [[values[value] for value in given] for given in old.arguments]
    kept = [blocks[block] for block in function.blocks if block in blocks]
    return replace(function, blocks=kept)


def _empty_copy(block: Block) -> Block:
    new = Block(block.name)
    for param in block.params:
        new.add_param(param.width)
    return new
