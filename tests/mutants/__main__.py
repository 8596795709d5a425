"""`python -m tests.mutants`: faults in semantics and lowerings, and whether a test notices each.

Prints the score by operator and every survivor. Exit 1 where the score is below the goal.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutants.equivalent import reason_for
from tests.mutants.operators import Mutant, mutants
from tests.mutants.trial import Reach, is_killed, observe

_ROOT = Path(__file__).resolve().parents[2]
_GOAL = 0.95
_SETS: dict[str, tuple[str, tuple[str, ...]]] = {  # what is changed, and the tests that may notice
    "semantics": ("ptxlift/semantics", ("tests/vectors", "tests/unit/semantics")),
    "lowers": (
        "ptxlift/llvm/amdgpu",
        (
            "tests/unit/llvm",
            "tests/vectors/test_replay.py",
            "tests/unit/lifter",
            "tests/unit/warps",
        ),
    ),
}
_OUTSIDE = frozenset({"__init__", "algebra", "registry", "backend", "context", "emitter", "module"})


class Trials:
    """A pytest plugin that runs mutants in place of the tests."""

    def __init__(self, options: argparse.Namespace, folder: str) -> None:
        self._options = options
        self._modules = [
            _import(path)
            for path in sorted((_ROOT / folder).glob("*.py"))
            if path.stem not in _OUTSIDE
        ]
        self.score = 0.0

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Observes the tests, then tries the mutants."""
        start = time.perf_counter()
        reach = observe(session.items, self._modules)
        if reach.failed:
            names = ", ".join(item.nodeid for item in reach.failed[:5])
            raise pytest.UsageError(f"tests fail without any mutant: {names}")
        _say(f"{len(session.items)} tests observed in {time.perf_counter() - start:.0f} s")
        self.score = self._try_all(self._chosen(), reach)
        return True

    def _chosen(self) -> list[tuple[Mutant, ModuleType]]:
        every = [
            (mutant, module)
            for module in self._modules
            for mutant in mutants(Path(str(module.__file__)).read_text(encoding="utf-8"))
            if self._options.only in f"{module.__name__} {mutant}"
        ]
        _say(f"{len(every)} mutants")
        if self._options.sample and self._options.sample < len(every):
            every = random.Random(self._options.seed).sample(every, self._options.sample)
        return every

    def _try_all(self, every: list[tuple[Mutant, ModuleType]], reach: Reach) -> float:
        tried: Counter[str] = Counter()
        killed: Counter[str] = Counter()
        unreached: Counter[str] = Counter()
        for mutant, module in every:
            name = module.__name__.removeprefix("ptxlift.")
            if reason_for(name, mutant):
                continue
            tests = reach.of(f"{module.__file__}:{mutant.function}", self._options.budget)
            if not tests:
                unreached[f"{name}.{mutant.function}"] += 1
            tried[mutant.operator] += 1
            if tests and is_killed(mutant, module, tests, self._options.limit):
                killed[mutant.operator] += 1
            else:
                _say(f"survives: {name} {mutant} ({len(tests)} tests)")
        for operator, count in sorted(tried.items()):
            _say(f"{operator:<20}{killed[operator]:>6} of {count}")
        _say(f"functions no test reaches: {', '.join(sorted(unreached)) or 'none'}")
        score = killed.total() / max(1, tried.total())
        _say(f"score {score:.1%} of {tried.total()} mutants, seed {self._options.seed}")
        return score


def _import(path: Path) -> ModuleType:
    return importlib.import_module(".".join(path.relative_to(_ROOT).with_suffix("").parts))


def _say(line: str) -> None:
    print(line, file=sys.__stdout__, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the sets that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("sets", nargs="*", choices=[*_SETS, []], default=list(_SETS))
    parser.add_argument("--sample", type=int, default=0, help="so many mutants a set; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="part of a mutant's description")
    parser.add_argument("--tests", default="", help="only these tests, as pytest's -k")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds of tests a mutant")
    parser.add_argument(
        "--limit", type=int, default=90, help="seconds until a mutant counts as hung"
    )
    options = parser.parse_args(arguments)
    scores = []
    for name in options.sets or _SETS:
        folder, tests = _SETS[name]
        _say(f"== {name}")
        trials = Trials(options, folder)
        paths = [str(_ROOT / test) for test in tests]
        words = [
            *(["-k", options.tests] if options.tests else []),
            "-q",
            "-p",
            "no:xdist",
            "-p",
            "no:cacheprovider",
            "-m",
            "not slow",
            *paths,
        ]
        pytest.main(words, plugins=[trials])
        scores.append(trials.score)
    return int(any(score < _GOAL for score in scores))


if __name__ == "__main__":
    raise SystemExit(main())
