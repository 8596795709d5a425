"""What one module declares and another defines must agree, as nvlink wants it."""

from __future__ import annotations

import pytest

import ptxlift

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
CALLER = f"""{HEAD}
.extern .func (.param .b32 r) double(.param .b32 a);
.extern .global .align 4 .b8 table[64];
.extern .global .align 4 .b8 open[];
.visible .entry k(.param .u64 p)
{{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  .param .b32 a;
  .param .b32 b;
  ld.param.u64 %rd1, [p];
  ld.global.u32 %r2, [table+12];
  st.param.b32 [a], %r2;
  call (b), double, (a);
  ld.param.b32 %r1, [b];
  st.global.u32 [%rd1], %r1;
  ret;
}}
"""
FUNCTION = ".visible .func (.param .b32 r) double(.param .b32 a) { st.param.b32 [r], 1; ret; }\n"
TABLE = ".visible .global .align 4 .b8 table[64];\n"
OPEN = ".visible .global .align 4 .b8 open[4];\n"


def test_what_agrees_is_joined() -> None:
    made = ptxlift.lift([CALLER, HEAD + FUNCTION + TABLE + OPEN])
    assert "k" in made.kernels


@pytest.mark.parametrize(
    ("function", "table", "problem"),
    [
        (FUNCTION.replace(".b32 a", ".b64 a"), TABLE, "parameters differ"),
        (FUNCTION.replace(".b32 a", ".b32 a, .param .b32 c"), TABLE, "parameters differ"),
        (FUNCTION.replace(".b32 r)", ".b64 r)"), TABLE, "results differ"),
        (FUNCTION, TABLE.replace("64", "16"), "64 bytes, the other 16"),
        (FUNCTION, TABLE.replace(".global", ".const"), "other .const"),
    ],
)
def test_what_differs_is_shown_in_both_places(function: str, table: str, problem: str) -> None:
    texts = [CALLER, HEAD + function + table + OPEN]
    with pytest.raises(ptxlift.PtxError) as caught:
        ptxlift.lift(texts, name=["one.ptx", "two.ptx"])
    diagnostics = caught.value.diagnostics
    assert {d.code for d in diagnostics} == {"PTX306"}
    assert problem in diagnostics[0].message
    assert [d.span.source.name for d in diagnostics if d.span] == ["one.ptx", "two.ptx"]
