"""A printf in a loop, its format's address taken before the loop: NVRTC writes Warp's so."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

TEXT = """.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 $str[4] = {104, 105, 10, 0};
.visible .entry k(.param .u32 count)
{
    .reg .b32 %r<5>; .reg .b64 %d<3>; .reg .pred %p;
    ld.param.u32 %r0, [count];
    mov.u64 %d0, $str;
    cvta.global.u64 %d1, %d0;
    mov.u32 %r1, 0;
LOOP:
    { .param .b64 a; st.param.b64 [a], %d1; .param .b64 b; st.param.b64 [b], 0;
      .param .b32 c; call.uni (c), vprintf, (a, b); ld.param.b32 %r4, [c]; }
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p, %r1, %r0;
    @%p bra LOOP;
    ret;
}
"""


@pytest.mark.parametrize("target", ["interpreter", "gfx942", "gfx1100"])
def test_the_format_is_found(target: str) -> None:
    interpreted = target == "interpreter"
    program = TEXT if interpreted else ptxlift.lift(TEXT, target)
    device = "interpreter" if interpreted else "emulator"
    result = ptxlift.run(program, "k", 1, 1, [np.uint32(3)], device=device)
    assert result.stdout == "hi\nhi\nhi\n"


def test_one_of_two_formats_is_refused() -> None:
    second = "add.u32 %r1, %r1, 1;\n    add.u64 %d1, %d1, 1;"
    with pytest.raises(ptxlift.PtxError, match="format of a printf"):
        ptxlift.lift(TEXT.replace("add.u32 %r1, %r1, 1;", second), "gfx942")
