"""Cases that read a neighbourhood: stencils in one to three dimensions and small image filters."""

from __future__ import annotations

import numpy as np

from .model import Array, Case, Inputs, Tolerance, fma32

TAPS = (0.03125, 0.109375, 0.21875, 0.28125, 0.21875, 0.109375, 0.03125)


def line_inputs(rng: np.random.Generator) -> Inputs:
    n = 333
    return [rng.standard_normal(n).astype(np.float32), np.zeros(n, np.float32), np.int32(n)]


def convolution_reference(inputs: Inputs) -> dict[int, Array]:
    values, total, n = inputs
    padded = np.pad(values, 3, mode="edge")
    for offset, tap in enumerate(TAPS):
        total = fma32(np.full(n, tap, np.float32), padded[offset : offset + n], total)
    return {1: total}


def stencil1d_inputs(rng: np.random.Generator) -> Inputs:
    n = 300
    return [rng.integers(-99, 99, n, dtype=np.int32), np.zeros(n, np.int32), np.int32(n)]


def stencil1d_reference(inputs: Inputs) -> dict[int, Array]:
    padded = np.pad(inputs[0], 3)
    return {1: np.convolve(padded, np.ones(7, np.int32), "valid").astype(np.int32)}


def stencil2d_inputs(rng: np.random.Generator) -> Inputs:
    width, height = 37, 21
    grid = rng.standard_normal((height, width)).astype(np.float32)
    return [grid, np.zeros_like(grid), np.int32(width), np.int32(height)]


def stencil2d_reference(inputs: Inputs) -> dict[int, Array]:
    grid = inputs[0]
    result = grid.copy()
    across = grid[1:-1, :-2] + grid[1:-1, 2:]
    along = grid[:-2, 1:-1] + grid[2:, 1:-1]
    result[1:-1, 1:-1] = np.float32(0.25) * (across + along)
    return {1: result}


def stencil3d_inputs(rng: np.random.Generator) -> Inputs:
    nx, ny, nz = 18, 11, 6
    grid = rng.standard_normal((nz, ny, nx))
    sizes = [np.int32(nx), np.int32(ny), np.int32(nz)]
    return [grid, np.zeros_like(grid), *sizes, np.float64(-6.0), np.float64(1.0)]


def stencil3d_reference(inputs: Inputs) -> dict[int, Array]:
    grid, result = inputs[:2]
    inner = grid[1:-1, 1:-1, 1:-1]
    across = grid[1:-1, 1:-1, :-2] + grid[1:-1, 1:-1, 2:]
    along = grid[1:-1, :-2, 1:-1] + grid[1:-1, 2:, 1:-1]
    up = grid[:-2, 1:-1, 1:-1] + grid[2:, 1:-1, 1:-1]
    # c1 is one, so the fused multiply-add rounds like this plain sum.
    result[1:-1, 1:-1, 1:-1] = (across + along + up) + -6.0 * inner
    return {1: result}


def life_inputs(rng: np.random.Generator) -> Inputs:
    width, height = 41, 19
    cells = rng.integers(0, 2, (height, width), dtype=np.uint8)
    return [cells, np.zeros_like(cells), np.uint32(width), np.uint32(height)]


def life_reference(inputs: Inputs) -> dict[int, Array]:
    cells = inputs[0]
    shifts = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0)]
    alive = sum(np.roll(cells, shift, (0, 1)) for shift in shifts)
    return {1: ((alive == 3) | ((alive == 2) & (cells == 1))).astype(np.uint8)}


def sobel_inputs(rng: np.random.Generator) -> Inputs:
    width, height = 35, 18
    picture = rng.integers(0, 256, (height, width, 4), dtype=np.uint8)
    out = np.zeros((height, width), np.uint8)
    return [picture, out, np.int32(width), np.int32(height)]


def sobel_reference(inputs: Inputs) -> dict[int, Array]:
    luma = (inputs[0][..., :3].astype(np.int64) @ np.array([77, 150, 29])) >> 8
    padded = np.pad(luma, 1, mode="edge")
    columns = padded[:-2] + 2 * padded[1:-1] + padded[2:]
    rows = padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]
    gx = columns[:, 2:] - columns[:, :-2]
    gy = rows[2:] - rows[:-2]
    return {1: np.minimum(np.abs(gx) + np.abs(gy), 255).astype(np.uint8)}


CASES = (
    Case(
        name="constant_convolution",
        source="cuda/constant_convolution.cu",
        kernel="constant_convolution",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        make_inputs=line_inputs,
        reference=convolution_reference,
    ),
    Case(
        name="stencil1d",
        source="cuda/stencil1d.cu",
        kernel="stencil1d",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        make_inputs=stencil1d_inputs,
        reference=stencil1d_reference,
    ),
    Case(
        name="stencil2d",
        source="cuda/stencil2d.cu",
        kernel="stencil2d",
        grid=(3, 3, 1),
        block=(16, 8, 1),
        make_inputs=stencil2d_inputs,
        reference=stencil2d_reference,
    ),
    Case(
        name="stencil3d",
        source="cuda/stencil3d.cu",
        kernel="stencil3d",
        grid=(3, 2, 1),
        block=(8, 8, 1),
        make_inputs=stencil3d_inputs,
        reference=stencil3d_reference,
        tolerance=Tolerance(1e-13, 1e-14, "c0 * here is rounded before the fma or inside it"),
    ),
    Case(
        name="game_of_life",
        source="cuda/game_of_life.cu",
        kernel="game_of_life",
        grid=(2, 5, 1),
        block=(32, 4, 1),
        make_inputs=life_inputs,
        reference=life_reference,
    ),
    Case(
        name="sobel",
        source="cuda/sobel.cu",
        kernel="sobel",
        grid=(3, 3, 1),
        block=(16, 8, 1),
        make_inputs=sobel_inputs,
        reference=sobel_reference,
    ),
)
