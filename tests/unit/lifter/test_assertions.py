"""assert() in kernels: which condition failed, where and in which thread (CUDA C++ Programming
Guide, "Assertion"), and the launch is aborted.
"""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift


def _string(name: str, text: str) -> str:
    data = ", ".join(str(byte) for byte in text.encode() + b"\0")
    return f".global .align 1 .b8 {name}[{len(text) + 1}] = {{{data}}};\n"


MESSAGE, FILE, FUNCTION = "p[i] < 100 && 7 % i", "grid.cu", "void k(int *)"
TEXT = f""".version 8.0
.target sm_80
.address_size 64
.extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e)
.noreturn;
{_string("$str", MESSAGE)}{_string("$str$1", FILE)}{_string("__unnamed_1", FUNCTION)}
.visible .entry k(.param .u64 p)
{{
.reg .pred %p1; .reg .b32 %r<4>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
ld.global.u32 %r2, [%rd1]; setp.lt.s32 %p1, %r2, 100; @%p1 bra DONE;
mov.u64 %rd3, $str; cvta.global.u64 %rd4, %rd3; mov.u64 %rd5, $str$1; cvta.global.u64 %rd6, %rd5;
mov.u64 %rd7, __unnamed_1; cvta.global.u64 %rd8, %rd7;
{{ .param .b64 a; st.param.b64 [a], %rd4; .param .b64 b; st.param.b64 [b], %rd6;
   .param .b32 c; st.param.b32 [c], 26; .param .b64 d; st.param.b64 [d], %rd8;
   .param .b64 e; st.param.b64 [e], 1; call.uni __assertfail, (a, b, c, d, e); }}
DONE: add.s32 %r3, %r2, 1; st.global.u32 [%rd1], %r3; ret;
}}
"""  # noqa: E501 - a declaration as compilers write it


@pytest.mark.parametrize("target", ["interpreter", "gfx90a", "gfx1100"])
def test_what_failed_is_told(target: str) -> None:
    device = "interpreter" if target == "interpreter" else "emulator"
    program = ptxlift.load(TEXT if device == "interpreter" else ptxlift.lift(TEXT, target), device)
    values = np.arange(32, dtype=np.uint32)
    program.launch("k", 1, (32, 1, 1), [program.alloc(values)])
    assert (values == np.arange(1, 33)).all()
    values[5] = 200
    with pytest.raises(ptxlift.PtxError) as caught:
        program.launch("k", 1, (32, 1, 1), [program.alloc(values)])
    text = str(caught.value)
    assert caught.value.diagnostics[0].code == "PTX403"
    assert f"{FILE}:26: {FUNCTION}: " in text
    assert f"Assertion `{MESSAGE}` failed" in text
    thread = "thread (5, 0, 0) of block (0, 0, 0)"
    told = "block: [0,0,0], thread: [5,0,0] Assertion"
    assert (thread if device == "interpreter" else told) in text


def test_a_text_that_the_program_does_not_contain() -> None:
    """The place and the thread are told all the same."""
    unknown = TEXT.replace("st.param.b64 [a], %rd4;", "st.param.b64 [a], %rd1;")
    values = np.full(32, 100, np.uint32)
    with pytest.raises(ptxlift.PtxError, match=r"grid.cu:26: .*thread: \[31,0,0\] Assertion `\?`"):
        ptxlift.run(unknown, "k", 1, 32, [values], target="gfx1100")
