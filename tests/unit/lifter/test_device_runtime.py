"""Functions of CUDA's device runtime that no AMD runtime has: dynamic parallelism."""

from __future__ import annotations

import pytest

import ptxlift

# as nvcc 13 and, before CUDA 11.6, nvcc's headers name them
NAMES = (
    "__cudaCDP2GetParameterBufferV2",
    "__cudaCDP2LaunchDeviceV2",
    "__cudaCDP2StreamCreateWithFlags",
    "__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "cudaGetParameterBuffer",
    "cudaLaunchDeviceV2",
    "cudaEventRecord",
)
TEXT = """.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 result) NAME (.param .b64 a);
.visible .entry parent(.param .u64 p)
{ .reg .b64 %d; .reg .b32 %r; ld.param.u64 %d, [p];
  { .param .b64 a; st.param.b64 [a], %d; .param .b32 c; call.uni (c), NAME, (a);
    ld.param.b32 %r, [c]; } st.global.u32 [%d], %r; ret; }
"""


@pytest.mark.parametrize("name", NAMES)
def test_launches_from_kernels_are_refused_by_name(name: str) -> None:
    with pytest.raises(ptxlift.PtxError) as caught:
        ptxlift.lift(TEXT.replace("NAME", name))
    found = caught.value.diagnostics[0]
    assert found.code == "PTX202"
    assert name in found.message
    assert "launch from the host" in found.hint


def test_other_functions_that_nobody_defines() -> None:
    """A near miss."""
    with pytest.raises(ptxlift.PtxError) as caught:
        ptxlift.lift(TEXT.replace("NAME", "cudalike"))
    assert "launch from the host" not in str(caught.value)
