"""Numbers that follow from the lane alone: the low five bits of a value in each lane of a warp.

Comes in: a value. Goes out: 32 numbers, or None. Only operations whose low bits follow from the low
bits of their operands are looked through.
"""

from __future__ import annotations

from collections.abc import Callable

from ptxlift.ir.attributes import Special
from ptxlift.ir.core import Op, Value

LANES = 32
_DEEPEST = 6
# Ops whose low bits follow from the low bits of their operands.
LOW_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and_": lambda a, b: a & b,
    "or_": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def low_bits(value: Value, tid_is_lane: bool, depth: int = _DEEPEST) -> tuple[int, ...] | None:
    """The value modulo 32 in each lane. `tid_is_lane`: %tid.x modulo 32 is the lane."""
    op = value.definition
    if not isinstance(op, Op) or depth == 0:
        return None
    name = op.opdef.name
    if name == "const":
        bits = op.attrs[1]
        assert isinstance(bits, int)
        return (bits % LANES,) * LANES
    if name == "special":
        register = op.attr("register")
        known = register is Special.LANEID or (tid_is_lane and register is Special.TID_X)
        return tuple(range(LANES)) if known else None
    if name == "not_":
        found = low_bits(op.operands[0], tid_is_lane, depth - 1)
        return None if found is None else tuple(~a % LANES for a in found)
    operation = LOW_OPERATIONS.get(name)
    if operation is None:
        return None
    a, b = (low_bits(operand, tid_is_lane, depth - 1) for operand in op.operands)
    if a is None or b is None:
        return None
    return tuple(operation(x, y) % LANES for x, y in zip(a, b, strict=True))
