"""Arrays at addresses of the caller's choice, for data that holds addresses."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

FOLLOW = """.version 8.0
.target sm_80
.address_size 64
.visible .entry follow(.param .u64 head, .param .u64 out)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [head];
    ld.param.u64 %rd2, [out];
    ld.global.u64 %rd3, [%rd1];
    ld.global.u32 %r1, [%rd3+4];
    st.global.u32 [%rd2], %r1;
    ret;
}
"""
PLACE = 0x2000_0000_0000
DEVICES = ("emulator", "interpreter")


@pytest.mark.parametrize("device", DEVICES)
def test_an_address_in_memory_leads_to_the_array_put_there(device: str) -> None:
    program = ptxlift.load(FOLLOW, device)
    values = np.array([3, 77], np.uint32)
    assert program.alloc(values, PLACE).address == PLACE
    out = np.zeros(1, np.uint32)
    program.launch("follow", 1, 1, [np.array([PLACE], np.uint64), out])
    assert out[0] == 77


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("offset", [-8, 0, 8])
def test_arrays_that_overlap_are_refused(device: str, offset: int) -> None:
    program = ptxlift.load(FOLLOW, device)
    program.alloc(np.zeros(16, np.uint8), PLACE)
    with pytest.raises(ptxlift.PtxError, match="overlap"):
        program.alloc(np.zeros(16, np.uint8), PLACE + offset)


@pytest.mark.parametrize("device", DEVICES)
def test_a_freed_array_is_out_of_reach(device: str) -> None:
    program = ptxlift.load(FOLLOW, device)
    program.free(program.alloc(np.array([3, 77], np.uint32), PLACE))
    with pytest.raises(ptxlift.PtxError) as caught:
        program.launch("follow", 1, 1, [np.array([PLACE], np.uint64), np.zeros(1, np.uint32)])
    assert caught.value.diagnostics[0].code == "PTX402"
