"""isspacep.const and isspacep.param: AMD chips have no such windows, so ranges are compared."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.const .align 4 .b8 table[64];
.const .u32 number = 7;
.global .align 4 .b8 plain[64];
.visible .entry where_is(.param .u64 out, .param .align 8 .b8 block[24])
{
  .reg .b64 %rd<9>;
  .reg .b32 %r<3>;
  .reg .pred %p<3>;
  ld.param.u64 %rd8, [out];
  cvta.const.u64 %rd1, table;
  add.u64 %rd2, %rd1, 63;
  cvta.const.u64 %rd3, number;
  cvta.global.u64 %rd4, plain;
  mov.b64 %rd5, block;
  cvta.param.u64 %rd5, %rd5;
  add.u64 %rd6, %rd5, 23;
  add.u64 %rd7, %rd5, 24;
  BODY
  ret;
}
"""
EXPECTED = {1: (1, 0), 2: (1, 0), 3: (1, 0), 4: (0, 0), 5: (0, 1), 6: (0, 1), 7: (0, 0)}


def body() -> str:
    lines = []
    for place, register in enumerate(EXPECTED):
        for column, space in enumerate(("const", "param")):
            at = 4 * (2 * place + column)
            lines += [
                f"isspacep.{space} %p1, %rd{register};",
                "selp.u32 %r1, 1, 0, %p1;",
                f"st.global.u32 [%rd8+{at}], %r1;",
            ]
    return "\n".join(lines)


@pytest.mark.parametrize("place", ["gfx942", "gfx1100", "interpreter"])
def test_constants_and_parameters_are_found(place: str) -> None:
    out = np.full((len(EXPECTED), 2), 9, np.uint32)
    text = KERNEL.replace("BODY", body())
    device = "interpreter" if place == "interpreter" else "emulator"
    target = "gfx942" if place == "interpreter" else place
    ptxlift.run(text, "where_is", 1, 1, [out, bytes(24)], device=device, target=target)
    np.testing.assert_array_equal(out, list(EXPECTED.values()))


def test_a_function_does_not_know_parameters() -> None:
    text = KERNEL.replace("BODY", "call test, (%rd5);").replace(
        ".visible .entry",
        ".func test(.reg .b64 a) { .reg .pred p; isspacep.param p, a; @p trap; ret; }\n"
        ".visible .entry",
    )
    with pytest.raises(ptxlift.PtxError, match="only a kernel knows"):
        ptxlift.lift(text)
