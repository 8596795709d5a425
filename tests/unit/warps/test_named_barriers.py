"""Barriers that count threads: expected values by what the producers wrote, worked out in numpy."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ptxlift

TARGETS = ("gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201", "gfx1250")

# Warps 0 and 1 write a tile and arrive at barrier 1; warps 2 and 3 wait there, read the tile, and
# arrive at barrier 2, where the writers wait before the next round. 128 threads count at each.
PRODUCER_CONSUMER = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 rounds)
{
    .shared .align 4 .b8 tile[256];
    .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<4>;
    ld.param.u64 %d0, [out]; ld.param.u32 %r0, [rounds];
    mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mov.u32 %r3, 0;
    and.b32 %r4, %r1, 63; shl.b32 %r5, %r4, 2; add.u32 %r5, %r5, %r2;
    setp.ge.u32 %p0, %r1, 64;
    @%p0 bra READ;
WRITE:
    setp.eq.u32 %p1, %r3, 0;
    @%p1 bra FIRST;
    bar.sync 2, 128;
FIRST:
    mad.lo.u32 %r6, %r3, 1000, %r1; st.shared.u32 [%r5], %r6;
    bar.arrive 1, 128;
    add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r0;
    @%p2 bra WRITE;
    ret;
READ:
    bar.sync 1, 128;
    xor.b32 %r7, %r5, 252; ld.shared.u32 %r8, [%r7];
    shl.b32 %r9, %r3, 6; add.u32 %r9, %r9, %r4; mul.wide.u32 %d1, %r9, 4; add.u64 %d1, %d0, %d1;
    st.global.u32 [%d1], %r8;
    add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r0;
    @!%p2 ret;
    bar.arrive 2, 128;
    bra READ;
}
"""

# Each warp meets at its own barrier with itself alone, then reads what its other lanes wrote.
ONE_WARP = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .shared .align 4 .b8 tile[512];
    .reg .b32 %r<9>; .reg .b64 %d<3>;
    ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, tile;
    shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2; mul.lo.u32 %r4, %r0, %r0;
    st.shared.u32 [%r3], %r4; shr.u32 %r5, %r0, 5; add.u32 %r5, %r5, 1;
    bar.sync %r5, 32;
    xor.b32 %r3, %r3, 124; ld.shared.u32 %r6, [%r3];
    cvt.u64.u32 %d1, %r2; add.u64 %d0, %d0, %d1; st.global.u32 [%d0], %r6;
    ret;
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_producers_arrive_and_consumers_wait(target: str) -> None:
    rounds = 5
    out = np.zeros(64 * rounds, np.uint32)
    ptxlift.run(PRODUCER_CONSUMER, "k", 1, 128, [out, np.uint32(rounds)], target=target)
    lanes = np.arange(64, dtype=np.uint32)
    expected = [1000 * turn + (lanes ^ 63) for turn in range(rounds)]
    np.testing.assert_array_equal(out, np.concatenate(expected))


@pytest.mark.parametrize("bounds", ["", ".reqntid 128"])
@pytest.mark.parametrize("target", TARGETS)
def test_the_whole_block_waits_for_those_who_arrive(target: str, bounds: str) -> None:
    """A wait without a count, where others of the block arrive with one and do not wait."""
    rounds = 3
    text = re.sub(r"bar\.sync (\d), 128", r"bar.sync \1", PRODUCER_CONSUMER)
    text = text.replace("rounds)\n{", f"rounds) {bounds} {{")
    out = np.zeros(64 * rounds, np.uint32)
    ptxlift.run(text, "k", 1, 128, [out, np.uint32(rounds)], target=target)
    lanes = np.arange(64, dtype=np.uint32)
    expected = [1000 * turn + (lanes ^ 63) for turn in range(rounds)]
    np.testing.assert_array_equal(out, np.concatenate(expected))
    if target == "gfx1250":
        known = bounds != ""
        assert ("s_barrier_join" in ptxlift.lift(text, target).asm) == known


