"""Lanes of one warp at different places: `.sync` operations wait for each other wherever they are.

Expected values are worked out by hand: what each lane brings to an operation is written down, and
numpy exchanges it as the manual says.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from places import MORE_PLACES, PLACES, Place

import ptxlift
from ptxlift.ir.meetings import Parting, parting_of
from ptxlift.lifter.module import lift_program
from ptxlift.ptx import parse_module

Words = NDArray[np.uint32]
HEAD = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
.reg .pred %p<9>; .reg .b32 %r<29>; .reg .b64 %rd<9>; .shared .align 4 .b8 tile[512];
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid; ld.param.u32 %r20, [n];
mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3; mul.lo.u32 %r3, %r1, 7;
"""
DONE = "st.global.u32 [%rd1], %r9; ret;"
LOWER = "setp.lt.u32 %p1, %r2, 16; @%p1 bra A;"
EVEN = "and.b32 %r5, %r2, 1; setp.eq.u32 %p1, %r5, 0; @%p1 bra A;"
THREADS = np.arange(64, dtype=np.uint32)
LANES = THREADS % 32
ZERO = np.uint32(0)
SEVENS = 7 * THREADS
LOW = LANES < 16
IS_EVEN = LANES % 2 == 0


def read(values: Words, lanes: Words) -> Words:
    """Each thread's value of another lane of its warp."""
    return values[THREADS - LANES + lanes]


def summed(values: Words) -> Words:
    return np.repeat(values.reshape(2, 32).sum(axis=1), 32).astype(np.uint32)


def bits(flags: NDArray[np.bool_]) -> Words:
    return summed(np.where(flags, np.uint32(1) << LANES, np.uint32(0)))


def _twice(values: Words) -> Words:
    return read(read(values, LANES ^ 16), LANES ^ 1)


def _in_turns() -> Words:
    values = SEVENS
    for _ in range(3):
        values = read(values, LANES ^ 1) + np.where(IS_EVEN, 2, 1).astype(np.uint32)
    return values


