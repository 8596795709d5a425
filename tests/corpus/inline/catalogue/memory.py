"""Loads, stores, atomics, copies and fences. The buffer has four words a thread."""

from __future__ import annotations

import numpy as np

from catalogue.model import THREADS, Array, Entry


def low(words: Array) -> Array:
    """Two words as one number."""
    return words[:, 0].astype(np.uint64) | words[:, 1].astype(np.uint64) << np.uint64(32)


def reads(count: int) -> object:
    """The first words of the thread; the buffer stays."""

    def apply(*arguments: Array) -> tuple[Array, ...]:
        buffer = arguments[-1]
        return (*(buffer[:, n] for n in range(count)), buffer)

    return apply


def writes(*columns: int) -> object:
    """Inputs go to these words."""

    def apply(*arguments: Array) -> Array:
        *values, buffer = arguments
        after = buffer.copy()
        for column, value in zip(columns, values, strict=True):
            after[:, column] = value.view(np.uint32)
        return after

    return apply


def updates(function: object) -> object:
    """The old first word, which becomes a function of itself and the input."""

    def apply(value: Array, buffer: Array) -> tuple[Array, Array]:
        after = buffer.copy()
        after[:, 0] = function(buffer[:, 0], value)  # type: ignore[operator]
        return buffer[:, 0], after

    return apply


def changes(function: object) -> object:
    """`updates` without the old word."""

    def apply(value: Array, buffer: Array) -> Array:
        return updates(function)(value, buffer)[1]  # type: ignore[operator]

    return apply


def only_where(value: Array, flag: Array, buffer: Array) -> Array:
    after = buffer.copy()
    after[:, 0] = np.where(flag != 0, value, after[:, 0])
    return after