@pytest.mark.parametrize("target", TARGETS)
def test_a_barrier_of_one_warp(target: str) -> None:
    out = np.zeros(128, np.uint32)
    ptxlift.run(ONE_WARP, "k", 1, 128, [out], target=target)
    np.testing.assert_array_equal(out, (np.arange(128, dtype=np.uint32) ^ 31) ** 2)


# Two halves of the block vote apart, six times: thread t says yes in round r where
# t * (r + 3) % 7 < 4
# (in the upper half always, but for the last round's first thread).
VOTES = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %p<6>; .reg .b32 %r<12>; .reg .b64 %d<4>;
    ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.u64 %d0, %d0, %d1;
    shr.u32 %r1, %r0, 6; add.u32 %r2, %r1, 1; mov.u32 %r3, 0; mov.u32 %r9, 0;
L:  add.u32 %r4, %r3, 3; mul.lo.u32 %r4, %r4, %r0; rem.u32 %r4, %r4, 7;
    setp.lt.u32 %p0, %r4, 4; setp.eq.u32 %p1, %r1, 1; or.pred %p0, %p0, %p1;
    setp.ne.u32 %p2, %r3, 5; setp.ne.u32 %p3, %r0, 64; or.pred %p2, %p2, %p3;
    and.pred %p0, %p0, %p2;
    bar.red.popc.u32 %r5, %r2, 64, %p0;
    bar.red.and.pred %p4, %r2, 64, %p0;
    bar.red.or.pred %p5, %r2, 64, %p0;
    selp.u32 %r6, 1000, 0, %p4; selp.u32 %r7, 10000, 0, %p5;
    add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r7; mad.lo.u32 %r9, %r9, 3, %r5;
    add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 6; @%p0 bra L;
    st.global.u32 [%d0], %r9; ret;
}
"""


@pytest.mark.parametrize("target", ["interpreter", *TARGETS])
def test_votes_of_a_part_of_the_block(target: str) -> None:
    threads, total = np.arange(128), np.zeros(128, np.int64)
    for turn in range(6):
        votes = (threads * (turn + 3) % 7 < 4) | (threads >= 64)
        votes &= (turn != 5) | (threads != 64)
        halves = votes.reshape(2, 64)
        found = halves.sum(1) + 1000 * halves.all(1) + 10000 * halves.any(1)
        total = total * 3 + np.repeat(found, 64)
    out = np.zeros(128, np.uint32)
    place = {"device": target} if target == "interpreter" else {"target": target}
    ptxlift.run(VOTES, "k", 1, 128, [out], **place)
    np.testing.assert_array_equal(out, total)


@pytest.mark.parametrize("target", ["gfx942", "gfx1100", "gfx1250"])
def test_lanes_of_a_warp_at_two_places_of_a_barrier(target: str) -> None:
    """A warp counts once, whichever of its lanes are where: both warps must have come."""
    text = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p; .shared .align 4 .b8 cells[256];
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
  mov.u32 %r2, cells; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; st.shared.u32 [%r4], %r1;
  setp.lt.u32 %p, %r1, 16; @%p bra FIRST;
  barrier.sync 1, 64; bra BOTH;
FIRST: barrier.sync 1, 64;
BOTH: xor.b32 %r3, %r3, 252; add.u32 %r3, %r3, %r2; ld.shared.u32 %r5, [%r3];
  st.global.u32 [%rd3], %r5; ret; }
"""
    out = np.zeros(64, np.uint32)
    ptxlift.run(text, "k", 1, 64, [out], target=target, max_steps=200_000)
    np.testing.assert_array_equal(out, np.arange(64) ^ 63)


@pytest.mark.parametrize("count", ["0", "-32", "2048"])
def test_counts_that_no_block_reaches(count: str) -> None:
    head = ".version 8.0\n.target sm_80\n.address_size 64\n"
    text = f"{head}.visible .entry k() {{ bar.sync 1, {count}; ret; }}"
    with pytest.raises(ptxlift.PtxError, match="never complete") as caught:
        ptxlift.lift(text)
    assert caught.value.diagnostics[0].code == "PTX202"
