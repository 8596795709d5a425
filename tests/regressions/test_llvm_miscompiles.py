"""What LLVM 22 gets wrong from plain IR, and the translator must avoid; worked out in Python.

tests/unit/emulator/test_llvm_faults.py shows the faults themselves.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import ptxlift

TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201", "gfx1250")
MASK = (1 << 64) - 1
HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .b64 %d<12>; .reg .b32 %r<6>; .reg .pred %p<3>; .reg .f32 %f<6>; .reg .f64 %g<3>;
    ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x;
    mul.wide.u32 %d2, %r0, 16; add.u64 %d0, %d0, %d2; add.u64 %d1, %d1, %d2;
"""

# The carry of a product and a narrow number; the borrow likewise.
CARRY = """
    ld.global.u64 %d3, [%d0]; ld.global.u32 %r1, [%d0+8]; cvt.u64.u32 %d5, %r1;
    mul.lo.u64 %d6, %d3, %d3; add.cc.u64 %d7, %d6, %d5; addc.u64 %d8, 0, 0;
    sub.cc.u64 %d9, %d6, %d5; subc.u64 %d10, 0, 0; and.b64 %d10, %d10, 2; add.u64 %d8, %d8, %d10;
    st.global.u64 [%d1], %d7; st.global.u64 [%d1+8], %d8; ret; }
"""

# 0 - x, widened, is +0 for +0; x ueq 2 chooses 2 for a NaN.
FLOATS = """
    ld.global.f32 %f0, [%d0]; ld.global.f32 %f1, [%d0+4];
    sub.f32 %f3, 0f00000000, %f0; cvt.f64.f32 %g0, %f3; st.global.f64 [%d1], %g0;
    setp.equ.f32 %p0, %f0, 0f40000000; add.f32 %f1, %f1, %f0;
    selp.f32 %f2, 0f40000000, %f1, %p0; st.global.f32 [%d1+8], %f2; ret; }
"""


@pytest.mark.parametrize("target", TARGETS)
def test_carry_and_borrow_of_64_bits(target: str) -> None:
    rng = np.random.default_rng(3)
    data = rng.integers(0, MASK, (64, 2), dtype=np.uint64, endpoint=True)
    data[:6, 0] = [0, 1, MASK, 5 << 32, (1 << 63) + 1, 0xFFFFFFFF]
    out = np.zeros_like(data)
    ptxlift.run(HEAD + CARRY, "k", 1, 64, [data, out], target=target)
    for (a, b), (total, flags) in zip(data.tolist(), out.tolist(), strict=True):
        product, narrow = a * a & MASK, b & 0xFFFFFFFF
        assert total == (product + narrow) & MASK
        assert flags == ((product + narrow) >> 64) + 2 * (product < narrow)


@pytest.mark.parametrize("target", TARGETS)
def test_zero_minus_zero_and_unordered_choice(target: str) -> None:
    data = np.zeros((4, 4), np.float32)
    data[:, 0] = [0.0, math.nan, 2.0, 5.0]
    data[:, 1] = 7.0
    out = np.zeros((4, 2), np.uint64)
    ptxlift.run(HEAD + FLOATS, "k", 1, 4, [data, out], target=target)
    assert out[0, 0] == 0  # +0, not -0
    chosen = out[:, 1].astype(np.uint32).view(np.float32)
    np.testing.assert_array_equal(chosen, [7.0, 2.0, 2.0, 12.0])
