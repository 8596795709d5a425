"""Threads make progress of their own: waits, locks, barriers, deadlocks, limits."""

from __future__ import annotations

import numpy as np
import pytest
from launching import launch, own_element, zeros

from ptxlift.diag import PtxError


def codes(body: str, *arrays: np.ndarray, **options: int) -> list[str]:
    with pytest.raises(PtxError) as caught:
        launch(body, *arrays, **options)
    return [diagnostic.code for diagnostic in caught.value.diagnostics]


def test_sync_with_one_mask_from_both_sides_of_a_branch() -> None:
    """The lanes meet although they are at different instructions."""
    out = zeros(32)
    body = (
        "and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0;\n"
        "@%p1 bra EVEN;\n"
        "shfl.sync.bfly.b32 %r2, %r0, 1, 31, 0xffffffff; bra DONE;\n"
        "EVEN: shfl.sync.bfly.b32 %r2, %r0, 1, 31, 0xffffffff;\n"
        "DONE: " + own_element() + "st.global.u32 [%d31], %r2;"
    )
    launch(body, out)
    np.testing.assert_array_equal(out, np.arange(32) ^ 1)


def test_exited_lanes_of_a_mask_are_not_waited_for() -> None:
    out = zeros(32)
    body = (
        "setp.ge.u32 %p1, %r0, 20; @%p1 exit;\n"
        "setp.lt.u32 %p2, %r0, 4; vote.sync.ballot.b32 %r1, %p2, 0xffffffff;\n"
        + own_element()
        + "st.global.u32 [%d31], %r1;"
    )
    launch(body, out)
    assert out.tolist() == [0xF] * 20 + [0] * 12


def test_a_lock_within_one_warp_is_handed_on() -> None:
    """Released after the loop: only threads with progress of their own get through."""
    lock, count = zeros(1), zeros(1)
    body = (
        "AGAIN: atom.global.cas.b32 %r1, [%d0], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra AGAIN;\n"
        "ld.volatile.global.u32 %r2, [%d1]; add.u32 %r2, %r2, 1;\n"
        "st.volatile.global.u32 [%d1], %r2; atom.global.exch.b32 %r3, [%d0], 0;"
    )
    launch(body, lock, count, block=64)
    assert (lock[0], count[0]) == (0, 64)


def test_a_flag_is_awaited_across_warps_and_blocks() -> None:
    flag, out = zeros(1), zeros(1)
    body = (
        "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 1; @%p1 bra GIVE;\n"
        "WAIT: ld.acquire.gpu.global.u32 %r2, [%d0]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;\n"
        "st.global.u32 [%d1], %r2; ret;\n"
        "GIVE: mov.u32 %r3, 5; st.release.gpu.global.u32 [%d0], %r3;"
    )
    launch(body, flag, out, block=1, grid=2)
    assert out[0] == 5


def test_barrier_orders_shared_memory() -> None:
    out = zeros(128)
    body = (
        "shl.b32 %r1, %r0, 2; mov.u32 %r2, s; add.u32 %r3, %r2, %r1; st.shared.u32 [%r3], %r0;\n"
        "bar.sync 0; xor.b32 %r4, %r1, 508; add.u32 %r4, %r4, %r2; ld.shared.u32 %r5, [%r4];\n"
        + own_element()
        + "st.global.u32 [%d31], %r5;"
    )
    launch(body, out, block=128, before=".shared .align 4 .b8 s[512];")
    np.testing.assert_array_equal(out, np.arange(128) ^ 127)


def test_barrier_results() -> None:
    out = zeros(3 * 64)
    body = (
        "setp.lt.u32 %p1, %r0, 40; bar.red.popc.u32 %r1, 0, %p1;\n"
        "bar.red.and.pred %p2, 1, %p1; bar.red.or.pred %p3, 2, %p1;\n"
        "selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 1, 0, %p3;\n"
        + own_element()
        + "st.global.u32 [%d31], %r1; st.global.u32 [%d31+256], %r2; st.global.u32 [%d31+512], %r3;"
    )
    launch(body, out, block=64)
    assert out.reshape(3, 64)[:, 0].tolist() == [40, 0, 1]
    assert (out.reshape(3, 64) == out.reshape(3, 64)[:, :1]).all()


