"""Gives a function with matrix products a shape in which registers can stay where products want
them.

Comes in: a function. Goes out: another one that computes the same. Edges that leave a loop get
blocks of their own, so that a result is moved once, behind the loop. Words that travel around loops
as two halves or four bytes each travel whole. It must know no target and no layout.
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlift.ir.builder import Builder
from ptxlift.ir.byte_sources import Byte, Bytes, byte_sources, whole_word
from ptxlift.ir.copy import Copier
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import predecessors
from ptxlift.ir.loops import loops_around
from ptxlift.rewrite.editor import Editor

_HALF, _WORD = 16, 32


def prepare_products(function: Function) -> Function:
    """A copy in that shape."""
    made = Copier(function).run()
    _split_exits(made)
    _join_pieces(made)
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


# ---- words in pieces ----


def _join_pieces(function: Function) -> None:
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
    """Words that are made of parameters of one block, and new parameters for them."""
    wholes: dict[Bytes, Value] = {}
    found: dict[Value, Value] = {}
    for op in function.ops():
        pieces = _carried_pieces(op, function.blocks[0])
        if pieces is None:
            continue
        if pieces not in wholes:
            wholes[pieces] = _whole(pieces, before)
        found[op.result] = wholes[pieces]
        op.operands = []  # so that it is not found again; nobody will read it
    return found


def _carried_pieces(op: Op, entry: Block) -> Bytes | None:
    """The bytes of a word that one block has as several parameters."""
    if op.name not in ("pack", "prmt") or not op.operands or op.result.width != _WORD:
        return None
    pieces = byte_sources(op.result)
    values = [piece.value for piece in pieces if isinstance(piece, Byte)]
    block = values[0].definition if values else None
    if len(values) < len(pieces) or not isinstance(block, Block) or block is entry:
        return None
    together = all(value.definition is block and value.width < _WORD for value in values)
    return pieces if together else None


def _whole(pieces: Bytes, before: dict[Block, list[Block]]) -> Value:
    """A new parameter for a word."""
    first = pieces[0]
    assert isinstance(first, Byte)
    block = first.value.definition
    assert isinstance(block, Block)
    for previous, edge in _edges(block, before):
        end = previous.terminator
        given = end.arguments[edge]
        parts = [(given[p.value.index], p.index) for p in pieces if isinstance(p, Byte)]
        end.arguments[edge] = [*given, _word(parts, previous)]
    return block.add_param(_WORD)


def _word(parts: list[tuple[Value, int]], block: Block) -> Value:
    """A word of these bytes at the end of a block; what they were taken from, if that is one."""
    word = whole_word(tuple(byte_sources(value)[index] for value, index in parts))
    if word is not None:
        return word
    end = block.ops.pop()
    try:
        return _assembled(Builder(block), parts)
    finally:
        block.ops.append(end)


def _assembled(builder: Builder, parts: list[tuple[Value, int]]) -> Value:
    halves = [value for value, _ in parts[::2]]
    if halves == [value for value, _ in parts[1::2]] and {v.width for v in halves} == {_HALF}:
        return builder.pack(halves)
    return builder.pack([builder.extract(value, 8, 8 * index) for value, index in parts])


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
