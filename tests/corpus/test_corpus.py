"""Runs every corpus case end to end: PTX through ptxlift, then the results against numpy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from cases import ALL_CASES
from cases.model import Case
from launch import FULL_TARGETS, INTERPRETER, QUICK_TARGETS, run_case

from ptxlift import PtxError


@dataclass(frozen=True, slots=True)
class Run:
    """One case from one PTX file on one target."""

    case: Case
    path: Path
    target: str

    def __str__(self) -> str:
        return f"{self.case.name}-{self.path.stem}-{self.target}"


def collect_runs(full: bool) -> list[Run]:
    """Every case with its main PTX on two targets; with `full`, all variants on six."""
    targets = (*(FULL_TARGETS if full else QUICK_TARGETS), INTERPRETER)
    runs = []
    for case in ALL_CASES:
        paths = case.ptx_files()
        for path in paths if full else paths[:1]:
            runs.extend(Run(case, path, target) for target in targets)
    return runs


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "run" in metafunc.fixturenames:
        runs = collect_runs(metafunc.config.getoption("--corpus-full", default=False))
        metafunc.parametrize("run", [mark(run) for run in runs])


def mark(run: Run) -> ParameterSet:
    """A case that still lacks something is expected to be refused; once it runs, this says so."""
    reason = run.case.needs
    if not reason:
        return pytest.param(run, id=str(run))
    refused = pytest.mark.xfail(reason=reason, raises=PtxError, strict=run.target != INTERPRETER)
    return pytest.param(run, id=str(run), marks=refused)


def test_example_matches_numpy(run: Run) -> None:
    run_case(run.case, run.path.read_text(), run.target, run.case.tolerance)
