"""Constants as operands: their texts differ between instructions of one look, so builders read them
anew.

Comes in: expression nodes and specifications. Goes out: builders of `Immediate`, and functions that
give offsets. Values are remembered by text. This module must know no instruction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ptxlift.isa import OperandKind, OperandSpec
from ptxlift.ptx.binding.context import Atoms, Builder, Context, Symbols
from ptxlift.ptx.literals import ConstantError, Integer, as_bits, evaluate
from ptxlift.ptx.module import Immediate
from ptxlift.ptx.report import Fault, NearFault
from ptxlift.syntax import nodes


def constant(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    """A builder of this constant; faults if the constant at hand does not fit."""
    build = _literal(node, spec) if isinstance(node, nodes.Literal) else _expression(node, spec)
    build(ctx.symbols, ctx.atoms)
    return build


def _literal(node: nodes.Literal, spec: OperandSpec) -> Builder:
    slot = node.slot
    known: dict[str, Immediate] = {}

    def build(symbols: Symbols, atoms: Atoms) -> Any:
        text = atoms[slot]
        value = known.get(text)
        if value is None:
            value = known[text] = _immediate(node, atoms, spec)
        return value

    return build


def _expression(node: nodes.Operand, spec: OperandSpec) -> Builder:
    def build(symbols: Symbols, atoms: Atoms) -> Any:
        return _immediate(node, atoms, spec)

    return build


def _immediate(node: nodes.Operand, atoms: Atoms, spec: OperandSpec) -> Immediate:
    try:
        value = evaluate(node, atoms)
        bits = as_bits(value, spec.type)
    except ConstantError as error:
        raise NearFault(
            "PTX103", str(error), f"operand `{spec.name}` is .{spec.type.name}"
        ) from None
    if isinstance(value, Integer):
        _check_range(value.value, spec)
    return Immediate(bits, spec.type)


def _check_range(value: int, spec: OperandSpec) -> None:
    if spec.low is not None and spec.high is not None and not spec.low <= value <= spec.high:
        raise NearFault("PTX103", f"{value} is out of range", f"allowed: {spec.low} to {spec.high}")
    if spec.choices and value not in spec.choices:
        allowed = ", ".join(map(str, spec.choices))
        raise NearFault("PTX103", f"{value} is not allowed here", f"allowed: {allowed}")
    if spec.multiple > 1 and value % spec.multiple:
        raise NearFault("PTX103", f"{value} is not a multiple of {spec.multiple}")


def constant_offset(ctx: Context, node: nodes.Expression) -> Callable[[Atoms], int]:
    """A function that gives this constant as a signed number."""
    value = _offset(node)
    value(ctx.atoms)
    return value


def _offset(node: nodes.Expression) -> Callable[[Atoms], int]:
    slot = _literal_slot(node)
    if slot is None:
        return lambda atoms: _signed(node, atoms)
    known: dict[str, int] = {}

    def value(atoms: Atoms) -> int:
        text = atoms[slot]
        number = known.get(text)
        if number is None:
            number = known[text] = _signed(node, atoms)
        return number

    return value


def _literal_slot(node: nodes.Expression) -> int | None:
    """The only atom of `4` and `-4`."""
    inner = node.operand if isinstance(node, nodes.Unary) else node
    return inner.slot if isinstance(inner, nodes.Literal) else None


def _signed(node: nodes.Expression, atoms: Atoms) -> int:
    try:
        value = evaluate(node, atoms)
    except ConstantError as error:
        raise Fault("PTX103", str(error)) from None
    if not isinstance(value, Integer):
        raise Fault("PTX103", "an offset is an integer constant")
    bits = value.bits
    return bits - (1 << 64) if bits >> 63 else bits


def plain_constant(ctx: Context, node: nodes.Operand, spec: OperandSpec) -> Builder:
    """An operand that must be a constant."""
    if not isinstance(node, nodes.Literal | nodes.Unary | nodes.Binary | nodes.Conditional):
        raise Fault("PTX103", f"operand `{spec.name}` must be a constant", "write a number")
    assert spec.kind is OperandKind.CONSTANT
    return constant(ctx, node, spec)
