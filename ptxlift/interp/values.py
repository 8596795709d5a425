"""Operands as functions: how lanes are read from and written to them.

Comes in: typed operands. Goes out: readers and writers that work on any selection of lanes. Sources
are cut to the width of their instruction type, results are extended by the sign of theirs. It must
know no instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ptxlift.interp.integers import IntegerOps
from ptxlift.interp.lanes import Lanes, constant, width_of
from ptxlift.interp.layout import Layout
from ptxlift.interp.memory import FUNCTION_WINDOW
from ptxlift.interp.special import CHANGING, SPECIALS
from ptxlift.interp.state import Selection, State
from ptxlift.isa import Kind, OperandKind, OperandSpec, Type
from ptxlift.ptx import module as ptx

Value: TypeAlias = "Lanes | tuple[Lanes, ...] | int"
Reader: TypeAlias = Callable[[State, Selection], Lanes]
AnyReader: TypeAlias = Callable[[State, Selection], Value]
Writer: TypeAlias = Callable[[State, Selection, Lanes], None]

CARRY = 0  # the carry flag's place among the registers of a frame
_FUNCTION_STEP = 16
_OPS = IntegerOps()


class Unsupported(Exception):
    """Something the interpreter does not do; the decoder adds the place."""


def resize(value: Lanes, width: int, signed: bool = False) -> Lanes:
    """Cut or extended to `width` bits."""
    have = width_of(value)
    if have == width:
        return value
    if have > width:
        return _OPS.trunc(value, width)
    return _OPS.sext(value, width) if signed else _OPS.zext(value, width)


def _skip(state: State, lanes: Selection, value: Lanes) -> None:
    """Writes to `_`."""


class Operands:
    """Makes readers and writers for the operands of one function."""

    def __init__(
        self,
        function: ptx.Function,
        frame: Layout,
        addresses: dict[ptx.Variable, int],
        functions: dict[ptx.Function, int],
        watched: bool = False,
    ) -> None:
        self.function = function
        self.frame = frame
        self._addresses = addresses
        self._functions = functions
        self.places: dict[ptx.Register, int] = {}
        self.widths = [1]
        for register in function.registers:
            self._add(register)
        for formal in (*function.params, *function.returns):
            if isinstance(formal, ptx.Register) and formal not in self.places:
                self._add(formal)
        # Whether each register was written stands behind all registers.
        self.written = len(self.widths) if watched else 0
        self.widths += [1] * self.written

    def _add(self, register: ptx.Register) -> None:
        self.places[register] = len(self.widths)
        self.widths.extend([register.type.bits] * register.vector)

    # ---- reading ----

    def place(self, register: ptx.Register, index: int = 0) -> Reader:
        """The lanes of a register, as wide as it is."""
        place = self.places[register] + index
        if self.written:
            return _watched(place, self.written + place, register, index)

        def read(state: State, lanes: Selection) -> Lanes:
            return state.registers[place][lanes]

        return read

    def scalar(self, operand: ptx.Operand, width: int) -> Reader:
        """A source of `width` bits."""
        match operand:
            case ptx.Register():
                return self._cut(self.place(operand), operand.type.bits, width)
            case ptx.RegisterComponent(register=register, index=index):
                return self._cut(self.place(register, index), register.type.bits, width)
            case ptx.Immediate():
                return _fixed(constant(width, operand.bits))
            case ptx.Negated():
                return _negated(self.place(operand.register))
            case ptx.Selected():
                return self.place(operand.register)
            case ptx.RegisterOffset(register=register, offset=offset):
                return _plus(self.scalar(register, width), constant(width, offset))
            case ptx.SpecialRegister():
                return _special(operand, operand.component, width)
            case ptx.SymbolAddress():
                return self.symbol(operand.symbol, operand.offset, width)
            case _:
                raise Unsupported(type(operand).__name__)

    def _cut(self, read: Reader, have: int, width: int) -> Reader:
        if have == width:
            return read

        def read_part(state: State, lanes: Selection) -> Lanes:
            return resize(read(state, lanes), width)

        return read_part

    def source(self, operand: ptx.Operand, spec: OperandSpec) -> AnyReader:
        """A source as its spec says: a lane array, a tuple of a vector's, or a constant number."""
        if spec.kind is OperandKind.CONSTANT:
            assert isinstance(operand, ptx.Immediate), "constants are checked before"
            return _number(operand.bits)
        if spec.count:
            return _together(self.elements(operand, spec.type.bits, spec.count))
        return self.scalar(operand, spec.type.bits)

    def elements(self, operand: ptx.Operand, width: int, count: int) -> list[Reader]:
        """One reader an element of a vector operand."""
        match operand:
            case ptx.VectorOperand(elements=elements):
                return [self.scalar(element, width) for element in elements]
            case ptx.Register(vector=vector) if vector > 1:
                cut = operand.type.bits
                return [self._cut(self.place(operand, i), cut, width) for i in range(vector)]
            case ptx.SpecialRegister():
                return [_special(operand, part, width) for part in "xyzw"[:count]]
            case _:
                return [self.scalar(operand, width)]

    def symbol(self, symbol: ptx.Variable | ptx.Function, offset: int, width: int) -> Reader:
        """The address of a symbol in its own state space, plus a constant."""
        if isinstance(symbol, ptx.Function):
            address = function_address(self._functions[symbol]) + offset
            return _fixed(constant(width, address))
        if symbol in self._addresses:
            return _fixed(constant(width, self._addresses[symbol] + offset))
        if symbol.space is ptx.Space.SHARED:
            return _shared_address(symbol, offset, width)
        if symbol.space is ptx.Space.PARAM and symbol.offset >= 0:
            if symbol.type.kind is Kind.OPAQUE:
                return _held_address(symbol.offset)
            return _param_address(symbol.offset + offset, width)
        return _frame_address(self.frame.offsets[symbol] + offset, width)

    def objects(self, type_: Type) -> list[tuple[int, int]]:
        """Addresses and sizes of all texture, sampler or surface variables."""
        return [(at, v.size) for v, at in self._addresses.items() if v.type is type_]

    # ---- writing ----

    def writer(self, operand: ptx.Operand, kind: Type) -> Writer:
        """Stores a value of an instruction type in a scalar result."""
        match operand:
            case ptx.Register():
                return self._store(self.places[operand], operand.type.bits, kind.is_signed)
            case ptx.RegisterComponent(register=register, index=index):
                place = self.places[register] + index
                return self._store(place, register.type.bits, kind.is_signed)
            case ptx.Selected():
                return self.writer(operand.register, kind)
            case ptx.Sink.SINK:
                return _skip
            case _:
                raise Unsupported(type(operand).__name__)

    def _store(self, place: int, width: int, signed: bool) -> Writer:
        written = self.written

        def write(state: State, lanes: Selection, value: Lanes) -> None:
            if width_of(value) != width:
                value = resize(value, width, signed)
            state.registers[place][lanes] = value
            if written:
                state.registers[written + place][lanes] = True

        return write

    def writers(self, operand: ptx.Operand, spec: OperandSpec) -> list[Writer]:
        """One writer a value that the result takes; pairs and vectors take several."""
        match operand:
            case ptx.VectorOperand(elements=elements):
                return [self.writer(element, spec.type) for element in elements]
            case ptx.PairOperand(first=first, second=second):
                return [*self.writers(first, spec), self.writer(second, spec.type)]
            case ptx.Register(vector=vector) if vector > 1:
                places = range(self.places[operand], self.places[operand] + vector)
                signed = spec.type.is_signed
                return [self._store(p, operand.type.bits, signed) for p in places]
            case _:
                return [self.writer(operand, spec.type)]

    def carry_writer(self) -> Writer:
        return self._store(CARRY, 1, False)