SUMS = np.where(THREADS < 32, 31 * 16, summed(SEVENS) + 1)
ADDED = SEVENS + np.where(LOW, 1000, 0).astype(np.uint32)
THREE = np.select([LANES < 8, LANES < 20], [LANES, THREADS], SEVENS)
# PTX, and what it must leave
APART = {
    "both_sides": (
        f"""{LOWER} shfl.sync.bfly.b32 %r9, %r3, 16, 31, -1; bra J; A: add.u32 %r4, %r3, 1000;
        shfl.sync.bfly.b32 %r9, %r4, 16, 31, -1; J: {DONE}""",
        read(ADDED, LANES ^ 16),
    ),
    "one_after_the_other": (
        f"""{LOWER} shfl.sync.bfly.b32 %r9, %r3, 16, 31, -1; shfl.sync.bfly.b32 %r9, %r9, 1, 31, -1;
        bra J; A: add.u32 %r4, %r3, 1000; shfl.sync.bfly.b32 %r9, %r4, 16, 31, -1;
        shfl.sync.bfly.b32 %r9, %r9, 1, 31, -1; J: {DONE}""",
        _twice(ADDED),
    ),
    "ballots": (
        f"""setp.lt.u32 %p2, %r2, 9; {EVEN} vote.sync.ballot.b32 %r9, %p2, -1; bra J;
        A: vote.sync.ballot.b32 %r9, %p1, -1; J: {DONE}""",
        bits(IS_EVEN | (LANES < 9)),
    ),
    "barriers_and_sums": (
        f"""{EVEN} bar.warp.sync -1; redux.sync.add.u32 %r9, %r3, -1; bra J;
        A: bar.warp.sync -1; redux.sync.add.u32 %r9, %r2, -1; J: {DONE}""",
        summed(np.where(IS_EVEN, LANES, SEVENS)),
    ),
    "behind_the_branch": (
        f"""setp.lt.u32 %p1, %r2, 16; @!%p1 bra B; shfl.sync.bfly.b32 %r9, %r3, 16, 31, -1; bra E;
        B: add.u32 %r4, %r3, 5; shfl.sync.bfly.b32 %r9, %r4, 16, 31, -1; E: {DONE}""",
        read(np.where(LOW, SEVENS, SEVENS + 5), LANES ^ 16),
    ),
    "in_other_turns_of_a_loop": (
        f"""mov.u32 %r5, 0; mov.u32 %r9, 0; L: add.u32 %r7, %r5, %r2; and.b32 %r7, %r7, 1;
        setp.eq.u32 %p1, %r7, 0; @%p1 bra C; shfl.sync.bfly.b32 %r8, %r3, 1, 31, -1;
        add.u32 %r9, %r9, %r8; C: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 4; @%p2 bra L;
        {DONE}""",
        2 * read(SEVENS, LANES ^ 1),
    ),
    "guarded_apart": (
        f"""setp.lt.u32 %p1, %r2, 16; @%p1 shfl.sync.bfly.b32 %r9, %r3, 16, 31, -1;
        @!%p1 shfl.sync.bfly.b32 %r9, %r2, 16, 31, -1; {DONE}""",
        read(np.where(LOW, SEVENS, LANES), LANES ^ 16),
    ),
    "mask_in_a_register": (
        f"""activemask.b32 %r13; {LOWER} shfl.sync.bfly.b32 %r9, %r3, 16, 31, %r13; bra J;
        A: add.u32 %r4, %r3, 1000; shfl.sync.bfly.b32 %r9, %r4, 16, 31, %r13; J: {DONE}""",
        read(ADDED, LANES ^ 16),
    ),
    "other_lanes_to_read": (
        f"""{LOWER} shfl.sync.idx.b32 %r9, %r3, 0, 31, -1; bra J; A: add.u32 %r4, %r3, 1000;
        shfl.sync.idx.b32 %r9, %r4, 20, 31, -1; J: {DONE}""",
        read(ADDED, np.where(LOW, 20, 0).astype(np.uint32)),
    ),
    "three_ways": (
        f"""setp.lt.u32 %p1, %r2, 8; setp.lt.u32 %p2, %r2, 20; @%p1 bra A; @%p2 bra B;
        shfl.sync.up.b32 %r9, %r3, 9, 0, -1; bra J; A: shfl.sync.up.b32 %r9, %r2, 9, 0, -1; bra J;
        B: shfl.sync.up.b32 %r9, %r1, 9, 0, -1; J: {DONE}""",
        read(THREE, np.where(LANES < 9, LANES, LANES - 9)),
    ),
    "two_loops": (
        f"""mov.u32 %r9, %r3; mov.u32 %r6, 0; {EVEN}
        B: shfl.sync.bfly.b32 %r9, %r9, 1, 31, -1; add.u32 %r9, %r9, 1; add.u32 %r6, %r6, 1;
        setp.lt.u32 %p2, %r6, 3; @%p2 bra B; bra J;
        A: shfl.sync.bfly.b32 %r9, %r9, 1, 31, -1; add.u32 %r9, %r9, 2; add.u32 %r6, %r6, 1;
        setp.lt.u32 %p2, %r6, 3; @%p2 bra A; J: {DONE}""",
        _in_turns(),
    ),
    # lanes 0..19 wait for the others at the second operation only; 24 and above leave
    "some_leave": (
        f"""mov.u32 %r9, 0; setp.ge.u32 %p1, %r2, 24; @%p1 ret; setp.lt.u32 %p1, %r2, 20;
        @%p1 bra A; redux.sync.add.u32 %r9, %r2, 0xf00000; redux.sync.add.u32 %r9, %r9, -1; bra J;
        A: redux.sync.add.u32 %r9, %r3, -1; J: {DONE}""",
        np.where(LANES < 24, summed(np.where(LANES < 20, SEVENS, ZERO)) + 4 * 86, 0),
    ),
    "barrier_of_the_block": (
        f"""setp.lt.u32 %p1, %r1, 40; shl.b32 %r4, %r1, 2; mov.u32 %r6, tile; add.u32 %r4, %r4, %r6;
        @%p1 bra A; st.shared.u32 [%r4], %r3; barrier.sync 0; bra J;
        A: st.shared.u32 [%r4], %r1; barrier.sync 0; J: sub.u32 %r7, 63, %r1; shl.b32 %r7, %r7, 2;
        add.u32 %r7, %r7, %r6; ld.shared.u32 %r9, [%r7]; {DONE}""",
        np.where(THREADS < 40, THREADS, SEVENS)[::-1],
    ),
}
# nothing to bring together: lanes come at one time, or no others are meant
TOGETHER = {
    "loop_of_different_lengths": (
        f"""and.b32 %r5, %r2, 3; L: setp.eq.u32 %p1, %r5, 0; @%p1 bra X; sub.u32 %r5, %r5, 1;
        add.u32 %r3, %r3, %r2; bra L; X: shfl.sync.idx.b32 %r9, %r3, 31, 31, -1; {DONE}""",
        read(SEVENS + (LANES & 3) * LANES, np.full(64, 31, np.uint32)),
    ),
    "some_exit": (
        f"setp.ge.u32 %p1, %r2, 20; @%p1 ret; redux.sync.add.u32 %r9, %r3, -1; {DONE}",
        np.where(LANES < 20, summed(np.where(LANES < 20, SEVENS, 0)), 0),
    ),
    "masks_of_halves": (
        f"""{LOWER} shfl.sync.bfly.b32 %r9, %r3, 1, 31, 0xffff0000; bra J;
        A: shfl.sync.bfly.b32 %r9, %r3, 1, 31, 0xffff; J: {DONE}""",
        read(SEVENS, LANES ^ 1),
    ),
    "warps": (
        f"""setp.lt.u32 %p1, %r1, 32; @%p1 bra A; redux.sync.add.u32 %r9, %r3, -1;
        add.u32 %r9, %r9, 1; bra J; A: redux.sync.add.u32 %r9, %r2, -1; J: {DONE}""",
        SUMS,
    ),
    "warps_by_their_number": (
        f"""shr.u32 %r4, %r1, 5; setp.eq.u32 %p1, %r4, 0; @%p1 bra A;
        redux.sync.add.u32 %r9, %r3, -1; add.u32 %r9, %r9, 1; bra J;
        A: redux.sync.add.u32 %r9, %r2, -1; J: {DONE}""",
        SUMS,
    ),
    "a_parameter": (
        f"""setp.lt.u32 %p1, %r20, 5; @%p1 bra A; redux.sync.add.u32 %r9, %r2, -1; bra J;
        A: redux.sync.add.u32 %r9, %r3, -1; J: {DONE}""",
        summed(SEVENS),
    ),
    "what_a_vote_says": (
        f"""setp.ge.u32 %p2, %r2, 0; vote.sync.all.pred %p1, %p2, -1;
        @%p1 bra A; redux.sync.add.u32 %r9, %r2, -1; bra J;
        A: redux.sync.add.u32 %r9, %r3, -1; J: {DONE}""",
        summed(SEVENS),
    ),
    "one_side_in_a_loop": (
        f"""mov.u32 %r4, %r1; mov.u32 %r9, 0; L: setp.ge.u32 %p1, %r4, 192; @%p1 bra J;
        redux.sync.add.u32 %r5, %r4, -1; add.u32 %r9, %r9, %r5; add.u32 %r4, %r4, 64; bra L;
        J: {DONE}""",
        summed(THREADS) * 3 + 32 * (64 + 128),
    ),
}
# lanes that never come: on NVIDIA hardware the others go on once these have ended
MISSING = """mul.lo.u32 %r4, %r1, 7; rem.u32 %r4, %r4, 5; st.global.u32 [%rd1], %r4;
    ld.global.u32 %r5, [%rd1]; setp.ge.u32 %p1, %r5, 3; mov.u32 %r9, 1; @%p1 bra J;"""
