"""Butterflies of five shuffles become one reduction of the warp.

Comes in: `shuffle` ops by all five distances, each joined to its own input by the same integer op.
Goes out: one `reduce`. Integer sums and extremes do not depend on the order, so every lane has the
same bits as before. It must know no target; who has no such instruction leaves the pass out.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Number, ReduceOp, ShuffleMode
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.rewrite.driver import Pass, Session
from ptxlift.rewrite.pattern import constant_of
from ptxlift.target import Feature

NAME = "warp_reduction"
_ALL_LANES = 0xFFFFFFFF
_WHOLE_WARP = 31  # clamp and segment mask of a shuffle that may reach every lane
_DISTANCES = frozenset({1, 2, 4, 8, 16})
_JOINS = {
    "add": (ReduceOp.ADD, Number.UNSIGNED),
    "umin": (ReduceOp.MIN, Number.UNSIGNED),
    "umax": (ReduceOp.MAX, Number.UNSIGNED),
    "smin": (ReduceOp.MIN, Number.SIGNED),
    "smax": (ReduceOp.MAX, Number.SIGNED),
    "and_": (ReduceOp.AND, Number.UNSIGNED),
    "or_": (ReduceOp.OR, Number.UNSIGNED),
    "xor": (ReduceOp.XOR, Number.UNSIGNED),
}


def _wants(names: frozenset[str], function: Function, _: frozenset[Feature]) -> bool:
    return "shuffle" in names and bool(names & _JOINS.keys())


def _run(session: Session) -> None:
    for block in session.editor.function.blocks:
        for op in block.ops:
            chain = _butterfly(session, op, block)
            if chain:
                _replace(session, chain)


def _butterfly(session: Session, last: Op, block: Block) -> list[tuple[Op, Op]]:
    """Shuffles and joins from the last step to the first; empty if this is no reduction."""
    chain: list[tuple[Op, Op]] = []
    left = set(_DISTANCES)
    join: Op = last
    while left:
        step = _step(session, join, last.name)
        if step is None:
            return []
        shuffle, value = step
        distance = constant_of(shuffle.operands[1])
        if distance not in left or join not in block.ops or shuffle not in block.ops:
            return []
        left.remove(distance)
        chain.append((shuffle, join))
        if left:
            readers = session.editor.uses.of.get(value, [])
            if not isinstance(value.definition, Op) or len(readers) != 2:
                return []
            join = value.definition
    return chain


def _step(session: Session, join: Op, name: str) -> tuple[Op, Value] | None:
    """The shuffle that feeds an op, and the value that both take."""
    if join.name != name or name not in _JOINS or join.results[0].width != 32:
        return None
    for value, other in (join.operands, join.operands[::-1]):
        shuffle = other.definition
        if not isinstance(shuffle, Op) or shuffle.name != "shuffle":
            continue
        if shuffle.operands[0] is value and _reaches_all(shuffle) and _is_only_read(session, other):
            return shuffle, value
    return None


def _reaches_all(shuffle: Op) -> bool:
    clamp, mask = constant_of(shuffle.operands[2]), constant_of(shuffle.operands[3])
    is_butterfly = shuffle.attr("mode") is ShuffleMode.BFLY
    return is_butterfly and clamp == _WHOLE_WARP and mask == _ALL_LANES


def _is_only_read(session: Session, value: Value) -> bool:
    shuffle, readers = value.definition, session.editor.uses.of
    assert isinstance(shuffle, Op)
    return len(readers.get(value, [])) == 1 and not readers.get(shuffle.results[1])


def _replace(session: Session, chain: list[tuple[Op, Op]]) -> None:
    last, first = chain[0][1], chain[-1][0]
    builder = session.editor.builder(last)
    value, mask = first.operands[0], first.operands[3]
    made = builder.reduce(value, mask, *_JOINS[last.name])
    session.replace(NAME, last, builder.block.ops, [made])
    for shuffle, _ in chain:
        session.editor.remove(shuffle)


REDUCTIONS = Pass(
    NAME,
    "five `shuffle bfly` of all lanes by 1, 2, 4, 8 and 16, each joined to its input by the same "
    "integer add, min, max, and, or, xor",
    "`reduce`",
    "integer ops of this kind are associative and commutative; tests compare it with the "
    "interpreter",
    (10, 1),
    _wants,
    _run,
)
