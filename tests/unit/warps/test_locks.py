"""Locks between the lanes of a warp, the warps of a wave and the blocks of a grid.

What each kernel must leave in memory follows from the number of threads that take the lock; NVIDIA
hardware promises that each of them gets on by itself.
"""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

HEAD = """.version 8.0
.target sm_80
.address_size 64
"""
ENTRY = """.visible .entry k(.param .u64 lock, .param .u64 out)
{
.reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<9>;
.shared .align 4 .b8 word[8];
ld.param.u64 %rd1, [lock]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x;
"""
TAKE = "atom.global.acquire.gpu.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p1, %r3, 0;"
WORK = "ld.global.u32 %r4, [%rd2]; add.u32 %r5, %r4, 3; st.global.u32 [%rd2], %r5;"
FREE = "atom.global.release.gpu.exch.b32 %r6, [%rd1], 0;"
# each adds 3 to a word a thread
EVERY_LANE = {
    "exchange": f"L: {TAKE} @%p1 bra L; {WORK} {FREE} ret;",
    "volatile_store": """L: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p1, %r3, 0;
        @%p1 bra L; membar.gl; ld.volatile.global.u32 %r4, [%rd2]; add.u32 %r4, %r4, 3;
        st.volatile.global.u32 [%rd2], %r4; membar.gl; st.volatile.global.u32 [%rd1], 0; ret;""",
    "taken_by_exchange": f"""L: atom.global.acquire.gpu.exch.b32 %r3, [%rd1], 1;
        setp.ne.u32 %p1, %r3, 0; @%p1 bra L; {WORK} st.release.gpu.global.u32 [%rd1], 0; ret;""",
    "one_bit_of_a_word": f"""L: atom.global.acquire.gpu.or.b32 %r3, [%rd1], 4;
        and.b32 %r3, %r3, 4; setp.ne.u32 %p1, %r3, 0; @%p1 bra L; {WORK}
        red.release.gpu.global.and.b32 [%rd1], -5; ret;""",
    # the release stands in the loop already; LLVM must not move it out
    "released_inside": f"""mov.u32 %r7, 0; L: {TAKE} @%p1 bra S; {WORK} {FREE} mov.u32 %r7, 1;
        S: setp.eq.u32 %p2, %r7, 0; @%p2 bra L; ret;""",
    # compilers repeat the test of a loop before the loop
    "peeled": f"{TAKE} @!%p1 bra C; L: nanosleep.u32 20; {TAKE} @%p1 bra L; C: {WORK} {FREE} ret;",
    "waits_before_it_tries": f"""L: ld.relaxed.gpu.global.u32 %r8, [%rd1]; setp.ne.u32 %p2, %r8, 0;
        @%p2 bra L; {TAKE} @%p1 bra L; {WORK} {FREE} ret;""",
    "ticket": f"""atom.global.add.u32 %r3, [%rd1], 1;
        L: ld.acquire.gpu.global.u32 %r4, [%rd1+4]; setp.ne.u32 %p1, %r4, %r3; @%p1 bra L;
        {WORK} add.u32 %r3, %r3, 1; st.release.gpu.global.u32 [%rd1+4], %r3; ret;""",
    "two_ways_to_the_release": f"""L: {TAKE} @%p1 bra L; and.b32 %r7, %r1, 1;
        setp.eq.u32 %p2, %r7, 0; @%p2 bra E; {WORK} {FREE} bra D; E: {WORK}
        st.release.gpu.global.u32 [%rd1], 0; D: ret;""",
    "nested": f"""add.u64 %rd3, %rd1, 4; L: {TAKE} @%p1 bra L;
        M: atom.global.acquire.gpu.cas.b32 %r7, [%rd3], 0, 1; setp.ne.u32 %p2, %r7, 0; @%p2 bra M;
        {WORK} st.release.gpu.global.u32 [%rd3], 0; {FREE} ret;""",
    "in_shared_memory": """mov.u32 %r9, word; setp.ne.u32 %p3, %r1, 0; @%p3 bra I;
        st.shared.u32 [%r9], 0; I: bar.sync 0;
        L: atom.shared.cas.b32 %r3, [%r9], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra L; membar.gl;
        red.global.add.u32 [%rd2], 1; ld.shared.u32 %r4, [%r9+4]; add.u32 %r4, %r4, 1;
        st.shared.u32 [%r9+4], %r4; red.global.add.u32 [%rd2], 2; membar.cta;
        atom.shared.exch.b32 %r3, [%r9], 0; ret;""",
    "with_barriers_around": f"bar.sync 0; L: {TAKE} @%p1 bra L; {WORK} {FREE} bar.sync 0; ret;",
    # a warp operation right behind the release is none of the lock's business
    "then_the_warp_meets": f"""L: {TAKE} @%p1 bra L; {WORK} {FREE} bar.warp.sync -1; ret;""",
}
# as compilers write it that optimise nothing: every variable lies in local memory
IN_MEMORY = """.local .align 8 .b8 frame[24]; .reg .b64 %SP; .reg .b64 %SPL; mov.u64 %SPL, frame;
    cvta.local.u64 %SP, %SPL; st.u64 [%SP+0], %rd1; st.u64 [%SP+8], %rd2;
    L: ld.u64 %rd3, [%SP+0]; atom.cas.b32 %r3, [%rd3], 0, 1; st.u32 [%SP+16], %r3;
    ld.u32 %r4, [%SP+16]; setp.ne.s32 %p1, %r4, 0; @%p1 bra L; membar.gl; ld.u64 %rd4, [%SP+8];
    ld.volatile.u32 %r5, [%rd4]; add.s32 %r5, %r5, 3; ld.u64 %rd5, [%SP+8];
    st.volatile.u32 [%rd5], %r5; membar.gl; ld.u64 %rd6, [%SP+0]; atom.exch.b32 %r6, [%rd6], 0; ret;
    """
