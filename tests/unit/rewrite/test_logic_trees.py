"""Random bitwise code before and after the rewriter: the same results, never more instructions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from random_logic import INPUTS, body, computed
from run_ir import build, kernel_of_op, launch

from benchmarks.vector_count import vector_instructions
from ptxlift.interp.lanes import dtype_of
from ptxlift.ir.core import Module
from ptxlift.ir.verify import verify_module
from ptxlift.llvm.amdgpu import AmdgpuBackend
from ptxlift.llvm.options import CodegenOptions
from ptxlift.rewrite.driver import Log
from ptxlift.rewrite.passes import rewrite_module
from ptxlift.target import lookup

SEEDS = range(60)
LANES = 64
TARGETS = ["gfx900", "gfx942", "gfx950", "gfx1100"]


def _ops(seed: int) -> int:
    return 4 + seed % 7


def _module(width: int) -> Module:
    functions = {}
    for seed in SEEDS:
        name = f"k{seed}"
        widths = (width,) * INPUTS
        functions[name] = kernel_of_op(name, body(seed, _ops(seed)), widths, (width,) * 2)
    return Module("logic", functions)


def _lengths(module: Module, target: str) -> dict[str, int]:
    spec, options, backend = lookup(target), CodegenOptions(), AmdgpuBackend()
    job = backend.job("logic", backend.emit_module(module, spec, options), spec, options)
    return vector_instructions(backend.compile(replace(job, want_asm=True)).asm)


QUICK = {("gfx942", 32), ("gfx1100", 64)}
CASES = [
    pytest.param(target, width, marks=() if (target, width) in QUICK else pytest.mark.slow)
    for target in TARGETS
    for width in (32, 64)
]


@pytest.mark.parametrize(("target", "width"), CASES)
def test_same_results_in_fewer_instructions(target: str, width: int) -> None:
    before, log = _module(width), Log()
    after = rewrite_module(before, lookup(target).target.features, log)
    verify_module(after)
    assert len(log.fires) > 10
    assert log.stopped == []
    old, new = _lengths(before, target), _lengths(after, target)
    worse = {name: (old[name], new[name]) for name in old if new[name] > old[name]}
    assert worse == {}
    assert sum(new.values()) < sum(old.values())
    rng = np.random.default_rng(1)
    top = np.iinfo(dtype_of(width)).max
    values = [rng.integers(0, top, LANES, dtype_of(width), endpoint=True) for _ in range(INPUTS)]
    built = build(after, target)
    for seed in SEEDS:
        results = [np.zeros(LANES, dtype_of(width)) for _ in range(2)]
        launch(built, f"k{seed}", (1, 1, 1), (LANES, 1, 1), [*values, *results])
        for found, expected in zip(results, computed(seed, _ops(seed), values), strict=True):
            assert np.array_equal(found, expected), seed
