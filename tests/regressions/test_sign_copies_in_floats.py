"""LLVM 22 took the upper half of a sign-extended word for zeros, where a float instruction reads
it, and negated it: it is a NaN here, and was a subnormal number. Found by the fuzzer.
"""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {{
  .reg .b64 %rd<3>; .reg .f32 %f<4>; .reg .b16 %h<2>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 16;
  add.u64 %rd1, %rd1, %rd2;
  ld.global.b16 %h1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; st.global.b16 [%rd1+12], %h1;
  {extend} mov.b32 %f1, %r2;
  sub.rn.f32 %f3, %f2, %f1; st.global.f32 [%rd1+8], %f3;
  ret; }}
"""
WAYS = {
    "cvt": "cvt.s32.s16 %r2, %h1;",
    "bfe": "cvt.u32.u16 %r3, %h1; bfe.s32 %r2, %r3, 0, 16;",
    "shr": "cvt.u32.u16 %r3, %h1; shl.b32 %r3, %r3, 16; shr.s32 %r2, %r3, 16;",
    "prmt": "cvt.u32.u16 %r3, %h1; prmt.b32 %r2, %r3, %r3, 0x9910;",
}


@pytest.mark.parametrize("target", ["gfx900", "gfx942", "gfx1030"])
@pytest.mark.parametrize("way", WAYS)
def test_a_word_with_its_sign_as_float(way: str, target: str) -> None:
    cells = np.zeros((64, 4), np.uint32)
    cells[:, 0] = 0xC3CD
    ptxlift.run(TEXT.format(extend=WAYS[way]), "k", 1, 64, [cells], target=target)
    assert np.isnan(cells[:, 2].view(np.float32)).all()
    assert (cells[:, 3] == 0xC3CD).all()
