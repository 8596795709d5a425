"""Lets the tests import the helpers that lie beside them; the option of the full sweep."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--matrix-full", action="store_true", help="every form of mma.sync on every kind of chip"
    )
