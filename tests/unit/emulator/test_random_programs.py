"""Random programs: the emulator running AMDGPU code against the host running x86 code."""

from __future__ import annotations

import numpy as np
import pytest
from emulator_builds import ALL, needs_lld, run
from host_programs import OUTPUTS, for_gpu, generate, make_inputs, run_on_host

pytestmark = needs_lld

THREADS = 256


def compare(
    seed: int,
    cpu: str,
    floats: bool,
    level: int = 2,
    uniform: bool = False,
    halves: bool = False,
) -> None:
    """Run one program on both and compare every output bit; NaNs may differ in payload."""
    program = generate(seed, floats, halves)
    inputs = make_inputs(seed, THREADS, floats)
    want = run_on_host(program, inputs)
    got = np.zeros((THREADS, OUTPUTS), np.uint64)
    grid, block = ((THREADS, 1, 1), (2, 1, 1)) if uniform else ((2, 1, 1), (128, 1, 1))
    run(for_gpu(program, uniform), "main", cpu, grid, block, inputs, got, level=level)
    if floats:
        for column, kind in ((4, np.float32), (5, np.float64)):
            for values in (want, got):
                part = values[:, column].astype(f"u{np.dtype(kind).itemsize}").view(kind)
                values[np.isnan(part), column] = 0xBAD
    if halves:
        want, got = (without_nans_in_halves(values) for values in (want, got))
    np.testing.assert_array_equal(got, want)


def without_nans_in_halves(values: np.ndarray) -> np.ndarray:
    """The same with one pattern for all f16 NaNs in column 7."""
    halves = values.copy().view(np.uint16).reshape(len(values), -1)
    part = halves[:, 28:30]
    part[np.isnan(part.view(np.float16))] = 0x7E00
    return halves.view(np.uint64)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cpu", ALL)
def test_halves_and_pairs(seed: int, cpu: str) -> None:
    compare(seed + 100 * ALL.index(cpu) + 9000, cpu, True, halves=True)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cpu", ALL)
def test_integers(seed: int, cpu: str) -> None:
    compare(seed + 100 * ALL.index(cpu), cpu, False)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cpu", ALL)
def test_floats(seed: int, cpu: str) -> None:
    compare(seed + 100 * ALL.index(cpu), cpu, True)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cpu", ALL)
def test_scalar_code(seed: int, cpu: str) -> None:
    compare(seed + 100 * ALL.index(cpu) + 7000, cpu, seed % 2 == 1, uniform=True)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cpu", ("gfx90a", "gfx942", "gfx1030", "gfx1100"))
def test_unoptimised(seed: int, cpu: str) -> None:
    compare(seed + 5000, cpu, seed % 2 == 1, level=0)
