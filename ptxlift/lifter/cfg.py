"""Control-flow graph of a PTX body.

Comes in: a flat body. Goes out: `Piece`s: runs of instructions that end at a jump or before a
label. It knows instructions only by how they leave (`Exit`), which a table of row names gives.
"""

from __future__ import annotations

from enum import Enum

from ptxlift.ptx.module import Inst, Label, LabelMark, LabelRef, Statement, TargetsRef
from ptxlift.records import dataclass, field


class Exit(Enum):
    """How an instruction leaves its block."""

    JUMP = "jump"  # to its label
    TABLE = "table"  # to one of a list of labels
    END = "end"  # ends the function or the thread


EXITS = {
    "bra": Exit.JUMP,
    "brx": Exit.TABLE,
    "ret": Exit.END,
    "exit": Exit.END,
    "trap": Exit.END,
    "brkpt": Exit.END,  # without a debugger it is an error, like trap
}


@dataclass(slots=True, eq=False)
class Piece:
    """A run of instructions.

    `last`: the jump that ends it, None where it falls through. `successors`: pieces by index; the
    fall-through of a guarded jump comes last; -1 lies behind the end of the body.
    """

    instructions: list[Inst] = field(default_factory=list)
    last: Inst | None = None
    successors: list[int] = field(default_factory=list)


def split(body: tuple[Statement, ...]) -> list[Piece]:
    """The pieces of a body in source order; the first is the entry. Falling off the end is
    successor -1.
    """
    pieces = [Piece()]
    places: dict[Label, int] = {}
    for statement in body:
        match statement:
            case LabelMark():
                if pieces[-1].instructions or pieces[-1].last is not None:
                    pieces.append(Piece())
                places[statement.label] = len(pieces) - 1
            case Inst():
                if pieces[-1].last is not None:
                    pieces.append(Piece())
                if statement.form.name in EXITS:
                    pieces[-1].last = statement
                else:
                    pieces[-1].instructions.append(statement)
            case _:
                pass
    for index, piece in enumerate(pieces):
        following = index + 1 if index + 1 < len(pieces) else -1
        piece.successors = _successors(piece.last, places, following)
    return pieces


def _successors(last: Inst | None, places: dict[Label, int], following: int) -> list[int]:
    if last is None:
        return [following]
    targets = [places[label] for label in _labels(last)]
    return [*targets, following] if last.guard is not None else targets


def _labels(jump: Inst) -> tuple[Label, ...]:
    found: tuple[Label, ...] = ()
    for operand in jump.operands:
        match operand:
            case LabelRef():
                found = (operand.label,)
            case TargetsRef():
                found = operand.labels
            case _:
                pass
    return found


def reachable(pieces: list[Piece]) -> list[int]:
    """Indices reachable from the entry in reverse post order; a piece comes before all it leads
    to but for back edges.
    """
    seen = {0}
    done: list[int] = []
    stack = [(0, iter(pieces[0].successors))]
    while stack:
        index, rest = stack[-1]
        for successor in rest:
            if successor >= 0 and successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(pieces[successor].successors)))
                break
        else:
            done.append(index)
            stack.pop()
    done.reverse()
    return done
