"""nvcc calls every format `$str`: with two texts, the kernels of both printed the first's."""

from __future__ import annotations

import pytest

import ptxlift


def printing(kernel: str, text: str) -> str:
    data = ", ".join(str(byte) for byte in (*text.encode(), 0))
    return f""".version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 $str[{len(text) + 1}] = {{{data}}};
.visible .entry {kernel}()
{{
    .reg .b64 %rd<3>;
    mov.u64 %rd1, $str;
    cvta.global.u64 %rd2, %rd1;
    {{
        .param .b64 f; .param .b64 a; .param .b32 r;
        st.param.b64 [f], %rd2;
        st.param.b64 [a], 0;
        call (r), vprintf, (f, a);
    }}
    ret;
}}
"""


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_each_kernel_prints_its_own_text(target: str) -> None:
    texts = [printing("first", "one"), printing("second", "another")]
    printed = [ptxlift.run(texts, k, 1, 1, [], target=target).stdout for k in ("first", "second")]
    assert printed == ["one", "another"]