EVERY_LANE["in_local_memory"] = IN_MEMORY
# values made under the lock are used behind it, in a loop that takes it four times
IN_A_LOOP = f"""mov.u32 %r9, 0; mov.u32 %r10, 0; N: {TAKE} @%p1 bra N; {WORK} {FREE}
    add.u32 %r10, %r10, %r5; sub.u32 %r10, %r10, %r4; add.u32 %r9, %r9, 1;
    setp.lt.u32 %p2, %r9, 4; @%p2 bra N; add.u64 %rd3, %rd2, 4; red.global.add.u32 [%rd3], %r10;
    ret;"""
# who has tried a hundred times goes away and counts itself
GIVES_UP = f"""mov.u32 %r9, 0; L: {TAKE} @!%p1 bra C; add.u32 %r9, %r9, 1;
    setp.lt.u32 %p2, %r9, 100; @%p2 bra L; add.u64 %rd3, %rd2, 4; red.global.add.u32 [%rd3], 3; ret;
    C: {WORK} {FREE} ret;"""
# lane 0 holds the lock while all threads of the block do something together
HELD_ACROSS_BARRIERS = f"""setp.ne.u32 %p3, %r1, 0; @%p3 bra B; L: {TAKE} @%p1 bra L; B: bar.sync 0;
    and.b32 %r7, %r1, 31; setp.ne.u32 %p4, %r7, 0; @%p4 bra D; ld.volatile.global.u32 %r4, [%rd2];
    red.global.add.u32 [%rd2], 96; D: bar.sync 0; @%p3 bra E; {FREE} E: ret;"""
# a test that one lane of a warp passes, and what must be refused without it
GUARDS = {
    "lane": "mov.u32 %r7, %laneid; setp.ne.u32 %p3, %r7, 0;",
    "thread": "setp.ne.u32 %p3, %r1, 0;",
    "thread_in_three_dimensions": """mov.u32 %r7, %tid.y; mov.u32 %r8, %tid.z;
        or.b32 %r7, %r7, %r8; or.b32 %r7, %r7, %r1; setp.ne.u32 %p3, %r7, 0;""",
    "thread_in_its_warp": "and.b32 %r7, %r1, 31; setp.ne.u32 %p3, %r7, 0;",
    "elected": "elect.sync _|%p4, -1; not.pred %p3, %p4;",
    "first_of_the_active": """activemask.b32 %r7; mov.u32 %r8, %lanemask_lt; and.b32 %r7, %r7, %r8;
        popc.b32 %r7, %r7; setp.ne.u32 %p3, %r7, 0;""",
}
UNGUARDED = {
    "none": "setp.ne.u32 %p3, %r9, %r9;",
    "several_threads": "setp.gt.u32 %p3, %r1, 1;",
    "every_fourth_thread": "and.b32 %r7, %r1, 3; setp.ne.u32 %p3, %r7, 0;",
    "warp": "shr.u32 %r7, %r1, 5; setp.ne.u32 %p3, %r7, 0;",
    "other_way": "setp.eq.u32 %p3, %r1, 0;",
}
KEPT = "@%p3 bra D; L: " + TAKE + " @%p1 bra L; bar.warp.sync 1; " + FREE + " D: ret;"
TARGETS = ("gfx942", "gfx1100")
MORE_TARGETS = ("gfx90a", "gfx950", "gfx1030", "gfx1201", "gfx1250")
THREADS = 96


