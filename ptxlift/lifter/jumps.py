"""How a piece ends: bra, brx.idx, ret, exit, trap, or falling through.

Comes in: the jump (or None) and the blocks it may go to, None standing for the end of the
function. Goes out: a terminator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ptxlift.ir.core import Block, Value
from ptxlift.lifter.cfg import EXITS, Exit
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter


def lift_jump(at: FunctionLifter, jump: ptx.Inst | None, targets: Sequence[Block | None]) -> None:
    """Ends the block at hand."""
    if jump is None:
        _go(at, targets[0])
        return
    at.builder.span = jump.start
    finish = _FINISH[EXITS[jump.form.name]]
    if jump.guard is None:
        finish(at, jump, targets)
        return
    *taken, following = targets
    guard = at.variables.read(at.node, jump.guard, 1)
    if EXITS[jump.form.name] is Exit.JUMP:
        _branch_or_leave(at, guard, jump.guard_negated, taken[0], following)
        return
    then = at.new_block("leave")
    _branch_or_leave(at, guard, jump.guard_negated, then, following)
    at.start_block(then)
    finish(at, jump, taken)


def _branch_or_leave(
    at: FunctionLifter,
    guard: Value,
    negated: bool,
    taken: Block | None,
    following: Block | None,
) -> None:
    ends = [block or at.new_block("end") for block in (taken, following)]
    order = ends[::-1] if negated else ends
    at.builder.cond_br(guard, *order)
    for given, made in zip((taken, following), ends, strict=True):
        if given is None:
            at.start_block(made)
            at.leave_function()


def _go(at: FunctionLifter, target: Block | None) -> None:
    if target is None:
        at.leave_function()
    else:
        at.builder.br(target)


def _jump(at: FunctionLifter, jump: ptx.Inst, targets: Sequence[Block | None]) -> None:
    _go(at, targets[0])


def _table(at: FunctionLifter, jump: ptx.Inst, targets: Sequence[Block | None]) -> None:
    index = at.scalar(jump.operands[0], 32)
    at.builder.switch(index, [block for block in targets if block is not None])


def _end(at: FunctionLifter, jump: ptx.Inst, targets: Sequence[Block | None]) -> None:
    match jump.form.name:
        case "ret":
            at.leave_function()
        case "exit":
            at.builder.exit()
        case _:
            at.builder.trap()


_FINISH: dict[Exit, Callable[[FunctionLifter, ptx.Inst, Sequence[Block | None]], None]] = {
    Exit.JUMP: _jump,
    Exit.TABLE: _table,
    Exit.END: _end,
}
