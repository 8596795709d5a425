"""Command-line options of the corpus tests."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--corpus-full",
        action="store_true",
        help="run every PTX variant on every emulated target, and every nvcc build",
    )
