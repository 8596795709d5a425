"""Cases that put values into another order: compaction, bitonic network, radix step."""

from __future__ import annotations

import numpy as np

from .model import Array, Case, Inputs


def compact_inputs(rng: np.random.Generator) -> Inputs:
    n = 600
    values = rng.integers(-1000, 1000, n, dtype=np.int32)
    return [values, np.full(640, -1, np.int32), np.zeros(5, np.int32), np.int32(n)]


def compact_reference(inputs: Inputs) -> dict[int, Array]:
    values, out, counts, n = inputs
    for block in range(5):
        own = values[block * 128 : min(n, block * 128 + 128)]
        kept = own[own & 3 == 1]
        out[block * 128 : block * 128 + len(kept)] = kept
        counts[block] = len(kept)
    return {1: out, 2: counts}


def bitonic_inputs(rng: np.random.Generator) -> Inputs:
    return [rng.integers(-(2**31), 2**31, (2, 256), dtype=np.int32)]


def bitonic_reference(inputs: Inputs) -> dict[int, Array]:
    return {0: np.sort(inputs[0], axis=1)}


def radix_inputs(rng: np.random.Generator) -> Inputs:
    keys = rng.integers(0, 2**32, (3, 128), dtype=np.uint32)
    return [keys, np.zeros_like(keys), np.int32(4)]


def radix_reference(inputs: Inputs) -> dict[int, Array]:
    keys, _, shift = inputs
    order = np.argsort((keys >> np.uint32(shift)) & 3, axis=1, kind="stable")
    return {1: np.take_along_axis(keys, order, axis=1)}


CASES = (
    Case(
        name="compact",
        source="cuda/compact.cu",
        kernel="compact",
        grid=(5, 1, 1),
        block=(128, 1, 1),
        make_inputs=compact_inputs,
        reference=compact_reference,
    ),
    Case(
        name="bitonic_sort",
        source="cuda/bitonic_sort.cu",
        kernel="bitonic_sort",
        grid=(2, 1, 1),
        block=(128, 1, 1),
        make_inputs=bitonic_inputs,
        reference=bitonic_reference,
    ),
    Case(
        name="radix_step",
        source="cuda/radix_step.cu",
        kernel="radix_step",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        make_inputs=radix_inputs,
        reference=radix_reference,
    ),
)
