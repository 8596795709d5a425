"""An .extern variable that another text of the program defines was said to be defined nowhere."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"


def reader(space: str) -> str:
    return f"""{HEADER}.extern .{space} .u32 g[2];
.visible .entry k(.param .u64 out)
{{
    .reg .b64 %rd<2>; .reg .b32 %r<2>;
    ld.param.u64 %rd1, [out];
    ld.{space}.u32 %r1, [g+4];
    st.global.u32 [%rd1], %r1;
    ret;
}}
"""


@pytest.mark.parametrize("space", ["global", "const"])
@pytest.mark.parametrize("definition_first", [False, True])
@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_the_definition_is_used(space: str, definition_first: bool, target: str) -> None:
    texts = [reader(space), f"{HEADER}.visible .{space} .u32 g[2] = {{3, 4}};\n"]
    if definition_first:
        texts.reverse()
    out = np.zeros(1, np.uint32)
    ptxlift.run(texts, "k", 1, 1, [out], target=target)
    assert out[0] == 4


CALLER = f"""{HEADER}.extern .global .u64 table[2];
.visible .entry k(.param .u64 out)
{{
    .reg .b64 %rd<4>; .reg .b32 %r<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 8;
    mov.u64 %rd3, table;
    add.u64 %rd3, %rd3, %rd2;
    ld.global.u64 %rd3, [%rd3];
    P: .callprototype (.reg .u32 _) _ ();
    call (%r2), %rd3, (), P;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r2;
    ret;
}}
"""
TABLE = f"""{HEADER}.func (.reg .u32 r) five() {{ mov.u32 r, 5; ret; }}
.func (.reg .u32 r) six() {{ mov.u32 r, 6; ret; }}
.visible .global .u64 table[2] = {{five, six}};
"""


@pytest.mark.parametrize("texts", [(CALLER, TABLE), (TABLE, CALLER)], ids=["use first", "last"])
def test_functions_in_the_definition_come_along(texts: tuple[str, str]) -> None:
    out = np.zeros(2, np.uint32)
    ptxlift.run(texts, "k", 1, 2, [out])
    assert out.tolist() == [5, 6]


@pytest.mark.parametrize("local_first", [True, False])
def test_a_variable_private_to_a_module_is_not_meant(local_first: bool) -> None:
    user = f"""{HEADER}.global .u32 g[2] = {{7, 8}};
.visible .entry other(.param .u64 out)
{{
    .reg .b64 %rd<2>; .reg .b32 %r<2>;
    ld.param.u64 %rd1, [out];
    ld.global.u32 %r1, [g+4];
    st.global.u32 [%rd1], %r1;
    ret;
}}
"""
    shared = f"{HEADER}.visible .global .u32 g[2] = {{3, 4}};\n"
    texts = [user, reader("global"), shared]
    found = []
    for kernel in ("k", "other"):
        out = np.zeros(1, np.uint32)
        ptxlift.run(texts if local_first else texts[::-1], kernel, 1, 1, [out])
        found.append(int(out[0]))
    assert found == [4, 8]
