"""Calls of host functions that launch CUB's and Thrust's device-wide algorithms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from cases.model import Array

SORT_SOURCE = "cccl/device_sort.cu"
ALGORITHMS_SOURCE = "cccl/device_algorithms.cu"
COUNT = 10_000


@dataclass(frozen=True, slots=True)
class Call:
    """One call; `expected` says what the arrays hold afterwards, by their positions.

    `kernels`: how many launches there are at least, by part of the kernel's name.
    """

    source: str
    function: str
    arguments: tuple[Any, ...]  # Any: arrays are passed by address, numbers as C ints
    expected: Mapping[int, Array]
    kernels: Mapping[str, int]

    def __str__(self) -> str:
        sizes = [value for value in self.arguments if isinstance(value, int)]
        return f"{self.function}-{sizes[-1]}"


def _random(number: int) -> np.random.Generator:
    return np.random.default_rng(number)


def _sort_pairs(count: int, kernels: Mapping[str, int]) -> Call:
    keys = _random(count).integers(0, 3000, count, dtype=np.uint32) << 16
    values = np.arange(count, dtype=np.int32)
    order = np.argsort(keys, kind="stable")
    arguments = (keys, values, np.zeros_like(keys), np.zeros_like(values), count)
    expected = {2: keys[order], 3: values[order]}
    return Call(SORT_SOURCE, "radix_sort_pairs", arguments, expected, kernels)


def _sort_by_low_byte() -> Call:
    keys = _random(1).integers(0, 2**32, 5000, dtype=np.uint32)
    expected = {0: keys[np.argsort(keys & 255, kind="stable")]}
    launches = {"MergeSortBlockSortKernel": 1, "MergeSortMergeKernel": 1}
    return Call(SORT_SOURCE, "merge_sort_by_low_byte", (keys, len(keys)), expected, launches)


def _thrust_sort() -> Call:
    keys = _random(2).normal(size=4000).astype(np.float32)
    launches = {"RadixSort": 1}
    return Call(SORT_SOURCE, "thrust_sort", (keys, len(keys)), {0: np.sort(keys)}, launches)


def sort_calls() -> list[Call]:
    return [
        _sort_pairs(500, {"RadixSortSingleTileKernel": 1}),
        _sort_pairs(20_000, {"RadixSortHistogramKernel": 1, "RadixSortOnesweepKernel": 4}),
        _sort_by_low_byte(),
        _thrust_sort(),
    ]


def _algorithm(
    function: str, arguments: tuple[Any, ...], expected: Mapping[int, Array], kernel: str
) -> Call:
    return Call(ALGORITHMS_SOURCE, function, arguments, expected, {kernel: 1})


def algorithm_calls() -> list[Call]:
    values = _random(3).integers(-100_000, 100_000, COUNT, dtype=np.int32)
    doubles = _random(4).normal(size=COUNT)
    wide = _random(5).integers(-(2**62), 2**62, 5000, dtype=np.int64)
    samples = _random(6).integers(0, 256, COUNT, dtype=np.uint8)
    make: Callable[..., Call] = _algorithm
    sums = np.cumsum(values, dtype=np.int32) - values
    largest = np.maximum.accumulate(wide)
    bins = np.bincount(samples >> 2, minlength=64)
    one = np.zeros(1, np.int32)
    return [
        make("reduce_sum", (values, one, COUNT), {1: values.sum(keepdims=True)}, "ReduceKernel"),
        make(
            "reduce_max", (doubles, np.zeros(1), COUNT), {1: doubles.max(keepdims=True)},
            "ReduceSingleTileKernel",
        ),
        _segments(values),
        make("exclusive_sum", (values, np.zeros_like(values), COUNT), {1: sums}, "ScanKernel"),
        make("running_max", (wide, np.zeros_like(wide), len(wide)), {1: largest}, "ScanKernel"),
        make("histogram", (samples, np.zeros(64, np.int32), COUNT), {1: bins}, "HistogramSweep"),
        _run_lengths(),
        _select(values),
    ]  # fmt: skip


def _segments(values: Array) -> Call:
    ends = np.sort(_random(7).integers(0, COUNT, 20)).astype(np.int32)
    ends = np.concatenate([[0], ends, [COUNT]]).astype(np.int32)
    found = [values[a:b].min(initial=2**31 - 1) for a, b in pairwise(ends)]
    arguments = (values, ends, np.zeros(len(found), np.int32), len(found), COUNT)
    return _algorithm("segmented_min", arguments, {2: np.array(found)}, "SegmentedReduceKernel")


def _run_lengths() -> Call:
    rng = _random(8)
    values = np.repeat(rng.integers(0, 5, 2000), rng.integers(1, 6, 2000)).astype(np.int32)
    heads = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    unique, lengths = np.zeros_like(values), np.zeros_like(values)
    arguments = (values, unique, lengths, np.zeros(1, np.int32), len(values))
    expected = {1: unique.copy(), 2: lengths.copy(), 3: np.array([len(heads)])}
    expected[1][: len(heads)] = values[heads]
    expected[2][: len(heads)] = np.diff(np.r_[heads, len(values)])
    return _algorithm("run_lengths", arguments, expected, "Kernel")


def _select(values: Array) -> Call:
    kept = values[values & 1 == 1]
    arguments = (values, np.zeros_like(values), np.zeros(1, np.int32), len(values))
    expected = {1: np.zeros_like(values), 2: np.array([len(kept)])}
    expected[1][: len(kept)] = kept
    return _algorithm("select_odd", arguments, expected, "SelectSweep")
