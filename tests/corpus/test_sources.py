"""The CUDA sources and the references agree: every .cu case runs on the CPU against numpy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cases import ALL_CASES
from cases.model import EXAMPLES, Case, check_results, copy_inputs
from host import build_host_library, run_on_host

CUDA_CASES = [case for case in ALL_CASES if case.source.endswith(".cu")]


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
@pytest.mark.parametrize("case", CUDA_CASES, ids=lambda case: case.name)
def test_source_matches_reference(case: Case, tmp_path: Path) -> None:
    library = build_host_library(EXAMPLES / case.source, [case.kernel], tmp_path)
    before = case.inputs()
    after = copy_inputs(before)
    run_on_host(library, case.kernel, case.grid, case.block, after, case.shared)
    check_results(case, before, after, case.tolerance)


@pytest.mark.parametrize("case", ALL_CASES, ids=lambda case: case.name)
def test_reference_changes_something(case: Case) -> None:
    """A case whose reference equals its inputs would pass with a kernel that does nothing."""
    before = case.inputs()
    expected = case.reference(copy_inputs(before))
    assert expected
    assert any((expected[at] != before[at]).any() for at in expected)


def test_every_example_has_a_case() -> None:
    sources = {case.source for case in ALL_CASES}
    present = {
        f"{path.parent.name}/{path.name}"
        for pattern in ("cuda/*.cu", "hand/*.ptx", "triton/*.ptx")
        for path in EXAMPLES.glob(pattern)
    }
    assert present == sources
