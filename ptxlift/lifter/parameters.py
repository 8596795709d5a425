"""Which parameter variables of a body must live in memory, and which can be values."""

from __future__ import annotations

from ptxlift.isa import Effect
from ptxlift.ptx import module as ptx


def parameters_in_memory(function: ptx.Function) -> frozenset[ptx.Variable]:
    """Arrays and vectors, and scalars whose address is taken or that are accessed in part."""
    declared = [v for v in (*function.params, *function.returns) if isinstance(v, ptx.Variable)]
    candidates = [v for v in declared if v.offset < 0]
    candidates += [v for v in function.locals if v.space is ptx.Space.PARAM]
    if not candidates:
        return frozenset()
    found = {v for v in candidates if v.dims or v.vector > 1}
    for statement in function.body or ():
        if isinstance(statement, ptx.Inst):
            found |= _in_memory(statement)
    return frozenset(found.intersection(candidates))


def _in_memory(inst: ptx.Inst) -> set[ptx.Variable]:
    found = set()
    for operand in inst.operands:
        match operand:
            case ptx.SymbolAddress(symbol=ptx.Variable() as variable):
                found.add(variable)
            case ptx.Memory(base=ptx.Variable() as variable, offset=offset):
                types = inst.form.types  # none: `prefetch` and its like
                whole = offset == 0 and inst.form.row.effect is Effect.MEMORY and bool(types)
                vector = any(isinstance(o, ptx.VectorOperand) for o in inst.operands)
                if not whole or vector or types[-1].bits > variable.type.bits:
                    found.add(variable)
            case _:
                pass
    return found
