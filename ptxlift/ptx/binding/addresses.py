"""Addresses as operands.

Comes in: nodes and specifications. Goes out: builders of `Memory`. This module must know no
instruction.
"""

from __future__ import annotations

from typing import Any

from ptxlift.isa import Kind, OperandKind, OperandSpec
from ptxlift.ptx.binding.constants import constant_offset
from ptxlift.ptx.binding.context import (
    Atoms,
    Builder,
    Context,
    Symbols,
    give_memory,
    what,
    zero,
)
from ptxlift.ptx.binding.registers import component_index, integer_register
from ptxlift.ptx.module import (
    Memory,
    Register,
    RegisterComponent,
    Space,
    Variable,
)
from ptxlift.ptx.report import Fault, NearFault
from ptxlift.syntax import nodes

_GENERIC = (Space.GLOBAL, Space.SHARED, Space.LOCAL)
# the instruction's space -> where a named variable may lie
SPACES: dict[str, tuple[Space, ...]] = {
    "": _GENERIC,
    "global": (Space.GLOBAL,),
    "shared": (Space.SHARED,),
    "local": (Space.LOCAL,),
    "const": (Space.CONST,),
    "param": (Space.PARAM,),
}


def address(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    if not isinstance(node, nodes.Address):
        raise Fault("PTX103", f"operand `{spec.name}` must be an address", "write [address]")
    if node.base is None:
        return _absolute(ctx, node, spec)
    symbol = ctx.symbol(node.base)
    if isinstance(symbol, Variable):
        space_fits(symbol, ctx.text(node.base), spec)
        if node.subscript and not symbol.dims:
            raise NearFault("PTX103", f"`{ctx.text(node.base)}` is no array", "write [name+n]")
        if isinstance(node.offset, nodes.Name):
            raise NearFault(
                "PTX202", "a register as array index is not translated", "add it to the address"
            )
    elif isinstance(symbol, Register) and not node.subscript:
        return _based(ctx, node, symbol, spec)
    else:
        raise Fault("PTX103", f"`{ctx.text(node.base)}` is {what(symbol)}; it has no address here")
    return _memory(ctx, node, _scale(node, symbol))


def _scale(node: nodes.Address, variable: Variable) -> int:
    if not node.subscript:
        return 1
    inner = 1
    for dim in variable.dims[1:]:
        inner *= dim
    return inner * variable.vector * variable.type.bytes


def _based(ctx: Context, node: nodes.Address, found: Register, spec: OperandSpec) -> Builder:
    assert node.base is not None
    text = ctx.text(node.base)
    integer_register(found, text)
    wide = spec.space in ("", "global") and found.type.bits == 32
    if wide:
        raise NearFault(
            "PTX203",
            f"`{text}` is a 32-bit address of .{spec.space or 'generic'} memory",
            "addresses of global and generic memory are 64 bits wide",
        )
    if node.base.component:
        index = component_index(ctx, node.base, found)
        at = ctx.index[node.base.slot]
        offset = constant_offset(ctx, node.offset) if node.offset is not None else zero

        def build(symbols: Symbols, atoms: Atoms) -> Any:
            base = RegisterComponent(symbols[at], index)
            return Memory(base, offset(atoms))

        return build
    return _memory(ctx, node, 1)


def _memory(ctx: Context, node: nodes.Address, scale: int) -> Builder:
    assert node.base is not None
    at = ctx.index[node.base.slot]
    if node.offset is None:
        return give_memory(at)
    offset = constant_offset(ctx, node.offset)

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return Memory(symbols[at], offset(atoms) * scale)

    return build


def _absolute(ctx: Context, node: nodes.Address, spec: OperandSpec) -> Builder:
    if spec.space != "local" or node.offset is None:
        raise Fault(
            "PTX103",
            "a constant address exists only in .local memory",
            "put the address into a register",
        )
    offset = constant_offset(ctx, node.offset)

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return Memory(None, offset(atoms))

    return build


def space_fits(variable: Variable, text: str, spec: OperandSpec) -> None:
    wanted = SPACES.get(spec.space.split("::")[0], ())
    is_object = variable.type.kind is Kind.OPAQUE
    if is_object and spec.kind is not OperandKind.ADDRESSABLE:
        raise NearFault(
            "PTX103",
            f"`{text}` is a .{variable.type.name}; memory instructions do not go into it",
            "take its address with mov",
        )
    if variable.space not in wanted:
        where = f".{spec.space}" if spec.space else "generic addresses"
        raise NearFault(
            "PTX103",
            f"`{text}` lies in .{variable.space.value}; the instruction is for {where}",
            f"write .{variable.space.value}",
        )
    if variable.signature.startswith("input") and spec.writes:
        raise NearFault("PTX103", f"`{text}` is an input parameter and cannot be written")
