"""Which values are plainly the same for all lanes.

Comes in: a value. Goes out: whether a few steps back show that it is uniform; `ir.uniformity` finds
more and takes longer. Uniform values live in the scalar unit, which has other instructions.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Special
from ptxlift.ir.core import Op, Value
from ptxlift.ir.ops import Effect

_SAME_IN_BLOCK = frozenset({
    Special.CTAID_X, Special.CTAID_Y, Special.CTAID_Z, Special.NTID_X, Special.NTID_Y,
    Special.NTID_Z, Special.NCTAID_X, Special.NCTAID_Y, Special.NCTAID_Z,
})  # fmt: skip
_SAME = frozenset({"const", "kernel_param", "symbol_address", "frame_address"})
_STEPS = 4


def is_uniform(value: Value, steps: int = _STEPS) -> bool:
    """Whether so many steps show that all lanes have the same value."""
    definition = value.definition
    if not isinstance(definition, Op) or definition.opdef.effect is not Effect.PURE:
        return False
    if definition.opdef.name == "special":
        return definition.attr("register") in _SAME_IN_BLOCK
    if not definition.operands:
        return definition.opdef.name in _SAME
    return steps > 0 and all(is_uniform(operand, steps - 1) for operand in definition.operands)