def test_named_barrier_of_a_producer_and_a_consumer() -> None:
    """The first warp arrives and goes on; the second waits for it."""
    out = zeros(1)
    body = (
        "setp.ge.u32 %p1, %r0, 32; @%p1 bra TAKE;\n"
        "mov.u32 %r1, 9; st.shared.u32 [s], %r1; bar.arrive 3, 64; ret;\n"
        "TAKE: bar.sync 3, 64; ld.shared.u32 %r2, [s]; st.global.u32 [%d0], %r2;"
    )
    launch(body, out, block=64, before=".shared .b32 s;")
    assert out[0] == 9


def test_barrier_that_some_threads_never_reach_is_a_deadlock() -> None:
    """The others spin at another barrier, so nobody can go on."""
    body = "setp.lt.u32 %p1, %r0, 32; @%p1 bar.sync 0; @!%p1 bar.sync 1;"
    assert codes(body, block=64) == ["PTX404", "PTX404"]


def test_exited_threads_do_not_hold_a_barrier() -> None:
    launch("setp.lt.u32 %p1, %r0, 32; @%p1 exit; bar.sync 0;", block=64)


def test_a_mask_with_a_lane_that_waits_elsewhere_is_a_deadlock() -> None:
    body = "setp.eq.u32 %p1, %r0, 0; @%p1 bra ONE; bar.warp.sync 0xffffffff; ret;\nONE: bar.sync 0;"
    assert "PTX404" in codes(body)


def test_endless_loop_meets_the_step_limit() -> None:
    assert codes("LOOP: bra LOOP;", max_steps=1000) == ["PTX405"]


def test_trap_names_the_thread() -> None:
    with pytest.raises(PtxError, match=r"thread \(3, 0, 0\)") as caught:
        launch("setp.eq.u32 %p1, %r0, 3; @%p1 trap;")
    assert caught.value.diagnostics[0].code == "PTX403"


def test_recursion_keeps_each_depths_registers() -> None:
    """Factorials, deeper for higher lanes."""
    before = """
.func (.param .b32 r) fact(.param .b32 n)
{
    .reg .b32 %n<8>; .reg .pred %q;
    ld.param.u32 %n1, [n];
    setp.gt.u32 %q, %n1, 1;
    @%q bra MORE;
    mov.u32 %n2, 1;
    st.param.b32 [r], %n2;
    ret;
MORE:
    sub.u32 %n3, %n1, 1;
    {
    .param .b32 a0; .param .b32 b0;
    st.param.b32 [a0], %n3;
    call (b0), fact, (a0);
    ld.param.b32 %n4, [b0];
    }
    mul.lo.u32 %n5, %n4, %n1;
    st.param.b32 [r], %n5;
    ret;
}
"""
    out = zeros(12)
    body = (
        ".param .b32 a; .param .b32 b;\n"
        "st.param.b32 [a], %r0; call (b), fact, (a); ld.param.b32 %r1, [b];\n"
        + own_element()
        + "st.global.u32 [%d31], %r1;"
    )
    launch(body, out, block=12, before=before)
    assert out.tolist() == [1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800, 39916800]


def test_endless_recursion_overflows_the_stack() -> None:
    before = ".func f()\n{\n.local .b8 l[64];\ncall f;\nret;\n}\n"
    assert codes("call f;", before=before, max_steps=10_000_000) == ["PTX402"]


def test_indirect_calls_by_lane() -> None:
    before = """
.func (.reg .b32 r) one(.reg .b32 x) { add.u32 r, x, 100; ret; }
.func (.reg .b32 r) two(.reg .b32 x) { mul.lo.u32 r, x, 2; ret; }
"""
    out = zeros(32)
    body = (
        "PROTO: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
        "mov.u64 %d1, one; mov.u64 %d2, two; and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0;\n"
        "selp.b64 %d3, %d1, %d2, %p1; call (%r2), %d3, (%r0), PROTO;\n"
        + own_element()
        + "st.global.u32 [%d31], %r2;"
    )
    launch(body, out, before=before)
    lanes = np.arange(32)
    np.testing.assert_array_equal(out, np.where(lanes % 2 == 0, lanes + 100, lanes * 2))
