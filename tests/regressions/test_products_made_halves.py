"""-0 stays -0 when it becomes f16. LLVM 22 makes one instruction of an f32 product and its
conversion, product + 0, also where the product only appears when a quotient is written out.
"""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

# Each makes -0 of a = 0 and b = -1.
MINUS_ZEROS = (
    "mulFTZ.f32 %f2, %f0, %f1;",
    "divFTZ_RN.f32 %f2, %f0, %f1;",
    "div.approxFTZ.f32 %f2, %f0, %f1;",
    "div.fullFTZ.f32 %f2, %f0, %f1;",
    "fma.rnFTZ.f32 %f2, %f0, %f1, 0f80000000;",
    "mulFTZ.f32 %f2, %f0, %f1; absFTZ.f32 %f2, %f2; negFTZ.f32 %f2, %f2;",
    "rcp.rnFTZ.f32 %f2, 0fFF800000;",
    "mulFTZ.f32 %f2, %f0, %f1; setp.eq.f32 %p, %f0, %f0; selp.f32 %f2, %f2, %f0, %p;",
)


def kernel(ftz: str) -> str:
    """Stores every one converted alone and as both halves of a pair."""
    lines = [
        ".version 8.6\n.target sm_90\n.address_size 64",
        ".visible .entry k(.param .u64 in, .param .u64 out) {",
        ".reg .b64 %d<2>; .reg .f32 %f<3>; .reg .b16 %h; .reg .b32 %r; .reg .pred %p;",
        "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];",
        "ld.global.f32 %f0, [%d0]; ld.global.f32 %f1, [%d0+4];",
    ]
    for number, text in enumerate(MINUS_ZEROS):
        text = text.replace("FTZ_RN", f".rn{ftz}").replace("FTZ", ftz)
        lines.append(f"{text} cvt.rn.f16.f32 %h, %f2; cvt.rn.f16x2.f32 %r, %f2, %f2;")
        lines.append(f"st.global.b16 [%d1+{8 * number}], %h;")
        lines.append(f"st.global.b32 [%d1+{8 * number + 4}], %r;")
    return "\n".join([*lines, "ret; }"])


@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx1100", "gfx1201"])
@pytest.mark.parametrize("ftz", ["", ".ftz"])
def test_minus_zero_becomes_a_half(ftz: str, target: str) -> None:
    out = np.zeros((len(MINUS_ZEROS), 2), np.uint32)
    data = np.array([0.0, -1.0], np.float32)
    ptxlift.run(kernel(ftz), "k", 1, 1, [data, out], target=target)
    assert out.tolist() == [[0x8000, 0x80008000]] * len(MINUS_ZEROS)
