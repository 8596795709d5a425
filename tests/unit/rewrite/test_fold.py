"""Constant folding against the interpreter's algebra."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from op_cases import integer_cases, random_lanes, width_of_kind

from ptxlift.interp.numpy_algebra import numpy_algebra
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Op
from ptxlift.rewrite.fold import ConstantAlgebra, fold

LANES = 24


class Folding(Builder):
    """A builder whose ops are folded at once; `missed` are those that were not."""

    def __init__(self) -> None:
        super().__init__()
        self.missed: list[str] = []

    def emit(self, name: str, operands: Any, attrs: Any = (), widths: Any = ()) -> Op:
        op = super().emit(name, operands, attrs, widths)
        return self._folded(op)

    def _one(self, name: str, width: int, operands: Any, attrs: Any = ()) -> Any:
        return self.emit(name, operands, attrs, (width,)).results[0]

    def _folded(self, op: Op) -> Op:
        if op.name == "const":
            return op
        bits = fold(op)
        if bits is None:
            self.missed.append(op.name)
            return op
        pairs = zip(op.results, bits, strict=True)
        op.results = [self.const(value.width, number) for value, number in pairs]
        return op


@pytest.mark.parametrize("case", list(integer_cases()), ids=lambda case: case.name)
def test_folding(case: Any) -> None:
    rng = np.random.default_rng(2)
    inputs = [random_lanes(kind, rng)[:LANES] for kind in case.inputs]
    with np.errstate(all="ignore"):
        expected = _listed(case.method(numpy_algebra(), inputs))
    for lane in range(LANES):
        builder = Folding()
        pairs = zip(case.inputs, inputs, strict=True)
        known = [builder.const(width_of_kind(kind), int(a[lane])) for kind, a in pairs]
        results = _listed(case.method(builder, known))
        assert builder.missed == []
        for want, have in zip(expected, results, strict=True):
            assert have.definition.attrs[1] == int(np.broadcast_to(want, LANES)[lane])


def _listed(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple | list) else [result]


def test_floats_and_unknown_values_are_not_folded() -> None:
    builder = Builder()
    one = builder.const(32, 0x3F800000)
    builder.fneg(one, _single())
    assert fold(builder.block.ops[-1]) is None
    value = builder.block.add_param(32)
    builder.add(value, one)
    assert fold(builder.block.ops[-1]) is None


def _single() -> Any:
    from ptxlift.ir.attributes import Format

    return Format.F32


def test_signed_edges() -> None:
    """By hand: MIN / -1 wraps, remainders have the sign of the dividend."""
    algebra = ConstantAlgebra()
    cases: list[tuple[Callable[..., Any], int, int, int]] = [
        (algebra.sdiv, 0x80000000, 0xFFFFFFFF, 0x80000000),
        (algebra.sdiv, 0xFFFFFFF9, 2, 0xFFFFFFFD),
        (algebra.srem, 0xFFFFFFF9, 2, 0xFFFFFFFF),
        (algebra.srem, 7, 0xFFFFFFFE, 1),
        (algebra.udiv, 7, 0, 7),
        (algebra.smulh, 0xFFFFFFFF, 2, 0xFFFFFFFF),
    ]
    for method, a, b, expected in cases:
        assert method(algebra.const(32, a), algebra.const(32, b)).value == expected
