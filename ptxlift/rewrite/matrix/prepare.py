"""Gives a function with matrix products a shape in which registers can stay where products want
them.

Comes in: a function. Goes out: another one that computes the same. Edges that leave a loop get
blocks of their own, so that a result is moved once, behind the loop. Words that travel around loops
as two halves each travel whole. It must know no target and no layout.
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlift.ir.builder import Builder
from ptxlift.ir.copy import Copier
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import predecessors
from ptxlift.ir.loops import loops_around
from ptxlift.rewrite.editor import Editor

_HALF = 16


def prepare_products(function: Function) -> Function:
    """A copy in that shape."""
    made = Copier(function).run()
    _split_exits(made)
    _join_halves(made)
    return made


# ---- edges out of loops ----


def _split_exits(function: Function) -> None:
    loops, before = loops_around(function), predecessors(function)
    for block in list(function.blocks):
        end = block.terminator
        for edge, target in enumerate(end.successors):
            leaves = not loops[block] <= loops[target]
            if leaves and end.arguments[edge] and len(end.successors) > 1 < len(before[target]):
                _split(function, block, edge)


def _split(function: Function, block: Block, edge: int) -> None:
    end = block.terminator
    between = Block(f"{block.name}_exit{edge}_")
    builder = Builder(between)
    builder.span = end.span
    builder.br(end.successors[edge], end.arguments[edge])
    end.successors[edge], end.arguments[edge] = between, []
    function.blocks.insert(function.blocks.index(block) + 1, between)


# ---- words in two halves ----


def _join_halves(function: Function) -> None:
    before = predecessors(function)
    changed = False
    while joined := _joined(function, before):
        changed = True
        for op in function.ops():
            op.operands = [joined.get(value, value) for value in op.operands]
            op.arguments = [[joined.get(v, v) for v in given] for given in op.arguments]
    if changed:
        _drop_unread(function, before)


def _joined(function: Function, before: dict[Block, list[Block]]) -> dict[Value, Value]:
    """Words that are made of two parameters of a block, and new parameters for them."""
    wholes: dict[tuple[Value, Value], Value] = {}
    found: dict[Value, Value] = {}
    for op in [op for op in function.ops() if _joins_params(op, function.blocks[0])]:
        low, high = op.operands
        if (low, high) not in wholes:
            wholes[low, high] = _whole(low, high, before)
        found[op.result] = wholes[low, high]
        op.operands = []  # so that it is not found again; nobody will read it
    return found


def _joins_params(op: Op, entry: Block) -> bool:
    if op.name != "pack" or [value.width for value in op.operands] != [_HALF, _HALF]:
        return False
    low, high = (value.definition for value in op.operands)
    return isinstance(low, Block) and low is high and low is not entry


def _whole(low: Value, high: Value, before: dict[Block, list[Block]]) -> Value:
    """A new parameter for a word."""
    block = low.definition
    assert isinstance(block, Block)
    for previous, edge in _edges(block, before):
        end = previous.terminator
        given = end.arguments[edge]
        word = _word(given[low.index], given[high.index], previous)
        end.arguments[edge] = [*given, word]
    return block.add_param(2 * _HALF)


def _word(low: Value, high: Value, block: Block) -> Value:
    """A word of two halves at the end of a block; what they were taken from, if that is one."""
    first, second = low.definition, high.definition
    if isinstance(first, Op) and isinstance(second, Op) and first.name == second.name == "extract":
        (word,), (other,) = first.operands, second.operands
        places = (first.attr("offset"), second.attr("offset"))
        if word is other and word.width == 2 * _HALF and places == (0, _HALF):
            return word
    end = block.ops.pop()
    try:
        return Builder(block).pack([low, high])
    finally:
        block.ops.append(end)


def _edges(block: Block, before: dict[Block, list[Block]]) -> Iterator[tuple[Block, int]]:
    """Ways into a block: a predecessor and the number of its successor."""
    for previous in dict.fromkeys(before[block]):
        for edge, target in enumerate(previous.terminator.successors):
            if target is block:
                yield previous, edge


# ---- what nobody reads any more ----


def _drop_unread(function: Function, before: dict[Block, list[Block]]) -> None:
    """Drops parameters and ops that nobody reads."""
    changed = True
    while changed:
        editor = Editor(function)
        editor.remove_all_dead()
        editor.finish()
        read = set(_read_by_ops(function))
        dropped = [_drop_params(block, read, before) for block in function.blocks[1:]]
        changed = any(dropped)


def _read_by_ops(function: Function) -> Iterator[Value]:
    """Every value that is read other than to be given to the parameter that it is."""
    for op in function.ops():
        yield from op.operands
        for target, given in zip(op.successors, op.arguments, strict=True):
            for param, value in zip(target.params, given, strict=True):
                if value is not param:
                    yield value


def _drop_params(block: Block, read: set[Value], before: dict[Block, list[Block]]) -> bool:
    kept = [param for param in block.params if param in read]
    if len(kept) == len(block.params):
        return False
    for previous, edge in _edges(block, before):
        given = previous.terminator.arguments
        given[edge] = [given[edge][param.index] for param in kept]
    block.params = kept
    for index, param in enumerate(kept):
        param.index = index
    return True
