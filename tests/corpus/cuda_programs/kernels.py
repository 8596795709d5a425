"""Cases on kernels of CCCL's block-wide and language-level parts: no host code takes part."""

from __future__ import annotations

import numpy as np
from cases.model import Array, Case, Inputs

from cuda_programs.progress import progress_cases

THREADS, EACH, BLOCKS = 128, 4, 3
TILE = THREADS * EACH
BLOCK_SOURCE = "cccl/block_algorithms.cu"
LIBRARY_SOURCE = "cccl/libcudacxx.cu"
GROUPS_SOURCE = "cccl/groups.cu"


def tiles(low: int, high: int, dtype: type[np.generic]) -> Array:
    """A row a block; the same at every call."""
    rng = np.random.default_rng(high)
    return rng.integers(low, high, (BLOCKS, TILE)).astype(dtype)


def zeros(*shape: int) -> Array:
    return np.zeros(shape, np.int32)


def _case(
    source: str,
    kernel: str,
    inputs: Inputs,
    expected: dict[int, Array],
    *,
    grid: int = BLOCKS,
    block: int = THREADS,
    shared: int = 0,
) -> Case:
    """One launch whose inputs and results are computed here, before any translation."""
    return Case(
        name=kernel,
        source=source,
        kernel=kernel,
        grid=(grid, 1, 1),
        block=(block, 1, 1),
        make_inputs=lambda _: list(inputs),
        reference=lambda _: expected,
        shared=shared,
    )


def block_cases() -> list[Case]:
    """cub::Block* and cub::Warp*."""
    keys, shorts = tiles(0, 2**32, np.uint32), tiles(-200, 200, np.int16)
    values, samples = tiles(-20000, 20000, np.int32), tiles(0, 256, np.uint8)
    bits = tiles(0, 2, np.int32)[:, :THREADS].copy()
    by_size = np.argsort(-np.abs(shorts.astype(int)), axis=1, kind="stable")
    bins = np.array([np.bincount(row, minlength=256) for row in samples], np.uint32)
    heads = np.ones_like(bits)
    heads[:, 1:] = bits[:, 1:] != bits[:, :-1]
    groups = bits.reshape(-1, 16)
    source = BLOCK_SOURCE
    return [
        _case(source, "sort_tiles", [keys, np.zeros_like(keys)], {1: np.sort(keys, axis=1)}),
        _case(
            source, "merge_sort_tiles", [shorts, np.zeros_like(shorts)],
            {1: np.take_along_axis(shorts, by_size, axis=1)},
        ),
        _case(
            source, "reduce_tiles", [values, zeros(BLOCKS), zeros(BLOCKS)],
            {1: values.sum(1), 2: values.max(1)},
        ),
        _case(
            source, "scan_tiles", [values, np.zeros_like(values), zeros(BLOCKS)],
            {1: values.cumsum(1) - values, 2: values.sum(1)},
        ),
        _case(source, "histogram_tiles", [samples, np.zeros((BLOCKS, 256), np.uint32)], {1: bins}),
        _case(
            source, "heads_and_warps",
            [bits, np.zeros_like(bits), zeros(len(groups)), np.zeros_like(bits)],
            {1: heads, 2: groups.sum(1), 3: groups.cumsum(1).reshape(bits.shape)},
        ),
    ]  # fmt: skip


def library_cases() -> list[Case]:
    """libcu++: atomics, barriers, pipelines, semaphores, latches."""
    return [
        _atomics_case(),
        _case(
            LIBRARY_SOURCE, "count_halves", [np.zeros(4, np.uint16)],
            {0: np.array([66, 63, 63, 0], np.uint16)}, block=64,
        ),
        _phases_case(),
        _pipeline_case("pipelined_sums", reverse=True),
        _pipeline_case("thread_pipeline", reverse=False),
        _case(
            LIBRARY_SOURCE, "guarded_count", [np.ones(16, np.int32), zeros(1)],
            {0: np.ones(16, np.int32), 1: np.array([6])}, grid=6, block=64,
        ),
        _case(
            LIBRARY_SOURCE, "behind_a_latch", [zeros(128)], {0: np.full(128, 64)}, grid=2, block=64
        ),
        _complex_case(),
    ]  # fmt: skip


