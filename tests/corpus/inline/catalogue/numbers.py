"""Special registers: positions, lane masks, clocks."""

from __future__ import annotations

import numpy as np

from catalogue.model import THREADS, Array, Entry

LANES = np.arange(THREADS) % 32


def grows(*outputs: Array) -> bool:
    """Two readings of a clock: the second is not before the first."""
    first, second = outputs
    return bool(np.all(second - first < 1 << 30))


ENTRIES = (
    Entry("lane", "mov.u32 %0, %%laneid;", ("=u32",), lambda: LANES),
    Entry("lane_with_single_sign", "mov.u32 %0, %laneid;", ("=u32",), lambda: LANES),
    Entry(
        "warp", "mov.u32 %0, %%warpid;", ("=u32",), lambda: np.arange(THREADS) // 32, volatile=True
    ),
    Entry(
        "warps",
        "mov.u32 %0, %%nwarpid;",
        ("=u32",),
        check=lambda r: bool(np.all(r >= 2)),
        volatile=True,
    ),
    Entry("thread", "mov.u32 %0, %%tid.x;", ("=u32",), lambda: np.arange(THREADS)),
    Entry("block_size", "mov.u32 %0, %%ntid.x;", ("=u32",), lambda: np.uint32(THREADS)),
    Entry("block", "mov.u32 %0, %%ctaid.x;", ("=u32",), lambda: np.uint32(0)),
    Entry("grid_size", "mov.u32 %0, %%nctaid.x;", ("=u32",), lambda: np.uint32(1)),
    Entry(
        "linear_thread",
        "{ .reg .u32 t; mov.u32 t, %%ctaid.x; mad.lo.u32 %0, t, %1, %2; }",
        ("=u32", "u32", "u32"),
        lambda a, b: b,
    ),
    Entry(
        "multiprocessor",
        "mov.u32 %0, %%smid;",
        ("=u32",),
        check=lambda r: bool(np.all(r == r[0])),
        volatile=True,
    ),
    Entry(
        "multiprocessors", "mov.u32 %0, %%nsmid;", ("=u32",), check=lambda r: bool(np.all(r > 0))
    ),
    Entry("below", "mov.u32 %0, %%lanemask_lt;", ("=u32",), lambda: (1 << LANES) - 1),
    Entry("at_or_below", "mov.u32 %0, %%lanemask_le;", ("=u32",), lambda: (2 << LANES) - 1),
    Entry(
        "above", "mov.u32 %0, %%lanemask_gt;", ("=u32",), lambda: 0xFFFFFFFF & ~((2 << LANES) - 1)
    ),
    Entry("own_bit", "mov.u32 %0, %%lanemask_eq;", ("=u32",), lambda: 1 << LANES),
    Entry(
        "rank_in_ballot",
        "{ .reg .pred p; .reg .u32 m, l; setp.ne.u32 p, %1, 0;\n"
        " vote.sync.ballot.b32 m, p, 0xffffffff;\n"
        " mov.u32 l, %%lanemask_lt; and.b32 m, m, l; popc.b32 %0, m; }",
        ("=u32", "u32"),
        lambda a: np.concatenate([np.cumsum(w != 0) - (w != 0) for w in a.reshape(2, 32)]),
        data={1: [0, 1, 1, 0, 5]},
        volatile=True,
    ),
    Entry(
        "clock",
        "mov.u32 %0, %%clock; mov.u32 %1, %%clock;",
        ("=u32", "=u32"),
        check=grows,
        volatile=True,
    ),
    Entry(
        "long_clock",
        "mov.u64 %0, %%clock64; mov.u64 %1, %%clock64;",
        ("=u64", "=u64"),
        check=grows,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "timer",
        "mov.u64 %0, %globaltimer;",
        ("=u64",),
        check=lambda r: r.shape == (THREADS,),
        volatile=True,
    ),
    Entry("sleep", "nanosleep.u32 20;", (), lambda: (), volatile=True),
    Entry("dynamic_shared", "mov.u32 %0, %dynamic_smem_size;", ("=u32",), lambda: np.uint32(0)),
)
