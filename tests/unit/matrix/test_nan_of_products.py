"""A weight that becomes f16 for a product only: PTX's NaN is made where something else sees it."""

from __future__ import annotations

import numpy as np
import pytest
from matrix_kernels import HEAD, LANES, launch

import ptxlift

KERNEL = """{head}
.visible .entry k(.param .u64 q0, .param .u64 q1) .reqntid {lanes} {{
.reg .b32 %lane, %a<4>, %b<2>; .reg .f32 %f<8>, %c<4>; .reg .b64 %p<4>;
mov.u32 %lane, %tid.x; ld.param.u64 %p0, [q0]; ld.param.u64 %p1, [q1];
mad.wide.u32 %p2, %lane, 32, %p0; mad.wide.u32 %p3, %lane, 20, %p1;
ld.global.v4.f32 {{%f0, %f1, %f2, %f3}}, [%p2]; ld.global.v4.f32 {{%f4, %f5, %f6, %f7}}, [%p2+16];
cvt.rn.f16x2.f32 %a0, %f1, %f0; cvt.rn.f16x2.f32 %a1, %f3, %f2;
cvt.rn.f16x2.f32 %a2, %f5, %f4; cvt.rn.f16x2.f32 %a3, %f7, %f6;
mov.b32 %b0, 0x3c003c00; mov.b32 %b1, 0x3c003c00;
mov.f32 %c0, 0f00000000; mov.f32 %c1, %c0; mov.f32 %c2, %c0; mov.f32 %c3, %c0;
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
  {{%c0, %c1, %c2, %c3}}, {{%a0, %a1, %a2, %a3}}, {{%b0, %b1}}, {{%c0, %c1, %c2, %c3}};
st.global.f32 [%p3], %c0; st.global.f32 [%p3+4], %c1;
st.global.f32 [%p3+8], %c2; st.global.f32 [%p3+12], %c3;
{seen}
ret;
}}
"""
SEEN = "st.global.b32 [%p3+16], %a0;"
NANS = "0x7fff7fff"


def source(seen: str = "") -> str:
    return KERNEL.format(head=HEAD, lanes=LANES, seen=seen)


@pytest.mark.parametrize("target", ["interpreter", "gfx942", "gfx1100", "gfx1201"])
def test_a_row_with_a_nan(target: str) -> None:
    weights = np.ones((LANES, 8), np.float32)
    weights.view(np.uint32)[4, 0] = 0xFFC12345  # row 1 of the first warp
    out = np.zeros((LANES, 5), np.float32)
    launch(source(SEEN), [weights, out], target, "native")
    assert np.isnan(out[4:8, :2]).all()  # lanes 4 to 7 hold row 1
    rest = np.delete(out[:, :4], [4, 5, 6, 7], axis=0)
    assert (rest == 16).all()
    assert out.view(np.uint32)[4, 4] == 0x3C007FFF


@pytest.mark.parametrize("target", ["gfx942", "gfx1100", "gfx1201"])
def test_the_payload_is_left_alone(target: str) -> None:
    options = ptxlift.Options(matrix="native")
    texts = source(), source(SEEN)
    plain, seen = (ptxlift.lift(text, target=target, options=options).asm for text in texts)
    assert NANS not in plain
    assert NANS in seen
