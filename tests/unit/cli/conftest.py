"""No test of the command touches the cache of the person who runs it."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("PTXLIFT_CACHE_DIR", str(folder))
    return folder
