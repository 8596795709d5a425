"""cp.async.mbarrier.arrive without .noinc was translated as if it had .noinc.

The manual: without it the pending count is raised by one before the arrival, so that it is the
same afterwards; with it the arrival counts.
"""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry count(.param .u64 out)
{
  .reg .b64 %rd<3>;
  .reg .b32 %r<4>;
  .shared .align 8 .b64 barrier;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, barrier;
  mov.u32 %r2, 5;
  mbarrier.init.shared.b64 [%r1], %r2;
  cp.async.mbarrier.arrive{noinc}.shared.b64 [%r1];
  mbarrier.arrive.noComplete.shared.b64 %rd2, [%r1], 1;
  mbarrier.pending_count.b64 %r3, %rd2;
  st.global.u32 [%rd1], %r3;
  ret;
}
"""


@pytest.mark.parametrize("device", ["emulator", "interpreter"])
@pytest.mark.parametrize(("noinc", "pending"), [("", 5), (".noinc", 4)])
def test_only_noinc_counts(device: str, noinc: str, pending: int) -> None:
    out = np.zeros(1, np.uint32)
    ptxlift.run(KERNEL.replace("{noinc}", noinc), "count", 1, 1, [out], device=device)
    assert out[0] == pending
