"""Three-input logic: every truth table right, no program longer than the least by search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from op_cases import random_lanes
from run_ir import Body, run_ops

from benchmarks.lop3 import measure, program
from benchmarks.lop3_search import least
from ptxlift.interp.lanes import Lanes
from ptxlift.target import lookup
from ptxlift.target import lop3 as table
from ptxlift.target.lop3 import LogicClass, LogicOp

ALL = 255
# By AMD's instruction set manuals, on truth tables of eight bits.
MEANING: dict[LogicOp, Callable[..., int]] = {
    LogicOp.NOT: lambda x: ALL - x,
    LogicOp.AND: lambda x, y: x & y,
    LogicOp.OR: lambda x, y: x | y,
    LogicOp.XOR: lambda x, y: x ^ y,
    LogicOp.XNOR: lambda x, y: ALL - (x ^ y),
    LogicOp.MERGE: lambda x, y, z: (x & y) | ((ALL - x) & z),
    LogicOp.AND_OR: lambda x, y, z: (x & y) | z,
    LogicOp.OR3: lambda x, y, z: x | y | z,
    LogicOp.XOR3: lambda x, y, z: x ^ y ^ z,
    LogicOp.AND_NOT: lambda x, y: x & (ALL - y),
    LogicOp.OR_NOT: lambda x, y: x | (ALL - y),
    LogicOp.NAND: lambda x, y: ALL - (x & y),
    LogicOp.NOR: lambda x, y: ALL - (x | y),
}
# As `lop3.b32` numbers its table: bit i for the inputs i = a*4 + b*2 + c.
INPUTS = {"a": 0b11110000, "b": 0b11001100, "c": 0b10101010, "0": 0, "1": ALL}


@pytest.mark.parametrize("unit", LogicClass)
def test_programs_compute_their_tables(unit: LogicClass) -> None:
    for lut in range(256):
        values = dict(INPUTS)
        last = next((v for v in INPUTS.values() if v == lut), None)
        for name, step in zip("pqrs", table.program(lut, unit), strict=False):
            last = values[name] = MEANING[step.op](*(values[x] for x in step.operands))
        assert last == lut


@pytest.mark.parametrize("unit", LogicClass)
def test_no_program_is_shorter(unit: LogicClass) -> None:
    lengths = least(unit)
    for lut in range(256):
        assert len(table.program(lut, unit)) == lengths.get(lut, 4), hex(lut)


@pytest.mark.parametrize(
    "target",
    ["gfx942", "gfx1100", *(pytest.param(t, marks=pytest.mark.slow) for t in ("gfx900", "gfx950"))],
)
def test_emitted_code_is_as_short(target: str) -> None:
    result = measure(lookup(target).target, program())
    assert result.above == {}


def _of_lut(lut: int) -> Body:
    return lambda builder, values: [builder.bitwise3(*values, lut)]


def _minterms(lut: int, a: Lanes, b: Lanes, c: Lanes) -> Any:
    result = a ^ a
    for index in range(8):
        if lut >> index & 1:
            chosen = [v if index >> 2 - n & 1 else ~v for n, v in enumerate((a, b, c))]
            result = result | (chosen[0] & chosen[1] & chosen[2])
    return result


@pytest.mark.sampled(2)
@pytest.mark.parametrize("width", [1, 16, 32, 64])
@pytest.mark.parametrize(
    "target",
    [
        "gfx942",
        "gfx1100",
        *(pytest.param(t, marks=pytest.mark.slow) for t in ("gfx900", "gfx950", "gfx1201")),
    ],
)
def test_every_table_in_the_emulator(target: str, width: int) -> None:
    luts = range(256) if width == 32 else range(0, 256, 5)
    rng = np.random.default_rng(3)
    inputs = {f"lut{lut}": [random_lanes(width, rng) for _ in range(3)] for lut in luts}
    bodies = {f"lut{lut}": (_of_lut(lut), (width,) * 3, (width,)) for lut in luts}
    results = run_ops(bodies, inputs, target)
    for lut in luts:
        expected = _minterms(lut, *inputs[f"lut{lut}"])
        assert np.array_equal(results[f"lut{lut}"][0], expected), hex(lut)
