"""Names that are not registers: special registers, variables, functions, labels.

Comes in: nodes and specifications. Goes out: builders. This module must know no instruction.
"""

from __future__ import annotations

from typing import Any

from ptxlift.isa import Kind, OperandSpec, Rule, type_of
from ptxlift.isa.versions import requirement
from ptxlift.ptx.agree import agrees
from ptxlift.ptx.binding.addresses import space_fits
from ptxlift.ptx.binding.constants import constant_offset
from ptxlift.ptx.binding.context import (
    AXES,
    COMPONENTS,
    Atoms,
    Builder,
    Context,
    Symbols,
    give,
    misfit,
    what,
    zero,
)
from ptxlift.ptx.binding.registers import value
from ptxlift.ptx.module import (
    Function,
    FunctionRef,
    Label,
    LabelRef,
    Register,
    Space,
    SpecialRegister,
    SymbolAddress,
    Variable,
)
from ptxlift.ptx.report import Fault, NearFault
from ptxlift.ptx.specials import Special
from ptxlift.ptx.symbols import TargetList
from ptxlift.syntax import nodes


def special(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    symbol = ctx.symbol(node) if isinstance(node, nodes.Name) else None
    if not isinstance(symbol, Special) or not isinstance(node, nodes.Name):
        raise Fault("PTX103", f"operand `{spec.name}` must be a special register")
    _special_fits(ctx, node, symbol, spec)
    operand = SpecialRegister(symbol.name, AXES.get(node.component, ""), symbol.type)

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return operand

    return build


def _special_fits(ctx: Context, node: nodes.Name, symbol: Special, spec: OperandSpec) -> None:
    name = symbol.name
    if symbol.vector != bool(node.component):
        hint = f"write {name}.x" if symbol.vector else f"write {name}"
        raise NearFault("PTX103", f"`{name}` has {'' if symbol.vector else 'no '}components", hint)
    if node.component and node.component not in COMPONENTS:
        raise NearFault("PTX103", f"`{name}` has no component `.{node.component}`", f"{name}.x")
    problem = requirement(symbol.since).problem(ctx.version, ctx.target)
    if problem:
        raise NearFault("PTX108", f"`{name}` needs {problem}")
    kinds = (Kind.PRED,) if symbol.type.kind is Kind.PRED else (Kind.B, Kind.U, Kind.S)
    sizes = (symbol.type.bits, *((16, 32) if symbol.short else ()))
    if spec.type.kind not in kinds or spec.type.bits not in sizes:
        raise NearFault(
            "PTX103",
            f"`{name}` is .{symbol.type.name}; operand `{spec.name}` is .{spec.type.name}",
            f"move it as .{symbol.type.name}",
        )


def symbol_address(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    base = node.base if isinstance(node, nodes.Offset) else node
    symbol = ctx.symbol(base) if isinstance(base, nodes.Name) else None
    if not isinstance(symbol, Variable | Function) or not isinstance(base, nodes.Name):
        raise misfit(node, spec)
    narrow = spec.type.bits < 64 and isinstance(symbol, Variable) and symbol.space is Space.GLOBAL
    if narrow:
        raise NearFault("PTX203", f"the address of `{ctx.text(base)}` is 64 bits wide", "use .b64")
    if isinstance(symbol, Function) and isinstance(node, nodes.Offset):
        raise NearFault("PTX103", "a function's address takes no offset", "drop the constant")
    at = ctx.index[base.slot]
    delta = constant_offset(ctx, node.offset) if isinstance(node, nodes.Offset) else zero

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return SymbolAddress(symbols[at], delta(atoms))

    return build


def addressable(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    base = node.base if isinstance(node, nodes.Offset) else node
    if isinstance(base, nodes.Name) and isinstance(ctx.symbol(base), Variable):
        symbol = ctx.symbol(base)
        assert isinstance(symbol, Variable)
        space_fits(symbol, ctx.text(base), spec)
        return symbol_address(ctx, node, spec)
    return value(ctx, node, spec)


def reference(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    if not isinstance(node, nodes.Name):
        raise misfit(node, spec)
    symbol = ctx.symbol(node)
    at = ctx.index[node.slot]
    if isinstance(symbol, Variable) and symbol.type is spec.type:

        def build(symbols: Symbols, atoms: Atoms) -> Any:
            return SymbolAddress(symbols[at], 0)

        return build
    if isinstance(symbol, Register) and agrees(type_of("u64"), Rule.EQUAL, symbol.type):
        return give(at)
    raise Fault(
        "PTX103",
        f"`{ctx.text(node)}` is {what(symbol)}; operand `{spec.name}` must be a "
        f".{spec.type.name} variable or its 64-bit handle",
    )


def label(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    symbol = ctx.symbol(node) if isinstance(node, nodes.Name) else None
    if not isinstance(symbol, Label) or not isinstance(node, nodes.Name):
        raise Fault("PTX103", f"operand `{spec.name}` must be a label")
    at = ctx.index[node.slot]

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return LabelRef(symbols[at])

    return build


def targets(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    symbol = ctx.symbol(node) if isinstance(node, nodes.Name) else None
    if not isinstance(symbol, TargetList) or symbol.signature != "branchtargets":
        raise Fault("PTX103", f"operand `{spec.name}` must be a list of .branchtargets")
    assert isinstance(node, nodes.Name)
    at = ctx.index[node.slot]

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return symbols[at].operand

    return build


def function(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    symbol = ctx.symbol(node) if isinstance(node, nodes.Name) else None
    if not isinstance(symbol, Function) or not isinstance(node, nodes.Name):
        raise Fault("PTX110", f"operand `{spec.name}` must be a function")
    at = ctx.index[node.slot]

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return FunctionRef(symbols[at])

    return build
