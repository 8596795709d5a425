"""Every pure op: compiled code in the emulator against the interpreter's algebra."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
from op_cases import (
    COUNT,
    Case,
    by_name,
    float_cases,
    integer_cases,
    packed_cases,
    random_lanes,
    width_of_kind,
)
from run_ir import Body, run_ops

from ptxlift.interp.lanes import Lanes
from ptxlift.interp.numpy_algebra import numpy_algebra
from ptxlift.ir.attributes import Format, Rounding
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Value

TARGETS = ("gfx900", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1201")
TARGETS += ("gfx1250",)


def _targets(quick: str) -> list[Any]:
    """All of them, one in the quick tests."""
    slow = [target for target in TARGETS if target != quick]
    return [quick, *(pytest.param(target, marks=pytest.mark.slow) for target in slow)]


def body_of(case: Case) -> Body:
    def body(builder: Builder, values: list[Value]) -> list[Value]:
        return _as_list(case.method(builder, values))

    return body


def _as_list(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple | list) else [result]


def _is_nan(bits: Lanes, fmt: Format) -> Lanes:
    magnitude = (1 << (fmt.bits - 1)) - 1
    infinity = magnitude >> fmt.mantissa_bits << fmt.mantissa_bits
    return bits.astype(np.uint64) & np.uint64(magnitude) > np.uint64(infinity)


def _is_in_flush_band(want: Lanes, have: Lanes, fmt: Format) -> Lanes:
    """A tiny product that rounds up to the smallest normal number may escape the flush: kernels
    that flush as a whole leave it to the chip, and what that does is not documented.
    """
    sign, smallest = 1 << (fmt.bits - 1), 1 << fmt.mantissa_bits
    band: Lanes = (have & (sign - 1) == smallest) & (want == have & sign)
    return band


def differences(case: Case, inputs: list[Lanes], results: list[Lanes]) -> Iterator[str]:
    with np.errstate(all="ignore"):
        expected = _as_list(case.method(numpy_algebra(), inputs))
    for kind, want, have in zip(case.outputs, expected, results, strict=True):
        want = np.broadcast_to(want, have.shape)
        wrong = want != have
        if isinstance(kind, Format) and not case.exact_nan:
            wrong &= ~(_is_nan(want, kind) & _is_nan(have, kind))
            if "_True" in case.name:
                wrong &= ~_is_in_flush_band(want, have, kind)
        for lane in islice(np.flatnonzero(wrong), 1):
            operands = ", ".join(f"{int(a[lane]):#x}" for a in inputs)
            yield f"{case.name}({operands}) = {int(have[lane]):#x}, not {int(want[lane]):#x}"


def _check(cases: list[Case], target: str) -> None:
    rng = np.random.default_rng(7)
    inputs = {case.name: [random_lanes(kind, rng) for kind in case.inputs] for case in cases}
    bodies = {
        case.name: (
            body_of(case),
            [width_of_kind(kind) for kind in case.inputs],
            [width_of_kind(kind) for kind in case.outputs],
        )
        for case in cases
    }
    results = run_ops(bodies, inputs, target)
    found = [text for c in cases for text in differences(c, inputs[c.name], results[c.name])]
    assert not found, "\n".join(found)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("target", _targets("gfx1100"))
def test_integer_ops_match_the_algebra(target: str) -> None:
    _check(list(integer_cases()), target)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("target", _targets("gfx942"))
def test_float_ops_match_the_algebra(target: str) -> None:
    _check([*float_cases(), *packed_cases()], target)


def _by_family() -> dict[str, list[Case]]:
    """The cases of each op."""
    found: dict[str, list[Case]] = {}
    for case in (*integer_cases(), *float_cases(), *packed_cases()):
        found.setdefault(case.name.split("_")[0], []).append(case)
    return found


_FAMILIES = _by_family()


@pytest.mark.sampled(64)
@pytest.mark.slow
@pytest.mark.ops
@pytest.mark.parametrize("family", _FAMILIES)
@pytest.mark.parametrize("target", ["gfx900", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1250"])
def test_one_op_matches_the_algebra(target: str, family: str) -> None:
    """The same, one op a kernel: which tests notice a fault in which lowering."""
    _check(_FAMILIES[family], target)


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_bf16_fma_rounds_once(target: str) -> None:
    """1.0078125 * 1.5 lies between two bf16 numbers; an addend far below decides."""
    a, b = (np.full(COUNT, bits, np.uint16) for bits in (0x3F81, 0x3FC0))
    addends = np.array([0x2180, 0xA180, 0x0001, 0x8001, 0x0000, 0x3F80], np.uint16)
    c = np.resize(addends, COUNT)
    method = by_name("ffma", Format.BF16, Rounding.RN, False)
    case = Case("fma", (Format.BF16,) * 3, (Format.BF16,), method)
    results = run_ops({"fma": (body_of(case), (16, 16, 16), (16,))}, {"fma": [a, b, c]}, target)
    up, even, one_more = 0x3FC2, 0x3FC2, 0x4021
    down = 0x3FC1
    assert results["fma"][0][:6].tolist() == [up, down, up, down, even, one_more]
