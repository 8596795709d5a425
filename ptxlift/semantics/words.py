"""Modifier words of a form as the attributes that ops carry, and operations on packed lanes.

Comes in: a `Form`. Goes out: formats, roundings and predicates. It must know no instruction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ptxlift.ir.attributes import FloatPredicate, Format, IntPredicate, Rounding
from ptxlift.isa import Form, Type
from ptxlift.semantics.algebra import Algebra

V = TypeVar("V")

FORMATS = {
    "f16": Format.F16,
    "bf16": Format.BF16,
    "f32": Format.F32,
    "f64": Format.F64,
}
ROUNDINGS = {
    "": Rounding.RN,
    "rn": Rounding.RN,
    "rz": Rounding.RZ,
    "rm": Rounding.RM,
    "rp": Rounding.RP,
    "rna": Rounding.RNA,
    "rni": Rounding.RN,
    "rzi": Rounding.RZ,
    "rmi": Rounding.RM,
    "rpi": Rounding.RP,
}
FLOAT_PREDICATES = {
    "eq": FloatPredicate.OEQ,
    "ne": FloatPredicate.ONE,
    "lt": FloatPredicate.OLT,
    "le": FloatPredicate.OLE,
    "gt": FloatPredicate.OGT,
    "ge": FloatPredicate.OGE,
    "equ": FloatPredicate.UEQ,
    "neu": FloatPredicate.UNE,
    "ltu": FloatPredicate.ULT,
    "leu": FloatPredicate.ULE,
    "gtu": FloatPredicate.UGT,
    "geu": FloatPredicate.UGE,
    "num": FloatPredicate.ORD,
    "nan": FloatPredicate.UNO,
}
_UNSIGNED_WORDS = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def format_of(kind: Type) -> Format:
    """The format of a float type, or of the elements of a packed one."""
    return FORMATS[kind.element]


def rounding_of(form: Form, key: str = "rnd") -> Rounding:
    """To nearest where the form names none."""
    return ROUNDINGS[form.get(key)]


def integer_predicate(word: str, signed: bool) -> IntPredicate:
    """`lt` of signed or unsigned types; `lo`, `ls`, `hi`, `hs` are unsigned by themselves."""
    if word in ("eq", "ne"):
        return IntPredicate(word)
    if word in _UNSIGNED_WORDS:
        return IntPredicate("u" + _UNSIGNED_WORDS[word])
    return IntPredicate(("s" if signed else "u") + word)


def by_lanes(algebra: Algebra[V], kind: Type, function: Callable[..., V], *operands: V) -> V:
    """Applies `function` to each lane of packed operands; to the whole of scalar ones."""
    if kind.lanes == 1:
        return function(*operands)
    width = kind.bits // kind.lanes
    results = []
    for lane in range(kind.lanes):
        parts = [algebra.extract(operand, width, width * lane) for operand in operands]
        results.append(function(*parts))
    return algebra.pack(results)
