"""Lanes: shuffles, votes, reductions, barriers. The block has two warps of 32."""

from __future__ import annotations

import numpy as np

from catalogue.model import THREADS, Array, Entry

LANES = np.arange(THREADS) % 32
FIRST = np.arange(THREADS) // 32 * 32  # the first lane of the own warp


def bits_where(flag: Array) -> Array:
    """A ballot of the own warp."""
    ballot = (flag.reshape(2, 32).astype(np.uint64) << np.arange(32, dtype=np.uint64)).sum(1)
    return np.repeat(ballot, 32).astype(np.uint32)


def by_warp(function: object) -> object:
    def apply(a: Array) -> Array:
        return np.repeat([function(w) for w in a.reshape(2, 32)], 32)  # type: ignore[operator]

    return apply


def same_value(a: Array) -> Array:
    out = np.zeros(THREADS, np.uint32)
    for lane in range(THREADS):
        mates = a[FIRST[lane] : FIRST[lane] + 32] == a[lane]
        out[lane] = sum(1 << n for n in range(32) if mates[n])
    return out


FEW = [0, 3, 3, 5, 0, 7, 9]
FULL = "0xffffffff"
ENTRIES = (
    Entry(
        "butterfly",
        f"shfl.sync.bfly.b32 %0, %1, 16, 0x1f, {FULL};",
        ("=u32", "u32"),
        lambda a: a[FIRST + (LANES ^ 16)],
        volatile=True,
    ),
    Entry(
        "butterfly_by_operand",
        "shfl.sync.bfly.b32 %0, %1, %2, %3, %4;",
        ("=f32", "f32", 1, 31, -1),
        lambda a: a[FIRST + (LANES ^ 1)],
        volatile=True,
    ),
    Entry(
        "down",
        f"shfl.sync.down.b32 %0, %1, 4, 0x1f, {FULL};",
        ("=u32", "u32"),
        lambda a: a[FIRST + np.where(LANES + 4 < 32, LANES + 4, LANES)],
        volatile=True,
    ),
    Entry(
        "up",
        f"shfl.sync.up.b32 %0, %1, 1, 0x0, {FULL};",
        ("=u32", "u32"),
        lambda a: a[FIRST + np.maximum(LANES - 1, 0)],
        volatile=True,
    ),
    Entry(
        "from_first",
        f"shfl.sync.idx.b32 %0, %1, 0, 0x1f, {FULL};",
        ("=u32", "u32"),
        lambda a: a[FIRST],
        volatile=True,
    ),
    Entry(
        "from_any",
        f"shfl.sync.idx.b32 %0, %1, %2, 0x1f, {FULL};",
        ("=u32", "u32", "u32"),
        lambda a, lane: a[FIRST + lane % 32],
        volatile=True,
    ),
    Entry(
        "scan_step",
        "{ .reg .u32 r0; .reg .pred p;\n shfl.sync.up.b32 r0|p, %1, 2, 0x0, 0xffffffff;\n"
        " @p add.u32 r0, r0, %1; @!p mov.u32 r0, %1; mov.u32 %0, r0; }",
        ("=u32", "u32"),
        lambda a: np.where(LANES >= 2, a[FIRST + np.maximum(LANES - 2, 0)] + a, a),
        volatile=True,
    ),
    Entry(
        "shuffle_words",
        "{ .reg .b32 a, b; mov.b64 {a, b}, %1;\n"
        f" shfl.sync.bfly.b32 a, a, 8, 0x1f, {FULL}; shfl.sync.bfly.b32 b, b, 8, 0x1f, {FULL};\n"
        " mov.b64 %0, {a, b}; }",
        ("=u64", "u64"),
        lambda a: a[FIRST + (LANES ^ 8)],
        volatile=True,
    ),
    Entry(
        "old_shuffle",
        "shfl.down.b32 %0, %1, 1, 0x1f;",
        ("=u32", "u32"),
        lambda a: a[FIRST + np.minimum(LANES + 1, 31)],
        volatile=True,
        reference=f"shfl.sync.down.b32 %0, %1, 1, 0x1f, {FULL};",
    ),
    Entry(
        "ballot",
        "{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }",
        ("=u32", "u32"),
        lambda a: bits_where(a != 0),
        data={1: FEW},
        volatile=True,
    ),
    Entry(
        "any",
        "{ .reg .pred p, q; setp.eq.u32 p, %1, 9; vote.sync.any.pred q, p, 0xffffffff;\n"
        " selp.u32 %0, 1, 0, q; }",
        ("=u32", "u32"),
        by_warp(lambda w: np.uint32((w == 9).any())),
        data={1: FEW},
        volatile=True,
    ),
    Entry(
        "all",
        "{ .reg .pred p, q; setp.lt.u32 p, %1, 10; vote.sync.all.pred q, p, 0xffffffff;\n"
        " selp.u32 %0, 1, 0, q; }",
        ("=u32", "u32"),
        lambda a: np.uint32(1),
        data={1: FEW},
        volatile=True,
    ),
    Entry("active", "activemask.b32 %0;", ("=u32",), lambda: np.uint32(0xFFFFFFFF), volatile=True),
    Entry(
        "match",
        f"match.any.sync.b32 %0, %1, {FULL};",
        ("=u32", "u32"),
        same_value,
        data={1: FEW},
        volatile=True,
    ),
    Entry(
        "warp_sum",
        f"redux.sync.add.s32 %0, %1, {FULL};",
        ("=u32", "u32"),
        by_warp(lambda w: w.sum(dtype=np.uint32)),
        volatile=True,
    ),
    Entry(
        "warp_minimum",
        f"redux.sync.min.s32 %0, %1, {FULL};",
        ("=s32", "s32"),
        by_warp(np.min),
        volatile=True,
    ),
    Entry(
        "warp_or",
        f"redux.sync.or.b32 %0, %1, {FULL};",
        ("=u32", "u32"),
        by_warp(np.bitwise_or.reduce),
        volatile=True,
    ),
    Entry(
        "warp_barrier",
        f"bar.warp.sync {FULL};",
        (),
        lambda: (),
        volatile=True,
        clobbers=("memory",),
    ),
    Entry("block_barrier", "bar.sync 0;", (), lambda: (), volatile=True, clobbers=("memory",)),
    Entry(
        "barrier_new_name", "barrier.sync 0;", (), lambda: (), volatile=True, clobbers=("memory",)
    ),
    Entry(
        "elected",
        "{ .reg .pred p; .reg .b32 r; elect.sync r|p, 0xffffffff; selp.u32 %0, 1, 0, p; }",
        ("=u32",),
        lambda: (LANES == 0).astype(np.uint32),
        volatile=True,
    ),
    Entry(
        "exchange_through_shared",
        "st.shared.u32 [%1], %2;\nbar.sync 0;\n{ .reg .u32 a; xor.b32 a, %1, 16;\n"
        " ld.shared.u32 %0, [a]; }",
        ("=u32", "shared", "u32"),
        lambda a: a[np.arange(THREADS) ^ 1],
        volatile=True,
        clobbers=("memory",),
    ),
)
