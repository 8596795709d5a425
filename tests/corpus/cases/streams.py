"""Cases that move or combine whole arrays: one thread an element."""

from __future__ import annotations

import numpy as np

from .model import Array, Case, Inputs, fma32


def saxpy_inputs(rng: np.random.Generator) -> Inputs:
    n = 1000
    x = rng.standard_normal(n).astype(np.float32)
    y = rng.standard_normal(n + 7).astype(np.float32)
    return [np.int32(n), np.float32(1.7), x, y]


def saxpy_reference(inputs: Inputs) -> dict[int, Array]:
    n, a, x, y = inputs
    result = y.copy()
    result[:n] = fma32(np.full(n, a), x, y[:n])
    return {3: result}


CASES = (
    Case(
        name="saxpy",
        source="cuda/saxpy.cu",
        kernel="saxpy",
        grid=(8, 1, 1),
        block=(128, 1, 1),
        make_inputs=saxpy_inputs,
        reference=saxpy_reference,
    ),
)
