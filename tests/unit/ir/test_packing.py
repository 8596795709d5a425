"""When may two warps share a wave: barriers reached together, no loop that waits for a wave-mate.

The kernels are PTX; which of them NVIDIA's independent warps can run and one wave cannot is argued
in each case's comment.
"""

from __future__ import annotations

import pytest

from ptxlift.ir.contention import lock_of
from ptxlift.ir.packing import packing_verdict
from ptxlift.lifter.module import lift_program
from ptxlift.ptx import parse_module

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<3>;
ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;
setp.lt.u32 %p1, %r2, 40; setp.lt.u32 %p2, %r1, 40;
"""
SAFE = {
    # all threads pass the barrier
    "straight": "bar.sync 0; ret;",
    # the branch depends on a parameter only
    "uniform_branch": "@%p2 bra L; bar.sync 0; L: ret;",
    # threads that leave meet no further barrier
    "early_exit": "@%p1 ret; bar.sync 0; ret;",
    # lanes part and meet again before the barrier
    "diamond": "@%p1 bra L; st.global.u32 [%rd1], %r1; L: bar.sync 0; ret;",
    # a loop of uniform length
    "uniform_loop": "L: bar.sync 0; sub.u32 %r1, %r1, 1; setp.ne.u32 %p3, %r1, 0; @%p3 bra L; ret;",
    # the barrier stands behind a loop of divergent length
    "after_loop": "L: sub.u32 %r2, %r2, 1; setp.gt.s32 %p3, %r2, 0; @%p3 bra L; bar.sync 0; ret;",
    # a compare-and-swap that retries with what it saw: some lane always gets on
    "cas_retry": """ld.global.u32 %r3, [%rd1];
        L: add.u32 %r4, %r3, 1; atom.global.cas.b32 %r5, [%rd1], %r3, %r4;
        setp.ne.u32 %p3, %r5, %r3; mov.u32 %r3, %r5; @%p3 bra L; ret;""",
    # threads 0..39 and the others wait at different barriers, which become one
    "two_sites": "@%p1 bra L; bar.sync 0; ret; L: bar.sync 0; ret;",
    # a queue of work: whoever counts does not wait
    "queue": """L: atom.global.add.u32 %r3, [%rd1], 1; setp.lt.u32 %p3, %r3, %r1; @%p3 bra L;
        ret;""",
    # a lock whose release moves into the loop
    "lock": """L: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p3, %r3, 0; @%p3 bra L;
        atom.global.exch.b32 %r3, [%rd1], 0; ret;""",
}
UNSAFE = {
    # a warp that skips the barrier would still arrive with its wave-mate
    "skipped": "@%p1 bra L; bar.sync 0; L: bar.sync 0; ret;",
    # warps leave the loop after different numbers of barriers, then meet one more
    "divergent_loop": """L: bar.sync 0; sub.u32 %r2, %r2, 1; setp.gt.s32 %p3, %r2, 0;
        @%p3 bra L; bar.sync 0; ret;""",
    # 32 threads are one warp: half a wave
    "counted": "bar.sync 1, 32; ret;",
    # the flag may be set by the other warp of the wave
    "spin": "L: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p3, %r3, 0; @%p3 bra L; ret;",
    # the same by an atomic that changes nothing
    "spin_by_an_atomic": """L: atom.global.add.u32 %r3, [%rd1], 0; setp.eq.u32 %p3, %r3, 0;
        @%p3 bra L; ret;""",
    # the same inside another loop, which both ways of the branch stay in
    "nested_spin": """L: bar.sync 0; M: ld.volatile.global.u32 %r3, [%rd1];
        setp.eq.u32 %p3, %r3, 0; @%p3 bra M; sub.u32 %r1, %r1, 1; setp.ne.u32 %p3, %r1, 0;
        @%p3 bra L; ret;""",
    # a lock that is never released here
    "lock": """L: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p3, %r3, 0; @%p3 bra L;
        atom.global.exch.b32 %r3, [%rd1+4], 0; ret;""",
    # a lock that one warp holds while the block does something together
    "lock_across_a_barrier": """L: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p3, %r3, 0;
        @%p3 bra L; bar.sync 0; atom.global.exch.b32 %r3, [%rd1], 0; ret;""",
}


def verdict(body: str) -> bool:
    module = lift_program([parse_module(HEAD + body + "\n}\n", "k.ptx")]).module
    return packing_verdict(module.functions["k"], module).safe


@pytest.mark.parametrize("name", SAFE)
def test_may_share_a_wave(name: str) -> None:
    assert verdict(SAFE[name])


@pytest.mark.parametrize("name", UNSAFE)
def test_must_not_share_a_wave(name: str) -> None:
    assert not verdict(UNSAFE[name])


LOCKS = {"lock": True, "lock_across_a_barrier": True, "spin": False, "counted": False}


@pytest.mark.parametrize(("name", "locks"), LOCKS.items())
def test_locks_are_told_from_other_loops_that_wait(name: str, locks: bool) -> None:
    module = lift_program([parse_module(HEAD + UNSAFE[name] + "\n}\n", "k.ptx")]).module
    assert (lock_of(module.functions["k"], module) is not None) == locks


def test_a_retry_is_no_lock() -> None:
    module = lift_program([parse_module(HEAD + SAFE["cas_retry"] + "\n}\n", "k.ptx")]).module
    assert lock_of(module.functions["k"], module) is None
