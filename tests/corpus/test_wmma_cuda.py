"""A tiled CUDA product on the wmma interface, compiled by nvcc when the tests run."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from cases.model import EXAMPLES
from numpy.typing import NDArray
from test_nvcc import NVCC, NvccBuild, compile_with_nvcc

import ptxlift

pytestmark = pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")

Array = NDArray[Any]  # Any: arrays of several types

M, N, K = 64, 128, 96
KINDS = ("halves", "half_sums", "brains", "bytes")
TARGETS = ("gfx90a", "gfx942", "gfx1100", "gfx1201", "interpreter")


@cache
def ptx_text(directory: str) -> str:
    from pathlib import Path

    build = NvccBuild("sm80", ("-arch=sm_80", "-std=c++17"))
    return compile_with_nvcc(EXAMPLES / "wmma/tiles.cu", build, Path(directory))


def matrix(kind: str, shape: tuple[int, int], rng: np.random.Generator) -> tuple[Array, Array]:
    """As stored, and as numbers."""
    if kind == "bytes":
        whole = rng.integers(-128, 128, shape).astype(np.int8)
        return whole, whole.astype(np.int64)
    single = rng.standard_normal(shape).astype(np.float32)
    if kind == "brains":
        bits = single.view(np.uint32)
        kept = (bits & np.uint32(0xFFFF0000)).view(np.float32)
        return (bits >> np.uint32(16)).astype(np.uint16), kept.astype(np.float64)
    half = single.astype(np.float16)
    return half, half.astype(np.float64)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", KINDS)
def test_tiles(kind: str, target: str, pytestconfig: pytest.Config) -> None:
    assert pytestconfig.cache is not None
    text = ptx_text(str(pytestconfig.cache.mkdir("corpus-nvcc")))
    assert "wmma.mma.sync" in text
    rng = np.random.default_rng(7)
    (a, a_values), (b, b_values) = matrix(kind, (M, K), rng), matrix(kind, (K, N), rng)
    types = {"bytes": np.int32, "half_sums": np.float16}
    c = np.zeros((M, N), types.get(kind, np.float32))
    place = {"device": target} if target == "interpreter" else {"target": target}
    sizes = [np.int32(N), np.int32(K)]
    ptxlift.run(text, kind, (N // 64, M // 32, 1), (128, 1, 1), [a, b, c, *sizes], **place)
    expected = a_values @ b_values
    if kind == "bytes":
        assert np.array_equal(c, expected)
        return
    # Sums of f16 are rounded after each of six steps of 16.
    unit = 7 * 2.0**-11 if kind == "half_sums" else (K + 1) * 2.0**-24
    assert (np.abs(c - expected) <= unit * (np.abs(a_values) @ np.abs(b_values))).all()


@pytest.mark.parametrize("target", ["gfx942", "gfx1100", "gfx1201"])
def test_matrix_instructions_are_used(target: str, pytestconfig: pytest.Config) -> None:
    assert pytestconfig.cache is not None
    text = ptx_text(str(pytestconfig.cache.mkdir("corpus-nvcc")))
    code = ptxlift.lift(text, target=target, kernels=["halves"]).asm
    assert "v_mfma_f32_16x16x16_f16" in code or "v_wmma_f32_16x16x16_f16" in code
