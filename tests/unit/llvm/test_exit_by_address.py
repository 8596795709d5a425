"""Functions called by address that end some threads: the others go on, and barriers count on."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

# Threads below `n` are sent into `leave`, which ends those whose number is even and passes the
# others on; the rest go into `stay`. Both come back to a barrier of the block.
TEXT = """.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 r) leave(.param .b32 a) { .reg .b32 %r<3>; .reg .pred %p;
  ld.param.b32 %r0, [a]; and.b32 %r1, %r0, 1; setp.eq.u32 %p, %r1, 0; @%p exit;
  add.u32 %r0, %r0, 100; st.param.b32 [r], %r0; ret; }
.func (.param .b32 r) stay(.param .b32 a) { .reg .b32 %r;
  ld.param.b32 %r, [a]; add.u32 %r, %r, 1000; st.param.b32 [r], %r; ret; }
.func (.param .b32 r) inner(.param .b64 f, .param .b32 a) { .reg .b32 %r; .reg .b64 %d;
  ld.param.b64 %d, [f]; ld.param.b32 %r, [a];
  { .param .b32 x; .param .b32 y; st.param.b32 [x], %r;
    prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);
    call (y), %d, (x), prototype_0; ld.param.b32 %r, [y]; }
  add.u32 %r, %r, 7; st.param.b32 [r], %r; ret; }
.visible .entry k(.param .u64 out, .param .u32 n)
{ .reg .b32 %r<6>; .reg .b64 %d<6>; .reg .pred %p<3>;
  ld.param.u64 %d0, [out]; ld.param.u32 %r1, [n]; mov.u32 %r0, %tid.x;
  mul.wide.u32 %d1, %r0, 4; add.u64 %d0, %d0, %d1;
  mov.u64 %d2, leave; mov.u64 %d3, stay; setp.lt.u32 %p0, %r0, %r1; selp.b64 %d4, %d2, %d3, %p0;
  { .param .b64 f; .param .b32 a; .param .b32 r; st.param.b64 [f], %d4; st.param.b32 [a], %r0;
    call (r), inner, (f, a); ld.param.b32 %r2, [r]; }
  setp.ge.u32 %p1, %r0, 0; bar.red.popc.u32 %r3, 0, %p1;
  shl.b32 %r3, %r3, 16; add.u32 %r2, %r2, %r3; st.global.u32 [%d0], %r2; ret; }
"""


@pytest.mark.parametrize("target", ["interpreter", "gfx90a", "gfx1100"])
def test_who_has_ended_is_told_by_every_caller(target: str) -> None:
    threads, below = np.arange(64), 40
    out = np.zeros(64, np.uint32)
    place = {"device": target} if target == "interpreter" else {"target": target}
    ptxlift.run(TEXT, "k", 1, 64, [out, np.uint32(below)], **place)
    gone = (threads < below) & (threads % 2 == 0)
    left = int((~gone).sum()) << 16
    expected = np.where(threads < below, threads + 107, threads + 1007) + left
    assert out.tolist() == np.where(gone, 0, expected).tolist()
