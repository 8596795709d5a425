"""printf from every thread: HIP's buffer and metadata, against C's own formatting in Python."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import ptxlift
from ptxlift.link import read_code_object

FORMAT = "block %d thread %u: %x %.3f %s|%lld %c%%\n"

# Two blocks of three threads print; the arguments lie in a local buffer as nvcc lays them out.
BODY = """.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 $str[SIZE] = {BYTES};
.global .align 1 .b8 $word[3] = {111, 107, 0};
.visible .entry k(.param .u64 out)
{
    .local .align 8 .b8 depot[48];
    .reg .b32 %r<6>; .reg .b64 %d<9>; .reg .f64 %f<3>;
    mov.u64 %d0, depot; cvta.local.u64 %d1, %d0;
    mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;
    st.local.v2.u32 [%d0], {%r0, %r1};
    mad.lo.u32 %r2, %r0, 16, %r1; st.local.u32 [%d0+8], %r2;
    cvt.rn.f64.u32 %f0, %r2; mul.f64 %f0, %f0, 0d3FF8000000000000;
    st.local.f64 [%d0+16], %f0;
    mov.u64 %d2, $word; cvta.global.u64 %d3, %d2; st.local.u64 [%d0+24], %d3;
    mul.wide.u32 %d4, %r2, 0x80000000; st.local.u64 [%d0+32], %d4;
    add.u32 %r3, %r1, 97; st.local.u32 [%d0+40], %r3;
    mov.u64 %d5, $str; cvta.global.u64 %d6, %d5;
    { .param .b64 a; st.param.b64 [a], %d6; .param .b64 b; st.param.b64 [b], %d1;
      .param .b32 c; call.uni (c), vprintf, (a, b); ld.param.b32 %r4, [c]; }
    ld.param.u64 %d7, [out]; mad.lo.u32 %r2, %r0, 3, %r1; mul.wide.u32 %d8, %r2, 4;
    add.u64 %d7, %d7, %d8; st.global.u32 [%d7], %r4;
    ret;
}
"""
BYTES = ", ".join(str(byte) for byte in FORMAT.encode() + b"\0")
TEXT = BODY.replace("SIZE", str(len(FORMAT) + 1)).replace("BYTES", BYTES)


def line(block: int, thread: int) -> str:
    number = 16 * block + thread
    values = (block, thread, number, number * 1.5, "ok", number << 31, chr(97 + thread))
    return FORMAT.replace("%lld", "%d") % values


@pytest.mark.parametrize("target", ["interpreter", "gfx90a", "gfx942", "gfx1100", "gfx1201"])
def test_every_thread_prints_its_line(target: str) -> None:
    out = np.zeros(6, np.uint32)
    interpreted = target == "interpreter"
    program = TEXT if interpreted else ptxlift.lift(TEXT, target)
    device = "interpreter" if interpreted else "emulator"
    result = ptxlift.run(program, "k", 2, 3, [out], device=device)
    expected = [line(block, thread) for block in range(2) for thread in range(3)]
    assert sorted(result.stdout.splitlines(keepends=True)) == sorted(expected)
    assert (out == 7).all()  # printf's value: the number of arguments


def test_the_format_is_in_the_metadata_by_its_hash() -> None:
    low = int.from_bytes(hashlib.md5(FORMAT.encode()).digest()[:8], "little")
    code_object = read_code_object(ptxlift.lift(TEXT, "gfx942").code_object)
    assert code_object.printf == (f"0:0:{low:x},{FORMAT}",)


def test_a_format_that_is_no_literal_is_refused() -> None:
    unknown = TEXT.replace(
        "mov.u64 %d5, $str; cvta.global.u64 %d6, %d5;", "ld.param.u64 %d6, [out];"
    )
    with pytest.raises(ptxlift.PtxError, match="format of a printf") as raised:
        ptxlift.lift(unknown, "gfx942")
    assert raised.value.diagnostics[0].span is not None