def _atomics_case() -> Case:
    values = tiles(1, 30, np.int32)[0, :200].copy()
    turns = 1
    for _ in values:
        turns = (turns * 3 + 1) % 2**32
    cells = np.array([0, 0, 2**32 - 1, 0, 1], np.uint32)
    bits = np.bitwise_or.reduce(1 << values)
    counted = np.array([values.sum(), bits, values.min(), values.max(), turns], np.uint32)
    inputs = [cells, np.zeros(1, np.float32), np.zeros(1, np.int64), values, np.int32(len(values))]
    expected = {0: counted, 1: np.array([len(values) / 2]), 2: -values[None].sum(1)}
    return _case(LIBRARY_SOURCE, "count_with_atomics", inputs, expected, grid=4, block=64)


def _phases_case() -> Case:
    values = tiles(-5, 5, np.int32)[:, :64].copy()
    smoothed = values
    for _ in range(4):
        smoothed = np.roll(smoothed, -1, 1) + np.roll(smoothed, 1, 1)
    inputs = [values, np.int32(4)]
    return _case(LIBRARY_SOURCE, "smooth_in_phases", inputs, {0: smoothed}, block=64)


def _pipeline_case(kernel: str, reverse: bool) -> Case:
    values = tiles(-500, 500, np.int32)[0, : 7 * 64].reshape(7, 64).copy()
    sums = values.sum(0)
    inputs = [values, zeros(64), np.int32(len(values))]
    expected = {1: sums[::-1] if reverse else sums}
    return _case(LIBRARY_SOURCE, kernel, inputs, expected, grid=1, block=64)


def _complex_case() -> Case:
    parts = tiles(-50, 50, np.float32)[0, :64].reshape(32, 2).copy()
    squares = (parts[:, 0] + 1j * parts[:, 1]) ** 2
    words = [int(word) for word in parts[:, 0].copy().view(np.uint32)]
    bits = [word.bit_count() + (32 - word.bit_length() << 8) for word in words]
    inputs = [parts, np.zeros_like(parts), np.zeros(32, np.uint32)]
    expected = {1: np.stack([squares.real, squares.imag], 1), 2: np.array(bits)}
    return _case(LIBRARY_SOURCE, "standard_library", inputs, expected, grid=1, block=32)


def group_cases() -> list[Case]:
    """Cooperative groups inside a block."""
    values = tiles(-500, 500, np.int32)[:, :THREADS].copy()
    eights, source, empty = values.reshape(-1, 8), GROUPS_SOURCE, np.zeros_like(values)
    warps = values.reshape(-1, 32)
    odd = warps & 1
    ranks = np.where(odd, odd.cumsum(1) - 1, -1).reshape(values.shape)
    sizes = np.where(odd, odd.sum(1, keepdims=True), -1).reshape(values.shape)
    same = (warps[:, :, None] & 3) == (warps[:, None, :] & 3)
    labels = (same * warps[:, None, :]).sum(2).reshape(values.shape)
    return [
        _case(
            source, "tile_reductions", [values, zeros(len(eights)), zeros(len(eights)), empty],
            {1: eights.sum(1), 2: eights.max(1), 3: eights.cumsum(1).reshape(values.shape)},
        ),
        _case(
            source, "coalesced", [values, empty, empty.copy(), empty.copy()],
            {1: ranks, 2: sizes, 3: labels},
        ),
        _case(
            source, "block_tile", [values, zeros(BLOCKS * 2)], {1: values.reshape(-1, 64).sum(1)}
        ),
        _case(
            source, "staged_copy", [values, empty], {1: values[:, ::-1]}, shared=4 * THREADS
        ),
    ]  # fmt: skip


KERNEL_CASES = (*block_cases(), *library_cases(), *group_cases(), *progress_cases())
