"""Lanes of one warp that wait for words which other lanes of it write.

NVIDIA's lanes get on by themselves; lanes of a wave that wait in a loop hold up the others unless
each turn of the loop lets them on. Expected values follow from who writes what.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from places import MORE_PLACES, PLACES, Place

import ptxlift
from ptxlift.lifter.module import lift_program
from ptxlift.ptx import parse_module

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 flag, .param .u64 out)
{
.reg .pred %p<9>; .reg .b32 %r<29>; .reg .b64 %rd<9>; .shared .align 4 .b8 word[256];
ld.param.u64 %rd1, [flag]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mov.u32 %r4, %ctaid.x;
mov.u32 %r5, %ntid.x; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd2, %rd2, %rd4;
add.u64 %rd3, %rd1, %rd4;
"""
END = "st.global.u32 [%rd2], %r3; ret;"
WAIT = "L: ld.acquire.gpu.global.u32 %r3, [%rd1]; setp.eq.u32 %p2, %r3, 0; @%p2 bra L;"
THREADS = np.arange(64)
# PTX, what each thread stores
CASES: dict[str, tuple[str, NDArray[np.int64]]] = {
    "waits_on_the_way_that_goes_on": (
        f"""setp.eq.u32 %p1, %r1, 5; @%p1 bra S; {WAIT} bra J;
        S: mov.u32 %r3, 7; st.release.gpu.global.u32 [%rd1], 7; J: {END}""",
        np.full(64, 7),
    ),
    "waits_on_the_way_that_jumps": (
        f"""setp.ne.u32 %p1, %r1, 5; @%p1 bra L; mov.u32 %r3, 7;
        st.release.gpu.global.u32 [%rd1], 7; bra J; {WAIT} J: {END}""",
        np.full(64, 7),
    ),
    "writes_and_then_waits": (
        f"""setp.eq.u32 %p1, %r1, 5; @!%p1 bra L; st.release.gpu.global.u32 [%rd1], 7;
        {WAIT} {END}""",
        np.full(64, 7),
    ),
    "one_after_the_other": (
        f"""L: ld.acquire.gpu.global.u32 %r3, [%rd1]; setp.ne.u32 %p2, %r3, %r1; @%p2 bra L;
        add.u32 %r6, %r1, 1; st.release.gpu.global.u32 [%rd1], %r6; {END}""",
        THREADS,
    ),
    "each_for_its_neighbour": (
        f"""setp.eq.u32 %p3, %r1, 0; mov.u32 %r3, 100; @%p3 bra G;
        L: ld.acquire.gpu.global.u32 %r3, [%rd3+-4]; setp.eq.u32 %p2, %r3, 0; @%p2 bra L;
        G: add.u32 %r3, %r3, 1; st.release.gpu.global.u32 [%rd3], %r3; {END}""",
        THREADS + 101,
    ),
    "each_for_an_index_from_memory": (
        f"""mul.wide.u32 %rd5, %r1, 4; add.u64 %rd5, %rd1, %rd5; ld.global.u32 %r7, [%rd5+256];
        mul.wide.u32 %rd6, %r7, 4; add.u64 %rd6, %rd1, %rd6; mov.u32 %r3, 0;
        setp.eq.u32 %p3, %r7, %r1; @%p3 bra G;
        L: ld.acquire.gpu.global.u32 %r3, [%rd6]; setp.eq.u32 %p2, %r3, 0; @%p2 bra L;
        G: add.u32 %r3, %r3, 1; st.release.gpu.global.u32 [%rd5], %r3; {END}""",
        np.array([bin(thread + 1).count("1") for thread in THREADS]),
    ),
    "to_and_fro": (
        f"""setp.lt.u32 %p1, %r1, 1; @%p1 bra A; setp.gt.u32 %p3, %r1, 1; @%p3 ret;
        B: ld.acquire.gpu.global.u32 %r3, [%rd1]; setp.ne.u32 %p2, %r3, 1; @%p2 bra B;
        st.release.gpu.global.u32 [%rd1], 2; bra J; A: st.release.gpu.global.u32 [%rd1], 1;
        C: ld.acquire.gpu.global.u32 %r3, [%rd1]; setp.ne.u32 %p2, %r3, 2; @%p2 bra C; J: {END}""",
        np.where(THREADS < 2, 2 - THREADS, 0),
    ),
    "looks_by_an_atomic": (
        f"""setp.eq.u32 %p1, %r1, 5; @%p1 bra S; L: atom.global.add.u32 %r3, [%rd1], 0;
        setp.eq.u32 %p2, %r3, 0; @%p2 bra L; bra J;
        S: mov.u32 %r3, 7; atom.global.exch.b32 %r7, [%rd1], 7; J: {END}""",
        np.full(64, 7),
    ),
    "in_shared_memory": (
        f"""mov.u32 %r8, word; setp.ne.u32 %p1, %r1, 0; @%p1 bra I; st.shared.u32 [%r8], 0;
        I: bar.sync 0; setp.eq.u32 %p1, %r1, 40; @%p1 bra S;
        L: ld.volatile.shared.u32 %r3, [%r8]; setp.eq.u32 %p2, %r3, 0; @%p2 bra L; bra J;
        S: mov.u32 %r3, 9; st.volatile.shared.u32 [%r8], 9; J: {END}""",
        np.full(64, 9),
    ),
}
# other blocks write what is waited for, or the very lane that waits does
OTHERS = {
    "a_row_of_another_block": f"""mad.lo.u32 %r6, %r4, %r5, %r1; mul.wide.u32 %rd5, %r6, 4;
        add.u64 %rd5, %rd1, %rd5; sub.u32 %r7, %r4, 1; mad.lo.u32 %r7, %r7, %r5, %r1;
        mul.wide.u32 %rd6, %r7, 4; add.u64 %rd6, %rd1, %rd6;
        L: ld.acquire.gpu.global.u32 %r3, [%rd6]; setp.eq.u32 %p2, %r3, 0; @%p2 bra L;
        st.release.gpu.global.u32 [%rd5], %r3; {END}""",
    "its_own_word": f"""L: ld.acquire.gpu.global.u32 %r3, [%rd3]; setp.eq.u32 %p2, %r3, 0;
        @%p2 bra L; st.release.gpu.global.u32 [%rd3], 0; {END}""",
    "one_lane": f"""setp.ne.u32 %p1, %r1, 0; @%p1 bra J; setp.eq.u32 %p1, %r4, 0; @%p1 bra S;
        {WAIT} bra J; S: st.release.gpu.global.u32 [%rd1], 7; J: {END}""",
    "of_another_word": f"""setp.eq.u32 %p1, %r1, 5; @%p1 bra S; {WAIT} bra J;
        S: mov.u32 %r3, 7; st.release.gpu.global.u32 [%rd1+4], 7; J: {END}""",
}


