"""Where the variables of a function lie: its local frame, and a kernel's shared memory.

Comes in: typed functions. Goes out: offsets. It must know nothing of threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ptxlift.ptx import module as ptx
from ptxlift.records import dataclass, field

FRAME_ALIGN = 16


def align_up(value: int, align: int) -> int:
    return (value + align - 1) // align * align


@dataclass(slots=True)
class Layout:
    """Offsets of variables in one block of bytes."""

    offsets: dict[ptx.Variable, int] = field(default_factory=dict)
    size: int = 0

    def place(self, variable: ptx.Variable) -> None:
        """Puts a variable behind what is already there."""
        offset = align_up(self.size, max(variable.align, 1))
        self.offsets[variable] = offset
        self.size = offset + variable.size


def frame_layout(function: ptx.Function) -> Layout:
    """Local variables and parameters of a function; the parameters of a kernel lie elsewhere."""
    layout = Layout()
    formals = () if function.kind == "entry" else (*function.params, *function.returns)
    for formal in formals:
        if isinstance(formal, ptx.Variable):
            layout.place(formal)
    for variable in function.locals:
        if variable.space in (ptx.Space.LOCAL, ptx.Space.PARAM):
            layout.place(variable)
    layout.size = align_up(layout.size, FRAME_ALIGN)
    return layout


def _is_dynamic(variable: ptx.Variable) -> bool:
    return variable.linkage == "extern" and (variable.size == 0 or 0 in variable.dims)


def shared_layout(variables: Iterable[ptx.Variable]) -> Layout:
    """Shared variables: the static ones first, then all dynamic arrays at one place."""
    layout = Layout()
    dynamic = []
    for variable in variables:
        if _is_dynamic(variable):
            dynamic.append(variable)
        else:
            layout.place(variable)
    layout.size = align_up(layout.size, max((v.align for v in dynamic), default=1))
    for variable in dynamic:
        layout.offsets[variable] = layout.size
    return layout


def symbols_of(function: ptx.Function) -> Iterator[ptx.Variable | ptx.Function]:
    """Every variable and function that the instructions of a function name."""
    for statement in function.body or ():
        if isinstance(statement, ptx.Inst):
            for operand in statement.operands:
                yield from _symbols_of_operand(operand)


def _symbols_of_operand(operand: ptx.Operand) -> Iterator[ptx.Variable | ptx.Function]:
    match operand:
        case ptx.Memory(base=ptx.Variable() as variable):
            yield variable
        case ptx.SymbolAddress(symbol=symbol):
            yield symbol
        case ptx.FunctionRef(function=function):
            yield function
        case ptx.TargetsRef(functions=functions):
            yield from functions
        case ptx.BracketOperand(parts=parts):
            for part in parts:
                yield from _symbols_of_operand(part)
        case _:
            return
