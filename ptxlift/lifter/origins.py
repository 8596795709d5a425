"""Which variable's address a register holds, by the only instructions that write what leads to it.

Comes in: a function's body. Goes out: variable and offset. SSA values tell the same within a block,
but not in a loop whose back edge is not read yet, and compilers take constant addresses out of
loops.
"""

from __future__ import annotations

from functools import cached_property

from ptxlift.isa import Role
from ptxlift.ptx import module as ptx

_STEPS = 32  # moves that are followed at most
_MOVES = ("mov", "mov_address", "cvta")
Place = ptx.Register | ptx.Variable


class Origins:
    """Written places of one function, found when first asked for."""

    def __init__(self, function: ptx.Function) -> None:
        self._function = function

    @cached_property
    def _writers(self) -> dict[Place, list[ptx.Inst]]:
        found: dict[Place, list[ptx.Inst]] = {}
        for statement in self._function.body or ():
            if isinstance(statement, ptx.Inst):
                for place in _written(statement):
                    found.setdefault(place, []).append(statement)
        return found

    def address(self, operand: object) -> tuple[ptx.Variable, int] | None:
        """The variable whose address an operand is, and the offset; None if that is not known."""
        offset = 0
        for _ in range(_STEPS):
            match operand:
                case ptx.SymbolAddress(symbol=ptx.Variable() as variable):
                    return variable, offset + operand.offset
                case ptx.RegisterOffset():
                    offset += operand.offset
                    operand = operand.register
                case ptx.Register() | ptx.Variable():
                    operand = self._source(operand)
                case _:
                    return None
        return None

    def _source(self, place: Place) -> object:
        """What the only writer of a place copies into it."""
        writers = self._writers.get(place, [])
        if len(writers) != 1 or writers[0].guard is not None:
            return None
        inst = writers[0]
        copies = inst.form.name in _MOVES or isinstance(place, ptx.Variable)
        return inst.operands[1] if copies else None


def _written(inst: ptx.Inst) -> list[Place]:
    """Registers and parameter variables that an instruction writes."""
    found: list[Place] = []
    for spec, operand in zip(inst.form.operands, inst.operands, strict=True):
        match operand:
            case ptx.Register() if spec.role is not Role.SOURCE:
                found.append(operand)
            case ptx.VectorOperand() if spec.role is not Role.SOURCE:
                found += [e for e in operand.elements if isinstance(e, ptx.Register)]
            case ptx.PairOperand():
                found += [e for e in (operand.first, operand.second) if isinstance(e, ptx.Register)]
            case ptx.Memory(base=ptx.Variable() as variable) if spec.writes:
                found.append(variable)
            case ptx.ArgList() if spec.role is not Role.SOURCE:
                found += [e for e in operand.elements if isinstance(e, Place)]
            case _:
                pass
    return found
