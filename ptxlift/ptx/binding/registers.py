"""Registers, predicates and selected registers as operands, and pairs `d|p` of them.

Comes in: nodes and specifications. Goes out: builders. This module must know no instruction.
"""

from __future__ import annotations

from typing import Any

from ptxlift.isa import Kind, OperandKind, OperandSpec, Role
from ptxlift.ptx.agree import accepted, agrees
from ptxlift.ptx.binding.constants import constant, constant_offset
from ptxlift.ptx.binding.context import (
    COMPONENTS,
    Atoms,
    Builder,
    Context,
    Symbols,
    give,
    is_constant,
    misfit,
    what,
)
from ptxlift.ptx.module import (
    Negated,
    Register,
    RegisterComponent,
    RegisterOffset,
)
from ptxlift.ptx.report import Fault, NearFault
from ptxlift.syntax import nodes


def value(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    match node:
        case nodes.Name():
            return register(ctx, node, spec)
        case nodes.Offset(base, delta) if spec.sum:
            return _sum(ctx, base, delta, spec)
        case nodes.Vector(elements) if len(elements) == 1:
            return value(ctx, elements[0], spec)
        case nodes.Minus(operand) | nodes.Negated(operand):
            raise Fault(
                "PTX103",
                f"`{ctx.text(operand)}` cannot be negated here",
                "negate it in an instruction of its own",
            )
        case nodes.Literal() | nodes.Unary() | nodes.Binary() | nodes.Conditional() if (
            spec.kind in (OperandKind.VALUE, OperandKind.ADDRESSABLE)
        ):
            return constant(ctx, node, spec)
    raise misfit(node, spec)


def register(ctx: Context, node: nodes.Name, spec: OperandSpec) -> Builder:
    symbol = ctx.symbol(node)
    at = ctx.index[node.slot]
    if isinstance(symbol, Register):
        if node.component:
            return _component(ctx, node, symbol, spec)
        register_fits(symbol, ctx.text(node), spec)
        return give(at)
    raise Fault(
        "PTX103",
        f"`{ctx.text(node)}` is {what(symbol)}; operand `{spec.name}` must be a register",
        "move it into a register first",
    )


def register_fits(found: Register, text: str, spec: OperandSpec) -> None:
    if found.vector > 1:
        raise NearFault("PTX103", f"`{text}` is a vector register", "name one component: `.x`")
    if not agrees(spec.type, spec.rule, found.type):
        raise NearFault(
            "PTX103",
            f"`{text}` is .{found.type.name}; operand `{spec.name}` is .{spec.type.name}",
            f"registers that fit: {accepted(spec.type, spec.rule)}",
        )


def _component(ctx: Context, node: nodes.Name, found: Register, spec: OperandSpec) -> Builder:
    index = component_index(ctx, node, found)
    if not agrees(spec.type, spec.rule, found.type):
        raise NearFault(
            "PTX103",
            f"`{ctx.text(node)}` has components of .{found.type.name}; operand "
            f"`{spec.name}` is .{spec.type.name}",
        )
    at = ctx.index[node.slot]

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return RegisterComponent(symbols[at], index)

    return build


def component_index(ctx: Context, node: nodes.Name, found: Register) -> int:
    index = COMPONENTS.get(node.component, 4)
    if index >= found.vector:
        raise NearFault("PTX103", f"`{ctx.text(node)}` has no component `.{node.component}`")
    return index


def _sum(ctx: Context, base: nodes.Name, delta: nodes.Expression, spec: OperandSpec) -> Builder:
    symbol = ctx.symbol(base)
    if not isinstance(symbol, Register):
        raise misfit(base, spec)
    integer_register(symbol, ctx.text(base))
    at = ctx.index[base.slot]
    offset = constant_offset(ctx, delta)

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return RegisterOffset(symbols[at], offset(atoms))

    return build


def predicate(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    if isinstance(node, nodes.Negated):
        if spec.role is Role.RESULT:
            raise Fault("PTX103", "a result cannot be negated", "drop the `!`")
        register(ctx, node.operand, spec)
        at = ctx.index[node.operand.slot]

        def build(symbols: Symbols, atoms: Atoms) -> Any:
            return Negated(symbols[at])

        return build
    if isinstance(node, nodes.Name):
        return register(ctx, node, spec)
    if spec.role is Role.RESULT or not is_constant(node):
        raise misfit(node, spec)
    return constant(ctx, node, spec)


def integer_register(found: Register, text: str) -> None:
    type_ = found.type
    if type_.kind not in (Kind.B, Kind.U, Kind.S) or type_.bits > 64:
        raise NearFault(
            "PTX103",
            f"`{text}` is .{type_.name}; an address is an integer",
            "use a .b64 register",
        )