def memory(body: str, target: str, threads: int, functions: str = "", **options: str) -> list[int]:
    """The words in `out` after two blocks; every lock must be free then."""
    text = HEAD + functions + ENTRY + body + "\n}\n"
    lock, out = np.zeros(2, np.uint32), np.zeros(2, np.uint32)
    if target == "interpreter":
        program = ptxlift.load(text, device="interpreter")
    else:
        lifted = ptxlift.lift(text, target=target, options=ptxlift.Options(**options))
        program = ptxlift.load(lifted)
    arguments = [program.alloc(lock), program.alloc(out)]
    program.launch("k", (2, 1, 1), (threads, 1, 1), arguments, max_steps=1_000_000)
    assert lock[0] == lock[1], "a lock is still taken"  # of the ticket lock, both have counted on
    return [int(word) for word in out]


def run(body: str, target: str, functions: str = "", **options: str) -> int:
    """The first word in `out`."""
    return memory(body, target, THREADS, functions, **options)[0]


@pytest.mark.sampled(13)
@pytest.mark.parametrize("target", ["interpreter", *TARGETS])
@pytest.mark.parametrize("name", EVERY_LANE)
def test_every_lane_takes_the_lock(name: str, target: str) -> None:
    assert run(EVERY_LANE[name], target) == 3 * 2 * THREADS


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.parametrize("target", MORE_TARGETS)
@pytest.mark.parametrize("name", EVERY_LANE)
def test_every_lane_takes_the_lock_on_every_target(name: str, target: str) -> None:
    assert run(EVERY_LANE[name], target) == 3 * 2 * THREADS


@pytest.mark.parametrize("mapping", ["packed", "split"])
@pytest.mark.parametrize("name", ["exchange", "peeled", "ticket"])
def test_both_mappings(name: str, mapping: str) -> None:
    assert run(EVERY_LANE[name], "gfx90a", warp_mapping=mapping) == 3 * 2 * THREADS


@pytest.mark.parametrize("target", ["interpreter", *TARGETS])
def test_a_lock_taken_again_and_again(target: str) -> None:
    assert memory(IN_A_LOOP, target, THREADS) == [4 * 3 * 2 * THREADS] * 2


@pytest.mark.parametrize("target", ["interpreter", *TARGETS])
def test_a_loop_that_may_give_up(target: str) -> None:
    """Who gets the lock and who gives up is open; together they are all."""
    out = memory(GIVES_UP, target, 64)
    assert out[0] + out[1] == 3 * 2 * 64
    assert out[0] >= 3


@pytest.mark.parametrize("target", ["interpreter", *TARGETS])
def test_one_lane_holds_a_lock_while_the_block_works(target: str) -> None:
    assert run(HELD_ACROSS_BARRIERS, target) == 96 * 3 * 2


def verdict(body: str) -> list[str]:
    head = HEAD.replace("8.0", "8.6").replace("sm_80", "sm_90")
    options = ptxlift.Options(on_unsupported="skip")
    lifted = ptxlift.lift(head + ENTRY + body + "\n}\n", target="gfx1100", options=options)
    return [diagnostic.code for diagnostic in lifted.diagnostics]


@pytest.mark.parametrize("name", GUARDS)
def test_a_lock_that_one_lane_takes_may_be_kept(name: str) -> None:
    assert verdict(GUARDS[name] + KEPT) == []


@pytest.mark.parametrize("name", UNGUARDED)
def test_a_lock_that_lanes_contend_for_may_not(name: str) -> None:
    assert verdict(UNGUARDED[name] + KEPT) == ["PTX205"]


GIVE = """.func free(.param .u64 a) { .reg .b64 %d; .reg .b32 %r; ld.param.u64 %d, [a];
    BODY atom.global.exch.b32 %r, [%d], 0; ret; }
    """
GIVEN_BACK = f"""L: {TAKE} @%p1 bra L; {WORK}
    {{ .param .u64 a; st.param.u64 [a], %rd1; call free, (a); }} ret;"""


def test_a_lock_released_by_another_function_is_refused() -> None:
    """A near miss: one that branches is not looked into."""
    free = GIVE.replace("BODY", ".reg .pred %p; setp.eq.u64 %p, %d, 0; @%p ret;")
    text = HEAD + free + ENTRY + GIVEN_BACK + "\n}\n"
    with pytest.raises(ptxlift.PtxError, match="PTX205") as caught:
        _ = ptxlift.lift(text, target="gfx942").kernels
    assert "no release" in str(caught.value)


