"""Reductions over a warp of values that each lane chooses from two constants, by a ballot.

Comes in: what is reduced. Goes out: the reduction, of the number of lanes that chose the one or the
other: any-true and all-true as code writes them that has no vote. It must know no chip.
"""

from __future__ import annotations

from ptxlift.ir.attributes import IntPredicate, Number, ReduceOp
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Op, Value
from ptxlift.ir.lane_values import LANES
from ptxlift.ir.shuffles import known
from ptxlift.records import dataclass

_FULL = (1 << LANES) - 1
_SIGN = 1 << (LANES - 1)
_EXTENDED = {"zext": 1, "sext": _FULL}  # what true becomes


@dataclass(frozen=True, slots=True)
class Flags:
    """A value of which each lane has one of two. `condition`: where it is `yes`."""

    condition: Value
    yes: int
    no: int


def flags_of(value: Value) -> Flags | None:
    """None if it is not such a value."""
    op = value.definition
    if not isinstance(op, Op) or value.width != LANES:
        return None
    if op.opdef.name in _EXTENDED and op.operands[0].width == 1:
        return Flags(op.operands[0], _EXTENDED[op.opdef.name], 0)
    if op.opdef.name != "select":
        return None
    condition, *choices = op.operands
    yes, no = (known(choice) for choice in choices)
    return None if yes is None or no is None else Flags(condition, yes, no)


def reduce_flags(builder: Builder, flags: Flags, kind: ReduceOp, number: Number) -> Value:
    """The reduction over all 32 lanes; `flags.condition` is one of the function that is built."""
    full, zero = builder.const(LANES, _FULL), builder.const(LANES, 0)
    chosen = builder.ballot(flags.condition, full)
    match kind:
        case ReduceOp.ADD:
            count = builder.popcount(chosen)
            factor = builder.const(LANES, flags.yes - flags.no & _FULL)
            rest = builder.const(LANES, LANES * flags.no & _FULL)
            return builder.add(builder.mul(count, factor), rest)
        case ReduceOp.XOR:
            odd = builder.trunc(builder.popcount(chosen), 1)
            return builder.select(odd, builder.const(LANES, flags.yes ^ flags.no), zero)
        case _:
            both = builder.const(LANES, _joined(flags.yes, flags.no, kind, number))
            yes, no = builder.const(LANES, flags.yes), builder.const(LANES, flags.no)
            none = builder.icmp(chosen, zero, IntPredicate.EQ)
            every = builder.icmp(chosen, full, IntPredicate.EQ)
            return builder.select(every, yes, builder.select(none, no, both))


def _joined(a: int, b: int, kind: ReduceOp, number: Number) -> int:
    match kind:
        case ReduceOp.AND:
            return a & b
        case ReduceOp.OR:
            return a | b
        case _:
            first, last = sorted((a, b), key=_signed if number is Number.SIGNED else int)
            return first if kind is ReduceOp.MIN else last


def _signed(bits: int) -> int:
    return (bits & ~_SIGN) - (bits & _SIGN)
