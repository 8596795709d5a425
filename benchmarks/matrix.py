"""Triton's matmul and attention: PTX through ptxlift against Triton's own AMD code.

Comes in: kernels of tests/corpus with random inputs. Goes out: for each kernel and chip what one
round of the inner loop executes in all waves of a block, by class (matrix instructions, VALU, LDS,
permutes through LDS, memory), its dynamic cost in the emulator, where the difference lies, and
build/bench-matrix.json. Both codes run on the same inputs and are compared with numpy before. A
round's share is the difference of two launches of different depth. Goal: at most 1.5 times Triton's
cost each.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ptxlift
from benchmarks.native import NativeProgram, run_native
from benchmarks.triton_builds import Kernel, native_of, ptx_of
from ptxlift.emulator import RunStats

GOAL = 1.5
LANES = {"gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1201": 32}
_DEPTHS = (4, 8)  # rounds of the two launches
_SHOWN = 0.05  # a class is named where it differs by this share of Triton's cost
_COUNTED = ("matrix", "valu", "lds", "lds crossbar", "vmem")
# Why a kernel is above the goal; figures are of a wave of 64 and a round.
_REASONS = {
    ("matmul s8", "gfx950"): (
        "the PTX saturates after each mma: 64 additions, and no two of K 32 can be joined to one"
        " of the larger instructions; the four bytes of a column are transposed by 64 VALU"
    )
}

Array = NDArray[Any]  # Any: several element types
# Arguments, the result among them, what is expected there, and the error that is allowed.
Inputs = tuple[list[Any], Array, Array, float]


@dataclass(frozen=True, slots=True)
class Work:
    """A kernel, and its inputs for a number of rounds."""

    kernel: Kernel
    inputs: Callable[[int], Inputs]


@dataclass(frozen=True, slots=True)
class Row:
    """One kernel on one chip, a round of its loop: `ours` and `theirs` are counts by class."""

    kernel: str
    target: str
    ours: Mapping[str, float]
    theirs: Mapping[str, float]
    our_cost: float
    their_cost: float
    differences: Mapping[str, float]

    @property
    def ratio(self) -> float:
        """Our cost by Triton's."""
        return self.our_cost / self.their_cost


# ---- the kernels ----

_TILE = 64


def _matrices(kind: str, depth: int) -> tuple[Array, Array, Array]:
    """a and b as they are stored, and their product."""
    rng = np.random.default_rng(1)
    shapes = (_TILE, depth), (depth, _TILE)
    if kind == "s8":
        whole = [rng.integers(-128, 128, shape).astype(np.int8) for shape in shapes]
        return whole[0], whole[1], whole[0].astype(int) @ whole[1].astype(int)
    # Small integers are exact in every format.
    small = [rng.integers(-8, 9, shape).astype(np.float32) for shape in shapes]
    product = small[0].astype(float) @ small[1].astype(float)
    if kind == "f16":
        a, b = (x.astype(np.float16) for x in small)
    elif kind == "bf16":
        a, b = ((x.view(np.uint32) >> 16).astype(np.uint16) for x in small)
    else:
        a, b = small
    return a, b, product


def matmul(kind: str, element: str, deep: int) -> Work:
    """64 by 64 results; `deep`: along K in a round."""
    import triton.language as tl  # type: ignore[import-untyped]

    sums, result = (tl.int32, np.int32) if kind == "s8" else (tl.float32, np.float32)
    stored = "*i32" if kind == "s8" else "*fp32"
    constants = (("M", _TILE), ("N", _TILE), ("K", deep), ("SUM", sums))

    def inputs(rounds: int) -> Inputs:
        a, b, expected = _matrices(kind, rounds * deep)
        c = np.zeros((_TILE, _TILE), result)
        sizes = [np.int32(_TILE), np.int32(_TILE), np.int32(rounds * deep)]
        return [a, b, c, *sizes], c, expected, 0

    return Work(Kernel("matmul", f"{element} {element} {stored} i32 i32 i32", constants), inputs)


def attention() -> Work:
    """64 queries, 32 keys a round, 64 elements each."""
    rows, keys, width = 64, 32, 64

    def inputs(rounds: int) -> Inputs:
        rng, length = np.random.default_rng(8), keys * rounds
        q = rng.standard_normal((max(length, rows), width)).astype(np.float16)
        k, v = (rng.standard_normal((length, width)).astype(np.float16) for _ in range(2))
        out = np.zeros((rows, width), np.float32)
        scale = np.float32(width**-0.5)
        scores = q[:rows].astype(float) @ k.astype(float).T * float(scale)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        expected = weights / weights.sum(axis=1, keepdims=True) @ v.astype(float)
        # The weights are rounded to f16 before the second product.
        bound = 2.0**-10 * float(np.abs(v).max())
        return [q, k, v, out, np.int32(length), scale], out, expected, bound

    constants = (("ROWS", rows), ("KEYS", keys), ("D", width))
    return Work(Kernel("attention", "*fp16 *fp16 *fp16 *fp32 i32 fp32", constants), inputs)