def run(body: str, target: str, options: dict[str, str]) -> NDArray[np.uint32]:
    """What the threads store; word 64 and on of `flag` tell each thread whom to wait for."""
    flag, out = np.zeros(128, np.uint32), np.zeros(64, np.uint32)
    flag[64:] = (THREADS + 1 & THREADS) - 1 & 0xFFFFFFFF
    flag[64:] = np.where(THREADS + 1 & THREADS, flag[64:], THREADS)
    text = HEAD + body + "\n}\n"
    if target == "interpreter":
        program = ptxlift.load(text, device="interpreter")
    else:
        lifted = ptxlift.lift(text, target=target, options=ptxlift.Options(**options))
        program = ptxlift.load(lifted)
    arguments = [program.alloc(flag), program.alloc(out)]
    program.launch("k", (1, 1, 1), (64, 1, 1), arguments, max_steps=300_000)
    return out


@pytest.mark.parametrize("place", PLACES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_waiting_lanes_let_others_on(name: str, place: Place) -> None:
    body, expected = CASES[name]
    assert np.array_equal(run(body, *place), expected)


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.parametrize("place", MORE_PLACES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_every_target(name: str, place: Place) -> None:
    body, expected = CASES[name]
    assert np.array_equal(run(body, *place), expected)


@pytest.mark.parametrize("name", OTHERS)
def test_what_waits_for_others_stays_as_it_is(name: str) -> None:
    module = lift_program([parse_module(HEAD + OTHERS[name] + "\n}\n", "k.ptx")]).module
    assert not any(block.name == "turn" for block in module.functions["k"].blocks)
