"""Cases that fold many values into few: reductions, scans, histograms, row statistics."""

from __future__ import annotations

import numpy as np

from .model import Array, Case, Inputs, Tolerance


def reduce_inputs(rng: np.random.Generator) -> Inputs:
    n = 1001
    values = rng.standard_normal(n).astype(np.float32)
    return [values, np.full(4, -1, np.float32), np.int32(n)]


def halving_sum(values: Array) -> Array:
    """The sum over the last axis in the kernels' order: the upper half onto the lower half."""
    while values.shape[-1] > 1:
        half = values.shape[-1] // 2
        values = values[..., :half] + values[..., half:]
    return values[..., 0]


def pad_to(values: Array, count: int) -> Array:
    return np.pad(values, (0, count - len(values)))


def reduce_reference(inputs: Inputs) -> dict[int, Array]:
    values, partial, _ = inputs
    return {1: halving_sum(pad_to(values, len(partial) * 256).reshape(-1, 256))}


def shuffle_sum_reference(inputs: Inputs) -> dict[int, Array]:
    values, partial, _ = inputs
    warps = halving_sum(pad_to(values, len(partial) * 256).reshape(len(partial), 8, 32))
    return {1: halving_sum(np.pad(warps, ((0, 0), (0, 24))))}


def min_max_inputs(rng: np.random.Generator) -> Inputs:
    n = 350
    values = rng.integers(-(2**30), 2**30, n, dtype=np.int32)
    low = np.array([2**31 - 1], np.int32)
    high = np.array([-(2**31)], np.int32)
    counters = [np.array([5], np.uint32), np.array([2], np.uint32)]
    return [values, np.int32(n), low, high, *counters]


def min_max_reference(inputs: Inputs) -> dict[int, Array]:
    values = inputs[0]
    warps = 12
    # atomicInc counts 0..6, atomicDec 4..0: both are cycles of known length.
    arrivals = (5 + warps) % 7
    departures = (2 - warps) % 5
    return {
        2: values.min(keepdims=True),
        3: values.max(keepdims=True),
        4: np.array([arrivals], np.uint32),
        5: np.array([departures], np.uint32),
    }


def dot_inputs(rng: np.random.Generator) -> Inputs:
    n = 700
    return [rng.standard_normal(n), rng.standard_normal(n), np.zeros(3), np.int32(n)]


def dot_reference(inputs: Inputs) -> dict[int, Array]:
    x, y, partial, n = inputs
    blocks = np.arange(n) // 64 % len(partial)
    return {2: np.array([np.dot(x[blocks == b], y[blocks == b]) for b in range(len(partial))])}


def scan_inclusive_inputs(rng: np.random.Generator) -> Inputs:
    n = 410
    return [rng.integers(-50, 50, n, dtype=np.int32), np.zeros(n, np.int32), np.int32(n)]


def scan_inclusive_reference(inputs: Inputs) -> dict[int, Array]:
    values = inputs[0]
    blocks = [np.cumsum(values[at : at + 128]) for at in range(0, len(values), 128)]
    return {1: np.concatenate(blocks).astype(np.int32)}


def scan_exclusive_inputs(rng: np.random.Generator) -> Inputs:
    values = rng.integers(0, 2**32, (3, 128), dtype=np.uint32)
    return [values, np.zeros_like(values), np.zeros(3, np.uint32)]


def scan_exclusive_reference(inputs: Inputs) -> dict[int, Array]:
    sums = np.cumsum(inputs[0], axis=1, dtype=np.uint32)
    return {1: sums - inputs[0], 2: sums[:, -1].copy()}


def segments_inputs(rng: np.random.Generator) -> Inputs:
    values = rng.integers(-9999, 9999, 128, dtype=np.int32)
    return [values, *(np.zeros(128, np.int32) for _ in range(3))]


def segments_reference(inputs: Inputs) -> dict[int, Array]:
    groups = inputs[0].reshape(-1, 8)
    lane = np.arange(8)
    down = np.where(lane + 2 < 8, lane + 2, lane)
    up = np.where(lane >= 5, lane - 5, lane)
    rotated = groups[:, (lane + 3) % 8] - groups[:, down] + groups[:, up]
    sums = np.repeat(groups.sum(1, dtype=np.int32), 8)
    return {1: sums, 2: np.repeat(groups[:, 0], 8), 3: rotated.ravel()}