def _held_address(offset: int) -> Reader:
    """What a texture, sampler or surface parameter holds."""

    def read(state: State, lanes: Selection) -> Lanes:
        return state.param_region.view(64)[offset // 8 : offset // 8 + 1]

    return read


def function_address(index: int) -> int:
    """Where a function seems to lie."""
    return FUNCTION_WINDOW + _FUNCTION_STEP * (index + 1)


def function_index(address: int) -> int | None:
    """The number of the function at an address."""
    index, rest = divmod(address - FUNCTION_WINDOW, _FUNCTION_STEP)
    return index - 1 if rest == 0 and index >= 1 else None


def _watched(place: int, written: int, register: ptx.Register, index: int) -> Reader:
    """Tells of lanes that read what they have not written."""

    def read(state: State, lanes: Selection) -> Lanes:
        known = state.registers[written][lanes]
        if state.watch is not None and not known.all():
            slot = int(state.slots[lanes][~known][0])
            state.watch.unwritten(state, register, index, slot)
        return state.registers[place][lanes]

    return read


def read_carry(state: State, lanes: Selection) -> Lanes:
    """The carry flag."""
    return state.registers[CARRY][lanes]


def _fixed(value: Lanes) -> Reader:
    def read(state: State, lanes: Selection) -> Lanes:
        return value

    return read


def _number(value: int) -> AnyReader:
    def read(state: State, lanes: Selection) -> Value:
        return value

    return read


def _together(readers: Sequence[Reader]) -> AnyReader:
    def read(state: State, lanes: Selection) -> Value:
        return tuple(reader(state, lanes) for reader in readers)

    return read


def _negated(reader: Reader) -> Reader:
    def read(state: State, lanes: Selection) -> Lanes:
        return ~reader(state, lanes)

    return read


def _plus(reader: Reader, offset: Lanes) -> Reader:
    def read(state: State, lanes: Selection) -> Lanes:
        total: Lanes = reader(state, lanes) + offset
        return total

    return read


def _special(operand: ptx.SpecialRegister, component: str, width: int) -> Reader:
    compute = SPECIALS.get(operand.name)
    if compute is None:
        raise Unsupported(operand.name)
    changing = operand.name in CHANGING
    key = (operand.name, component)

    def read(state: State, lanes: Selection) -> Lanes:
        values = None if changing else state.specials.get(key)
        if values is None:
            values = state.specials[key] = compute(state, component)
        return resize(values[lanes], width)

    return read


def _shared_address(symbol: ptx.Variable, offset: int, width: int) -> Reader:
    def read(state: State, lanes: Selection) -> Lanes:
        return constant(width, state.shared.offsets[symbol] + offset)

    return read


def _param_address(offset: int, width: int) -> Reader:
    def read(state: State, lanes: Selection) -> Lanes:
        return constant(width, state.param_region.base + offset)

    return read


def _frame_address(offset: int, width: int) -> Reader:
    def read(state: State, lanes: Selection) -> Lanes:
        base = state.stacks[state.level].base[lanes] + offset
        return resize(base.astype(np.uint64), width)

    return read
