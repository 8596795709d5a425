"""Operands of textures and surfaces: what ptxas 13 took and refused."""

from __future__ import annotations

import pytest

import ptxlift
from ptxlift import PtxError

TEXT = """.version 8.0
.target sm_80
.address_size 64
.global .texref t;
.visible .entry k(.param .u64 handle) {{
  .reg .b64 %rd; .reg .f32 %f<5>; .reg .s32 %s<5>; .reg .b32 %b<5>;
  ld.param.u64 %rd, [handle];
  {instruction}
  ret; }}
"""
TAKEN = (
    "tex.2d.v4.u32.f32 {%b1,%b2,%b3,%b4}, [%rd, {%s1,%s2}];",
    "tex.2d.v4.u32.f32 {%b1,%b2,%b3,%b4}, [%rd, {%f1,%b2}];",
    "tex.a2d.v4.u32.f32 {%b1,%b2,%b3,%b4}, [%rd, {%s1,%f2,%f3,%f4}];",
    "tex.a1d.v4.u32.s32 {%b1,%b2,%b3,%b4}, [%rd, {%b1,%f2}];",
    "suld.b.a2d.b32.trap {%b1}, [%rd, {%s1,%b2,%s3,%s4}];",
    "cvta.global.u64 %rd, t;",
)
REFUSED = (
    "tex.2d.v4.u32.s32 {%b1,%b2,%b3,%b4}, [%rd, {%f1,%f2}];",
    "tex.2d.v4.u32.f32 {%b1,%b2,%b3,%b4}, [%rd, {%f1,%s2}];",
    "tex.a2d.v4.u32.f32 {%b1,%b2,%b3,%b4}, [%rd, {%f1,%f2,%f3,%f4}];",
    "tex.acube.v4.u32.f32 {%b1,%b2,%b3,%b4}, [%rd, {%s1,%s2,%f3,%s4}];",
    "suld.b.2d.b32.trap {%b1}, [%rd, {%f1,%f2}];",
    "ld.global.b32 %b1, [t];",
    "cvta.shared.u64 %rd, t;",
)


@pytest.mark.parametrize("instruction", TAKEN)
def test_taken(instruction: str) -> None:
    assert "k" in ptxlift.lift(TEXT.format(instruction=instruction)).kernels


@pytest.mark.parametrize("instruction", REFUSED)
def test_refused(instruction: str) -> None:
    with pytest.raises(PtxError) as caught:
        ptxlift.lift(TEXT.format(instruction=instruction))
    assert [found.code for found in caught.value.diagnostics] == ["PTX103"]
