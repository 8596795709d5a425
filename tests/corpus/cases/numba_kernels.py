"""Cases of numba's CUDA kernels. They have no PTX file: the tests compile them when they run."""

from __future__ import annotations

import numpy as np

from .model import Array, Case, Inputs, Tolerance

SOURCE = "numba/kernels.py"


def scaled_sum_inputs(rng: np.random.Generator) -> Inputs:
    x, y = rng.standard_normal((2, 300)).astype(np.float32)
    return [np.float32(1.5), x, y]


def scaled_sum_reference(inputs: Inputs) -> dict[int, Array]:
    a, x, y = inputs
    return {2: (np.float64(a) * x.astype(np.float64) + y).astype(np.float32)}


def product_inputs(rng: np.random.Generator) -> Inputs:
    a = rng.standard_normal((13, 17)).astype(np.float32)
    b = rng.standard_normal((17, 11)).astype(np.float32)
    return [a, b, np.zeros((13, 11), np.float32)]


def product_reference(inputs: Inputs) -> dict[int, Array]:
    product = inputs[0].astype(np.float64) @ inputs[1].astype(np.float64)
    return {2: product.astype(np.float32)}


def count_inputs(rng: np.random.Generator) -> Inputs:
    return [rng.integers(0, 999, 700, dtype=np.int32), np.arange(30, dtype=np.int32)]


def count_reference(inputs: Inputs) -> dict[int, Array]:
    values, bins = inputs
    return {1: bins + np.bincount(values % 30, minlength=30).astype(np.int32)}


def sort_inputs(rng: np.random.Generator) -> Inputs:
    return [rng.integers(-99, 99, (50, 12), dtype=np.int32)]


def sort_reference(inputs: Inputs) -> dict[int, Array]:
    return {0: np.sort(inputs[0], axis=1)}


def totals_inputs(rng: np.random.Generator) -> Inputs:
    return [rng.integers(-999, 999, 256, dtype=np.int32), np.zeros(8, np.int32)]


def totals_reference(inputs: Inputs) -> dict[int, Array]:
    return {1: inputs[0].reshape(8, 32).sum(1, dtype=np.int32)}


def logistic_inputs(rng: np.random.Generator) -> Inputs:
    return [rng.uniform(0.1, 0.9, 90), np.float64(3.2), np.int32(12)]


def logistic_reference(inputs: Inputs) -> dict[int, Array]:
    x, rate, steps = inputs
    for _ in range(steps):
        x = rate * x * (1 - x)
    return {0: x}


NUMBA_CASES = (
    Case(
        name="numba_scaled_sum",
        source=SOURCE,
        kernel="scaled_sum",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        make_inputs=scaled_sum_inputs,
        reference=scaled_sum_reference,
        tolerance=Tolerance(2e-7, 1e-7, "fused or not is the compiler's choice"),
    ),
    Case(
        name="numba_tiled_product",
        source=SOURCE,
        kernel="tiled_product",
        grid=(2, 2, 1),
        block=(8, 8, 1),
        make_inputs=product_inputs,
        reference=product_reference,
        tolerance=Tolerance(1e-5, 1e-5, "the reference sums in f64"),
    ),
    Case(
        name="numba_count_values",
        source=SOURCE,
        kernel="count_values",
        grid=(2, 1, 1),
        block=(96, 1, 1),
        make_inputs=count_inputs,
        reference=count_reference,
    ),
    Case(
        name="numba_sort_rows",
        source=SOURCE,
        kernel="sort_rows",
        grid=(1, 1, 1),
        block=(64, 1, 1),
        make_inputs=sort_inputs,
        reference=sort_reference,
    ),
    Case(
        name="numba_warp_totals",
        source=SOURCE,
        kernel="warp_totals",
        grid=(2, 1, 1),
        block=(128, 1, 1),
        make_inputs=totals_inputs,
        reference=totals_reference,
    ),
    Case(
        name="numba_logistic_map",
        source=SOURCE,
        kernel="logistic_map",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        make_inputs=logistic_inputs,
        reference=logistic_reference,
        tolerance=Tolerance(1e-12, 0.0, "contraction; the map does not amplify at this rate"),
    ),
)
