"""Calls and returns.

Comes in: an instruction. Goes out: the end of its code block. Arguments are copied into the
callee's frame at the call; results are taken from it by the first step of the block behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ptxlift.interp.control import exit_threads
from ptxlift.interp.ends import End, Labels, ends
from ptxlift.interp.externs import EXTERNS
from ptxlift.interp.lanes import Lanes, dtype_of, width_of
from ptxlift.interp.memory import Fault
from ptxlift.interp.state import Selection, State
from ptxlift.interp.values import Operands, Unsupported, function_index, resize
from ptxlift.isa import Role
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.interp.code import Code, FunctionCode

# What an argument holds: lanes of a value, or of the bytes of a variable.
Passed: TypeAlias = "list[Lanes]"
Take: TypeAlias = Callable[[State, Selection], Passed]
Actual: TypeAlias = "ptx.Register | ptx.Immediate | ptx.Variable | ptx.Sink"


def _bytes_at(state: State, lanes: Selection, level: int, offset: int, size: int) -> Lanes:
    """Indices of a variable's bytes in local memory: one row a lane."""
    base = state.stacks[level].base[lanes] + offset
    rows = state.slots[lanes] * state.local_region.stride + base
    places: Lanes = rows[:, np.newaxis] + np.arange(size)
    return places


def _taker(operands: Operands, actual: Actual) -> Take:
    """Reads an argument in the caller."""
    match actual:
        case ptx.Variable():
            offset, size = operands.frame.offsets[actual], actual.size

            def take_bytes(state: State, lanes: Selection) -> Passed:
                places = _bytes_at(state, lanes, state.level, offset, size)
                return [state.local_region.data()[places]]

            return take_bytes
        case ptx.Register() | ptx.Immediate():
            read = operands.scalar(actual, actual.type.bits)

            def take_value(state: State, lanes: Selection) -> Passed:
                return [np.array(np.broadcast_to(read(state, lanes), state.slots[lanes].shape))]

            return take_value
        case _:
            raise Unsupported("an argument of this kind")


def _as_bytes(value: Lanes, size: int) -> Lanes:
    """A value as the bytes of a variable."""
    if value.ndim == 2:
        return value[:, :size]
    if value.dtype == object:
        raise Fault(0, "128-bit values cannot be passed in registers")
    rows = np.ascontiguousarray(value).view(np.uint8).reshape(len(value), -1)
    return rows[:, :size]


def _as_value(value: Lanes, width: int) -> Lanes:
    """The bytes of a variable as a value."""
    if value.ndim == 1:
        return resize(value, width)
    whole: Lanes = np.ascontiguousarray(value).view(dtype_of(8 * value.shape[1]))[:, 0]
    return resize(whole, width)


def _put(
    state: State, lanes: Selection, level: int, code: FunctionCode, formal: Formal, value: Lanes
) -> None:
    """Stores what was passed in a parameter of the function whose frame is at `level`."""
    if isinstance(formal, ptx.Register):
        widths = tuple(code.operands.widths)
        registers = state.enter_frame(code.index, level, widths)
        registers[code.operands.places[formal]][lanes] = _as_value(value, formal.type.bits)
        if code.operands.written:
            registers[code.operands.written + code.operands.places[formal]][lanes] = True
        return
    places = _bytes_at(state, lanes, level, code.frame.offsets[formal], formal.size)
    part = _as_bytes(value, formal.size)
    state.local_region.data()[places[:, : part.shape[1]]] = part


def _forget_registers(state: State, lanes: Selection, callee: FunctionCode) -> None:
    """Where that is watched: what an earlier call wrote is not this one's."""
    written = callee.operands.written
    if written:
        widths = tuple(callee.operands.widths)
        for flags in state.enter_frame(callee.index, state.level + 1, widths)[written:]:
            flags[lanes] = False


Formal: TypeAlias = "ptx.Variable | ptx.Register"


def _get(state: State, lanes: Selection, level: int, code: FunctionCode, formal: Formal) -> Lanes:
    if isinstance(formal, ptx.Register):
        widths = tuple(code.operands.widths)
        registers = state.enter_frame(code.index, level, widths)
        return registers[code.operands.places[formal]][lanes]
    places = _bytes_at(state, lanes, level, code.frame.offsets[formal], formal.size)
    values: Lanes = state.local_region.data()[places]
    return values


def _lists(inst: ptx.Inst) -> tuple[tuple[Actual, ...], tuple[Actual, ...]]:
    """Arguments and results of a call."""
    arguments: tuple[Actual, ...] = ()
    results: tuple[Actual, ...] = ()
    for operand, spec in zip(inst.operands, inst.form.operands, strict=True):
        if isinstance(operand, ptx.ArgList):
            if spec.role is Role.RESULT:
                results = operand.elements
            else:
                arguments = operand.elements
    return arguments, results


