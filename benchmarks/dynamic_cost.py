"""The dynamic cost of a program's code: what the default level gives beside -O3, and beside clang.

Comes in: the PTX of a program or example that can be launched here. Goes out: the emulated cost of
one launch at the default level, its ratio to -O3's, and, for the corpus, to that of the same source
compiled natively by clang. Results are compared with numpy or with -O3's before costs are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ptxlift
from benchmarks.native import compile_native, missing_tool, run_native

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "corpus"))

from cases import ALL_CASES
from cases.model import EXAMPLES, Case, check_results, copy_inputs

Shape = tuple[int, int, int]
_RNG = 7


@dataclass(frozen=True, slots=True)
class Cost:
    """One launch. `to_o3`: by the cost at -O3; `to_native`: by clang's, where it can be had."""

    cost: float
    to_o3: float
    to_native: float | None = None


@dataclass(frozen=True, slots=True)
class _Launch:
    kernel: str
    grid: Shape
    block: Shape
    make_args: Callable[[np.random.Generator], list[Any]]  # Any: what `ptxlift.run` takes


def _sorting(rng: np.random.Generator) -> list[Any]:
    words = rng.integers(0, 1 << 32, 128 * 16, dtype=np.uint32)
    return [words, np.zeros_like(words)]


def _product(rng: np.random.Generator) -> list[Any]:
    a, b = (rng.random((128, 128), dtype=np.float32) for _ in "ab")
    return [a, b, np.zeros_like(a), np.int32(128)]


def _special(rng: np.random.Generator) -> list[Any]:
    return [rng.uniform(-3, 3, 64), np.zeros(8 * 64), np.int32(64)]


def _walk(rng: np.random.Generator) -> list[Any]:
    return [np.zeros(3 * 64, np.float32), np.uint32(9), np.int32(2)]


_LAUNCHES = {
    "block_sort": _Launch("sort_words", (1, 1, 1), (128, 1, 1), _sorting),
    "tiled_product": _Launch("multiply", (1, 1, 1), (256, 1, 1), _product),
    "double_math": _Launch("special", (1, 1, 1), (64, 1, 1), _special),
    "random_walk": _Launch("walk", (1, 1, 1), (64, 1, 1), _walk),
}


def dynamic_cost(path: Path, target: str) -> Cost | None:
    """The cost of a file's code; None for one that cannot be launched here."""
    text, stem = path.read_text(), path.name.partition(".")[0]
    launch = _LAUNCHES.get(stem)
    if launch is not None:
        default, first = _launched(text, launch, target, 2)
        full, second = _launched(text, launch, target, 3)
        for one, other in zip(first, second, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)
        return Cost(default, default / full)
    case = next((c for c in ALL_CASES if c.source == f"cuda/{stem}.cu"), None)
    if case is None:
        return None
    default, full = (_case_cost(text, case, target, level) for level in (2, 3))
    native = None if missing_tool() else default / _native_cost(case, target)
    return Cost(default, default / full, native)


def _launched(text: str, launch: _Launch, target: str, level: int) -> tuple[float, list[Any]]:
    args = launch.make_args(np.random.default_rng(_RNG))
    program = ptxlift.lift(text, target, options=ptxlift.Options(opt_level=level))
    result = ptxlift.run(program, launch.kernel, launch.grid, launch.block, args)
    if launch.kernel == "sort_words":
        np.testing.assert_array_equal(args[1], np.sort(args[0]))
    return result.profile["dynamic cost"], args


def _case_cost(text: str, case: Case, target: str, level: int) -> float:
    before = case.inputs()
    after = copy_inputs(before)
    program = ptxlift.lift(text, target, options=ptxlift.Options(opt_level=level))
    result = ptxlift.run(program, case.kernel, case.grid, case.block, after, shared=case.shared)
    check_results(case, before, after, case.tolerance)
    return result.profile["dynamic cost"]


def _native_cost(case: Case, target: str) -> float:
    native = compile_native(EXAMPLES / case.source, target)
    args = copy_inputs(case.inputs())
    stats = run_native(native, case.kernel, case.grid, case.block, args, case.shared)
    return stats.dynamic_cost
