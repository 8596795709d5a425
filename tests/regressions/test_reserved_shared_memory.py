"""%reserved_smem_offset_* were 0: cooperative groups wrote over the kernel's own shared memory."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

KERNEL = """
.version 7.6
.target sm_80
.address_size 64
.visible .entry reserve(.param .u64 out)
{
  .reg .b64 %rd<2>;
  .reg .b32 %r<6>;
  .shared .align 16 .b8 own[512];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, own;
  mov.u32 %r2, %reserved_smem_offset_1;
  mov.u32 %r3, %reserved_smem_offset_end;
  st.shared.u32 [%r1+508], 7;
  st.shared.u32 [%r2], 1;
  st.shared.u32 [%r3+-4], 2;
  ld.shared.u32 %r4, [%r1+508];
  sub.u32 %r5, %r3, %r2;
  st.global.u32 [%rd1], %r4;
  st.global.u32 [%rd1+4], %r5;
  ret;
}
"""


@pytest.mark.parametrize("target", ["interpreter", "gfx942", "gfx1100"])
def test_reserved_memory_is_apart(target: str) -> None:
    out = np.zeros(2, np.uint32)
    place = {"device": target} if target == "interpreter" else {"target": target}
    ptxlift.run(KERNEL, "reserve", 1, 1, [out], **place)
    assert out[0] == 7
    assert out[1] >= 288  # what cooperative groups count on
