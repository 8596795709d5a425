"""Every example becomes a code object for every AMDGPU target; a few without `--corpus-full`."""

from __future__ import annotations

import pytest
from cases import ALL_CASES

import ptxlift
from ptxlift.link import read_code_object

QUICK_CASES = ("saxpy", "reduce_shuffle", "histogram")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    full = metafunc.config.getoption("--corpus-full", default=False)
    names = [case.name for case in ALL_CASES if full or case.name in QUICK_CASES]
    metafunc.parametrize("target", [target.name for target in ptxlift.targets()])
    metafunc.parametrize("names", [names], ids=["all" if full else "few"])


def test_examples_become_code_objects(target: str, names: list[str]) -> None:
    for case in ALL_CASES:
        if case.name in names:
            text = case.ptx_files()[0].read_text()
            program = ptxlift.lift(text, target, name=case.source)
            kernels = read_code_object(program.code_object).kernels
            assert case.kernel in [kernel.name for kernel in kernels]
