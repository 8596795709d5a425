"""The carry flag is each function's own: PTX does not hand it over calls, in either direction."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

# add.cc carries out of 5 + (2^32 - 1); the callee adds its own flag, and carries too.
CALLS = """.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 sum) f(.param .b32 a) {
    .reg .b32 %r<4>;
    ld.param.b32 %r1, [a]; addc.u32 %r2, %r1, 0; add.cc.u32 %r3, %r1, 0;
    st.param.b32 [sum], %r2; ret; }
.visible .entry k(.param .u64 out, .param .u32 x) {
    .reg .b32 %r<4>; .reg .b64 %d;
    ld.param.u64 %d, [out]; ld.param.u32 %r0, [x];
    add.cc.u32 %r1, %r0, 0xffffffff;
    { .param .b32 a; .param .b32 sum; st.param.b32 [a], %r0; call (sum), f, (a);
      ld.param.b32 %r2, [sum]; }
    addc.u32 %r3, %r0, 0;
    st.global.b32 [%d], %r1; st.global.b32 [%d+4], %r2; st.global.b32 [%d+8], %r3; ret; }
"""


@pytest.mark.parametrize(
    ("device", "target"),
    [("interpreter", "gfx942"), ("emulator", "gfx942"), ("emulator", "gfx1100")],
)
def test_a_call_neither_takes_nor_leaves_a_carry(device: str, target: str) -> None:
    out = np.zeros(3, np.uint32)
    ptxlift.run(CALLS, "k", 1, 1, [out, np.uint32(5)], device=device, target=target)
    assert out.tolist() == [4, 5, 6]  # the manual leaves the caller's flag open; ours stays