def histogram_inputs(rng: np.random.Generator) -> Inputs:
    n = 1500
    values = rng.integers(0, 256, n, dtype=np.uint8)
    values[: n // 3] = 77
    return [values, np.arange(64, dtype=np.uint32), np.int32(n)]


def histogram_reference(inputs: Inputs) -> dict[int, Array]:
    values, bins, _ = inputs
    return {1: bins + np.bincount(values % 64, minlength=64).astype(np.uint32)}


def atomics64_inputs(rng: np.random.Generator) -> Inputs:
    n = 200
    values = rng.integers(0, 2**32, n, dtype=np.uint32)
    sums = [np.array([17], np.uint64), np.zeros(1, np.uint64), np.array([0.5])]
    return [values, np.int32(n), *sums, np.array([0, 0xDEADBEEF], np.uint32)]


def atomics64_reference(inputs: Inputs) -> dict[int, Array]:
    values = [int(value) for value in inputs[0]]
    total = (17 + sum(value * value for value in values)) % 2**64
    best = max((value << 32) | at for at, value in enumerate(values))
    some = 0
    odd = 0xDEADBEEF
    for value in values:
        some |= 1 << value % 32
        odd ^= value
    return {
        2: np.array([total], np.uint64),
        3: np.array([best], np.uint64),
        4: np.array([0.5 + sum(value & 0xFFFF for value in values)]),
        5: np.array([some, odd], np.uint32),
    }


def softmax_inputs(rng: np.random.Generator) -> Inputs:
    rows, columns = 10, 45
    values = (rng.standard_normal((rows, columns)) * 4).astype(np.float32)
    return [values, np.zeros_like(values), np.int32(rows), np.int32(columns)]


def softmax_reference(inputs: Inputs) -> dict[int, Array]:
    values = inputs[0].astype(np.float64)
    powers = np.exp(values - values.max(1, keepdims=True))
    return {1: (powers / powers.sum(1, keepdims=True)).astype(np.float32)}


def layernorm_inputs(rng: np.random.Generator) -> Inputs:
    rows, columns = 4, 100
    values = (rng.standard_normal((rows, columns)) * 3 + 1).astype(np.float32)
    gain = rng.standard_normal(columns).astype(np.float32)
    shift = rng.standard_normal(columns).astype(np.float32)
    out = np.zeros_like(values)
    return [values, gain, shift, out, np.int32(columns), np.float32(1e-5)]


def layernorm_reference(inputs: Inputs) -> dict[int, Array]:
    values, gain, shift = (array.astype(np.float64) for array in inputs[:3])
    centred = values - values.mean(1, keepdims=True)
    scale = 1 / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5)
    return {3: (centred * scale * gain + shift).astype(np.float32)}


def scatter_inputs(rng: np.random.Generator) -> Inputs:
    n = 250
    index = rng.integers(0, 20, n, dtype=np.int32)
    values = rng.integers(-1000, 1000, n).astype(np.float32)
    return [index, values, np.ones(20, np.float32), np.zeros(1, np.float32), np.int32(n)]


def scatter_reference(inputs: Inputs) -> dict[int, Array]:
    index, values, sums, total, _ = inputs
    counted = np.bincount(index, weights=values, minlength=len(sums))
    return {2: sums + counted.astype(np.float32), 3: total + values.sum()}


CASES = (
    Case(
        name="scatter_add",
        source="cuda/scatter_add.cu",
        kernel="scatter_add",
        grid=(4, 1, 1),
        block=(64, 1, 1),
        make_inputs=scatter_inputs,
        reference=scatter_reference,
    ),
    Case(
        name="reduce_shared",
        source="cuda/reduce_shared.cu",
        kernel="reduce_shared",
        grid=(4, 1, 1),
        block=(256, 1, 1),
        make_inputs=reduce_inputs,
        reference=reduce_reference,
    ),
    Case(
        name="reduce_shuffle",
        source="cuda/reduce_shuffle.cu",
        kernel="reduce_shuffle",
        grid=(4, 1, 1),
        block=(256, 1, 1),
        make_inputs=reduce_inputs,
        reference=shuffle_sum_reference,
    ),
    Case(
        name="min_max",
        source="cuda/min_max.cu",
        kernel="min_max",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        make_inputs=min_max_inputs,
        reference=min_max_reference,
    ),
    Case(
        name="dot_f64",
        source="cuda/dot_f64.cu",
        kernel="dot_f64",
        grid=(3, 1, 1),
        block=(64, 1, 1),
        make_inputs=dot_inputs,
        reference=dot_reference,
        tolerance=Tolerance(1e-12, 1e-12, "the reference sums in another order"),
    ),
    Case(
        name="scan_inclusive",
        source="cuda/scan_inclusive.cu",
        kernel="scan_inclusive",
        grid=(4, 1, 1),
        block=(128, 1, 1),
        make_inputs=scan_inclusive_inputs,
        reference=scan_inclusive_reference,
    ),
    Case(
        name="scan_exclusive",
        source="cuda/scan_exclusive.cu",
        kernel="scan_exclusive",
        grid=(3, 1, 1),
        block=(64, 1, 1),
        shared=512,
        make_inputs=scan_exclusive_inputs,
        reference=scan_exclusive_reference,
    ),
    Case(
        name="scan_segments",
        source="cuda/scan_segments.cu",
        kernel="scan_segments",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        make_inputs=segments_inputs,
        reference=segments_reference,
    ),
    Case(
        name="histogram",
        source="cuda/histogram.cu",
        kernel="histogram",
        grid=(3, 1, 1),
        block=(96, 1, 1),
        make_inputs=histogram_inputs,
        reference=histogram_reference,
    ),
    Case(
        name="atomics64",
        source="cuda/atomics64.cu",
        kernel="atomics64",
        grid=(4, 1, 1),
        block=(64, 1, 1),
        make_inputs=atomics64_inputs,
        reference=atomics64_reference,
    ),
    Case(
        name="softmax",
        source="cuda/softmax.cu",
        kernel="softmax",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        make_inputs=softmax_inputs,
        reference=softmax_reference,
        tolerance=Tolerance(2e-6, 1e-9, "expf and the order of the sum"),
    ),
    Case(
        name="layernorm",
        source="cuda/layernorm.cu",
        kernel="layernorm",
        grid=(4, 1, 1),
        block=(64, 1, 1),
        shared=256,
        make_inputs=layernorm_inputs,
        reference=layernorm_reference,
        tolerance=Tolerance(1e-5, 2e-6, "f32 sums against an f64 reference"),
    ),
)
