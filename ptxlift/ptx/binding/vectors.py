"""Vectors as operands: brace lists, vector registers, special register vectors.

Comes in: nodes and specifications. Goes out: builders of `VectorOperand`. This module must know no
instruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ptxlift.isa import OperandSpec, Role, Rule, Type
from ptxlift.ptx.agree import accepted, agrees, elements_agree
from ptxlift.ptx.binding.constants import constant
from ptxlift.ptx.binding.context import (
    Atoms,
    Builder,
    Context,
    Symbols,
    describe,
    give,
    give_sink,
    is_constant,
    misfit,
    what,
)
from ptxlift.ptx.binding.registers import component_index, register
from ptxlift.ptx.module import (
    Register,
    RegisterComponent,
    SpecialRegister,
    VectorOperand,
)
from ptxlift.ptx.report import Fault, NearFault
from ptxlift.ptx.specials import Special
from ptxlift.syntax import nodes


def vector(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    if isinstance(node, nodes.Name):
        return _vector_register(ctx, node, spec)
    if not isinstance(node, nodes.Vector):
        raise Fault(
            "PTX103",
            f"operand `{spec.name}` must be a vector of {spec.count}",
            "write {a, b, ...}",
        )
    if len(node.elements) != spec.count:
        raise NearFault(
            "PTX103",
            f"the vector has {len(node.elements)} elements; operand `{spec.name}` has {spec.count}",
        )
    builders = tuple(_element(ctx, element, spec) for element in node.elements)
    _unify(ctx, node, spec)

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return VectorOperand(tuple([b(symbols, atoms) for b in builders]))

    return build


def _vector_register(ctx: Context, node: nodes.Name, spec: OperandSpec) -> Builder:
    symbol = ctx.symbol(node)
    if isinstance(symbol, Special) and symbol.vector and spec.role is Role.SOURCE:
        return _special_vector(symbol, spec)
    if isinstance(symbol, Register) and not node.component and symbol.vector == spec.count:
        _elements_fit([symbol.type], spec)
        at = ctx.index[node.slot]
        parts = range(symbol.vector)

        def build(symbols: Symbols, atoms: Atoms) -> Any:
            whole = symbols[at]
            return VectorOperand(tuple([RegisterComponent(whole, i) for i in parts]))

        return build
    if spec.count == 1:
        scalar = register(ctx, node, spec)

        def build_one(symbols: Symbols, atoms: Atoms) -> Any:
            return VectorOperand((scalar(symbols, atoms),))

        return build_one
    raise Fault(
        "PTX103",
        f"`{ctx.text(node)}` is {what(symbol)}; operand `{spec.name}` is a vector of {spec.count}",
    )


def _special_vector(symbol: Special, spec: OperandSpec) -> Builder:
    if spec.count != 4 or not agrees(spec.type, Rule.EQUAL, symbol.type):
        raise NearFault("PTX103", f"`{symbol.name}` is a vector of four .u32")
    operand = SpecialRegister(symbol.name, "", symbol.type)

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return operand

    return build


def _element(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    match node:
        case nodes.Sink() if spec.role is Role.RESULT:
            return give_sink
        case nodes.Name():
            symbol = ctx.symbol(node)
            if not isinstance(symbol, Register):
                raise misfit(node, spec)
            if not node.component:
                return give(ctx.index[node.slot])
            index = component_index(ctx, node, symbol)
            at = ctx.index[node.slot]

            def build(symbols: Symbols, atoms: Atoms) -> Any:
                return RegisterComponent(symbols[at], index)

            return build
        case _ if is_constant(node) and spec.constants:
            return constant(ctx, node, spec)
    raise Fault("PTX103", f"{describe(node)} cannot stand in this vector")


def _unify(ctx: Context, node: nodes.Vector, spec: OperandSpec) -> None:
    types = []
    for element in node.elements:
        if isinstance(element, nodes.Name):
            symbol = ctx.symbol(element)
            assert isinstance(symbol, Register)
            types.append(symbol.type)
    if types:
        _elements_fit(types, spec)
    elif all(isinstance(element, nodes.Sink) for element in node.elements):
        raise NearFault("PTX103", "a vector of `_` only has no type", "give one register")


def _elements_fit(types: Sequence[Type], spec: OperandSpec) -> None:
    reason = elements_agree(spec.type, spec.rule, types)
    if reason:
        raise NearFault("PTX103", reason, f"registers that fit: {accepted(spec.type, spec.rule)}")
