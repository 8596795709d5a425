"""One operand meets its specification: the entry to binding, and operands made of other operands.

Comes in: nodes and specifications. Goes out: builders. This module must know no instruction.
"""

from __future__ import annotations

from typing import Any

from ptxlift.isa import Kind, OperandKind, OperandSpec
from ptxlift.ptx.binding.addresses import address
from ptxlift.ptx.binding.constants import plain_constant
from ptxlift.ptx.binding.context import (
    PREDICATE,
    Atoms,
    BindKind,
    Builder,
    Context,
    Symbols,
    give,
    give_sink,
    misfit,
)
from ptxlift.ptx.binding.names import (
    addressable,
    function,
    label,
    reference,
    special,
    symbol_address,
    targets,
)
from ptxlift.ptx.binding.registers import predicate, register_fits, value
from ptxlift.ptx.binding.vectors import vector
from ptxlift.ptx.module import (
    BracketOperand,
    PairOperand,
    Register,
    Selected,
)
from ptxlift.ptx.report import Fault
from ptxlift.syntax import nodes


def bind(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    """A builder for this operand."""
    if isinstance(node, nodes.Pair) or (spec.pair and not spec.pair_optional):
        return _pair(ctx, node, spec)
    if isinstance(node, nodes.Parens) and len(node.elements) == 1:
        node = node.elements[0]
    if isinstance(node, nodes.Sink):
        return _sink(spec)
    if isinstance(node, nodes.Minus) and spec.negatable:
        return selected(ctx, node, spec)
    return KINDS[spec.kind](ctx, node, spec)


def _sink(spec: OperandSpec) -> Builder:
    if not spec.sink and spec.kind is not OperandKind.SINK:
        raise Fault("PTX103", f"operand `{spec.name}` cannot be `_`", "give a register")
    return give_sink


def _pair(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    if not isinstance(node, nodes.Pair):
        if spec.type.kind is Kind.PRED and spec.sink:
            return KINDS[spec.kind](ctx, node, spec)  # one predicate where two may stand
        raise Fault("PTX103", f"two results are needed: `{spec.name}|{spec.pair}`", "write d|p")
    if not spec.pair:
        raise Fault("PTX103", "this form has one result", "drop what follows `|`")
    first = _half(ctx, node.first, spec)
    second = _half(ctx, node.second, PREDICATE)

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return PairOperand(first(symbols, atoms), second(symbols, atoms))

    return build


def _half(ctx: Context, node: nodes.Name | nodes.Sink | nodes.Vector, spec: OperandSpec) -> Builder:
    if isinstance(node, nodes.Sink):
        return _sink(spec)
    if isinstance(node, nodes.Minus) and spec.negatable:
        return selected(ctx, node, spec)
    return KINDS[spec.kind](ctx, node, spec)


def bracket(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    parts: tuple[nodes.Operand, ...]
    if isinstance(node, nodes.Bracket):
        parts = node.parts
    elif isinstance(node, nodes.Address) and node.base is not None and node.offset is None:
        parts = (node.base,)
    else:
        raise Fault("PTX103", f"operand `{spec.name}` must be a bracketed list", "write [...]")
    if len(parts) != len(spec.parts):
        raise Fault("PTX103", f"the brackets hold {len(spec.parts)} operands here")
    builders = tuple(bind(ctx, p, s) for p, s in zip(parts, spec.parts, strict=True))

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return BracketOperand(tuple([b(symbols, atoms) for b in builders]))

    return build


def selected(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    negated = isinstance(node, nodes.Minus)
    name = node.operand if isinstance(node, nodes.Minus) else node
    if not isinstance(name, nodes.Name) or (negated and not spec.negatable):
        return value(ctx, node, spec)
    symbol = ctx.symbol(name)
    if not isinstance(symbol, Register):
        raise misfit(name, spec)
    register_fits(symbol, ctx.text(name), spec)
    at = ctx.index[name.slot]
    selector = name.component
    if not selector and not negated:
        return give(at)

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return Selected(symbols[at], selector, negated)

    return build


def refuse(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    raise misfit(node, spec)


KINDS: dict[OperandKind, BindKind] = {
    OperandKind.VALUE: value,
    OperandKind.REGISTER: value,
    OperandKind.CONSTANT: plain_constant,
    OperandKind.PREDICATE: predicate,
    OperandKind.ADDRESS: address,
    OperandKind.VECTOR: vector,
    OperandKind.SPECIAL: special,
    OperandKind.SYMBOL: symbol_address,
    OperandKind.ADDRESSABLE: addressable,
    OperandKind.REFERENCE: reference,
    OperandKind.LABEL: label,
    OperandKind.FUNCTION: function,
    OperandKind.ARGUMENTS: refuse,  # calls are checked as a whole
    OperandKind.TARGETS: targets,
    OperandKind.BRACKET: bracket,
    OperandKind.SELECTED: selected,
    OperandKind.SINK: refuse,
}