CAME = SEVENS % 5 < 3
ALONE = {
    "redux": ("redux.sync.add.u32 %r9, %r3, -1;", summed(np.where(CAME, SEVENS, 0))),
    "ballot": (
        "setp.lt.u32 %p2, %r2, 9; vote.sync.ballot.b32 %r9, %p2, -1;",
        bits(CAME & (LANES < 9)),
    ),
    "all": (
        "setp.le.u32 %p2, %r5, 2; vote.sync.all.pred %p3, %p2, -1; selp.u32 %r9, 5, 6, %p3;",
        np.full(64, 5),
    ),
    "match": ("match.any.sync.b32 %r9, %r20, -1;", bits(CAME)),
    "shuffle": (
        "bar.warp.sync -1; shfl.sync.idx.b32 %r9, %r3, 1, 31, -1;",
        read(SEVENS, 0 * LANES + 1),
    ),
}
TOGETHER |= {
    f"alone_{name}": (f"{MISSING} {ops} J: {DONE}", np.where(CAME, values, 1).astype(np.uint32))
    for name, (ops, values) in ALONE.items()
}
CASES = APART | TOGETHER


def run(body: str, target: str, options: dict[str, str]) -> Words:
    text, out = HEAD + body + "\n}\n", np.zeros(64, np.uint32)
    if target == "interpreter":
        ptxlift.run(text, "k", 1, 64, [out, np.uint32(3)], device=target)
        return out
    lifted = ptxlift.lift(text, target=target, options=ptxlift.Options(**options))
    ptxlift.run(lifted, "k", 1, 64, [out, np.uint32(3)])
    return out