def works() -> dict[str, Work]:
    """All kernels, by name."""
    return {
        "matmul f16": matmul("f16", "*fp16", 32),
        "matmul bf16": matmul("bf16", "*bf16", 32),
        "matmul tf32": matmul("tf32", "*fp32", 32),
        "matmul s8": matmul("s8", "*i8", 64),
        "attention f16": attention(),
    }


# ---- measuring ----


def _round(
    work: Work, program: NativeProgram, threads: int, shared: int
) -> tuple[dict[str, float], dict[str, float]]:
    """Counts and costs of one round."""
    stats: list[RunStats] = []
    for rounds in _DEPTHS:
        arguments, result, expected, bound = work.inputs(rounds)
        scratch = [bytes(8), bytes(8)]  # two pointers that Triton adds and these do not use
        name, block = work.kernel.name, (threads, 1, 1)
        everything = [*arguments, *scratch]
        stats.append(run_native(program, name, (1, 1, 1), block, everything, shared))
        assert (np.abs(result - expected) <= bound).all(), f"{name} gave a wrong result"
    first, second = stats
    more = _DEPTHS[1] - _DEPTHS[0]
    counts = {
        kind.value: (count - first.counts.get(kind, 0)) / more
        for kind, count in second.counts.items()
    }
    before = first.costs()
    costs = {name: (cost - before.get(name, 0)) / more for name, cost in second.costs().items()}
    return counts, costs


def measure(name: str, work: Work, target: str) -> Row:
    """Both codes."""
    text, shared = ptx_of(work.kernel)
    lifted = ptxlift.lift(text, target=target, name=name)
    translated = NativeProgram(lifted.code_object, lifted.listing.encode(), target)
    threads = lifted.kernels[work.kernel.name].launch_block((32 * work.kernel.warps, 1, 1))[0]
    ours, our_costs = _round(work, translated, threads, shared)
    native, shared = native_of(work.kernel, target, LANES[target])
    theirs, their_costs = _round(work, native, LANES[target] * work.kernel.warps, shared)
    total = sum(their_costs.values())
    more = {k: our_costs.get(k, 0) - their_costs.get(k, 0) for k in our_costs | their_costs}
    differences = {kind: cost for kind, cost in more.items() if abs(cost) > _SHOWN * total}
    return Row(name, target, ours, theirs, sum(our_costs.values()), total, differences)


# ---- the table ----


def line(row: Row) -> str:
    """One row: our count and Triton's of each class, and what the rest is."""
    counts = "".join(
        f"{row.ours.get(kind, 0):>9.0f}/{row.theirs.get(kind, 0):<5.0f}" for kind in _COUNTED
    )
    rest = ", ".join(f"{kind} {cost:+.0f}" for kind, cost in row.differences.items())
    costs = f"{row.our_cost:>8.0f}{row.their_cost:>8.0f}{row.ratio:>7.2f}"
    if row.ratio > GOAL:
        rest += f"; {_REASONS.get((row.kernel, row.target), 'NOT EXPLAINED')}"
    return f"{row.kernel:<15}{row.target:<9}{counts}{costs}  {rest}"


def geometric_mean(values: Sequence[float]) -> float:
    """Of positive numbers."""
    return math.exp(sum(map(math.log, values)) / len(values))


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", action="append", choices=LANES, help="only these chips")
    parser.add_argument("--kernel", action="append", help="only these kernels")
    parser.add_argument("--json", type=Path, default=Path("build/bench-matrix.json"))
    arguments = parser.parse_args()
    chosen = {n: w for n, w in works().items() if not arguments.kernel or n in arguments.kernel}
    heads = "".join(f"{kind:>15}" for kind in _COUNTED)
    print(f"{'a round of':<15}{'on':<9}{heads}{'cost':>8}{'Triton':>8}{'ratio':>7}  difference")
    rows = []
    for target in arguments.target or LANES:
        for name, work in chosen.items():
            rows.append(measure(name, work, target))
            print(line(rows[-1]), flush=True)
    print(f"geometric mean {geometric_mean([row.ratio for row in rows]):.2f}, goal {GOAL} each")
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    found = [asdict(row) | {"ratio": round(row.ratio, 3)} for row in rows]
    arguments.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
