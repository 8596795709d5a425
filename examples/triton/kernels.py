"""Triton kernels whose PTX lies beside this file; tests/corpus/build_triton.py compiles them.

This module is read by Triton's compiler only; ptxlift does not import it.
"""

# mypy: ignore-errors
import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def row_softmax(x, out, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + at, mask=at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * stride + at, powers / tl.sum(powers, axis=0), mask=at < columns)


@triton.jit
def row_layernorm(x, gain, shift, out, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + row * columns + at, mask=inside, other=0.0)
    mean = tl.sum(values, axis=0) / columns
    centred = tl.where(inside, values - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    scaled = centred * (1.0 / tl.sqrt(variance + epsilon))
    gains = tl.load(gain + at, mask=inside)
    shifts = tl.load(shift + at, mask=inside)
    tl.store(out + row * columns + at, scaled * gains + shifts, mask=inside)


@triton.jit
def sum_rows(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, COLUMNS)[None, :]
    inside = (row < rows) & (column < columns)
    values = tl.load(x + row * columns + column, mask=inside, other=0)
    at = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    tl.store(out + at, tl.sum(values, axis=1), mask=at < rows)


@triton.jit
def dropout(x, out, n, keep, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    kept = tl.rand(seed, at) < keep
    values = tl.load(x + at, mask=inside)
    tl.store(out + at, tl.where(kept, values / keep, 0.0), mask=inside)


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    v = tl.load(x + at, mask=inside).to(tl.float32)
    inner = 0.7978845608 * (v + 0.044715 * v * v * v)
    half_tanh = 1.0 / (1.0 + tl.exp(-2.0 * inner))
    tl.store(out + at, (v * half_tanh).to(tl.float16), mask=inside)


@triton.jit
def cumulative_sum(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, mask=at < columns, other=0)
    tl.store(out + row * columns + at, tl.cumsum(values, axis=0), mask=at < columns)


@triton.jit
def rotary(x, angles, out, half, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < half
    angle = tl.load(angles + row * half + at, mask=inside, other=0.0)
    first = tl.load(x + row * 2 * half + at, mask=inside)
    second = tl.load(x + row * 2 * half + half + at, mask=inside)
    c = tl.cos(angle)
    s = tl.sin(angle)
    tl.store(out + row * 2 * half + at, first * c - second * s, mask=inside)
    tl.store(out + row * 2 * half + half + at, second * c + first * s, mask=inside)


@triton.jit
def atomic_histogram(x, bins, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    values = tl.load(x + at, mask=inside, other=0)
    tl.atomic_add(bins + (values & 31), 1, mask=inside)


@triton.jit
def float_matmul(a, b, c, m, n, k, TILE: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)[:, None]
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)[None, :]
    total = tl.zeros((TILE, TILE), tl.float32)
    for base in range(0, k, TILE):
        at = base + tl.arange(0, TILE)
        left_inside = (row < m) & (at[None, :] < k)
        right_inside = (at[:, None] < k) & (column < n)
        left = tl.load(a + row * k + at[None, :], mask=left_inside, other=0.0)
        right = tl.load(b + at[:, None] * n + column, mask=right_inside, other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(c + row * n + column, total, mask=(row < m) & (column < n))


@triton.jit
def half_matmul(a, b, c, m, n, k, TILE: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)[:, None]
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)[None, :]
    total = tl.zeros((TILE, TILE), tl.float32)
    for base in range(0, k, TILE):
        at = base + tl.arange(0, TILE)
        left_inside = (row < m) & (at[None, :] < k)
        right_inside = (at[:, None] < k) & (column < n)
        left = tl.load(a + row * k + at[None, :], mask=left_inside, other=0.0)
        right = tl.load(b + at[:, None] * n + column, mask=right_inside, other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + row * n + column, total, mask=(row < m) & (column < n))
