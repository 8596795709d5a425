"""Cases whose threads wait for each other: every one must get on, in any order."""

from __future__ import annotations

import numpy as np
from cases.model import Array, Case, Inputs

SOURCE = "cccl/progress.cu"
GRID, BLOCK = 5, 128
ROUNDS = 3
# kernel: how many threads of the grid take its lock
TAKERS = {
    "lock_of_blocks": GRID,
    "lock_of_warps": GRID * 4,
    "lock_of_lanes": GRID * BLOCK,
    "lock_in_a_flag": GRID * BLOCK,
    "semaphore_of_lanes": GRID * BLOCK,
}


def _case(kernel: str, inputs: Inputs, expected: dict[int, Array], grid: int = GRID) -> Case:
    return Case(
        name=kernel,
        source=SOURCE,
        kernel=kernel,
        grid=(grid, 1, 1),
        block=(BLOCK, 1, 1),
        make_inputs=lambda _: list(inputs),
        reference=lambda _: expected,
    )


def progress_cases() -> list[Case]:
    """Locks, the meeting of a grid, a scan that looks back, mbarriers."""
    free = np.zeros(1, np.int32)
    locks = [
        _case(kernel, [free, free.copy()], {0: free, 1: np.array([3 * count])})
        for kernel, count in TAKERS.items()
    ]
    return [*locks, _grid_case(), _scan_case(), _tile_case()]


def _grid_case() -> Case:
    values = np.arange(GRID) + 1
    for _ in range(ROUNDS):
        values = values.sum() + np.arange(GRID)
    expected = np.repeat(values, BLOCK) + np.arange(GRID * BLOCK)
    inputs = [np.zeros(GRID, np.int32), np.zeros(GRID * BLOCK, np.int32), np.int32(ROUNDS)]
    return _case("grid_rounds", inputs, {1: expected})


def _scan_case() -> Case:
    values = np.random.default_rng(3).integers(-50, 50, GRID * BLOCK).astype(np.int32)
    states, following = np.zeros(GRID, np.uint64), np.zeros(1, np.int32)
    inputs = [values, np.zeros_like(values), states, following]
    return _case("look_back", inputs, {1: values.cumsum()})


def _tile_case() -> Case:
    rounds = 1000 * np.arange(ROUNDS)[:, None]
    expected = rounds + np.arange(63, -1, -1)
    inputs = [np.zeros((ROUNDS, 64), np.int32), np.int32(ROUNDS)]
    return _case("producer_consumer", inputs, {0: expected}, grid=2)
