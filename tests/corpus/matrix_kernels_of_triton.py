"""Triton kernels that multiply matrices; test_triton_matrix.py compiles them when it runs.

This module is read by Triton's compiler only; ptxlift does not import it.
"""

# mypy: ignore-errors
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, SUM: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)[:, None]
    column = tl.program_id(1) * N + tl.arange(0, N)[None, :]
    total = tl.zeros((M, N), SUM)
    for base in range(0, k, K):
        at = base + tl.arange(0, K)
        left = tl.load(a + row * k + at[None, :], mask=(row < m) & (at[None, :] < k), other=0)
        inside = (at[:, None] < k) & (column < n)
        right = tl.load(b + at[:, None] * n + column, mask=inside, other=0)
        total = tl.dot(left, right, total, out_dtype=SUM)
    tl.store(c + row * n + column, total, mask=(row < m) & (column < n))


@triton.jit
def attention(q, k, v, out, length, scale, ROWS: tl.constexpr, KEYS: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1) * length * D
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    d = tl.arange(0, D)
    queries = tl.load(q + head + row[:, None] * D + d[None, :])
    largest = tl.full((ROWS,), -float("inf"), tl.float32)
    weight = tl.zeros((ROWS,), tl.float32)
    total = tl.zeros((ROWS, D), tl.float32)
    for base in range(0, length, KEYS):
        at = base + tl.arange(0, KEYS)
        keys = tl.load(k + head + at[None, :] * D + d[:, None])
        scores = tl.dot(queries, keys) * scale
        highest = tl.maximum(largest, tl.max(scores, axis=1))
        powers = tl.exp(scores - highest[:, None])
        fade = tl.exp(largest - highest)
        values = tl.load(v + head + at[:, None] * D + d[None, :])
        total = tl.dot(powers.to(tl.float16), values, total * fade[:, None])
        weight = weight * fade + tl.sum(powers, axis=1)
        largest = highest
    tl.store(out + head + row[:, None] * D + d[None, :], total / weight[:, None])
