"""The approximate functions stay within PTX's bounds, wherever in AMD's bounds the chip's own lie.

The bounds are those of the PTX manual: relative error, or absolute where it says so. Expected
values are numpy's in f64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from run_ir import Body, run_ops

from ptxlift.emulator import Approx
from ptxlift.ir.attributes import Approximation, Format

Reals = NDArray[np.float64]
COUNT = 1024
SMALLEST_NORMAL = 2.0**-126
# Zeros, infinities, NaN, subnormals, ends of the normal range.
EDGES = (0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x807FFFFF, 0x00800000, 0x7F7FFFFF)


@dataclass(frozen=True)
class Bound:
    """Where a function is tested and how far it may be off."""

    function: Callable[[Reals], Reals]
    low: float
    high: float
    relative: float = 0.0
    absolute: float = 0.0
    logarithmic: bool = False  # operands are spread over all exponents


BOUNDS = {
    Approximation.RCP: Bound(np.reciprocal, -126, 126, 2**-23, logarithmic=True),
    Approximation.RSQRT: Bound(lambda x: 1 / np.sqrt(x), -126, 127, 2**-22.9, logarithmic=True),
    Approximation.SQRT: Bound(np.sqrt, -126, 127, 2**-23, logarithmic=True),
    Approximation.SIN: Bound(np.sin, -2 * np.pi, 2 * np.pi, absolute=2**-20.5),
    Approximation.COS: Bound(np.cos, -2 * np.pi, 2 * np.pi, absolute=2**-20.5),
    Approximation.LG2: Bound(np.log2, -126, 127, 2**-22, 2**-22, logarithmic=True),
    Approximation.EX2: Bound(np.exp2, -125, 127, 2**-22),
    Approximation.TANH: Bound(np.tanh, -12, 12, 2**-11),
}


def _operands(bound: Bound) -> NDArray[np.float32]:
    rng = np.random.default_rng(13)
    values = rng.uniform(bound.low, bound.high, COUNT)
    if bound.logarithmic:
        values = 2.0**values
        values[: COUNT // 4] = rng.uniform(0.5, 2.0, COUNT // 4)
    return values.astype(np.float32)


def _body(function: Approximation, ftz: bool) -> Body:
    return lambda b, v: [b.fapprox(v[0], function, Format.F32, ftz)]


@pytest.mark.parametrize("approx", Approx)
@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_functions_are_within_their_bounds(target: str, approx: Approx) -> None:
    bodies, inputs = {}, {}
    for function, bound in BOUNDS.items():
        for ftz in (False, True):
            name = f"{function.value}_{ftz}"
            bodies[name] = (_body(function, ftz), (32,), (32,))
            inputs[name] = [_operands(bound).view(np.uint32)]
    results = run_ops(bodies, inputs, target, approx=approx)
    for name, (bits,) in results.items():
        bound = BOUNDS[Approximation(name.split("_")[0])]
        expected = bound.function(inputs[name][0].view(np.float32).astype(np.float64))
        error = np.abs(bits.view(np.float32) - expected)
        allowed = np.maximum(bound.relative * np.abs(expected), bound.absolute)
        assert (error <= allowed).all(), f"{name}: {(error / allowed).max()} times the bound"


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("function", [Approximation.RCP, Approximation.SQRT, Approximation.RSQRT])
@pytest.mark.parametrize("ftz", [False, True])
def test_special_operands(function: Approximation, ftz: bool, target: str) -> None:
    """Subnormals count without .ftz and are zeros with it, as operands and as results."""
    bits = np.resize(np.array(EDGES, np.uint32), COUNT)
    specs = {"op": (_body(function, ftz), (32,), (32,))}
    got = run_ops(specs, {"op": [bits]}, target)["op"][0].view(np.float32).astype(np.float64)
    operands = bits.view(np.float32).astype(np.float64)
    with np.errstate(all="ignore"):
        expected = BOUNDS[function].function(_flushed(operands) if ftz else operands)
        expected = expected.astype(np.float32).astype(np.float64)
    if ftz:
        expected = _flushed(expected)
    ordinary = np.isfinite(expected) & (expected != 0)
    allowed = np.maximum(np.abs(expected) * 2**-22, 2.0**-149)
    with np.errstate(invalid="ignore"):
        close = np.abs(got - expected) <= allowed
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    assert (np.where(ordinary, close, same)).all()
    zeros = expected == 0
    assert (np.signbit(got) == np.signbit(expected))[zeros].all()


def _flushed(values: Reals) -> Reals:
    tiny = np.abs(values) < SMALLEST_NORMAL
    return np.where(tiny, np.copysign(0.0, values), values)


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("full", [False, True])
def test_division_is_within_two_units(full: bool, target: str) -> None:
    rng = np.random.default_rng(17)
    span = 100 if full else 60  # quotients stay normal
    operands = [(2.0 ** rng.uniform(-span, span, COUNT)).astype(np.float32) for _ in range(2)]
    operands[0] = -operands[0] if full else operands[0]

    def divide(ftz: bool) -> Body:
        return lambda b, v: [b.fdiv_approx(v[0], v[1], Format.F32, ftz, full)]

    for ftz in (False, True):
        words = [operand.view(np.uint32) for operand in operands]
        got = run_ops({"op": (divide(ftz), (32, 32), (32,))}, {"op": words}, target)["op"][0]
        exact = operands[0].astype(np.float64) / operands[1].astype(np.float64)
        normal = (np.abs(exact) > SMALLEST_NORMAL) & (np.abs(exact) < 2.0**127)
        unit = 2.0 ** (np.floor(np.log2(np.abs(exact))) - 23)
        error = np.abs(got.view(np.float32) - exact)
        assert (error <= 2 * unit)[normal].all()