@pytest.mark.parametrize("place", PLACES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_lanes_meet(name: str, place: Place) -> None:
    body, expected = CASES[name]
    assert np.array_equal(run(body, *place), expected)


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.parametrize("place", MORE_PLACES, ids=str)
@pytest.mark.parametrize("name", APART)
def test_lanes_meet_on_every_target(name: str, place: Place) -> None:
    body, expected = CASES[name]
    assert np.array_equal(run(body, *place), expected)


@pytest.mark.parametrize("name", TOGETHER)
def test_what_is_together_stays_as_it_is(name: str) -> None:
    module = lift_program([parse_module(HEAD + TOGETHER[name][0] + "\n}\n", "k.ptx")]).module
    assert parting_of(module.functions["k"]).parting is Parting.NONE
    assert module.functions["k"].apart is None
    assert not any(block.name == "turn" for block in module.functions["k"].blocks)


SUM = """.func (.param .b32 r) sum(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, [a];
    redux.sync.add.u32 %r2, %r1, -1; st.param.b32 [r], %r2; ret; }
    """
CALL = """{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r3; call (r), sum, (a);
    ld.param.b32 %r9, [r]; }"""
UNKNOWN = "ld.global.u32 %r4, [%rd1]; setp.eq.u32 %p1, %r4, 0; @%p1 bra A;"


def diagnostics(body: str) -> list[tuple[str, str]]:
    head, entry = HEAD.split(".visible")
    options = ptxlift.Options(on_unsupported="skip")
    text = f"{head}{SUM}.visible{entry}{body}\n}}\n"
    lifted = ptxlift.lift(text, target="gfx1100", options=options)
    return [(diagnostic.code, diagnostic.severity.value) for diagnostic in lifted.diagnostics]


def test_calls_that_lanes_come_to_apart_are_refused() -> None:
    assert diagnostics(f"{LOWER} {CALL} bra J; A: {CALL} J: {DONE}") == [("PTX205", "error")]
    assert diagnostics(f"{LOWER} bra J; A: add.u32 %r3, %r3, 1; J: {CALL} {DONE}") == []


def test_a_branch_with_many_operations_is_taken_to_be_uniform() -> None:
    many = "redux.sync.add.u32 %r9, %r3, -1;" * 6
    assert diagnostics(f"{UNKNOWN} {many} bra J; A: {many} J: {DONE}") == [("PTX205", "warning")]
    assert diagnostics(f"{UNKNOWN} bra J; A: {many} J: {DONE}") == []
