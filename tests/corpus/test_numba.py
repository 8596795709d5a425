"""Numba's kernels end to end: compiled when the tests run, skipped where numba-cuda is missing.

Numba passes an array as its fields: two object pointers (null here), item count, item size, data,
then the shape and the strides.
"""

from __future__ import annotations

import importlib.util
import re
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from cases.model import EXAMPLES, Case, check_results, copy_inputs
from cases.numba_kernels import NUMBA_CASES, SOURCE
from launch import QUICK_TARGETS

import ptxlift

CAPABILITY = (8, 0)


@pytest.fixture(scope="module")
def kernels() -> ModuleType:
    pytest.importorskip("numba")
    pytest.importorskip("numba.cuda")
    spec = importlib.util.spec_from_file_location("numba_kernels_source", EXAMPLES / SOURCE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_kernel(function: Any, arguments: list[Any]) -> str:  # Any: numba is untyped
    """PTX for the types of these arguments; skips where NVIDIA's compiler library is missing."""
    import numba
    from numba import cuda

    types = tuple(numba.typeof(value) for value in arguments)
    try:
        return str(cuda.compile_ptx(function, types, cc=CAPABILITY)[0])
    except Exception as error:
        if "libnv" in str(error):
            pytest.skip(f"numba cannot compile here: {error}")
        raise


def expand_arrays(arguments: list[Any]) -> list[Any]:
    """Launch order as numba's calling convention has it."""
    result: list[Any] = []
    for value in arguments:
        if not isinstance(value, np.ndarray):
            result.append(value)
            continue
        result += [np.uint64(0), np.uint64(0), np.int64(value.size), np.int64(value.itemsize)]
        result += [value, *map(np.int64, value.shape), *map(np.int64, value.strides)]
    return result


@pytest.mark.parametrize("target", QUICK_TARGETS)
@pytest.mark.parametrize("case", NUMBA_CASES, ids=lambda case: case.name)
def test_numba_kernel_matches_numpy(case: Case, target: str, kernels: ModuleType) -> None:
    before = case.inputs()
    text = compile_kernel(getattr(kernels, case.kernel), before)
    entry = re.search(r"\.entry\s+([\w$]+)", text)
    assert entry is not None
    after = copy_inputs(before)
    arguments = expand_arrays(after)
    ptxlift.run(text, entry.group(1), case.grid, case.block, arguments, target=target)
    check_results(case, before, after, case.tolerance)
