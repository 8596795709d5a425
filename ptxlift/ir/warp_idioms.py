"""Whole reductions and scans over a warp that are written as chains of shuffles.

Comes in: a function and who reads what in it. Goes out: the chains of integer operations whose
order does not matter, and which ops they are made of. It must know no chip.
"""

from __future__ import annotations

from collections.abc import Iterable

from ptxlift.ir.attributes import Number, ReduceOp, ShuffleMode
from ptxlift.ir.core import Op, Value
from ptxlift.ir.demand import ALL, Demand
from ptxlift.ir.lane_values import LANES
from ptxlift.ir.shuffles import Moved, known, shuffled
from ptxlift.records import dataclass

FULL = 0xFFFFFFFF
REDUCTIONS = {
    "add": (ReduceOp.ADD, Number.UNSIGNED),
    "and_": (ReduceOp.AND, Number.BITS),
    "or_": (ReduceOp.OR, Number.BITS),
    "xor": (ReduceOp.XOR, Number.BITS),
    "umin": (ReduceOp.MIN, Number.UNSIGNED),
    "umax": (ReduceOp.MAX, Number.UNSIGNED),
    "smin": (ReduceOp.MIN, Number.SIGNED),
    "smax": (ReduceOp.MAX, Number.SIGNED),
}
_SCAN_WIDTHS = (16, 32)
# Their result does not depend on the order of the operands, a NaN's payload aside.
_COMMUTATIVE = frozenset({"mul", "fadd", "fmul", "fmin", "fmax", *REDUCTIONS})


@dataclass(frozen=True, slots=True)
class Step:
    """An operation of a value with that of the lane at a distance: below it in a scan (`mask` is
    the difference), else `mask` is the bits in which the lanes' numbers differ. `last`: the op
    whose result is the step's.
    """

    op: Op
    shuffle: Op
    value: Value
    mask: int
    last: Op


@dataclass(frozen=True, slots=True)
class Chain:
    """What is reduced or scanned, in segments of `width`, and the ops that are part of it beside
    the last one.
    """

    op: Op
    value: Value
    width: int
    parts: frozenset[Op]


class Idioms:
    """What was found in one function. `steps`: of butterflies, by their results."""

    def __init__(self, ops: Iterable[Op], demand: Demand) -> None:
        self._demand = demand
        self.steps: dict[Value, Step] = {}
        self._scan_steps: dict[Value, Step] = {}
        for op in ops:
            self._note(op)
        self.parts: set[Op] = set()
        self.reductions: dict[Op, Chain] = {}
        self.scans: dict[Op, Chain] = {}
        for step in reversed(self.steps.values()):
            self._note_chain(self.reductions, self._reduction(step), step)
        for step in reversed(self._scan_steps.values()):
            self._note_chain(self.scans, self._scan(step), step)

    def _note_chain(self, found: dict[Op, Chain], chain: Chain | None, last: Step) -> None:
        if chain is not None and last.last not in self.parts:
            found[last.last] = chain
            self.parts |= chain.parts

    # ---- steps ----

    def _note(self, op: Op) -> None:
        if op.opdef.name == "select":
            step = self._scan_step(op)
            if step is not None:
                self._scan_steps[op.results[0]] = step
            return
        step = self._operation(op)
        mask = 0 if step is None else _distance(step.shuffle, self._demand.moved(step.shuffle))
        if step is not None and mask:
            self.steps[op.results[0]] = Step(op, step.shuffle, step.value, mask, op)

    def _operation(self, op: Op) -> Step | None:
        """An operation of a value with what a shuffle makes of it, which nobody else reads."""
        if op.opdef.name not in _COMMUTATIVE or op.results[0].width != LANES:
            return None
        for mine, other in (op.operands, op.operands[::-1]):
            shuffle = other.definition
            if not isinstance(shuffle, Op) or shuffle.opdef.name != "shuffle":
                continue
            alone = self._demand.readers[other] == [op] and shuffle.results[0] is other
            together = self._demand.home[shuffle] is self._demand.home[op]
            if alone and together and shuffle.operands[0] is mine:
                return Step(op, shuffle, mine, 0, op)
        return None

    def _scan_step(self, select: Op) -> Step | None:
        """The value, plus that of a lane below where there is one."""
        chosen, summed, value = select.operands
        op = summed.definition
        step = self._operation(op) if isinstance(op, Op) else None
        if step is None or step.value is not value or chosen is not step.shuffle.results[1]:
            return None
        readers = self._demand.readers
        if readers[summed] != [select] or readers[chosen] != [select]:
            return None
        distance = known(step.shuffle.operands[1])
        is_up = step.shuffle.attr("mode") is ShuffleMode.UP
        together = self._demand.home[select] is self._demand.home[step.op]
        if distance is None or not is_up or not together:
            return None
        return Step(step.op, step.shuffle, value, distance, select)

    # ---- chains ----

    def _reduction(self, last: Step) -> Chain | None:
        """Five steps over all bits of the lane."""
        chain, left = [], LANES - 1
        step: Step | None = last
        while step is not None and left & step.mask == step.mask & -step.mask:
            if not self._belongs(step, last, readers=2):
                break
            chain.append(step)
            left ^= step.mask
            step = self.steps.get(step.value)
        return None if left else _chain(chain, LANES)

    def _scan(self, last: Step) -> Chain | None:
        """Steps by one, two, four and so on up to half a segment."""
        width = 2 * last.mask
        if width not in _SCAN_WIDTHS:
            return None
        chain, distance = [], last.mask
        step: Step | None = last
        while step is not None and step.mask == distance:
            moved = shuffled(ShuffleMode.UP, distance, (LANES - width) << 8)
            if not self._belongs(step, last, readers=3):
                break
            if self._demand.moved(step.shuffle) != moved:
                break
            chain.append(step)
            distance //= 2
            step = self._scan_steps.get(step.value)
        return None if distance else _chain(chain, width)

    def _belongs(self, step: Step, last: Step, readers: int) -> bool:
        """Whether a step is of the same kind and nobody but the next one reads it."""
        home = self._demand.home
        return (
            step.op.opdef.name in REDUCTIONS
            and step.op.opdef is last.op.opdef
            and home[step.op] is home[last.op]
            and known(step.shuffle.operands[3]) == FULL
            and (step is last or len(self._demand.readers[step.last.results[0]]) == readers)
        )


def _chain(steps: list[Step], width: int) -> Chain:
    parts = {op for step in steps for op in (step.shuffle, step.op, step.last)}
    return Chain(steps[0].op, steps[-1].value, width, frozenset(parts - {steps[0].last}))


def _distance(shuffle: Op, moved: Moved | None) -> int:
    """The mask of a butterfly in which all lanes are in range, else 0."""
    if moved is None or shuffle.attr("mode") is not ShuffleMode.BFLY or moved[1] != ALL:
        return 0
    mask = moved[0][0]
    return mask if all(at == lane ^ mask for lane, at in enumerate(moved[0])) else 0
