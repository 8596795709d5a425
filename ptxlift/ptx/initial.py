"""Initial values of variables become bytes and relocations.

Comes in: an initialiser and its variable. Goes out: `Initial`, and the variable's completed first
dimension. This module must know no instruction.
"""

from __future__ import annotations

import struct

from ptxlift.isa import Kind
from ptxlift.ptx.literals import ConstantError, Integer, Real, evaluate, float_bits
from ptxlift.ptx.module import Function, Initial, Relocation, Space, Variable
from ptxlift.ptx.settings import SettingError, object_of
from ptxlift.ptx.symbols import Symbol
from ptxlift.records import dataclass, field
from ptxlift.syntax import nodes

_ADDRESSED = (Space.GLOBAL, Space.CONST)


class InitialError(Exception):
    """An initial value that does not fit."""


@dataclass(slots=True)
class _Filler:
    """Collects the bytes of one variable; `data` is zero where nothing is written."""

    variable: Variable
    names: dict[str, Symbol]
    atoms: tuple[str, ...]
    data: bytearray
    relocations: list[Relocation] = field(default_factory=list)


def initialize(variable: Variable, node: nodes.Initializer, names: dict[str, Symbol]) -> None:
    """Give a variable its initial value; completes `x[] = {...}`. Raises `InitialError`."""
    if node.settings:
        try:
            variable.initializer = Initial(object_of(node.settings))
        except SettingError as error:
            raise InitialError(str(error)) from None
    if variable.type.kind is Kind.OPAQUE:
        return
    if variable.type.name in ("f16", "f16x2"):
        raise InitialError(f"a .{variable.type.name} variable takes no initial value")
    element = variable.type.bytes * variable.vector
    _complete(variable, node, element)
    filler = _Filler(variable, names, node.atoms, bytearray(variable.size))
    shape = variable.dims + ((variable.vector,) if variable.vector > 1 else ())
    _fill(filler, node, shape, 0)
    variable.initializer = Initial(bytes(filler.data), tuple(filler.relocations))


def _complete(variable: Variable, node: nodes.Initializer, element: int) -> None:
    if not variable.dims or variable.dims[0]:
        return
    if not isinstance(node.value, tuple):
        raise InitialError("an array is initialised by a list in braces")
    variable.dims = (len(node.value), *variable.dims[1:])
    size = element
    for dim in variable.dims:
        size *= dim
    variable.size = size


def _fill(filler: _Filler, node: nodes.Initializer, shape: tuple[int, ...], at: int) -> None:
    if not shape:
        if isinstance(node.value, tuple):
            raise InitialError("a scalar's initial value has no braces")
        _write(filler, node.value, at)
        return
    if not isinstance(node.value, tuple):
        raise InitialError("an array is initialised by a list in braces")
    if len(node.value) > shape[0]:
        raise InitialError(f"{len(node.value)} initial values for {shape[0]} elements")
    stride = filler.variable.type.bytes
    for dim in shape[1:]:
        stride *= dim
    for index, element in enumerate(node.value):
        _fill(filler, element, shape[1:], at + index * stride)


def _write(filler: _Filler, node: nodes.Expression, at: int) -> None:
    if _write_symbol(filler, node, at):
        return
    try:
        value = evaluate(node, filler.atoms)
    except ConstantError as error:
        raise InitialError(str(error)) from None
    type_ = filler.variable.type
    bits = _bits(value, type_.kind, type_.bits, type_.name)
    filler.data[at : at + type_.bytes] = bits.to_bytes(type_.bytes, "little")


def _bits(value: Integer | Real, kind: Kind, width: int, name: str) -> int:
    if isinstance(value, Real):
        if kind is Kind.F or (kind is Kind.B and width in (32, 64)):
            return float_bits(value, width)
        raise InitialError(f"a float constant cannot initialise a .{name}")
    if kind is Kind.F:
        raise InitialError(f"an integer constant cannot initialise a .{name}")
    if width > 64:
        return value.value & ((1 << width) - 1)
    return value.bits & ((1 << width) - 1)


# ---- symbols: name, name+4, generic(name), generic(name)+4, 0xff00(name) ----


def _write_symbol(filler: _Filler, node: nodes.Expression, at: int) -> bool:
    addend = 0
    base = node
    if isinstance(node, nodes.Binary) and isinstance(node.left, nodes.Name | nodes.SymbolCall):
        base = node.left
        addend = _addend(filler, node.right)
        addend = -addend if node.operator == "-" else addend
    match base:
        case nodes.Name(slot):
            _relocate(filler, filler.atoms[slot], at, addend, generic=False, mask="")
        case nodes.SymbolCall(function, symbol, offset, generic):
            mask = filler.atoms[function]
            name = filler.atoms[symbol]
            if offset is not None:
                addend += _addend(filler, offset)
            is_generic = generic or mask == "generic"
            text = "" if mask == "generic" else mask
            _relocate(filler, name, at, addend, generic=is_generic, mask=text)
        case _:
            return False
    return True


def _addend(filler: _Filler, node: nodes.Expression) -> int:
    try:
        value = evaluate(node, filler.atoms)
    except ConstantError as error:
        raise InitialError(str(error)) from None
    if not isinstance(value, Integer):
        raise InitialError("an address offset is an integer")
    return struct.unpack("<q", struct.pack("<Q", value.bits))[0]  # type: ignore[no-any-return]  # struct is untyped


def _relocate(
    filler: _Filler, name: str, at: int, addend: int, *, generic: bool, mask: str
) -> None:
    type_ = filler.variable.type
    if type_.kind not in (Kind.B, Kind.U, Kind.S):
        raise InitialError(f"an address cannot initialise a .{type_.name}")
    symbol = filler.names.get(name)
    if not isinstance(symbol, Variable | Function):
        raise InitialError(f"`{name}` is not declared")
    if isinstance(symbol, Variable) and symbol.space not in _ADDRESSED:
        raise InitialError(f"`{name}` does not lie in .global or .const")
    shift = _shift(mask)
    size = type_.bytes
    filler.relocations.append(Relocation(at, size, symbol, addend, generic, shift))


def _shift(mask: str) -> int:
    """Bits below the byte that a mask such as 0xff00 selects."""
    if not mask:
        return 0
    try:
        value = evaluate(nodes.Literal(0), (mask,))
    except ConstantError as error:
        raise InitialError(str(error)) from None
    assert isinstance(value, Integer)
    bits = value.bits
    for shift in range(0, 64, 8):
        if bits == 0xFF << shift:
            return shift
    raise InitialError(f"the mask {mask} does not select one byte")
