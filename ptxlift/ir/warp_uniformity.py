"""Which values are the same for all lanes of a PTX warp, and which surely are not.

Comes in: a function. Goes out: as `Uniformity`, for 32 lanes: what tells warps apart does not part
the lanes of one. A thread number along x is taken for the number in the block where the function
reads no other; warps follow it then.
"""

from __future__ import annotations

from ptxlift.ir.attributes import IntPredicate, ShuffleMode, Special
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.ops import Effect
from ptxlift.ir.uniformity import Uniformity

_WARP_BITS, _WARP = 5, 32
_SEGMENTS = 0x1F00
_OF_LANES = frozenset({Special.TID_X, Special.LANEID, Special.LANEMASK_EQ, Special.LANEMASK_LE})
_OTHER_AXES = frozenset({Special.TID_Y, Special.TID_Z})
_SAME_FOR_MEMBERS = frozenset({"vote", "ballot", "reduce", "match_all", "active_mask"})
_SPLITS_AT_MULTIPLES = frozenset(
    {IntPredicate.ULT, IntPredicate.UGE, IntPredicate.SLT, IntPredicate.SGE}
)
_SPLITS_BELOW_MULTIPLES = frozenset(
    {IntPredicate.UGT, IntPredicate.ULE, IntPredicate.SGT, IntPredicate.SLE}
)


class WarpUniformity(Uniformity):
    """`Uniformity` of 32 lanes."""

    def __init__(self, function: Function) -> None:
        self._is_line = not any(
            op.name == "special" and op.attr("register") in _OTHER_AXES for op in function.ops()
        )
        super().__init__(function)

    def _starts_divergence(self, op: Op) -> bool:
        if op.name == "special" and op.attr("register") is Special.WARPID:
            return False
        if op.name in _SAME_FOR_MEMBERS:
            return False
        return super()._starts_divergence(op)

    def _use(self, op: Op, value: Value) -> None:
        if self._joins_lanes(op):
            return
        super()._use(op, value)

    def _joins_lanes(self, op: Op) -> bool:
        """Whether the result is the same in a warp though operands are not."""
        if op.name in _SAME_FOR_MEMBERS:
            return True
        if op.name == "shuffle":
            return self._is_broadcast(op)
        if not op.operands or not (self._is_line and _is_thread_number(op.operands[0])):
            return False
        last = constant(op.operands[-1])
        match op.name:
            case "lshr" | "ashr":
                return last is not None and last >= _WARP_BITS
            case "udiv" | "sdiv":
                return last is not None and last > 0 and last % _WARP == 0
            case "and_":
                return last is not None and last % _WARP == 0
            case "icmp":
                return last is not None and _splits_between_warps(op, last)
            case _:
                return False

    def _is_broadcast(self, op: Op) -> bool:
        """A shuffle from one lane to all 32."""
        clamp = constant(op.operands[2])
        whole = clamp is not None and clamp & _SEGMENTS == 0
        return op.attr("mode") is ShuffleMode.IDX and whole and op.operands[1] not in self.divergent

    def surely_varies(self, condition: Value) -> bool:
        """Whether a condition is made of lane or thread numbers and constants, so that lanes of
        one warp do part at it, but for numbers that happen not to occur.
        """
        found = False
        work, seen = [condition], {condition}
        while work:
            value = work.pop()
            definition = value.definition
            if isinstance(definition, Block):
                if value in self.divergent:
                    return False
            elif definition.name == "special":
                if value not in self.divergent or definition.attr("register") not in _OF_LANES:
                    return False
                found = True
            elif definition.name == "kernel_param" or definition.opdef.effect is not Effect.PURE:
                return False
            else:
                work += [operand for operand in definition.operands if operand not in seen]
                seen.update(definition.operands)
        return found


def _splits_between_warps(op: Op, last: int) -> bool:
    predicate = op.attr("predicate")
    if predicate in _SPLITS_AT_MULTIPLES:
        return last % _WARP == 0
    return predicate in _SPLITS_BELOW_MULTIPLES and last % _WARP == _WARP - 1


def _is_thread_number(value: Value) -> bool:
    definition = value.definition
    return (
        isinstance(definition, Op)
        and definition.name == "special"
        and definition.attr("register") is Special.TID_X
    )


def constant(value: Value) -> int | None:
    """The number of a constant."""
    definition = value.definition
    if isinstance(definition, Op) and definition.name == "const":
        return int(str(definition.attr("bits")))
    return None
