"""CUDA programs on the public headers that come with nvcc: CUB, Thrust, libcu++, groups.

nvcc compiles them when the tests run. Kernels of examples' own are launched directly; device-wide
algorithms are called through their host functions, whose launches run in the emulator. Expected
values are numpy's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from cases.model import EXACT, EXAMPLES, Case
from cuda_programs.calls import ALGORITHMS_SOURCE, SORT_SOURCE, Call, algorithm_calls, sort_calls
from cuda_programs.host_program import NVCC, HostProgram, build
from cuda_programs.kernels import KERNEL_CASES
from cuda_programs.progress import progress_cases
from launch import INTERPRETER, QUICK_TARGETS
from test_nvcc import NvccBuild, compile_with_nvcc

import ptxlift

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NVCC is None, reason="nvcc is not installed"),
]
# sm_80 has asynchronous copies; sm_90 has also barriers that count bytes.
BUILDS = (
    NvccBuild("sm80", ("-arch=sm_80", "-std=c++17", "-w")),
    NvccBuild("sm90", ("-arch=sm_90", "-std=c++17", "-w")),
)
CALLS = {SORT_SOURCE: sort_calls, ALGORITHMS_SOURCE: algorithm_calls}


@pytest.fixture(scope="module")
def built(pytestconfig: pytest.Config) -> Callable[[str, int], str]:
    """PTX of a source by its place in BUILDS."""
    assert pytestconfig.cache is not None
    directory = pytestconfig.cache.mkdir("corpus-nvcc")

    @cache
    def compiled(source: str, number: int) -> str:
        return compile_with_nvcc(EXAMPLES / source, BUILDS[number], directory)

    return compiled


@pytest.fixture(scope="module")
def loaded(built: Callable[[str, int], str]) -> Callable[[str, int, str], ptxlift.Program]:
    """A source on a target, translated once."""

    @cache
    def load(source: str, number: int, target: str) -> ptxlift.Program:
        return ptxlift.load(built(source, number), target=target)

    return load


@pytest.mark.sampled(24)
@pytest.mark.parametrize("target", QUICK_TARGETS)
@pytest.mark.parametrize("case", KERNEL_CASES, ids=lambda case: case.name)
def test_kernel_matches_numpy(
    case: Case, target: str, loaded: Callable[[str, int, str], ptxlift.Program]
) -> None:
    build_number = QUICK_TARGETS.index(target)
    program = loaded(case.source, build_number, target)
    inputs = [v.copy() if isinstance(v, np.ndarray) else v for v in case.inputs()]
    program.launch(case.kernel, case.grid, case.block, inputs, case.shared, max_steps=3_000_000)
    for position, expected in case.reference(inputs).items():
        np.testing.assert_array_equal(inputs[position], expected, err_msg=f"argument {position}")
    assert case.tolerance == EXACT


@pytest.mark.sampled(4)
@pytest.mark.parametrize("case", progress_cases(), ids=lambda case: case.name)
def test_threads_that_wait_get_on_in_the_interpreter(
    case: Case, built: Callable[[str, int], str]
) -> None:
    inputs = [v.copy() if isinstance(v, np.ndarray) else v for v in case.inputs()]
    program = ptxlift.load(built(case.source, 1), device=INTERPRETER)
    program.launch(case.kernel, case.grid, case.block, inputs, max_steps=3_000_000)
    for position, expected in case.reference(inputs).items():
        np.testing.assert_array_equal(inputs[position], expected, err_msg=f"argument {position}")


def host_program(source: str, target: str, cache_directory: Path) -> HostProgram:
    libraries = build(EXAMPLES / source, cache_directory)
    return HostProgram(*libraries, place=lambda text: ptxlift.load(text, target=target))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each program runs on one target; with --corpus-full on both."""
    if "program_on" not in metafunc.fixturenames:
        return
    pairs = list(zip(CALLS, QUICK_TARGETS, strict=True))
    if metafunc.config.getoption("--corpus-full", default=False):
        pairs = [(source, target) for source in CALLS for target in QUICK_TARGETS]
    metafunc.parametrize("program_on", pairs, ids=lambda pair: f"{Path(pair[0]).stem}-{pair[1]}")


@pytest.mark.sampled(1)
def test_device_algorithms_match_numpy(
    program_on: tuple[str, str], pytestconfig: pytest.Config
) -> None:
    source, target = program_on
    assert pytestconfig.cache is not None
    program = host_program(source, target, pytestconfig.cache.mkdir("corpus-programs"))
    for call in CALLS[source]():
        check_call(program, call)


def check_call(program: HostProgram, call: Call) -> None:
    """Results, and that the kernels meant were launched."""
    arguments = [v.copy() if isinstance(v, np.ndarray) else v for v in call.arguments]
    program.launched.clear()
    assert program.call(call.function, *arguments) == 0
    for position, expected in call.expected.items():
        np.testing.assert_array_equal(arguments[position], expected, err_msg=str(call))
    for part, least in call.kernels.items():
        launches = sum(part in kernel for kernel in program.launched)
        assert launches >= least, f"{call}: {launches} launches of {part}: {program.launched}"
