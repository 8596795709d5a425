"""Samples: tests with many parameters of which a few run by default, all of them with `--full`."""

from __future__ import annotations

from collections import defaultdict

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="every parameter of sampled tests")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of each function marked `sampled(n)`, keeps n tests spread over its parameters."""
    if config.getoption("--full", default=False):
        return
    sampled: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sampled") is not None:
            sampled[item.nodeid.partition("[")[0]].append(item)
    dropped: set[pytest.Item] = set()
    for tests in sampled.values():
        mark = tests[0].get_closest_marker("sampled")
        assert mark is not None
        kept = min(mark.args[0], len(tests))
        dropped.update(set(tests) - {tests[i * len(tests) // kept] for i in range(kept)})
    if dropped:
        config.hook.pytest_deselected(items=sorted(dropped, key=lambda item: item.nodeid))
        items[:] = [item for item in items if item not in dropped]
