"""Matrix products of one warp, and the loads and moves that feed them.

Layouts are those of the manual's chapter on matrix fragments; inputs are small integers, so that
every sum is exact whatever the order.
"""

from __future__ import annotations

import numpy as np

from catalogue.model import THREADS, Array, Entry

LANES = np.arange(32)
GROUP, PLACE = LANES // 4, LANES % 4


def small(count: int, seed: int, low: int = -8, high: int = 8) -> Array:
    return np.random.default_rng(seed).integers(low, high, (THREADS, count))


def halves(seed: int) -> Array:
    """One register a thread with two small half-precision integers."""
    return np.ascontiguousarray(small(2, seed).astype(np.float16)).view(np.uint32).reshape(-1)


def bytes_(seed: int) -> Array:
    """One register a thread with four signed bytes."""
    packed = small(4, seed, -128, 128).astype(np.int8)
    return np.ascontiguousarray(packed).view(np.uint32).reshape(-1)


def elements(registers: tuple[Array, ...], dtype: str) -> Array:
    """The elements that each of 32 lanes holds, in the manual's order."""
    parts = [np.ascontiguousarray(r).view(dtype).reshape(32, -1) for r in registers]
    return np.concatenate(parts, 1).astype(np.float64)


def gather(held: Array, rows: Array, columns: Array, shape: tuple[int, int]) -> Array:
    matrix = np.zeros(shape)
    matrix[rows, columns] = held
    return matrix


def product(dtype: str, wide: int, result: str) -> object:
    """D = A * B + C of one warp; `wide`: elements of a register, 2 or 4; A is 16 by 8 * wide."""

    def warp(registers: list[Array]) -> list[Array]:
        a = elements(tuple(registers[:4]), dtype)
        b = elements(tuple(registers[4:6]), dtype)
        c = np.stack([r.astype(np.float64) for r in registers[6:]], 1)
        i = np.arange(4 * wide)
        rows = GROUP[:, None] + 8 * (i // wide % 2)
        columns = wide * PLACE[:, None] + i % wide + 4 * wide * (i // (2 * wide))
        left = gather(a, rows, columns, (16, 8 * wide))
        j = np.arange(2 * wide)
        deep = wide * PLACE[:, None] + j % wide + 4 * wide * (j // wide)
        right = gather(b, deep, np.broadcast_to(GROUP[:, None], deep.shape), (8 * wide, 8))
        k = np.arange(4)
        down, across = GROUP[:, None] + 8 * (k // 2), 2 * PLACE[:, None] + k % 2
        total = left @ right + gather(c, down, across, (16, 8))
        return [total[down, across][:, n].astype(result) for n in range(4)]

    def apply(*arrays: Array) -> tuple[Array, ...]:
        warps = [warp([a[at : at + 32] for a in arrays]) for at in (0, 32)]
        return tuple(np.concatenate(column) for column in zip(*warps, strict=True))

    return apply


def loaded(transposed: bool) -> object:
    """Register j of a lane: matrix j, row lane / 4, two halves at 2 * (lane % 4)."""

    def apply(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, ...]:
        words = np.stack([a, b, c, d], 1)  # thread t: row t % 8 of matrix t / 8 of its warp
        out = np.zeros((THREADS, 4), np.uint32)
        for first in (0, 32):
            tiles = np.ascontiguousarray(words[first : first + 32]).view(np.uint16)
            tiles = tiles.reshape(4, 8, 8)
            if transposed:
                tiles = np.ascontiguousarray(tiles.transpose(0, 2, 1))
            rows = tiles.reshape(4, 8, 8).view(np.uint32)
            out[first : first + 32] = rows[:, GROUP, PLACE].T
        return tuple(out[:, n] for n in range(4))

    return apply


def moved(a: Array) -> Array:
    """An 8 by 8 matrix of halves, transposed."""
    out = np.zeros(THREADS, np.uint32)
    for first in (0, 32):
        tile = np.ascontiguousarray(a[first : first + 32]).view(np.uint16).reshape(8, 8)
        out[first : first + 32] = np.ascontiguousarray(tile.T).view(np.uint32).reshape(-1)
    return out


HALF = {n: halves(n) for n in range(4, 10)}
BYTES = {n: bytes_(n) for n in range(4, 10)}
STORE = "st.shared.v4.b32 [%4], {%5, %6, %7, %8};\nbar.warp.sync 0xffffffff;\n"
LOADS = ("=u32",) * 4 + ("shared",) + ("u32",) * 4
ENTRIES = (
    Entry(
        "product_of_halves",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n"
        "  {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};\n",
        ("=f32",) * 4 + ("u32",) * 6 + ("f32",) * 4,
        product("<f2", 2, "<f4"),
        data={**HALF, **{n: small(1, n)[:, 0].astype(np.float32) for n in range(10, 14)}},
        volatile=True,
    ),
    Entry(
        "product_in_place",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};",
        ("+f32",) * 4 + ("u32",) * 6,
        lambda *r: product("<f2", 2, "<f4")(*r[4:], *r[:4]),  # type: ignore[operator]
        data={**HALF, **{n: small(1, n)[:, 0].astype(np.float32) for n in range(4)}},
        volatile=True,
    ),
    Entry(
        "product_of_bytes",
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};",
        ("=s32",) * 4 + ("u32",) * 6 + ("s32",) * 4,
        product("<i1", 4, "<i4"),
        data={**BYTES, **{n: small(1, n)[:, 0].astype(np.int32) for n in range(10, 14)}},
        volatile=True,
    ),
    Entry(
        "load_four_matrices",
        STORE + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];",
        LOADS,
        loaded(False),
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "load_transposed",
        STORE + "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];",
        LOADS,
        loaded(True),
        volatile=True,
        clobbers=("memory",),
    ),
    Entry(
        "transpose",
        "movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;",
        ("=u32", "u32"),
        moved,
        volatile=True,
    ),
)
