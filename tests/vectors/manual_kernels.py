"""Kernels for rows that no tool computes: what each gives is worked out from the manual's section.

Comes in: nothing. Goes out: PTX, the rows that it is for, the section, and the expected words as a
function of the inputs. A kernel has 64 threads; %r0 is the thread, %r1 its input x, %d3 its place
in `in`, %d4 its place in `out`; it stores %r2. `more` stands before the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]
THREADS = 64
DATA = "Data Movement and Conversion Instructions"
SYNC = "Parallel Synchronization and Communication Instructions"
CONTROL = "Control Flow Instructions"
SPECIAL = "Special Registers"


@dataclass(frozen=True)
class Case:
    """One kernel. `rows`: names of the rows whose result it is; `expected`: of x."""

    rows: str
    section: str
    body: str
    expected: Callable[[Words], Words]
    more: str = ""


def inputs() -> Words:
    """Small numbers, repeated ones, and patterns."""
    x = np.arange(THREADS, dtype=np.uint32) * np.uint32(0x9E3779B9)
    x[::3] = 5
    return x


T = np.arange(THREADS, dtype=np.uint32)
LANE = T % 32


def _other(x: Words, lanes: Words) -> Words:
    """Each thread's value of another lane of its warp."""
    return x[T // 32 * 32 + lanes]


def _warps(x: Words) -> list[Words]:
    return [x[:32], x[32:]]


def _each(x: Words, work: Callable[[Words], int]) -> Words:
    """One number a warp, in all its lanes."""
    return np.repeat(np.array([work(warp) & 0xFFFFFFFF for warp in _warps(x)], np.uint32), 32)


def _ballot(bits: npt.NDArray[np.bool_]) -> int:
    return sum(1 << lane for lane, bit in enumerate(bits.tolist()) if bit)


def _equal_lanes(x: Words) -> Words:
    return np.concatenate([
        np.array([_ballot(warp == value) for value in warp], np.uint32) for warp in _warps(x)
    ])  # fmt: skip


def _signed_least(x: Words) -> int:
    return int(x.view(np.int32).min())


def _sum(x: Words) -> int:
    return int(x.sum(dtype=np.uint64))


CASES = {
    "shfl.bfly": Case(
        "shfl_sync",
        f"{DATA}: shfl.sync",
        "shfl.sync.bfly.b32 %r2, %r1, 5, 31, -1;",
        lambda x: _other(x, LANE ^ 5),
    ),
    "shfl.up": Case(
        "shfl_sync",
        f"{DATA}: shfl.sync",
        "shfl.sync.up.b32 %r2, %r1, 3, 0, -1;",
        lambda x: _other(x, np.where(LANE >= 3, LANE - 3, LANE)),
    ),
    "shfl.down in eights": Case(
        "shfl_sync",
        f"{DATA}: shfl.sync",
        "shfl.sync.down.b32 %r2, %r1, 2, 0x181f, -1;",
        lambda x: _other(x, np.where(LANE % 8 < 6, LANE + 2, LANE)),
    ),
    "shfl.idx": Case(
        "shfl_sync",
        f"{DATA}: shfl.sync",
        "xor.b32 %r3, %r0, 9; shfl.sync.idx.b32 %r2|%p0, %r1, %r3, 31, -1;",
        lambda x: _other(x, LANE ^ 9),
    ),
    "vote.ballot": Case(
        "vote_sync_ballot",
        f"{SYNC}: vote.sync",
        "setp.eq.u32 %p0, %r1, 5; vote.sync.ballot.b32 %r2, %p0, -1;",
        lambda x: _each(x, lambda w: _ballot(w == 5)),
    ),
    "vote.any": Case(
        "vote_sync",
        f"{SYNC}: vote.sync",
        "setp.eq.u32 %p0, %r0, 40; vote.sync.any.pred %p1, %p0, -1; selp.u32 %r2, 1, 0, %p1;",
        lambda x: T // 32,
    ),
    "match.any": Case(
        "match",
        f"{SYNC}: match.sync",
        "match.any.sync.b32 %r2, %r1, -1;",
        _equal_lanes,
    ),
    "match.all of 64 bits": Case(
        "match",
        f"{SYNC}: match.sync",
        "and.b32 %r3, %r0, 31; setp.eq.u32 %p0, %r3, 3; selp.u32 %r6, 1, 0, %p0; "
        "mov.u32 %r7, 5; mov.b64 %d6, {%r7, %r6}; mov.b64 %d7, {%r6, %r7}; "
        "match.all.sync.b64 %r8, %d6, -1; match.all.sync.b64 %r9, %d7, -1; "
        "mov.b64 %d8, {%r7, %r7}; match.all.sync.b64 %r2|%p1, %d8, -1; "
        "or.b32 %r8, %r8, %r9; @%p1 sub.u32 %r2, %r2, %r8;",
        lambda x: np.full(THREADS, 0xFFFFFFFF, np.uint32),
    ),
    "redux.add": Case(
        "redux",
        f"{SYNC}: redux.sync",
        "redux.sync.add.u32 %r2, %r1, -1;",
        lambda x: _each(x, _sum),
    ),
    "redux.min": Case(
        "redux",
        f"{SYNC}: redux.sync",
        "redux.sync.min.s32 %r2, %r1, -1;",
        lambda x: _each(x, _signed_least),
    ),
    "redux.f32": Case(
        "redux_f32",
        f"{SYNC}: redux.sync",
        "cvt.rn.f32.u32 %f0, %r0; redux.sync.max.f32 %f1, %f0, -1; cvt.rzi.u32.f32 %r2, %f1;",
        lambda x: T // 32 * 32 + 31,
    ),
    "elect": Case(
        "elect",
        f"{SYNC}: elect.sync",
        "elect.sync %r3|%p0, -1; selp.u32 %r2, 1, 0, %p0; mad.lo.u32 %r2, %r3, 2, %r2; "
        "shfl.sync.idx.b32 %r2, %r2, %r3, 31, -1; and.b32 %r2, %r2, 1;",
        lambda x: np.ones(THREADS, np.uint32),
    ),
    "activemask": Case(
        "activemask",
        f"{SYNC}: activemask",
        "bar.warp.sync -1; activemask.b32 %r2;",
        lambda x: np.full(THREADS, 4294967295, np.uint32),
    ),
    "bar.sync": Case(
        "bar_sync st ld",
        f"{SYNC}: barrier",
        "st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r2, [%r5];",
        lambda x: x[63 - T],
    ),
    "bar.red": Case(
        "bar_red",
        f"{SYNC}: barrier",
        "setp.gt.u32 %p0, %r0, 20; bar.red.popc.u32 %r2, 0, %p0;",
        lambda x: np.full(THREADS, 43, np.uint32),
    ),
    "bar.arrive": Case(
        "bar_arrive",
        f"{SYNC}: barrier",
        "setp.lt.u32 %p0, %r0, 32; @%p0 st.shared.u32 [%r4], %r1; @%p0 bar.arrive 1, 64; "
        "@!%p0 bar.sync 1, 64; mov.u32 %r2, %r1; @!%p0 ld.shared.u32 %r2, [%r5];",
        lambda x: np.where(T < 32, x, x[63 - T]),
    ),
    "bar.warp": Case(
        "bar_warp_sync",
        f"{SYNC}: bar.warp.sync",
        "st.shared.u32 [%r4], %r1; bar.warp.sync -1; xor.b32 %r5, %r4, 4; ld.shared.u32 "
        "%r2, [%r5];",
        lambda x: x[T ^ 1],
    ),
    "cluster": Case(
        "barrier_cluster_arrive barrier_cluster_wait",
        f"{SYNC}: barrier.cluster",
        "st.shared.u32 [%r4], %r1; barrier.cluster.arrive; barrier.cluster.wait; "
        "ld.shared.u32 %r2, [%r5];",
        lambda x: x[63 - T],
    ),
    "atom.add": Case(
        "atom",
        f"{SYNC}: atom",
        "setp.eq.u32 %p0, %r0, 0; mov.u32 %r6, 0; @%p0 st.shared.u32 [s], %r6; bar.sync "
        "0; atom.shared.add.u32 %r6, [s], %r0; bar.sync 0; ld.shared.u32 %r2, [s];",
        lambda x: np.full(THREADS, 63 * 32, np.uint32),
    ),
    "atom.cas": Case(
        "atom",
        f"{SYNC}: atom",
        "st.shared.u32 [%r4], %r1; atom.shared.cas.b32 %r6, [%r4], 5, 77; ld.shared.u32 "
        "%r2, [%r4];",
        lambda x: np.where(x == 5, np.uint32(77), x),
    ),
    "atom.inc": Case(
        "atom",
        f"{SYNC}: atom",
        "st.shared.u32 [%r4], %r1; atom.shared.inc.u32 %r6, [%r4], 5; ld.shared.u32 %r2, [%r4];",
        lambda x: np.where(x >= 5, 0, x + np.uint32(1)).astype(np.uint32),
    ),
    "red.max": Case(
        "red",
        f"{SYNC}: red",
        "st.shared.u32 [%r4], %r1; red.shared.max.s32 [%r4], 9; ld.shared.u32 %r2, [%r4];",
        lambda x: np.maximum(x.view(np.int32), 9).view(np.uint32),
    ),
    "atom.v2": Case(
        "atom_vector",
        f"{SYNC}: atom",
        "atom.global.add.v2.f32 {%f0, %f1}, [%d5], {0f40000000, 0f40400000}; "
        "ld.global.f32 %f2, [%d5+4]; cvt.rzi.u32.f32 %r2, %f2;",
        lambda x: np.full(THREADS, 3, np.uint32),
        ".global .align 8 .b8 g[512];",
    ),
    "red.v2": Case(
        "red_vector",
        f"{SYNC}: red",
        "red.global.add.v2.f32 [%d5], {0f40000000, 0f40400000}; ld.global.f32 %f2, "
        "[%d5]; cvt.rzi.u32.f32 %r2, %f2;",
        lambda x: np.full(THREADS, 2, np.uint32),
        ".global .align 8 .b8 g[512];",
    ),
    "mbarrier": Case(
        "mbarrier_init mbarrier_arrive mbarrier_test_wait mbarrier_inval",
        f"{SYNC}: mbarrier",
        "setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [m], 64; st.shared.u32 "
        "[%r4], %r1; bar.sync 0; mbarrier.arrive.shared.b64 %d6, [m]; WAIT: "
        "mbarrier.test_wait.shared.b64 %p1, [m], %d6; @!%p1 bra WAIT; ld.shared.u32 %r2, "
        "[%r5]; bar.sync 0; @%p0 mbarrier.inval.shared.b64 [m];",
        lambda x: x[63 - T],
    ),
    "mbarrier.drop": Case(
        "mbarrier_arrive_drop mbarrier_pending_count mbarrier_try_wait",
        f"{SYNC}: mbarrier",
        "mov.u32 %r2, 0; setp.ne.u32 %p0, %r0, 0; @%p0 bra OUT; mbarrier.init.shared.b64 "
        "[m], 3; mbarrier.arrive_drop.shared.b64 %d6, [m]; mbarrier.arrive.shared.b64 "
        "%d6, [m]; mbarrier.pending_count.b64 %r2, %d6; mbarrier.arrive.shared.b64 %d6, "
        "[m]; mbarrier.try_wait.parity.shared.b64 %p1, [m], 0; @%p1 add.u32 %r2, %r2, "
        "10; OUT:",
        lambda x: np.where(T == 0, 12, 0).astype(np.uint32),
    ),
    "cp.async": Case(
        "cp_async cp_async_commit_group cp_async_wait_group",
        f"{DATA}: cp.async",
        "cp.async.ca.shared.global [%r4], [%d3], 4; cp.async.commit_group; "
        "cp.async.wait_group 0; bar.sync 0; ld.shared.u32 %r2, [%r5];",
        lambda x: x[63 - T],
    ),
    "cp.async of two bytes": Case(
        "cp_async cp_async_wait_all",
        f"{DATA}: cp.async",
        "cp.async.ca.shared.global [%r4], [%d3], 4, 2; cp.async.wait_all; ld.shared.u32 "
        "%r2, [%r4];",
        lambda x: x & np.uint32(65535),
    ),
    "isspacep": Case(
        "isspacep cvta",
        f"{DATA}: isspacep",
        "cvta.shared.u64 %d6, s; isspacep.shared %p0, %d6; isspacep.global %p1, %d3; "
        "isspacep.shared %p2, %d3; selp.u32 %r2, 1, 0, %p0; @%p1 add.u32 %r2, %r2, 2; "
        "@%p2 add.u32 %r2, %r2, 4;",
        lambda x: np.full(THREADS, 3, np.uint32),
    ),
    "cvta.to": Case(
        "cvta cvta_to ld st",
        f"{DATA}: cvta",
        "cvta.shared.u64 %d6, s; cvt.u64.u32 %d7, %r0; mad.lo.u64 %d6, %d7, 4, %d6; "
        "st.u32 [%d6], %r1; cvta.to.shared.u64 %d6, %d6; ld.shared.u32 %r2, [%d6];",
        lambda x: x,
    ),
    "ld.v4": Case(
        "ld",
        f"{DATA}: ld",
        "and.b32 %r3, %r0, 0x3c; mad.wide.u32 %d6, %r3, 4, %d0; ld.global.v4.u32 {%r6, "
        "%r7, %r8, %r9}, [%d6]; mov.u32 %r2, %r8;",
        lambda x: x[T // 4 * 4 + 2],
    ),
    "ld.s8": Case(
        "ld",
        f"{DATA}: ld",
        "ld.global.s8 %r2, [%d3+1];",
        lambda x: (
            (x >> np.uint32(8)).astype(np.uint8).view(np.int8).astype(np.int32).view(np.uint32)
        ),
    ),
    "ldu": Case(
        "ldu",
        f"{DATA}: ldu",
        "ldu.global.u32 %r2, [%d0+8];",
        lambda x: np.full(THREADS, x[2], np.uint32),
    ),
    "mov.v2": Case(
        "mov_vector",
        f"{DATA}: mov",
        ".reg .v2 .u32 v; mov.v2.u32 v, {%r0, %r1}; mov.u32 %r2, v.y;",
        lambda x: x,
    ),
    "mov address": Case(
        "mov_address",
        f"{DATA}: mov",
        "mov.u64 %d6, g; ld.global.u32 %r2, [%d6+4];",
        lambda x: np.full(THREADS, 22, np.uint32),
        ".global .u32 g[2] = {11, 22};",
    ),
    "sregs": Case(
        "mov_sreg",
        f"{SPECIAL}: %laneid, %warpid, %ntid",
        "mov.u32 %r2, %laneid; mov.u32 %r3, %ntid.x; mad.lo.u32 %r2, %r3, 100, %r2;",
        lambda x: LANE + np.uint32(6400),
    ),
    "brx": Case(
        "brx bra",
        f"{CONTROL}: brx.idx",
        "and.b32 %r3, %r0, 1; mov.u32 %r2, 0; ways: .branchtargets EVEN, ODD; brx.idx "
        "%r3, ways; EVEN: mov.u32 %r2, 10; bra JOIN; ODD: mov.u32 %r2, 20; JOIN:",
        lambda x: np.where(T % 2, 20, 10).astype(np.uint32),
    ),
    "call": Case(
        "call ret",
        f"{CONTROL}: call",
        "call (%r2), f, (%r1);",
        lambda x: x * np.uint32(3),
        ".func (.reg .u32 y) f(.reg .u32 z) { mul.lo.u32 y, z, 3; ret; }",
    ),
    "call by address": Case(
        "call_indirect",
        f"{CONTROL}: call",
        "proto: .callprototype (.reg .u32 _) _ (.reg .u32 _); mov.u64 %d6, f; call "
        "(%r2), %d6, (%r1), proto;",
        lambda x: x * np.uint32(3),
        ".func (.reg .u32 y) f(.reg .u32 z) { mul.lo.u32 y, z, 3; ret; }",
    ),
    "exit": Case(
        "exit",
        f"{CONTROL}: exit",
        "mov.u32 %r2, %r1; setp.gt.u32 %p0, %r0, 31; @%p0 exit;",
        lambda x: np.where(T > 31, 0, x).astype(np.uint32),
    ),
    "hints": Case(
        "prefetch prefetchu applypriority membar fence nanosleep pmevent "
        "createpolicy_fractional fence_mbarrier_init fence_proxy fence_proxy_async "
        "membar_proxy createpolicy_range pmevent_mask",
        f"{DATA}: prefetch; {SYNC}: membar, fence",
        "prefetch.global.L2 [%d3]; prefetchu.L1 [%d3]; "
        "applypriority.global.L2::evict_normal [%d0], 128; membar.gl; fence.acq_rel.gpu; "
        "nanosleep.u32 20; pmevent 3; pmevent.mask 5; "
        "createpolicy.fractional.L2::evict_first.b64 %d6; "
        "createpolicy.range.L2::evict_last.b64 %d6, [%d0], 64, 64; "
        "fence.mbarrier_init.release.cluster; fence.proxy.alias; membar.proxy.alias; "
        "fence.proxy.async; mov.u32 %r2, %r1;",
        lambda x: x,
    ),
    "cluster addresses": Case(
        "mapa getctarank",
        f"{DATA}: mapa, getctarank",
        "st.shared.u32 [%r4], %r1; cvta.shared.u64 %d6, s; mapa.u64 %d6, %d6, 0; "
        "cvt.u64.u32 %d7, %r0; mad.lo.u64 %d6, %d7, 4, %d6; ld.u32 %r2, [%d6]; "
        "getctarank.u64 %r3, %d6; add.u32 %r2, %r2, %r3;",
        lambda x: x,
    ),
    "bulk copy": Case(
        "cp_async_bulk cp_async_bulk_prefetch",
        f"{DATA}: cp.async.bulk",
        "setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [m], 1; bar.sync 0; "
        "@!%p0 bra WAIT; "
        "cp.async.bulk.prefetch.L2.global [%d0], 256; "
        "mbarrier.arrive.expect_tx.shared.b64 %d6, [m], 256; "
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d0], 256, [m]; "
        "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [m], 0; @!%p1 bra WAIT; "
        "ld.shared.u32 %r2, [%r5];",
        lambda x: x[63 - T],
    ),
    "bulk copy by a group": Case(
        "cp_async_bulk cp_async_bulk_commit_group cp_async_bulk_wait_group",
        f"{DATA}: cp.async.bulk",
        "st.shared.u32 [%r4], %r1; bar.sync 0; setp.eq.u32 %p0, %r0, 0; @!%p0 bra DONE; "
        "mov.u64 %d6, g; cp.async.bulk.global.shared::cta.bulk_group [%d6], [s], 256; "
        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; "
        "DONE: bar.sync 0; mov.u64 %d6, g; mad.wide.u32 %d6, %r3, 4, %d6; "
        "ld.global.u32 %r2, [%d6];",
        lambda x: x[63 - T],
        ".global .align 16 .b8 g[512];",
    ),
    "bulk sum": Case(
        "cp_reduce_async_bulk",
        f"{DATA}: cp.reduce.async.bulk",
        "st.shared.u32 [%r4], %r1; bar.sync 0; setp.eq.u32 %p0, %r0, 0; @!%p0 bra DONE; "
        "mov.u64 %d6, g; "
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d6], [s], 256; "
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d6], [s], 256; "
        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; "
        "DONE: bar.sync 0; mov.u64 %d6, g; mad.wide.u32 %d6, %r3, 4, %d6; "
        "ld.global.u32 %r2, [%d6];",
        lambda x: x[63 - T] * np.uint32(2),
        ".global .align 16 .b8 g[512];",
    ),
    "asynchronous store": Case(
        "st_async red_async mbarrier_expect_tx",
        f"{DATA}: st.async; {SYNC}: red.async, mbarrier.expect_tx",
        "setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [m], 1; bar.sync 0; @!%p0 bra GO; "
        "mbarrier.expect_tx.relaxed.cta.shared.b64 [m], 512; mbarrier.arrive.shared.b64 %d6, [m]; "
        "GO: bar.sync 0; "
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r4], %r1, [m]; "
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
        "[%r4], %r0, [m]; "
        "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [m], 0; @!%p1 bra WAIT; "
        "ld.shared.u32 %r2, [%r5];",
        lambda x: x[63 - T] + (63 - T),
    ),
    "bytes that come": Case(
        "mbarrier_complete_tx",
        f"{SYNC}: mbarrier.complete_tx",
        "mov.u32 %r2, 0; setp.ne.u32 %p0, %r0, 0; @%p0 bra OUT; mbarrier.init.shared.b64 [m], 1; "
        "mbarrier.arrive.expect_tx.shared.b64 %d6, [m], 8; "
        "mbarrier.test_wait.shared.b64 %p1, [m], %d6; selp.u32 %r2, 1, 2, %p1; "
        "mbarrier.complete_tx.relaxed.cta.shared.b64 [m], 8; "
        "mbarrier.test_wait.shared.b64 %p1, [m], %d6; @%p1 add.u32 %r2, %r2, 10; OUT:",
        lambda x: np.where(T == 0, 12, 0).astype(np.uint32),
    ),
    "bulk zeros": Case(
        "st_bulk",
        f"{DATA}: st.bulk",
        "st.shared.u32 [%r4], %r1; bar.sync 0; setp.eq.u32 %p0, %r0, 0; "
        "@%p0 st.bulk.shared::cta [s], 128, 0; bar.sync 0; ld.shared.u32 %r2, [%r4];",
        lambda x: np.where(T < 32, 0, x).astype(np.uint32),
    ),
    "arrival of copies": Case(
        "cp_async_mbarrier_arrive",
        f"{DATA}: cp.async.mbarrier.arrive",
        "setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [m], 64; bar.sync 0; "
        "cp.async.ca.shared.global [%r4], [%d3], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [m]; "
        "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [m], 0; @!%p1 bra WAIT; "
        "ld.shared.u32 %r2, [%r5];",
        lambda x: x[63 - T],
    ),
}


def kernel(case: Case) -> str:
    """The whole PTX of a case."""
    return "\n".join([
        ".version 9.0\n.target sm_100a\n.address_size 64", case.more,
        ".visible .entry k(.param .u64 in, .param .u64 out) {",
        ".reg .b32 %r<12>; .reg .b64 %d<9>; .reg .f32 %f<4>; .reg .pred %p<4>;",
        ".shared .align 8 .b8 s[256]; .shared .align 8 .b64 m;",
        "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x;",
        "mad.wide.u32 %d3, %r0, 4, %d0; mad.wide.u32 %d4, %r0, 4, %d1; ld.global.u32 %r1, [%d3];",
        "mov.u32 %r4, s; mad.lo.u32 %r4, %r0, 4, %r4; mov.u32 %r5, s; sub.u32 %r3, 63, %r0;",
        "mad.lo.u32 %r5, %r3, 4, %r5;",
        "mov.u64 %d5, g; mad.wide.u32 %d5, %r0, 8, %d5;" if "g[512]" in case.more else "",
        case.body, "st.global.u32 [%d4], %r2; ret; }\n",
    ])  # fmt: skip