# Each thread takes numbers from a counter as long as they are below 500: no lock.
WORK_QUEUE = """mov.u32 %r9, 0; L: atom.global.add.u32 %r3, [%rd1], 1; setp.ge.u32 %p1, %r3, 500;
    @%p1 bra D; add.u32 %r9, %r9, 2; bra L; D: red.global.add.u32 [%rd2], %r9; ret;"""
# Each thread puts its number into a table of 256 words and goes on from full ones: no lock.
TABLE = """mul.lo.u32 %r7, %r1, 37; and.b32 %r7, %r7, 255; add.u32 %r8, %r1, 1;
    L: mul.wide.u32 %rd3, %r7, 4; add.u64 %rd4, %rd2, %rd3;
    atom.global.cas.b32 %r3, [%rd4], 0, %r8; setp.eq.u32 %p1, %r3, 0; @%p1 bra D;
    add.u32 %r7, %r7, 1; and.b32 %r7, %r7, 255; bra L; D: ret;"""


@pytest.mark.parametrize("body", [WORK_QUEUE, TABLE], ids=["work_queue", "table"])
def test_loops_on_atomics_that_take_no_lock(body: str) -> None:
    assert verdict(body) == []


@pytest.mark.parametrize("target", ["interpreter", *TARGETS])
def test_a_work_queue(target: str) -> None:
    text = HEAD + ENTRY + WORK_QUEUE + "\n}\n"
    counter, out = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    place = {"device": target} if target == "interpreter" else {"target": target}
    ptxlift.run(text, "k", 2, 96, [counter, out], **place)
    assert (out[0], counter[0]) == (2 * 500, 500 + 2 * 96)


@pytest.mark.parametrize("target", ["interpreter", *TARGETS])
def test_a_table_of_open_addresses(target: str) -> None:
    table = np.zeros(256, np.uint32)
    place = {"device": target} if target == "interpreter" else {"target": target}
    text = HEAD + ENTRY + TABLE + "\n}\n"
    ptxlift.run(text, "k", 1, 96, [np.zeros(1, np.uint32), table], **place)
    assert sorted(table[table > 0]) == list(range(1, 97))


TAKER = """.func (.param .b32 r) take(.param .u64 a) { .reg .b64 %d; .reg .b32 %r;
    ld.param.u64 %d, [a]; atom.acquire.gpu.cas.b32 %r, [%d], 0, 1; st.param.b32 [r], %r; ret; }
    """
CALL = """{ .param .u64 a; .param .b32 r; st.param.u64 [a], %rd1; call (r), take, (a);
    ld.param.b32 %r3, [r]; }"""


CALLED = f"L: {CALL} setp.ne.u32 %p1, %r3, 0; @%p1 bra L; {WORK} {FREE} ret;"


@pytest.mark.parametrize("target", ["interpreter", *TARGETS])
def test_locks_that_functions_take_and_release(target: str) -> None:
    """Unoptimised code calls a function for each atomic."""
    for functions, body in ((TAKER, CALLED), (GIVE.replace("BODY", ""), GIVEN_BACK)):
        assert run(body, target, functions) == 3 * 2 * THREADS


def test_a_lock_that_a_larger_function_tries_to_take() -> None:
    taker = TAKER.replace("atom.acquire", "@%p ret; atom.acquire")
    taker = taker.replace(".reg .b32 %r;", ".reg .b32 %r; .reg .pred %p; setp.eq.u64 %p, %d, 0;")
    taker = taker.replace("ld.param.u64 %d, [a];", "").replace("setp", "ld.param.u64 %d, [a]; setp")
    guard = "setp.ne.u32 %p3, %r1, 0; @%p3 ret;"
    end = "\n}\n"
    with pytest.raises(ptxlift.PtxError, match="PTX205"):
        _ = ptxlift.lift(HEAD + taker + ENTRY + CALLED + end, target="gfx942").kernels
    assert ptxlift.lift(HEAD + taker + ENTRY + guard + CALLED + end, target="gfx942").kernels


def test_a_lock_in_memory_that_goes_elsewhere() -> None:
    """The frame's address is stored, so that its words may be anyone's: nothing is proven."""
    given = IN_MEMORY.replace("st.u64 [%SP+8], %rd2;", "st.u64 [%SP+8], %rd2; st.u64 [%rd2], %SP;")
    assert verdict(given) == ["PTX205"]
