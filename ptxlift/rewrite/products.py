"""Both halves of a product from one multiplication, and carry pairs as one wide sum.

Comes in: multiplications of words and additions with carry. Goes out: 64-bit ops that a chip does
in one instruction each. It must know no target: every chip has v_mad_u64_u32.
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.rewrite.driver import Pass, Session
from ptxlift.rewrite.pattern import constant_of
from ptxlift.target import Feature

_WORD = 32
_HIGH = frozenset({"umulh", "smulh"})
_PRODUCTS = "wide_product"
_CARRIES = "carry_pair"

# ---- products ----


def _pairs(block: Block) -> Iterator[tuple[Op, Op]]:
    """Low and high halves of the same product."""
    lows: dict[frozenset[Value], Op] = {}
    highs: dict[frozenset[Value], Op] = {}
    for op in block.ops:
        name = op.opdef.name
        if name != "mul" and name not in _HIGH:
            continue
        a, b = op.operands
        if a.width != _WORD or constant_of(a) is not None or constant_of(b) is not None:
            continue
        mine, others = (lows, highs) if name == "mul" else (highs, lows)
        key = frozenset((a, b))
        other = others.pop(key, None)
        if other is None:
            mine.setdefault(key, op)
        else:
            yield (op, other) if name == "mul" else (other, op)


def _wants_products(names: frozenset[str], function: Function, _: frozenset[Feature]) -> bool:
    if "mul" not in names or not names & _HIGH:
        return False
    return any(True for block in function.blocks for _ in _pairs(block))


def _join_products(session: Session) -> None:
    for block in session.editor.function.blocks:
        places = {op: index for index, op in enumerate(block.ops)}
        for low, high in list(_pairs(block)):
            _multiply_once(session, low, high, min(low, high, key=lambda op: places[op]))


def _multiply_once(session: Session, low: Op, high: Op, first: Op) -> None:
    builder = session.editor.builder(first)
    extend = builder.sext if high.opdef.name == "smulh" else builder.zext
    a, b = (extend(value, 2 * _WORD) for value in first.operands)
    product = builder.mul(a, b)
    halves = {low: builder.extract(product, _WORD, 0), high: builder.extract(product, _WORD, _WORD)}
    second = high if first is low else low
    session.replace(_PRODUCTS, first, builder.block.ops, [halves[first]])
    session.replace(_PRODUCTS, second, (), [halves[second]])


# ---- carries ----

_WIDE = {"add_carry": "add", "sub_borrow": "sub"}


def _wants_carries(names: frozenset[str], function: Function, _: frozenset[Feature]) -> bool:
    return bool(names & _WIDE.keys())


def _join_carries(session: Session) -> None:
    for block in session.editor.function.blocks:
        places: dict[Op, float] = {op: index for index, op in enumerate(block.ops)}
        for op in block.ops:
            first = _first_of_pair(session, op, places)
            if first is not None:
                new = _add_once(session, first, op)
                places.update(dict.fromkeys(new, places[op] - 0.5))


def _first_of_pair(session: Session, op: Op, places: dict[Op, float]) -> Op | None:
    """The addition whose carry this one takes, if both make one wide addition."""
    readers = session.editor.uses.of
    if op.opdef.name not in _WIDE or op.operands[0].width != _WORD:
        return None
    first = op.operands[2].definition
    is_pair = (
        isinstance(first, Op)
        and first.opdef is op.opdef
        and op.operands[2] is first.results[1]
        and constant_of(first.operands[2]) == 0
        and len(readers.get(first.results[1], ())) == 1
        and not readers.get(op.results[1])
        and first in places
    )
    if not is_pair:
        return None
    assert isinstance(first, Op)
    sum_readers = readers.get(first.results[0], ())
    if any(reader in places and places[reader] <= places[op] for reader in sum_readers):
        return None
    halves = zip(first.operands[:2], op.operands[:2], strict=True)
    return first if any(_whole_of(low, high) is not None for low, high in halves) else None


def _whole_of(low: Value, high: Value) -> Value | None:
    """The wide value whose halves these are."""
    a, b = low.definition, high.definition
    are_extracts = isinstance(a, Op) and isinstance(b, Op) and a.opdef is b.opdef
    if not are_extracts:
        return None
    assert isinstance(a, Op) and isinstance(b, Op)
    if a.opdef.name != "extract" or a.operands[0] is not b.operands[0]:
        return None
    offsets = (a.attr("offset"), b.attr("offset"))
    fits = a.operands[0].width == 2 * _WORD and offsets == (0, _WORD)
    return a.operands[0] if fits else None


def _add_once(session: Session, first: Op, second: Op) -> list[Op]:
    """Replaces both; returns the ops that stand before the second one."""
    builder = session.editor.builder(second)
    pairs = zip(first.operands[:2], second.operands[:2], strict=True)
    left, right = (_whole_of(low, high) or builder.pack([low, high]) for low, high in pairs)
    total = (builder.add if first.opdef.name == "add_carry" else builder.sub)(left, right)
    low, high = builder.extract(total, _WORD, 0), builder.extract(total, _WORD, _WORD)
    session.replace(_CARRIES, second, builder.block.ops, [high, second.results[1]])
    session.editor.replace_value(first.results[0], low)
    session.editor.remove_dead(first)
    return builder.block.ops


PRODUCTS = Pass(
    _PRODUCTS,
    "mul(x, y) and umulh(x, y) or smulh(x, y) in one block",
    "the halves of one 64-bit product: v_mad_u64_u32",
    "Z3",
    (2, 1),
    _wants_products,
    _join_products,
)
CARRIES = Pass(
    _CARRIES,
    "add_carry (sub_borrow) of the halves of a 64-bit value, the last carry unused",
    "the halves of one 64-bit sum; of a product and a sum, v_mad_u64_u32",
    "Z3",
    (4, 1),
    _wants_carries,
    _join_carries,
)
