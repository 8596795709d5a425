"""How fast the emulator runs: a saxpy of a million threads, and a reduction in shared memory.

Comes in: two of the examples, translated for some targets. Goes out: a table of seconds and wave
instructions a second, and build/bench-emulate.json. Results are compared with numpy. They are
to stay below 60 s for the million threads and 5 s for the 64 blocks.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import ptxlift

ROOT = Path(__file__).resolve().parents[1]
TARGETS = ("gfx942", "gfx1100")
THREADS = 1 << 20
BLOCKS = 64
BLOCK = 256


@dataclass(frozen=True)
class Row:
    """`seconds`: of the launch alone; `most`: how many it may take."""

    what: str
    target: str
    seconds: float
    most: float
    instructions: int


def _lifted(name: str, target: str) -> ptxlift.Translation:
    return ptxlift.lift((ROOT / "examples" / "ptx" / f"{name}.ptx").read_text(), target)


def _saxpy(target: str) -> tuple[float, int]:
    made = _lifted("saxpy", target)
    x = np.arange(THREADS, dtype=np.float32) / 7
    y = np.ones(THREADS, np.float32)
    expected = np.float32(2) * x + y
    seconds, result = _timed(
        made, "saxpy", THREADS // BLOCK, [np.uint32(THREADS), np.float32(2), x, y]
    )
    assert np.allclose(y, expected, rtol=1e-6), "the emulator's sums are not numpy's"
    return seconds, result


def _reduce(target: str) -> tuple[float, int]:
    made = _lifted("reduce_shared", target)
    x = np.arange(BLOCKS * BLOCK, dtype=np.float32) % 13
    sums = np.zeros(BLOCKS, np.float32)
    seconds, result = _timed(made, "reduce_shared", BLOCKS, [x, sums, np.uint32(len(x))])
    assert np.array_equal(sums, x.reshape(BLOCKS, BLOCK).sum(axis=1)), "not numpy's sums"
    return seconds, result


def _timed(
    made: ptxlift.Translation, kernel: str, blocks: int, arguments: list[object]
) -> tuple[float, int]:
    program = ptxlift.load(made)
    start = time.perf_counter()
    result = program.launch(kernel, blocks, BLOCK, arguments)
    return time.perf_counter() - start, int(result.profile["instructions"])


_RUNS: tuple[tuple[str, float, Callable[[str], tuple[float, int]]], ...] = (
    ("saxpy of 1,048,576 threads", 60, _saxpy),
    ("reduction in shared memory, 64 blocks of 256", 5, _reduce),
)


def measure() -> Iterator[Row]:
    """Every run on every target."""
    for what, most, run in _RUNS:
        for target in TARGETS:
            seconds, instructions = run(target)
            yield Row(what, target, seconds, most, instructions)


def main() -> int:
    """Prints the table; exit 1 where a run takes longer than it may."""
    rows = []
    for row in measure():
        rows.append(row)
        rate = row.instructions / row.seconds
        print(
            f"{row.what:<46}{row.target:<9}{row.seconds:>7.2f} s of {row.most:>2.0f}"
            f"{rate:>12,.0f} wave instructions/s",
            flush=True,
        )
    folder = ROOT / "build"
    folder.mkdir(exist_ok=True)
    (folder / "bench-emulate.json").write_text(json.dumps([asdict(row) for row in rows], indent=1))
    return int(any(row.seconds > row.most for row in rows))


if __name__ == "__main__":
    sys.exit(main())
