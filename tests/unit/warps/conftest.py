"""Sweeps over every target run in part, each fifth test; `make warps-full` runs them whole."""

from __future__ import annotations

import pytest

_STEP = 5  # no divisor of the number of targets, so that all get their turn


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--warps-full", action="store_true", help="warp tests on every target")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--warps-full", default=False):
        return
    sweeping = [item for item in items if item.get_closest_marker("sweep") is not None]
    left_out = set(sweeping) - set(sweeping[::_STEP])
    items[:] = [item for item in items if item not in left_out]
