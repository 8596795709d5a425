"""Calls, and what travels in them: scalars as one value, aggregates as a run of 32-bit or 8-bit
pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ptxlift.ir.attributes import Space
from ptxlift.ir.core import OUTSIDE, Function, Value
from ptxlift.lifter.registry import lifts
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

Formal = ptx.Variable | ptx.Register


def pieces(formal: Formal) -> tuple[int, int]:
    """Width and number of the values that carry a formal parameter."""
    if isinstance(formal, ptx.Register):
        return formal.type.bits, formal.vector
    if not formal.dims and formal.vector == 1:
        return formal.type.bits, 1
    width = 32 if formal.align % 4 == 0 and formal.size % 4 == 0 else 8
    return width, formal.size * 8 // width


def widths(formals: Sequence[Formal]) -> tuple[int, ...]:
    """The widths of all values that carry a parameter list."""
    found: list[int] = []
    for formal in formals:
        width, count = pieces(formal)
        found += [width] * count
    return tuple(found)


def take(at: FunctionLifter, formal: Formal, values: Sequence[Value], inst: ptx.Inst | None) -> int:
    """Gives a parameter variable or register its values; tells how many it took."""
    width, count = pieces(formal)
    if isinstance(formal, ptx.Variable) and formal in at.in_memory:
        base = at.builder.frame_address(at.slot(formal))
        for index in range(count):
            step = width // 8
            address = at.advance(base, index * step)
            align = min(formal.align, step)
            at.builder.store(address, (values[index],), Space.LOCAL, width, align)
        return count
    keys = [formal] if count == 1 else [(formal, index) for index in range(count)]
    for key, value in zip(keys, values, strict=False):
        if inst is None:
            at.variables.write(at.node, key, value)
        else:
            at.set(key, value, inst)
    return count


def give(at: FunctionLifter, formal: Formal) -> list[Value]:
    """The values a parameter variable or register holds."""
    width, count = pieces(formal)
    if isinstance(formal, ptx.Variable) and formal in at.in_memory:
        base = at.builder.frame_address(at.slot(formal))
        step = width // 8
        align = min(formal.align, step)
        return [
            at.builder.load(at.advance(base, i * step), Space.LOCAL, width, 1, align)[0]
            for i in range(count)
        ]
    if count == 1:
        return [at.variables.read(at.node, formal, width)]
    return [at.variables.read(at.node, (formal, index), width) for index in range(count)]


def declared_outside(function: ptx.Function, name: str) -> Function:
    """The IR of a function that only the linked bitcode defines."""
    params, results = widths(function.params), widths(function.returns)
    return Function(OUTSIDE + name, False, "extern", param_widths=params, result_widths=results)


@lifts("call", "call_indirect")
def lift_call(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Control Flow Instructions: call."""
    callee_at = next(
        i for i, o in enumerate(inst.operands) if isinstance(o, ptx.FunctionRef | ptx.Register)
    )
    callee = inst.operands[callee_at]
    results = _list(inst.operands[:callee_at])
    arguments = _list(inst.operands[callee_at + 1 :])
    if isinstance(callee, ptx.FunctionRef):
        name = at.program.outside(callee.function, named=True)
        if name is None and at.lift_extern(callee.function, arguments, results, inst):
            return
        name = name or at.program.outside(callee.function, named=False)
        function = callee.function if name is not None else at.need_function(callee.function)
        symbol = at.program.name_of(function) if name is None else at.need_outside(function, name)
        given = _arguments(at, arguments, function.params)
        values = at.builder.call(symbol, given, widths(function.returns))
        returns: Sequence[Formal] = function.returns
    else:
        assert isinstance(callee, ptx.Register)
        prototype = _prototype(at, inst.operands[callee_at + 1 :])
        given = _arguments(at, arguments, prototype.params)
        address = at.register(callee)
        values = at.builder.call_indirect(address, given, widths(prototype.returns))
        returns = prototype.returns
    _take_results(at, results, returns, values, inst)


def _list(operands: Sequence[ptx.Operand]) -> ptx.ArgList:
    return next((o for o in operands if isinstance(o, ptx.ArgList)), ptx.ArgList(()))


def _prototype(at: FunctionLifter, operands: Sequence[ptx.Operand]) -> ptx.Prototype:
    for operand in operands:
        match operand:
            case ptx.PrototypeRef():
                return operand.prototype
            case ptx.TargetsRef() if operand.functions:
                for function in operand.functions:
                    at.need_function(function)
                first = operand.functions[0]
                return ptx.Prototype(first.returns, first.params)
            case _:
                pass
    raise at.refuse("an indirect call needs a prototype or a list of targets", "add one")


def _arguments(
    at: FunctionLifter, arguments: ptx.ArgList, formals: Sequence[Formal]
) -> list[Value]:
    values: list[Value] = []
    for argument, formal in zip(arguments.elements, formals, strict=False):
        match argument:
            case ptx.Variable():
                values += give(at, argument)
            case ptx.Register() if argument.vector > 1:
                values += give(at, argument)
            case ptx.Sink.SINK:
                raise at.refuse("'_' cannot be an argument", "name a value", "PTX110")
            case _:
                values.append(at.scalar(argument, pieces(formal)[0]))
    return values


def _take_results(
    at: FunctionLifter,
    results: ptx.ArgList,
    formals: Sequence[Formal],
    values: Sequence[Value],
    inst: ptx.Inst,
) -> None:
    place = 0
    for result, formal in zip(results.elements, formals, strict=False):
        count = pieces(formal)[1]
        if isinstance(result, ptx.Variable | ptx.Register):
            take(at, result, values[place : place + count], inst)
        place += count
