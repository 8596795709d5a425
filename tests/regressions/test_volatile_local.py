"""Volatile accesses to local memory: in PTX since 9.1, written by nvJitLink 13.5 for numba."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

TEXT = """.version 9.1
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .local .align 8 .b8 depot[16];
    .reg .b32 %r<4>; .reg .b64 %d<3>;
    ld.param.u64 %d0, [out];
    mov.u32 %r0, %tid.x;
    st.volatile.local.u32 [depot+4], %r0;
    st.volatile.local.v2.u32 [depot+8], {7, %r0};
    ld.volatile.local.u32 %r1, [depot+4];
    ld.volatile.local.v2.u32 {%r2, %r3}, [depot+8];
    mad.lo.u32 %r1, %r1, %r2, %r3;
    mad.wide.u32 %d0, %r0, 4, %d0;
    st.global.u32 [%d0], %r1;
    ret;
}
"""


@pytest.mark.parametrize("device", ["emulator", "interpreter"])
def test_what_was_stored_is_loaded(device: str) -> None:
    out = np.zeros(5, np.uint32)
    ptxlift.run(TEXT, "k", 1, 5, [out], device=device)
    assert out.tolist() == [0, 8, 16, 24, 32]


def test_it_is_too_new_for_version_9_0() -> None:
    with pytest.raises(ptxlift.PtxError):
        ptxlift.parse(TEXT.replace(".version 9.1", ".version 9.0"))
