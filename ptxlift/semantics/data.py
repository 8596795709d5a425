"""Moves between registers, packed and unpacked.

Comes in: an algebra, a form and operands; a vector operand is a tuple. Goes out: the value that the
PTX manual gives. It must know nothing of how values are represented.
"""

from __future__ import annotations

from typing import TypeVar

from ptxlift.isa import Form
from ptxlift.semantics.algebra import Algebra
from ptxlift.semantics.registry import semantics

V = TypeVar("V")


@semantics("mov", "mov_pred")
def mov(algebra: Algebra[V], form: Form, a: V) -> V:
    """Data Movement and Conversion Instructions: mov."""
    return a


@semantics("mov_pack")
def mov_pack(algebra: Algebra[V], form: Form, parts: tuple[V, ...]) -> V:
    """Data Movement and Conversion Instructions: mov (pack). The first element is lowest."""
    return algebra.pack(parts)


@semantics("mov_unpack")
def mov_unpack(algebra: Algebra[V], form: Form, a: V) -> tuple[V, ...]:
    """Data Movement and Conversion Instructions: mov (unpack)."""
    count = form.operands[0].count
    width = form.type.bits // count
    return tuple(algebra.extract(a, width, width * place) for place in range(count))