class _Call:
    """One call site."""

    def __init__(self, code: Code, operands: Operands, inst: ptx.Inst, following: int) -> None:
        self._code = code
        self._operands = operands
        arguments, self._results = _lists(inst)
        self._takers = [_taker(operands, actual) for actual in arguments]
        self._following = following
        code.blocks[following].steps.insert(0, self._take_results)
        code.blocks[following].insts.insert(0, inst)

    def enter(self, state: State, lanes: Selection, number: int) -> None:
        """Moves lanes into a function, with their arguments."""
        callee = self._code.function(number)
        passed = [take(state, lanes)[0] for take in self._takers]
        state.push(lanes, number, callee.frame.size, self._following)
        _forget_registers(state, lanes, callee)
        for formal, value in zip(callee.source.params, passed, strict=False):
            _put(state, lanes, state.level + 1, callee, formal, value)
        state.place[lanes] = callee.entry

    def call_extern(self, state: State, lanes: Selection, function: ptx.Function) -> int:
        """A function of the device runtime runs at once."""
        run = EXTERNS[function.name]
        passed = [take(state, lanes)[0] for take in self._takers]
        values = [_as_value(v, 8 * f.size) for v, f in zip(passed, _sized(function), strict=False)]
        result = run(state, lanes, values)
        state.push(lanes, self._code.numbers[function], 64, self._following)
        state.depth[lanes] = state.level
        state.top[lanes] = state.stacks[state.level + 1].base[lanes]
        if result is not None:
            places = _bytes_at(state, lanes, state.level + 1, 0, width_of(result) // 8)
            state.local_region.data()[places] = _as_bytes(result, width_of(result) // 8)
        return self._following

    def _take_results(self, state: State, lanes: Selection) -> None:
        if not self._results:
            return
        callees = state.stacks[state.level + 1].callee[lanes]
        slots = state.slots[lanes]
        for number in np.unique(callees):
            mine = slots[callees == number]
            self._take_from(state, mine, int(number))

    def _take_from(self, state: State, lanes: Lanes, number: int) -> None:
        source = self._code.functions[number]
        level = state.level + 1
        offset = 0
        for formal, actual in zip(source.returns, self._results, strict=False):
            if source.body is None:
                size = formal.size if isinstance(formal, ptx.Variable) else 8
                data = state.local_region.data()
                value = data[_bytes_at(state, lanes, level, offset, size)]
            else:
                value = _get(state, lanes, level, self._code.function(number), formal)
            self._give(state, lanes, actual, value)

    def _give(self, state: State, lanes: Lanes, actual: Actual, value: Lanes) -> None:
        match actual:
            case ptx.Register():
                place = self._operands.places[actual]
                state.registers[place][lanes] = _as_value(value, actual.type.bits)
                if self._operands.written:
                    state.registers[self._operands.written + place][lanes] = True
            case ptx.Variable():
                offset = self._operands.frame.offsets[actual]
                places = _bytes_at(state, lanes, state.level, offset, actual.size)
                part = _as_bytes(value, actual.size)
                state.local_region.data()[places[:, : part.shape[1]]] = part
            case _:
                return


def _sized(function: ptx.Function) -> Iterator[ptx.Variable]:
    for formal in function.params:
        if isinstance(formal, ptx.Variable):
            yield formal


@ends("call")
def make_call(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Control Flow Instructions: call."""
    assert inst is not None, "a call is an instruction"
    target = next(o.function for o in inst.operands if isinstance(o, ptx.FunctionRef))
    number = code.numbers[target]
    callee = code.functions[number]
    if callee.body is None and callee.name not in EXTERNS:
        raise Unsupported(f"function '{callee.name}' is declared but not defined")
    site = _Call(code, operands, inst, following)

    def end(state: State, lanes: Selection) -> int | None:
        if callee.body is None:
            return site.call_extern(state, lanes, callee)
        site.enter(state, lanes, number)
        return None

    return end


@ends("call_indirect")
def make_indirect_call(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Control Flow Instructions: call (indirect)."""
    assert inst is not None, "a call is an instruction"
    found = {spec.name: op for spec, op in zip(inst.form.operands, inst.operands, strict=True)}
    read = operands.scalar(found["fp"], 64)
    site = _Call(code, operands, inst, following)

    def end(state: State, lanes: Selection) -> int | None:
        slots = state.slots[lanes]
        addresses = np.broadcast_to(read(state, lanes), slots.shape)
        for address in np.unique(addresses):
            mine = np.flatnonzero(addresses == address)
            number = function_index(int(address))
            if number is None or number >= len(code.functions):
                raise Fault(int(mine[0]), f"call of 0x{int(address):x}, which is no function")
            if code.functions[number].body is None:
                raise Fault(int(mine[0]), f"call of '{code.functions[number].name}', not defined")
            site.enter(state, slots[mine], number)
        return None

    return end


@ends("ret")
def make_return(
    code: Code, operands: Operands, labels: Labels, inst: ptx.Inst | None, following: int
) -> End:
    """Control Flow Instructions: ret. In a kernel, and behind its last statement, it is exit."""
    entry = operands.function.kind == "entry"

    def end(state: State, lanes: Selection) -> int | None:
        if entry:
            exit_threads(state, lanes)
            return None
        stack = state.stacks[state.level]
        state.top[lanes] = stack.base[lanes]
        state.place[lanes] = stack.returns[lanes]
        state.depth[lanes] = state.level - 1
        return None

    return end
