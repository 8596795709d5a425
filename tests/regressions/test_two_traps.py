"""LLVM 22 ended the process on gfx1100 where two traps stand behind scalar branches."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift
from ptxlift import Options, PtxError

TEXT = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<4>;
  .reg .pred %p<3>;
  ld.param.u64 %rd1, [p];
  ld.global.b32 %r1, [%rd1];
  ld.global.b32 %r2, [%rd1+4];
  setp.ne.b32 %p1, %r1, 5;
  @%p1 trap;
  setp.ne.b32 %p2, %r2, 7;
  @%p2 trap;
  add.u32 %r3, %r1, %r2;
  st.global.b32 [%rd1], %r3;
  ret;
}
"""


@pytest.mark.parametrize("target", ["gfx1100", "gfx1103", "gfx1150", "gfx11-generic"])
def test_two_traps_behind_scalar_branches(target: str) -> None:
    lifted = ptxlift.lift(TEXT, target=target, options=Options(debug_lines=True), name="k.ptx")
    for first, second, line in ((5, 8, 15), (4, 7, 13)):
        with pytest.raises(PtxError, match=rf"trap.*k\.ptx:{line}\b"):
            ptxlift.run(lifted, "k", 1, 1, [np.array([first, second], np.uint32)])
    values = np.array([5, 7], np.uint32)
    ptxlift.run(lifted, "k", 1, 1, [values])
    assert values[0] == 12
