"""Shuffles that share a trip through the LDS crossbar.

A trip costs eight instructions. Comes in: the shuffles of a block that need one, by the same lanes.
Goes out: fewer words that travel instead of their values. Functions of one value travel as that
value, and what was made of it is made again behind the shuffle: the two halves of a float that was
widened are one word. Two values of sixteen bits travel in one word. It must know no chip.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence

from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Op, Value
from ptxlift.ir.lane_values import LANES
from ptxlift.ir.shuffles import known
from ptxlift.records import dataclass

_HALF = LANES // 2
_LOW = (1 << _HALF) - 1
_DEEPEST = 4  # operations that are made again
_CONVERSIONS = frozenset({
    "zext", "sext", "trunc", "extract", "fconvert", "int_to_float", "fneg", "fabs",
    "and_", "or_", "xor", "shl", "lshr", "ashr",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Made:
    """A shuffled value: what it is made of, and the ops that make it, first to last."""

    leaf: Value
    chain: tuple[Op, ...]


@dataclass(frozen=True, slots=True)
class Journey:
    """Shuffles by the same lanes; `words`: what travels, one or two values each."""

    first: Op
    made: dict[Op, Made]
    words: tuple[tuple[Value, ...], ...]

    def value(self, op: Op, travelled: Sequence[Value], builder: Builder) -> Value:
        """What a shuffle gives, of the words that came."""
        made = self.made[op]
        place = next(i for i, word in enumerate(self.words) if made.leaf in word)
        value = travelled[place]
        if _is_narrow(made.leaf):
            at = self.words[place].index(made.leaf)
            value = _half(value, at, made.leaf.width, builder)
        for step in made.chain:
            value = _again(step, value, builder)
        return value


def _again(op: Op, value: Value, builder: Builder) -> Value:
    """An op that has one operand beside constants, of another value."""
    operands = [value] * len(op.operands)
    for place, old in enumerate(op.operands):
        bits = known(old)
        if bits is not None:
            operands[place] = builder.const(old.width, bits)
    return builder.emit(op.opdef.name, operands, op.attrs, (op.results[0].width,)).results[0]


def journeys(block: Block, costly: Mapping[Op, Hashable]) -> list[Journey]:
    """What the costly shuffles of a block may share, if the way they go is the same."""
    groups: dict[Hashable, list[Op]] = {}
    for op, way in costly.items():
        lanes = tuple(known(v) if known(v) is not None else v for v in op.operands[1:])
        groups.setdefault((op.attrs, way, lanes), []).append(op)
    place = {op: index for index, op in enumerate(block.ops)}
    found = (_journey(ops, place) for ops in groups.values() if len(ops) > 1)
    return [each for each in found if each is not None]


def _journey(ops: list[Op], place: dict[Op, int]) -> Journey | None:
    """None where as many words would travel as values."""
    first = ops[0]
    made = {}
    for op, ways in _chosen({op: _ways_made(op.operands[0]) for op in ops}):
        if _is_there(ways.leaf, place, place[first]):
            made[op] = ways
    leaves = list(dict.fromkeys(each.leaf for each in made.values()))
    narrow = [leaf for leaf in leaves if _is_narrow(leaf)]
    words: list[tuple[Value, ...]] = [(leaf,) for leaf in leaves if not _is_narrow(leaf)]
    words += [tuple(narrow[i : i + 2]) for i in range(0, len(narrow), 2)]
    return Journey(first, made, tuple(words)) if first in made and len(words) < len(made) else None


def _chosen(ways: dict[Op, list[Made]]) -> Iterator[tuple[Op, Made]]:
    """What two values are made of; else something narrow; else the value itself."""
    users: dict[Value, int] = {}
    for found in ways.values():
        for made in found:
            users[made.leaf] = users.get(made.leaf, 0) + 1
    for op, found in ways.items():
        shared = [made for made in found if users[made.leaf] > 1]
        narrow = [made for made in found if _is_narrow(made.leaf)]
        yield op, (shared or narrow or found)[0]


def _is_there(value: Value, place: dict[Op, int], before: int) -> bool:
    definition = value.definition
    return not isinstance(definition, Op) or place.get(definition, -1) < before


def word_of(values: Sequence[Value], builder: Builder) -> Value:
    """One or two values as 32 bits."""
    words = [v if v.width == LANES else builder.zext(v, LANES) for v in values]
    if len(words) == 1:
        return words[0]
    return builder.or_(words[0], builder.shl(words[1], builder.const(LANES, _HALF)))


def _half(word: Value, at: int, width: int, builder: Builder) -> Value:
    part = builder.lshr(word, builder.const(LANES, _HALF)) if at else word
    if width < LANES:
        return builder.trunc(part, width)
    return part if at else builder.and_(part, builder.const(LANES, _LOW))


def _is_narrow(value: Value) -> bool:
    """Whether all but sixteen bits are known to be zero."""
    if value.width < LANES:
        return value.width <= _HALF
    op = value.definition
    if not isinstance(op, Op):
        return False
    bits = known(op.operands[1]) if op.opdef.name in ("and_", "lshr") else None
    if bits is None:
        return False
    return bits <= _LOW if op.opdef.name == "and_" else _HALF <= bits < LANES


def _ways_made(value: Value) -> list[Made]:
    """The values, of a word at most, that a value is made of alone; itself first."""
    found, chain = [Made(value, ())], list[Op]()
    while len(chain) < _DEEPEST and isinstance(value.definition, Op):
        op = value.definition
        if op.opdef.name not in _CONVERSIONS or _only(op) < 0:
            break
        chain.append(op)
        value = op.operands[_only(op)]
        if value.width <= LANES:
            found.append(Made(value, tuple(reversed(chain))))
    return found


def _only(op: Op) -> int:
    """The place of the only operand that is no constant; -1 if there are more."""
    places = [place for place, value in enumerate(op.operands) if known(value) is None]
    return places[0] if len(places) == 1 else -1
