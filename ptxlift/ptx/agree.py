"""Which declared register types an operand of a given type takes.

Comes in: an operand's type and rule, and registers' types. Goes out: yes or no. The rules are those
of ptxas 13, measured for every pair of types. This module must know no instruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ptxlift.isa import Kind, Rule, Type, type_of

_INTEGERS = (Kind.U, Kind.S)
_PLAIN = (Kind.B, Kind.U, Kind.S)
# Formats that no register can be declared with: only untyped bits of the same size hold them.
_BITS_ONLY = (Kind.BF, Kind.ALT)


@cache
def agrees(operand: Type, rule: Rule, register: Type) -> bool:
    """Whether a register of type `register` may stand for an operand of type `operand`."""
    if operand.kind is Kind.PRED:
        return register.kind is Kind.PRED or register.name == "f16x2"
    if register.kind in (Kind.PRED, Kind.OPAQUE):
        return False
    match rule:
        case Rule.COUNT:
            return register.bits == operand.bits and register.kind in _PLAIN
        case Rule.SIZE:
            return register.bits == operand.bits and register.kind is not Kind.PACKED
        case Rule.EXACT8:
            return register.bits == 8
        case Rule.WIDER if not _bits_only(operand):
            return _kinds_agree(operand, register, wider=True)
        case _:
            return register.bits == operand.bits and _kinds_agree(operand, register, wider=False)


def _bits_only(operand: Type) -> bool:
    return operand.kind in _BITS_ONLY or (operand.kind is Kind.PACKED and operand.name != "f16x2")


def _kinds_agree(operand: Type, register: Type, *, wider: bool) -> bool:
    if register.bits < operand.bits:
        return False
    if _bits_only(operand):
        return register.kind is Kind.B
    if operand.kind is Kind.B:
        return True
    if operand.kind in _INTEGERS:
        packed = register.name == "f16x2" and operand.bits <= 32
        return register.kind in _PLAIN or (packed and (wider or operand.bits == 32))
    return register.kind is Kind.B or register is operand


def elements_agree(operand: Type, rule: Rule, registers: Sequence[Type]) -> str:
    """Why these vector elements do not fit, "" if they do.

    Elements are unified first, then checked like a scalar; integers pass for f32 and f64.
    """
    if rule is Rule.SIZE:
        return "" if all(agrees(operand, rule, r) for r in registers) else _reason(operand)
    if rule is Rule.LAYERED:
        layer, *rest = registers
        if not agrees(operand, Rule.COUNT, layer):
            return "the layer is an integer"
        return elements_agree(operand, Rule.EQUAL if len(rest) > 1 else Rule.SIZE, rest)
    solid = [r for r in registers if r.kind is not Kind.PRED]
    if len({r.bits for r in solid}) > 1:
        return "the vector's elements differ in size"
    kinds = {r.kind for r in solid}
    if Kind.F in kinds and not kinds.isdisjoint(_INTEGERS):
        return "the vector mixes float and integer registers"
    if not solid or (len(solid) < len(registers) and not _hides_predicate(solid)):
        return _reason(operand)
    if Kind.B in kinds:
        unified = next(r for r in solid if r.kind is Kind.B)
        return "" if agrees(operand, rule, unified) else _reason(operand)
    return "" if all(_element_agrees(operand, rule, r) for r in solid) else _reason(operand)


def _hides_predicate(solid: Sequence[Type]) -> bool:
    """ptxas lets predicates slip into vectors of 32-bit untyped registers."""
    return any(r.kind is Kind.B and r.bits == 32 for r in solid)


def _element_agrees(operand: Type, rule: Rule, register: Type) -> bool:
    loose = operand.kind is Kind.F and operand.bits >= 32 and register.kind in _INTEGERS
    return agrees(operand, rule, register) or (loose and register.bits == operand.bits)


def _reason(operand: Type) -> str:
    return f"the vector's elements do not fit .{operand.name}"


def accepted(operand: Type, rule: Rule) -> str:
    """The declared types that fit, as words for a hint."""
    names = ("b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "f16", "f32", "f64")
    fitting = [f".{n}" for n in (*names, "f16x2", "pred") if agrees(operand, rule, type_of(n))]
    return ", ".join(fitting)
