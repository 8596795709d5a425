"""Cases that fold many values into few: reductions, scans, histograms."""

from __future__ import annotations

import numpy as np

from .model import Array, Case, Inputs


def reduce_inputs(rng: np.random.Generator) -> Inputs:
    n = 1001
    values = rng.standard_normal(n).astype(np.float32)
    return [values, np.full(4, -1, np.float32), np.int32(n)]


def halving_sum(values: Array) -> Array:
    """The sum in the kernel's order: the upper half is added to the lower half, in f32."""
    while len(values) > 1:
        half = len(values) // 2
        values = values[:half] + values[half:]
    return values[:1]


def reduce_reference(inputs: Inputs) -> dict[int, Array]:
    values, partial, n = inputs
    padded = np.zeros(len(partial) * 256, np.float32)
    padded[:n] = values
    sums = [halving_sum(block) for block in padded.reshape(-1, 256)]
    return {1: np.concatenate(sums)}


CASES = (
    Case(
        name="reduce_shared",
        source="cuda/reduce_shared.cu",
        kernel="reduce_shared",
        grid=(4, 1, 1),
        block=(256, 1, 1),
        make_inputs=reduce_inputs,
        reference=reduce_reference,
    ),
)
