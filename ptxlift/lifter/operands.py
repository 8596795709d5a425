"""Operands become values: registers, constants, special registers, symbols; and results registers.

Comes in: operands and their specs. Goes out: values of exactly the spec's width. The relaxed
operands of the manual ("Operand Size Exceeding Instruction-Type Size") are settled here: sources
are cut, results are extended by the sign of their type.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ptxlift.diag import PtxError
from ptxlift.ir.attributes import Space
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Value, Variable
from ptxlift.isa import Kind, OperandSpec
from ptxlift.lifter.special import read_special
from ptxlift.lifter.ssa import Node, Variables
from ptxlift.ptx import module as ptx

Read = Value | tuple["Value", ...]

ADDRESS_WIDTH = {
    Space.GENERIC: 64,
    Space.GLOBAL: 64,
    Space.CONST: 64,
    Space.PARAM: 64,
    Space.SHARED: 32,
    Space.LOCAL: 32,
}
SPACE_OF = {
    ptx.Space.GLOBAL: Space.GLOBAL,
    ptx.Space.CONST: Space.CONST,
    ptx.Space.SHARED: Space.SHARED,
    ptx.Space.LOCAL: Space.LOCAL,
    ptx.Space.PARAM: Space.PARAM,
}


class Operands:
    """Reading and writing operands at one place of one function."""

    def __init__(self, builder: Builder, variables: Variables, node: Node) -> None:
        self.builder = builder
        self.variables = variables
        self.node = node
        self.scratch: dict[str, Variable] = {}  # memory that the translation adds
        self._entry = builder.block
        self._constants: dict[tuple[int, int], Value] = {}
        self._slots: dict[ptx.Variable, int] = {}

    # ---- what the function lifter gives ----

    def set(self, key: Hashable, value: Value, inst: ptx.Inst) -> None:
        raise NotImplementedError

    def refuse(self, message: str, hint: str, code: str = "PTX202") -> PtxError:
        raise NotImplementedError

    def slot(self, variable: ptx.Variable) -> int:
        raise NotImplementedError

    def symbol_name(self, variable: ptx.Variable) -> str:
        raise NotImplementedError

    def function_name(self, function: ptx.Function) -> str:
        raise NotImplementedError

    def read_native_special(self, name: str, component: str, width: int) -> Value | None:
        raise NotImplementedError

    # ---- reading ----

    def const(self, width: int, bits: int) -> Value:
        """A constant; one op a function, in its entry block."""
        value = self._constants.get((width, bits))
        if value is None:
            builder = Builder(Block("constant"))
            value = builder.const(width, bits)
            self._entry.ops[:0] = builder.block.ops
            self._constants[width, bits] = value
        return value

    def register(self, register: ptx.Register) -> Value:
        """The whole of a scalar register."""
        return self.variables.read(self.node, register, register.type.bits)

    def read(self, operand: ptx.Operand, spec: OperandSpec) -> Read:
        """A source operand; a tuple for a vector."""
        if type(operand) is ptx.Register and operand.vector == 1:
            value = self.variables.read(self.node, operand, operand.type.bits)
            if value.width > spec.type.bits:
                # A relaxed operand: cvt.s32.s8 reads the low byte of a 32-bit register.
                value = self.builder.trunc(value, spec.type.bits)
            return value if spec.count == 0 else (value,)
        return self._read(operand, spec)

    def scalar(self, operand: ptx.Operand, width: int) -> Value:
        """A source operand cut to `width` bits, whatever its spec."""
        match operand:
            case ptx.Register():
                value = self.register(operand)
            case ptx.Immediate():
                return self.const(width, operand.bits & ((1 << width) - 1))
            case ptx.Negated():
                value = self.builder.not_(self.register(operand.register))
            case ptx.RegisterComponent():
                value = self._component(operand.register, operand.index)
            case ptx.SymbolAddress():
                value = self.address_of(operand.symbol, operand.offset)
            case ptx.SpecialRegister():
                value = read_special(self, operand, operand.component)
            case _:
                raise self.refuse(
                    f"operand of kind {type(operand).__name__} is not translated here",
                    "use a register",
                )
        return self.fit(value, width)

    def fit(self, value: Value, width: int) -> Value:
        """Cut or zero-extended to `width` bits."""
        if value.width > width:
            return self.builder.trunc(value, width)
        return self.builder.zext(value, width)

    def _read(self, operand: ptx.Operand, spec: OperandSpec) -> Read:
        width = spec.type.bits
        match operand:
            case ptx.Register():
                parts = range(operand.vector)
                return tuple(self._component(operand, i) for i in parts)
            case ptx.Immediate():
                return self.const(width, operand.bits)
            case ptx.VectorOperand():
                return tuple(self.scalar(element, width) for element in operand.elements)
            case ptx.Selected():
                return self.register(operand.register)
            case ptx.RegisterOffset():
                value = self.fit(self.register(operand.register), width)
                offset = self.const(width, operand.offset & ((1 << width) - 1))
                return self.builder.add(value, offset)
            case ptx.SpecialRegister() if spec.count:
                parts_named = "xyzw"[: spec.count]
                return tuple(
                    self.fit(read_special(self, operand, part), width) for part in parts_named
                )
            case _:
                return self.scalar(operand, width)

    def _component(self, register: ptx.Register, index: int) -> Value:
        return self.variables.read(self.node, (register, index), register.type.bits)

    def address_of(self, symbol: ptx.Variable | ptx.Function, offset: int) -> Value:
        """Where a symbol lies, in its own state space."""
        if isinstance(symbol, ptx.Function):
            name = self.function_name(symbol)
            return self.advance(self.builder.function_address(name), offset)
        space = SPACE_OF[symbol.space]
        width = ADDRESS_WIDTH[space]
        if symbol.space is ptx.Space.PARAM and symbol.offset >= 0:
            if symbol.type.kind is Kind.OPAQUE:  # what it holds is the object's address
                return self.builder.kernel_param(width, symbol.offset)
            return self.builder.kernel_param_address(symbol.offset + offset)
        if symbol.space is ptx.Space.LOCAL or symbol.space is ptx.Space.PARAM:
            return self.advance(self.builder.frame_address(self.slot(symbol)), offset)
        return self.advance(self.builder.symbol_address(width, self.symbol_name(symbol)), offset)

    def advance(self, address: Value, offset: int) -> Value:
        """An address plus a constant."""
        if offset == 0:
            return address
        bits = offset & ((1 << address.width) - 1)
        return self.builder.add(address, self.const(address.width, bits))

    def memory_address(self, memory: ptx.Memory, space: Space) -> Value:
        """The address of a memory operand at the width of its space."""
        width = ADDRESS_WIDTH[space]
        match memory.base:
            case None:
                return self.const(width, memory.offset & ((1 << width) - 1))
            case ptx.Variable():
                value = self.address_of(memory.base, memory.offset)
                if space is Space.GENERIC:
                    return self.builder.to_generic(value, SPACE_OF[memory.base.space])
                return self.fit(value, width)
            case ptx.RegisterComponent():
                value = self._component(memory.base.register, memory.base.index)
            case ptx.Register():
                value = self.register(memory.base)
        return self.advance(self.fit(value, width), memory.offset)

    # ---- writing ----

    def write(
        self, operand: ptx.Operand, spec: OperandSpec, values: Sequence[Value], inst: ptx.Inst
    ) -> int:
        """Stores the first of `values` in a result operand; tells how many it took."""
        match operand:
            case ptx.Register() if operand.vector == 1:
                self._write_scalar(operand, operand.type.bits, spec, values[0], inst)
                return 1
            case ptx.Register():
                for index in range(operand.vector):
                    bits = operand.type.bits
                    self._write_scalar((operand, index), bits, spec, values[index], inst)
                return operand.vector
            case ptx.VectorOperand():
                for element, value in zip(operand.elements, values, strict=False):
                    self.write(element, spec, (value,), inst)
                return len(operand.elements)
            case ptx.PairOperand():
                taken = self.write(operand.first, spec, values, inst)
                return taken + self.write(operand.second, spec, values[taken:], inst)
            case ptx.RegisterComponent():
                key = (operand.register, operand.index)
                self._write_scalar(key, operand.register.type.bits, spec, values[0], inst)
                return 1
            case ptx.Selected():
                self.write(operand.register, spec, values, inst)
                return 1
            case ptx.Sink.SINK:
                return 1
            case _:
                raise self.refuse("this result is not translated", "use a register")

    def _write_scalar(
        self, key: Hashable, width: int, spec: OperandSpec, value: Value, inst: ptx.Inst
    ) -> None:
        if value.width < width:
            signed = spec.type.is_signed
            value = (self.builder.sext if signed else self.builder.zext)(value, width)
        elif value.width > width:
            value = self.builder.trunc(value, width)
        self.set(key, value, inst)
