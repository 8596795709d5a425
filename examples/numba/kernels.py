"""Kernels for numba's CUDA target; the tests compile them to PTX where numba-cuda is installed.

This module is read by numba's compiler only; ptxlift does not import it.
"""

# mypy: ignore-errors
from numba import cuda, float32, int32


def scaled_sum(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


def tiled_product(a, b, c):
    tile_a = cuda.shared.array((8, 8), float32)
    tile_b = cuda.shared.array((8, 8), float32)
    column, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for base in range(0, a.shape[1], 8):
        inside_a = row < a.shape[0] and base + tx < a.shape[1]
        inside_b = base + ty < b.shape[0] and column < b.shape[1]
        tile_a[ty, tx] = a[row, base + tx] if inside_a else float32(0)
        tile_b[ty, tx] = b[base + ty, column] if inside_b else float32(0)
        cuda.syncthreads()
        for k in range(8):
            total += tile_a[ty, k] * tile_b[k, tx]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


def count_values(values, bins):
    start = cuda.grid(1)
    for i in range(start, values.size, cuda.gridsize(1)):
        cuda.atomic.add(bins, values[i] % bins.size, 1)


def sort_rows(rows):
    row = cuda.grid(1)
    if row >= rows.shape[0]:
        return
    keys = cuda.local.array(12, int32)
    for k in range(12):
        keys[k] = rows[row, k]
    for k in range(1, 12):
        key = keys[k]
        at = k
        while at > 0 and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            at -= 1
        keys[at] = key
    for k in range(12):
        rows[row, k] = keys[k]


def warp_totals(values, totals):
    i = cuda.grid(1)
    v = values[i]
    delta = 16
    while delta > 0:
        v += cuda.shfl_down_sync(-1, v, delta)
        delta //= 2
    if cuda.laneid == 0:
        totals[i // 32] = v


def logistic_map(x, rate, steps):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        for _ in range(steps):
            v = rate * v * (1.0 - v)
        x[i] = v
