"""`python -m tests.numerics`: runs shards of operands, keeps what was done, prints the counts.

Stopped, it goes on where it was: finished shards lie in the state file.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ptxlift.emulator import Approx
from tests.numerics.cases import Case, approximate_cases, every_pattern, exact_cases
from tests.numerics.device import Device
from tests.numerics.exact import Bits

SHARD = 1 << 20
TARGETS = "gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1201"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one shard, or of several: lanes run, lanes wrong, the worst error over the bound."""

    lanes: int
    wrong: int
    worst: float


class State:
    """Outcomes by case, target, mode and shard, written after every shard."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._done: dict[str, list[float]] = json.loads(path.read_text()) if path.exists() else {}

    def has(self, key: str) -> bool:
        return key in self._done

    def add(self, key: str, outcome: Outcome) -> None:
        worst = min(outcome.worst, 1e300)  # JSON knows no infinity
        self._done[key] = [outcome.lanes, outcome.wrong, worst]

    def save(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._path.with_suffix(".new")
        temporary.write_text(json.dumps(self._done))
        temporary.replace(self._path)

    def total(self, prefix: str) -> Outcome:
        parts = [value for key, value in self._done.items() if key.startswith(prefix)]
        lanes, wrong = (int(sum(part[i] for part in parts)) for i in (0, 1))
        return Outcome(lanes, wrong, max((part[2] for part in parts), default=0.0))


def operands_of(case: Case, shard: int, size: int) -> list[Bits]:
    """The same for every target and mode."""
    if case.all_bits:
        return every_pattern(case.instruction.fmt)
    rng = np.random.default_rng([zlib.crc32(case.name.encode()), shard])
    return case.make(case.instruction.fmt, size, rng)


class Judge:
    """Judges results of one shard; bits that were found right once are right again."""

    def __init__(self, case: Case, operands: list[Bits]) -> None:
        self._case, self._operands = case, operands
        self._right: Bits | None = None

    def outcome(self, got: Bits) -> Outcome:
        if self._right is not None and np.array_equal(got, self._right):
            return Outcome(len(got), 0, 0.0)
        errors = self._case.judge(self._operands, got)
        wrong = int((errors > 1).sum())
        if self._case.exact and not wrong:
            self._right = got
        return Outcome(len(got), wrong, float(errors.max()))


def run_shard(
    case: Case, shard: int, size: int, devices: list[Device], state: State
) -> Iterator[Outcome]:
    """One shard of one case on every target in every mode."""
    operands = operands_of(case, shard, size)
    judge = Judge(case, operands)
    for device, approx in itertools.product(devices, Approx):
        key = f"{case.name}/{device.target}/{approx.name}/{shard}"
        if not state.has(key):
            outcome = judge.outcome(device.run(case.name, operands, approx, seed=shard))
            state.add(key, outcome)
            yield outcome
    state.save()


def report(cases: list[Case], devices: list[Device], state: State) -> bool:
    """The table; whether anything was wrong."""
    failed = False
    print(f"{'instruction':24}{'target':9}{'mode':8}{'operands':>12}{'wrong':>8}  worst/bound")
    for case, device, approx in itertools.product(cases, devices, Approx):
        total = state.total(f"{case.name}/{device.target}/{approx.name}/")
        failed |= total.wrong > 0
        worst = "exact" if case.exact and not total.wrong else f"{total.worst:.3f}"
        print(
            f"{case.instruction.text:24}{device.target:9}{approx.name.lower():8}"
            f"{total.lanes:12,}{total.wrong:8,}  {worst}"
        )
    return failed


def _shards(case: Case, exact: int, approximate: int) -> int:
    return 1 if case.all_bits else -(-(exact if case.exact else approximate) // SHARD)


def main() -> int:
    """Exit 1 if any result was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exact", type=int, default=10_000_000, help="operands of exact rows")
    parser.add_argument("--approximate", type=int, default=1 << 24, help="of approximate rows")
    parser.add_argument("--targets", default=TARGETS)
    parser.add_argument("--only", default="", help="regular expression on opcodes")
    parser.add_argument("--state", type=Path, default=Path("build/numerics.json"))
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    cases = [*exact_cases(), *approximate_cases()]
    cases = [c for c in cases if re.search(options.only, c.instruction.text)]
    instructions = {case.name: case.instruction for case in cases}
    devices = [Device(instructions, target) for target in options.targets.split()]
    state = State(options.state)
    end = time.monotonic() + options.seconds
    shards = {case.name: _shards(case, options.exact, options.approximate) for case in cases}
    for shard in range(max(shards.values())):
        for case in cases:
            if shard < shards[case.name] and time.monotonic() < end:
                for outcome in run_shard(case, shard, SHARD, devices, state):
                    if outcome.wrong:
                        print(f"{case.instruction.text}: {outcome}", flush=True)
    return int(report(cases, devices, state))


if __name__ == "__main__":
    sys.exit(main())
