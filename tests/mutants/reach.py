"""Which tests execute which functions, measured once and kept in a file.

Comes in: what a run of the tests told. Goes out: for a function its tests, the quickest first. A
test is measured anew when its file changed, or a helper beside it. It must know nothing of mutants.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest


@dataclass(slots=True)
class Measured:
    """One test. `state`: of its file, when it was measured; `seconds`: how long it took."""

    state: str
    seconds: float
    functions: list[str]


@dataclass(slots=True)
class Reach:
    """What is known of the tests of a set. `failed`: those that fail without any mutant."""

    file: Path
    tests: dict[str, Measured] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    @staticmethod
    def load(file: Path) -> Reach:
        """What an earlier run left."""
        if not file.exists():
            return Reach(file)
        kept = json.loads(file.read_text(encoding="utf-8"))
        return Reach(file, {name: Measured(*entry) for name, entry in kept.items()})

    def save(self) -> None:
        """Keeps it for the next run."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        entries = {n: [m.state, round(m.seconds, 4), m.functions] for n, m in self.tests.items()}
        self.file.write_text(json.dumps(entries), encoding="utf-8")

    def knows(self, item: pytest.Item) -> bool:
        """Whether the test was measured as it is."""
        found = self.tests.get(item.nodeid)
        return found is not None and found.state == _state_of(item.path)

    def note(self, item: pytest.Item, seconds: float, functions: Iterable[str] | None) -> None:
        """A test ran; None: it failed."""
        if functions is None:
            self.failed.append(item.nodeid)
            self.tests.pop(item.nodeid, None)
        elif not self.knows(item):
            state = _state_of(item.path)
            self.tests[item.nodeid] = Measured(state, seconds, sorted(functions))

    def of(self, function: str, items: Iterable[pytest.Item]) -> list[pytest.Item]:
        """Those of the tests that reach a function, the quickest first."""
        mine = [
            item
            for item in items
            if item.nodeid in self.tests and function in self.tests[item.nodeid].functions
        ]
        return sorted(mine, key=self.seconds)

    def seconds(self, item: pytest.Item) -> float:
        """How long a test takes."""
        return self.tests[item.nodeid].seconds


@cache
def _state_of(file: Path) -> str:
    """A digest of a test file and of the modules beside it that are no tests."""
    helpers = [path for path in file.parent.glob("*.py") if not path.name.startswith("test_")]
    digest = hashlib.sha256()
    for path in sorted({file, *helpers}):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]
