"""The same cases from nvcc's PTX, compiled when the tests run and kept in pytest's cache.

The quick run gives each source one of the builds in turn; --corpus-full gives it all of them.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from cases import ALL_CASES
from cases.model import EXAMPLES, Case
from launch import INTERPRETER, QUICK_TARGETS, run_case

CUDA_CASES = [case for case in ALL_CASES if case.source.endswith(".cu")]
NVCC = shutil.which("nvcc")


@dataclass(frozen=True, slots=True)
class NvccBuild:
    """A name and the options after `nvcc -ptx`."""

    name: str
    options: tuple[str, ...]

    @property
    def fast_math(self) -> bool:
        return "--use_fast_math" in self.options


BUILDS = (
    NvccBuild("sm75", ("-arch=sm_75",)),
    NvccBuild("sm80-lineinfo", ("-arch=sm_80", "-lineinfo")),
    NvccBuild("sm90-fast", ("-arch=sm_90", "--use_fast_math")),
    NvccBuild("sm80-debug", ("-arch=sm_80", "-G")),
    NvccBuild("sm90", ("-arch=sm_90",)),
)


@dataclass(frozen=True, slots=True)
class Run:
    """One case, one nvcc build, one target."""

    case: Case
    build: NvccBuild
    target: str

    def __str__(self) -> str:
        return f"{self.case.name}-{self.build.name}-{self.target}"


def builds_of(case: Case) -> list[NvccBuild]:
    return [build for build in BUILDS if case.fast_math is not None or not build.fast_math]


def collect_runs(full: bool) -> list[Run]:
    runs = []
    for at, case in enumerate(CUDA_CASES):
        builds = builds_of(case)
        if not full:
            builds = [builds[at % len(builds)]]
        targets = (*QUICK_TARGETS, INTERPRETER) if full else (QUICK_TARGETS[at % 2],)
        runs.extend(Run(case, build, target) for build in builds for target in targets)
    return runs


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "run" in metafunc.fixturenames:
        runs = collect_runs(metafunc.config.getoption("--corpus-full", default=False))
        metafunc.parametrize("run", runs, ids=str)


def cache_key(source: Path, command: list[str]) -> str:
    """Changes with the source, its headers, the options and the compiler."""
    version = subprocess.run([command[0], "--version"], check=True, capture_output=True).stdout
    parts = [version, " ".join(command[1:]).encode(), source.read_bytes()]
    parts.extend(path.read_bytes() for path in sorted(source.parent.glob("*.h")))
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def compile_with_nvcc(source: Path, build: NvccBuild, cache: Path) -> str:
    assert NVCC is not None
    command = [NVCC, "-ptx", *build.options]
    path = cache / f"{source.stem}-{build.name}-{cache_key(source, command)}.ptx"
    if not path.exists():
        made = path.with_suffix(".new")
        subprocess.run([*command, str(source), "-o", str(made)], check=True, capture_output=True)
        made.rename(path)
    return path.read_text()


@pytest.mark.sampled(36)
@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
def test_nvcc_build_matches_numpy(run: Run, pytestconfig: pytest.Config) -> None:
    assert pytestconfig.cache is not None
    cache = pytestconfig.cache.mkdir("corpus-nvcc")
    text = compile_with_nvcc(EXAMPLES / run.case.source, run.build, cache)
    tolerance = run.case.fast_math if run.build.fast_math else run.case.tolerance
    assert tolerance is not None
    run_case(run.case, text, run.target, tolerance)
