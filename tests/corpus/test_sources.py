"""The CUDA sources and the references agree: every .cu case runs on the CPU against numpy."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from build_ptx import COMPILER, Build, all_builds, compile_ptx, compiler_version
from cases import ALL_CASES
from cases.model import EXAMPLES, Case, check_results, copy_inputs
from host import build_host_library, run_on_host

CUDA_CASES = [case for case in ALL_CASES if case.source.endswith(".cu")]


@pytest.mark.sampled(24)
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


def is_current_compiler(build: Build) -> bool:
    """Whether the compiler that wrote the file is the one installed here."""
    if shutil.which(COMPILER) is None:
        return False
    return f"// compiler: {compiler_version()}\n" in build.output.read_text()


@pytest.mark.sampled(24)
@pytest.mark.parametrize("build", all_builds(), ids=lambda build: build.output.stem)
def test_checked_in_ptx_is_current(build: Build) -> None:
    if not is_current_compiler(build):
        pytest.skip("made by another compiler")
    assert compile_ptx(build, compiler_version()) == build.output.read_text()


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="ptxas is not installed")
@pytest.mark.parametrize("case", ALL_CASES, ids=lambda case: case.name)
def test_ptxas_accepts_the_ptx(case: Case) -> None:
    for path in case.ptx_files():
        target = next(line for line in path.read_text().splitlines() if line.startswith(".target"))
        # ptxas 13 no longer has sm_70; what is legal there is legal on sm_75.
        arch = target.split()[1].rstrip(",").replace("sm_70", "sm_75")
        subprocess.run(["ptxas", f"-arch={arch}", str(path), "-o", "/dev/null"], check=True)


def test_every_example_has_a_case() -> None:
    sources = {case.source for case in ALL_CASES}
    present = {
        f"{path.parent.name}/{path.name}"
        for pattern in ("cuda/*.cu", "hand/*.ptx", "triton/*.ptx")
        for path in EXAMPLES.glob(pattern)
    }
    assert present == sources


def test_readme_lists_every_example() -> None:
    text = (EXAMPLES / "README.md").read_text()
    missing = {case.source for case in ALL_CASES if f"]({case.source})" not in text}
    assert not missing
