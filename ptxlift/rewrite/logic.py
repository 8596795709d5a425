"""Trees of bitwise ops become three-input ops where that takes fewer instructions.

Comes in: and, or, xor, not and `bitwise3` ops. Goes out: the same values by another cover: each op
kept is a cut of the tree with at most three inputs, and the sum of the cuts' shortest programs is
the least. A tree is left as it is unless that is less than what LLVM finds by itself. It must know
no program, only lengths.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Function, Op, Value
from ptxlift.records import dataclass
from ptxlift.rewrite.driver import Pass, Session
from ptxlift.rewrite.pattern import Uses, constant_of
from ptxlift.rewrite.uniform import is_uniform
from ptxlift.target import Feature
from ptxlift.target.lop3 import LogicClass, program, shortest

NAME = "logic_tree"
_LOGIC = frozenset({"and_", "or_", "xor", "not_", "bitwise3"})
_SHIFTS = frozenset({"shl", "lshr"})
_INPUTS = (0xF0, 0xCC, 0xAA)
_ALL = 0xFF
_WORD = 32
_PARITY = 0x96
_LARGEST_BITOP3 = 3  # ops of a tree that LLVM's selection makes a v_bitop3 of
_NEVER = 1 << 20
_MOST_CUTS = 12  # of one op; trees are small, and more inputs than three end a cut anyway
_FUNCTIONS: dict[str, Callable[..., int]] = {
    "and_": lambda x, y: x & y,
    "or_": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
    "not_": lambda x: _ALL - x,
}


@dataclass(frozen=True, slots=True)
class Cut:
    """A value as a function of others. `below`: what it costs to have the leaves; `by_llvm`: the
    same where LLVM covers them; `ops`: how many ops make it; `hidden`: a `bitwise3` is among them,
    which LLVM does not look through.
    """

    leaves: tuple[Value, ...]
    lut: int
    below: int = 0
    by_llvm: int = 0
    ops: int = 0
    hidden: bool = False


def table_of(op: Op, inputs: list[int]) -> int:
    """The truth table of an op over those of its operands."""
    if op.opdef.name != "bitwise3":
        return _FUNCTIONS[op.opdef.name](*inputs)
    lut, result = op.attrs[0], 0
    assert isinstance(lut, int)
    for row in range(8):
        a, b, c = (table >> row & 1 for table in inputs)
        result |= (lut >> (a * 4 + b * 2 + c) & 1) << row
    return result


def _is_tree_op(op: Op) -> bool:
    """Whether the op may be merged with others. LLVM makes more of masks and of joined shifts."""
    if op.opdef.name not in _LOGIC:
        return False
    if op.opdef.name == "bitwise3":
        return True
    for value in op.operands:
        bits = constant_of(value)
        if bits is not None and bits not in (0, (1 << value.width) - 1):
            return False
        definition = value.definition
        if op.opdef.name == "or_" and isinstance(definition, Op):
            is_shift = definition.opdef.name in _SHIFTS
            if is_shift and constant_of(definition.operands[1]) is not None:
                return False
    return not _is_inverse_compare(op)


def _is_simple(op: Op) -> bool:
    """Whether some input is a constant or there twice."""
    known = [value for value in op.operands if constant_of(value) in (0, (1 << value.width) - 1)]
    return bool(known) or len(set(op.operands)) < len(op.operands)


def _is_inverse_compare(op: Op) -> bool:
    """The complement of a comparison is a comparison."""
    definition = op.operands[0].definition
    return (
        op.opdef.name == "not_" and isinstance(definition, Op) and definition.opdef.name == "icmp"
    )


def _trees(function: Function) -> Iterator[tuple[Op, int]]:
    """Tree ops, operands first, with the number of ops in their tree at most."""
    sizes: dict[Value, int] = {}
    for block in function.blocks:
        for op in block.ops:
            if op.opdef.name in _LOGIC and _is_tree_op(op):
                size = 1 + sum(sizes.get(value, 0) for value in op.operands)
                size += 2 * (op.opdef.name == "bitwise3" and _is_simple(op))
                sizes[op.results[0]] = size
                yield op, size


def _wants(names: frozenset[str], function: Function, features: frozenset[Feature]) -> bool:
    """LLVM covers two ops by itself, unless they are wide or v_bitop3 is better."""
    if not names & _LOGIC:
        return False
    few = 2 if Feature.V_BITOP3 in features or "bitwise3" in names else 3
    return any(
        size >= (few if op.results[0].width in (1, _WORD) else 2) for op, size in _trees(function)
    )


class _Cover:
    """The cheapest cover of every tree of a function, and what LLVM would take."""

    def __init__(self, ops: Sequence[Op], uses: Uses, features: frozenset[Feature]) -> None:
        self._ops = frozenset(ops)
        self._uses = uses
        self._features = features
        self._cuts: dict[Value, list[Cut]] = {}
        self._llvm: dict[Value, int] = {}
        self.best: dict[Value, tuple[int, Cut]] = {}

    def add(self, op: Op) -> None:
        """Takes in an op whose operands have been taken in."""
        value, width = op.results[0], op.results[0].width
        found: dict[tuple[Value, ...], Cut] = {}
        for choice in itertools.product(*(self._options(v) for v in op.operands)):
            cut = self._join(op, choice)
            if cut is not None and found.setdefault(cut.leaves, cut).below > cut.below:
                found[cut.leaves] = cut
        cuts = sorted(found.values(), key=_below)[:_MOST_CUTS]
        self._cuts[value] = cuts
        self.best[value] = min(
            ((self._length(cut.lut, width) + cut.below, cut) for cut in cuts),
            key=lambda pair: (pair[0], len(pair[1].leaves)),
        )
        alone = self._join(op, tuple(self._leaf(v) for v in op.operands))
        assert alone is not None, "an op has at most three operands"
        own = op.attrs[0] if op.opdef.name == "bitwise3" else alone.lut
        assert isinstance(own, int)
        as_it_is = self._length(own, width) + alone.by_llvm
        self._llvm[value] = min([as_it_is, *(self._selected(cut, width) for cut in cuts)])

    def gain(self, value: Value) -> int:
        """Instructions that the cheapest cover of a tree saves."""
        return self._llvm[value] - self.best[value][0]

    def is_inner(self, value: Value) -> bool:
        """Whether the value is an op of some tree and goes away with its only reader."""
        if value not in self._cuts:
            return False
        readers = self._uses.of.get(value, ())
        return len(readers) == 1 and readers[0] in self._ops

    def _leaf(self, value: Value) -> Cut:
        """An operand as it is."""
        bits = constant_of(value)
        if bits == 0:
            return Cut((), 0)
        if bits == (1 << value.width) - 1:
            return Cut((), _ALL)
        if not self.is_inner(value):
            return Cut((value,), _INPUTS[0])
        return Cut((value,), _INPUTS[0], self.best[value][0], self._llvm[value])

    def _options(self, value: Value) -> list[Cut]:
        """An operand as it is, and as what it is made of. What others read too is there anyway: to
        look through it is free, but only a complement is better gone.
        """
        leaf, cuts = self._leaf(value), self._cuts.get(value, [])
        if self.is_inner(value):
            return [leaf, *cuts]
        through = [Cut(c.leaves, c.lut, ops=c.ops, hidden=c.hidden) for c in cuts if not c.below]
        definition = value.definition
        if isinstance(definition, Op) and definition.opdef.name == "not_":
            return [*through, leaf]
        return [leaf, *through]

    def _join(self, op: Op, choice: tuple[Cut, ...]) -> Cut | None:
        leaves = tuple(dict.fromkeys(leaf for cut in choice for leaf in cut.leaves))
        if len(leaves) > len(_INPUTS):
            return None
        inner = [leaf for leaf in leaves if self.is_inner(leaf)]
        return Cut(
            leaves,
            table_of(op, [_moved(cut, leaves) for cut in choice]),
            sum(self.best[leaf][0] for leaf in inner),
            sum(self._llvm[leaf] for leaf in inner),
            1 + sum(cut.ops for cut in choice),
            op.opdef.name == "bitwise3" or any(cut.hidden for cut in choice),
        )

    def _length(self, lut: int, width: int) -> int:
        if width == 1:
            return len(program(lut, LogicClass.SCALAR))
        return shortest(lut, self._features)

    def _selected(self, cut: Cut, width: int) -> int:
        """What LLVM's selection makes of a cut: single instructions, of three inputs only in 32
        bits, v_bitop3 only of small trees that are not sums of bits.
        """
        if cut.hidden or (len(cut.leaves) == len(_INPUTS) and width not in (1, _WORD)):
            return _NEVER
        features = self._features
        if cut.ops > _LARGEST_BITOP3 or cut.lut in (_PARITY, _ALL - _PARITY):
            features -= {Feature.V_BITOP3}
        length = self._length(cut.lut, 1) if width == 1 else shortest(cut.lut, features)
        return length + cut.by_llvm if length <= 1 else _NEVER


def _below(cut: Cut) -> int:
    return cut.below


def _moved(cut: Cut, leaves: tuple[Value, ...]) -> int:
    """The cut's table over other places of its leaves."""
    return _table_at(cut.lut, tuple(leaves.index(leaf) for leaf in cut.leaves))