FLAGS = [0, 1, 2, 0, 0, 7]
V4 = ("=u32",) * 4 + ("global",)
ENTRIES = (
    Entry(
        "load_read_only", "ld.global.nc.u32 %0, [%1];", ("=u32", "global"), reads(1), buffer=True
    ),
    Entry(
        "load_streaming_vector",
        "ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];",
        V4,
        reads(4),
        buffer=True,
        volatile=True,
    ),
    Entry(
        "load_wide_prefetch",
        "ld.global.nc.L1::no_allocate.L2::256B.v4.s32 {%0,%1,%2,%3}, [%4];",
        V4,
        reads(4),
        buffer=True,
        volatile=True,
    ),
    Entry(
        "load_floats",
        "ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];",
        ("=f32",) * 4 + ("global",),
        lambda b: (*(b[:, n].copy().view(np.float32) for n in range(4)), b),
        buffer=True,
        volatile=True,
    ),
    Entry(
        "load_cached_in_l2", "ld.global.cg.u32 %0, [%1];", ("=u32", "global"), reads(1), buffer=True
    ),
    Entry(
        "load_last_use",
        "ld.global.lu.v2.u32 {%0, %1}, [%2];",
        ("=u32", "=u32", "global"),
        reads(2),
        buffer=True,
    ),
    Entry(
        "load_64",
        "ld.global.ca.u64 %0, [%1+8];",
        ("=u64", "global"),
        lambda b: (low(b[:, 2:]), b),
        buffer=True,
    ),
    Entry(
        "load_volatile",
        "ld.volatile.global.u32 %0, [%1];",
        ("=u32", "global"),
        reads(1),
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "load_relaxed",
        "ld.relaxed.gpu.global.u32 %0, [%1];",
        ("=u32", "global"),
        reads(1),
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "load_acquire",
        "ld.acquire.gpu.global.b32 %0, [%1];\n",
        ("=u32", "global"),
        reads(1),
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "load_acquire_system",
        "ld.acquire.sys.global.u64 %0, [%1];",
        ("=u64", "global"),
        lambda b: (low(b), b),
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "load_generic",
        "ld.u32 %0, [%1+4];",
        ("=u32", "generic"),
        lambda b: (b[:, 1], b),
        buffer=True,
    ),
    Entry(
        "load_byte",
        "{ .reg .u16 t; ld.global.nc.u8 t, [%1+3]; cvt.u32.u16 %0, t; }",
        ("=u32", "global"),
        lambda b: (b[:, 0] >> 24, b),
        buffer=True,
    ),
    Entry(
        "load_half",
        "ld.global.nc.b16 %0, [%1+2];",
        ("=u16", "global"),
        lambda b: (b[:, 0] >> 16, b),
        buffer=True,
    ),
    Entry(
        "guarded_load",
        "{\n .reg .pred p;\n setp.ne.b32 p, %2, 0;\n mov.b32 %0, %3;\n"
        " @p ld.global.nc.L1::no_allocate.u32 %0, [%1];\n}",
        ("=u32", "global", "u32", "u32"),
        lambda flag, other, b: (np.where(flag != 0, b[:, 0], other), b),
        data={2: FLAGS},
        buffer=True,
        volatile=True,
    ),
    Entry(
        "store", "st.global.u32 [%0], %1;", ("global", "u32"), writes(0), buffer=True, volatile=True
    ),
    Entry(
        "store_streaming",
        "st.global.cs.v4.u32 [%0], {%1,%2,%3,%4};",
        ("global", "u32", "u32", "u32", "u32"),
        writes(0, 1, 2, 3),
        buffer=True,
        volatile=True,
    ),
    Entry(
        "store_write_through",
        "st.global.wt.f32 [%0+4], %1;",
        ("global", "f32"),
        writes(1),
        buffer=True,
        volatile=True,
    ),
    Entry(
        "store_no_allocate",
        "st.global.L1::no_allocate.v2.f32 [%0], {%1, %2};",
        ("global", "f32", "f32"),
        writes(0, 1),
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "store_release",
        "st.release.gpu.global.u32 [%0], %1;",
        ("global", "u32"),
        writes(0),
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "store_volatile",
        "st.volatile.global.u32 [%0+8], %1;",
        ("global", "u32"),
        writes(2),
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "store_constant",
        "st.global.u32 [%0], %1;",
        ("global", 305419896),
        lambda b: np.column_stack([np.full(THREADS, 305419896), b[:, 1:]]),
        buffer=True,
        volatile=True,
    ),
    Entry(
        "guarded_store",
        "{ .reg .pred p; setp.ne.s32 p, %2, 0; @p st.global.b32 [%0], %1; }",
        ("global", "u32", "u32"),
        only_where,
        data={2: FLAGS},
        buffer=True,
        volatile=True,
    ),
    Entry(
        "store_byte",
        "{ .reg .b16 t; cvt.u16.u32 t, %1; st.global.u8 [%0], t; }",
        ("global", "u32"),
        lambda v, b: np.column_stack([b[:, 0] & 0xFFFFFF00 | v & 255, b[:, 1:]]),
        buffer=True,
        volatile=True,
    ),
    Entry(
        "fetch_add",
        "atom.global.add.u32 %0, [%1], %2;",
        ("=u32", "global", "u32"),
        updates(lambda a, b: a + b),
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "fetch_add_acquire",
        "atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;",
        ("=u32", "global", "u32"),
        updates(lambda a, b: a + b),
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "exchange",
        "atom.exch.b32 %0, [%1], %2;",
        ("=u32", "generic", "u32"),
        updates(lambda a, b: b),
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "fetch_max",
        "atom.global.max.u32 %0, [%1], %2;",
        ("=u32", "global", "u32"),
        updates(np.maximum),
        buffer=True,
        volatile=True,
    ),
    Entry(
        "compare_and_swap",
        "atom.cas.relaxed.gpu.global.b32 %0, [%1], %2, %3;",
        ("=u32", "global", "u32", "u32"),
        lambda c, v, b: (b[:, 0], np.column_stack([np.where(b[:, 0] == c, v, b[:, 0]), b[:, 1:]])),
        data={
            2: np.random.default_rng(7).integers(0, 2**32, THREADS * 4, np.uint32)[::4]
            * np.array([1, 0] * 32, np.uint32)
        },
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "add_without_result",
        "red.global.add.u32 [%0], %1;",
        ("global", "u32"),
        changes(lambda a, b: a + b),
        buffer=True,
        volatile=True,
    ),
    Entry(
        "add_released",
        "red.release.gpu.global.add.s32 [%0], %1;\n",
        ("global", "s32"),
        lambda v, b: changes(lambda x, y: x + y)(v.view(np.uint32), b),  # type: ignore[operator]
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "mask_without_result",
        "red.global.and.b32 [%0], %1;",
        ("global", "u32"),
        changes(lambda a, b: a & b),
        buffer=True,
        volatile=True,
    ),
    Entry("fence", "fence.acq_rel.gpu;", (), lambda: (), volatile=True, clobbers=("memory",)),
    Entry("fence_for_all", "fence.sc.sys;", (), lambda: (), volatile=True, clobbers=("memory",)),
    Entry("membar", "membar.gl;", (), lambda: (), volatile=True, clobbers=("memory",)),
    Entry("compiler_barrier", "", (), lambda: (), volatile=True, clobbers=("memory",)),
    Entry("prefetch", "prefetch.global.L2 [%0];", ("global",), lambda: (), volatile=True),
    Entry(
        "shared_round_trip",
        "st.shared.u32 [%1], %2; ld.shared.u32 %0, [%1];",
        ("=u32", "shared", "u32"),
        lambda a: a,
        volatile=True,
    ),
    Entry(
        "shared_vector",
        "st.shared.v4.b32 [%4], {%5, %5, %6, %6};\n bar.sync 0;\n"
        " ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];",
        ("=u32",) * 4 + ("shared", "u32", "u32"),
        lambda a, b: (a, a, b, b),
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "shared_atomic",
        "{ .reg .u32 o; st.shared.u32 [%1], %2; atom.shared.add.u32 o, [%1], 5;\n"
        " ld.shared.u32 %0, [%1]; }",
        ("=u32", "shared", "u32"),
        lambda a: a + np.uint32(5),
        volatile=True,
    ),
    Entry(
        "copy_async",
        "cp.async.ca.shared.global [%1], [%2], 16;\n cp.async.commit_group;\n"
        " cp.async.wait_group 0;\n bar.sync 0;\n ld.shared.u32 %0, [%1+12];",
        ("=u32", "shared", "global"),
        lambda b: (b[:, 3], b),
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "copy_async_l2",
        "cp.async.cg.shared.global.L2::128B [%1], [%2], %3;\n cp.async.wait_all;\n"
        " ld.shared.u32 %0, [%1+4];",
        ("=u32", "shared", "global", 16),
        lambda b: (b[:, 1], b),
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "copy_async_partly",
        "cp.async.cg.shared.global [%1], [%2], 16, %3;\n cp.async.wait_all;\n"
        " ld.shared.u32 %0, [%1+8];",
        ("=u32", "shared", "global", "u32"),
        lambda size, b: (np.where(size > 8, b[:, 2], 0), b),
        data={3: [0, 16, 8, 16]},
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "copy_async_guarded",
        "{ .reg .pred p; setp.ne.u32 p, %3, 0; st.shared.u32 [%1], 9;\n"
        " @p cp.async.ca.shared.global [%1], [%2], 4; cp.async.wait_all; ld.shared.u32 %0, [%1]; }",
        ("=u32", "shared", "global", "u32"),
        lambda flag, b: (np.where(flag != 0, b[:, 0], 9), b),
        data={3: FLAGS},
        buffer=True,
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "shared_address",
        "{ .reg .u64 t; cvt.u64.u32 t, %1; cvta.shared.u64 t, t;\n"
        " cvta.to.shared.u64 t, t; cvt.u32.u64 %0, t; sub.u32 %0, %0, %1; }",
        ("=u32", "shared"),
        lambda: np.uint32(0),
    ),
    Entry(
        "generic_is_global",
        "{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }",
        ("=u32", "generic"),
        lambda: np.uint32(1),
    ),
    Entry(
        "generic_is_shared",
        "{ .reg .pred p; .reg .u64 a; cvt.u64.u32 a, %1; cvta.shared.u64 a, a;\n"
        " isspacep.shared p, a; selp.u32 %0, 1, 0, p; }",
        ("=u32", "shared"),
        lambda: np.uint32(1),
    ),
)
