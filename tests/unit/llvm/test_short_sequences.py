"""Numeric sequences are no longer than clang's for the same computation."""

from __future__ import annotations

import pytest

from benchmarks.code_quality_micro import SNIPPETS, longer, measure
from benchmarks.native import missing_tool


@pytest.mark.skipif(missing_tool() is not None, reason="clang for AMDGPU is not installed")
@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_sequences_are_no_longer_than_native_ones(target: str) -> None:
    rows = measure([target])
    assert len(rows) == len(SNIPPETS) - 1
    assert longer(rows) == []
