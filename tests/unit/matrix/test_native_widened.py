"""Elements that a chip has no matrix instruction for, as wider ones: small floats as f16, nibbles
as s8.
"""

from __future__ import annotations

import pytest
from test_mma import Instruction, check
from test_native import MATRIX, THREE, ZERO, run_loop

FP8 = Instruction("m16n8k32", "f32", "e4m3", "e5m2", "f32")
FP8_SHORT = Instruction("m16n8k16", "f32", "e4m3", "e4m3", "f32")
FP8_SUMS = Instruction("m16n8k32", "f16", "e5m2", "e5m2", "f16")
FP6 = Instruction("m16n8k32", "f32", "e2m3", "e3m2", "f32", ".kind::f8f6f4")
FP4 = Instruction("m16n8k32", "f16", "e4m3", "e2m1", "f16", ".kind::f8f6f4")
S4_U4 = Instruction("m16n8k32", "s32", "s4", "u4", "s32")
SATURATED = Instruction("m16n8k64", "s32", "u4", "s4", "s32", ".satfinite")
U4 = Instruction("m16n8k64", "s32", "u4", "u4", "s32")
FLOATS, SMALL, INTEGERS = (FP8, FP8_SHORT, FP8_SUMS), (FP6, FP4), (S4_U4, SATURATED, U4)
WIDENED = {
    "gfx90a": INTEGERS,
    "gfx942": (*FLOATS, *SMALL, *INTEGERS),
    "gfx950": (*SMALL, *INTEGERS),
    "gfx1100": (*FLOATS, *SMALL, *INTEGERS),
    "gfx1201": (*SMALL, *INTEGERS),
}
RUNS = [(target, inst) for target, insts in WIDENED.items() for inst in insts]


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("target", "inst"), RUNS, ids=str)
def test_one_product(target: str, inst: Instruction) -> None:
    assert MATRIX.search(check(inst, target, "native"))


@pytest.mark.parametrize(
    ("target", "inst"), [("gfx942", FP8_SHORT), ("gfx1100", SATURATED)], ids=str
)
def test_long_loops_choose_them(target: str, inst: Instruction) -> None:
    zeros = "\n".join(ZERO.splitlines()[:8])
    plain = Instruction(inst.shape, inst.d, inst.a, inst.b, inst.c)
    assert MATRIX.search(run_loop(plain, 2, target, "auto", "3", zeros, THREE))
