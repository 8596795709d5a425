"""`python -m tests.mutants`: faults in semantics and lowerings, and whether a test notices each.

Prints the score by operator and every survivor. Mutants that are equivalent or change cost only are
counted apart, by the reasons in `equivalent`. Exit 1 where the score is below the goal. The tests
of a set run once, to learn which functions they reach (kept in build/mutants); then each mutant
runs those that reach its function.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutants.equivalent import changes_cost_only, is_equivalent
from tests.mutants.operators import Mutant, mutants
from tests.mutants.reach import Reach
from tests.mutants.trial import is_killed, observe

_ROOT = Path(__file__).resolve().parents[2]
_GOAL = 0.95
_FIRST = 10.0  # seconds of tests that are tried in a first child


@dataclass(frozen=True, slots=True)
class Set:
    """What is changed, and the tests that may notice. `without`: modules that are left alone."""

    folders: tuple[str, ...]
    without: tuple[str, ...]
    tests: tuple[str, ...]

    def modules(self) -> Iterator[ModuleType]:
        """The modules of the folders, imported."""
        for path in (p for f in self.folders for p in sorted((_ROOT / f).glob("*.py"))):
            if path.stem not in self.without:
                name = path.relative_to(_ROOT).with_suffix("").parts
                yield importlib.import_module(".".join(name))


# What is around the lowerings: arguments, registers, launches, attributes, text for older LLVM.
_AROUND = (
    "backend", "context", "emitter", "facts", "fragment", "kernel_abi", "launch", "module", "older",
    "split", "variables",
)  # fmt: skip
_SETS = {
    "semantics": Set(
        ("ptxlift/semantics",),
        ("__init__", "algebra", "registry"),
        ("tests/vectors/test_replay.py", "tests/unit/semantics"),
    ),
    "lowers": Set(
        ("ptxlift/llvm/amdgpu", "ptxlift/llvm/plain"),
        ("__init__", "registry", *_AROUND),
        (
            "tests/vectors/test_vectors_on_chips.py",
            "tests/unit/llvm",
            "tests/golden/test_amdgpu.py",
        ),
    ),
}


class Trials:
    """A pytest plugin that runs mutants in place of the tests."""

    def __init__(self, options: argparse.Namespace, name: str) -> None:
        self._options = options
        self._modules = list(_SETS[name].modules())
        self._reach = Reach.load(_ROOT / "build" / "mutants" / f"{name}.json")
        self._items: list[pytest.Item] = []
        self.score = 0.0

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Observes the tests, then tries the mutants."""
        start = time.perf_counter()
        self._items = session.items
        observe(session.items, self._modules, self._reach)
        self._reach.save()
        if self._reach.failed:
            _say(f"tests that fail without any mutant: {', '.join(self._reach.failed[:5])}")
        _say(f"{len(session.items)} tests observed in {time.perf_counter() - start:.0f} s")
        self.score = self._try_all(self._chosen())
        return True

    def _chosen(self) -> list[tuple[Mutant, ModuleType]]:
        every = [
            (mutant, module)
            for module in self._modules
            for mutant in mutants(Path(str(module.__file__)).read_text(encoding="utf-8"))
            if self._options.only in f"{module.__name__} {mutant}"
        ]
        sample = every
        if self._options.sample and self._options.sample < len(every):
            sample = random.Random(self._options.seed).sample(every, self._options.sample)
        equal = [m for m, module in sample if is_equivalent(_short(module), m)]
        costs = [m for m, module in sample if changes_cost_only(_short(module), m)]
        _say(f"{len(every)} mutants; of {len(sample)} {len(equal)} are equivalent and "
             f"{len(costs)} change cost only")  # fmt: skip
        return [(m, module) for m, module in sample if m not in equal and m not in costs]

    def _try_all(self, every: list[tuple[Mutant, ModuleType]]) -> float:
        tried: Counter[str] = Counter()
        killed: Counter[str] = Counter()
        unreached: Counter[str] = Counter()
        start = time.perf_counter()
        for mutant, module in every:
            tests = self._reach.of(f"{module.__name__}:{mutant.function}", self._items)
            if not tests:
                unreached[f"{_short(module)}.{mutant.function}"] += 1
            tried[mutant.operator] += 1
            if self._is_killed(mutant, module, tests):
                killed[mutant.operator] += 1
            else:
                _say(f"survives: {_short(module)} {mutant} ({len(tests)} tests)")
        for operator, count in sorted(tried.items()):
            _say(f"{operator:<20}{killed[operator]:>6} of {count}")
        _say(f"functions no test reaches: {', '.join(sorted(unreached)) or 'none'}")
        score = killed.total() / max(1, tried.total())
        seconds = time.perf_counter() - start
        _say(f"score {score:.1%} of {tried.total()} mutants, seed {self._options.seed}, "
             f"{seconds:.0f} s")  # fmt: skip
        return score

    def _is_killed(self, mutant: Mutant, module: ModuleType, tests: list[pytest.Item]) -> bool:
        """The quickest tests in a first child; the others only for what survives these."""
        seconds = self._reach.seconds
        early: list[pytest.Item] = []
        late: list[pytest.Item] = []
        total = 0.0
        for item in tests:
            total += seconds(item)
            (early if not early or total <= _FIRST else late).append(item)
        if early and is_killed(mutant, module, early, sum(map(seconds, early))):
            return True
        most, within = self._options.budget, list[pytest.Item]()
        for item in late:
            most -= seconds(item)
            if most > 0:
                within.append(item)
        return bool(within) and is_killed(mutant, module, within, sum(map(seconds, within)))


def _short(module: ModuleType) -> str:
    return module.__name__.removeprefix("ptxlift.")


def _say(line: str) -> None:
    print(line, file=sys.__stdout__, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the sets that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("sets", nargs="*", choices=[*_SETS, []], default=list(_SETS))
    parser.add_argument("--sample", type=int, default=150, help="so many mutants a set; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="part of a mutant's description")
    parser.add_argument("--tests", default="", help="only these tests, as pytest's -k")
    parser.add_argument(
        "--budget", type=float, default=120.0, help="seconds of tests for what survives the first"
    )
    options = parser.parse_args(arguments)
    scores = []
    for name in options.sets or _SETS:
        _say(f"== {name}")
        trials = Trials(options, name)
        words = [
            "-q",
            "-p",
            "no:xdist",
            "-p",
            "no:cacheprovider",
            "-m",
            "not slow or ops",
        ]
        words += ["-k", options.tests] if options.tests else []
        pytest.main([*words, *(str(_ROOT / test) for test in _SETS[name].tests)], plugins=[trials])
        scores.append(trials.score)
    return int(any(score < _GOAL for score in scores))


if __name__ == "__main__":
    raise SystemExit(main())