@cache
def _table_at(lut: int, places: tuple[int, ...]) -> int:
    """A truth table whose inputs stand at these places of three."""
    result = 0
    for row in range(8):
        bits = [row >> (2 - place) & 1 for place in places]
        bits += [0] * (3 - len(bits))
        index = bits[0] * 4 + bits[1] * 2 + bits[2]
        result |= (lut >> index & 1) << row
    return result


def _run(session: Session) -> None:
    """Writes the cheaper covers."""
    editor = session.editor
    roots = [op for op, _ in _trees(editor.function)]
    cover = _Cover(roots, editor.uses, session.features)
    for op in roots:
        cover.add(op)
    made: dict[Value, Value] = {}
    for op in roots:
        value = op.results[0]
        if not cover.is_inner(value) and cover.gain(value) > 0 and not is_uniform(value):
            _realise(session, cover, op, made)


def _realise(session: Session, cover: _Cover, root: Op, made: dict[Value, Value]) -> None:
    """Replaces the op and, below it, what its cut needs. `made`: what stands for values now."""
    order, work = [], [root]
    while work:
        op = work.pop()
        order.append(op)
        for leaf in cover.best[op.results[0]][1].leaves:
            if cover.is_inner(leaf) and isinstance(leaf.definition, Op):
                work.append(leaf.definition)
    for op in reversed(order):
        value = op.results[0]
        cut = cover.best[value][1]
        builder = session.editor.builder(op)
        leaves = [made.get(leaf, leaf) for leaf in cut.leaves]
        made[value] = _write(builder, cut.lut, leaves, value.width)
        session.replace(NAME, op, builder.block.ops, [made[value]])


def _write(builder: Builder, lut: int, leaves: list[Value], width: int) -> Value:
    """The function of the leaves: a plain op where there is one."""
    if lut in (0, _ALL):
        return builder.const(width, -1 if lut else 0)
    for place, leaf in enumerate(leaves):
        if lut == _INPUTS[place]:
            return leaf
    if lut == _ALL - _INPUTS[0]:
        return builder.not_(leaves[0])
    a, b, c = [*leaves, leaves[-1], leaves[-1]][:3]
    plain = {0xC0: builder.and_, 0xFC: builder.or_, 0x3C: builder.xor}.get(lut)
    return plain(a, b) if plain is not None else builder.bitwise3(a, b, c, lut)


LOGIC_TREES = Pass(
    NAME,
    "trees of and, or, xor, not and bitwise3, of 1, 16, 32 or 64 bits",
    "the cover by ops of at most three inputs that takes the fewest instructions",
    "exhaustive",
    (4, 2),
    _wants,
    _run,
)
