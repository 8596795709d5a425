"""Triton's matrix kernels, compiled when the tests run: products of four types, and attention."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ptxlift

triton = pytest.importorskip("triton", reason="triton is not installed")
Array = NDArray[Any]  # Any: arrays of several types

SOURCE = Path(__file__).with_name("matrix_kernels_of_triton.py")
TARGETS = ("gfx90a", "gfx942", "gfx1100", "gfx1201", "interpreter")
WARPS = 4


@cache
def kernels() -> Any:  # Any: a module of Triton functions, which are untyped
    spec = importlib.util.spec_from_file_location("matrix_kernels_of_triton", SOURCE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def compiled(name: str, signature: str, constants: tuple[tuple[str, Any], ...]) -> tuple[str, int]:
    """PTX and the bytes of shared memory."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    function = getattr(kernels(), name)
    types = [*signature.split(), *("constexpr" for _ in constants)]
    named = dict(zip(function.arg_names, types, strict=True))
    source = ASTSource(fn=function, signature=named, constexprs=dict(constants))
    options = {"num_warps": WARPS, "num_stages": 2}
    made = triton.compile(source, target=GPUTarget("cuda", 80, 32), options=options)
    return made.asm["ptx"], made.metadata.shared


def launch(
    text: str, target: str, grid: tuple[int, int], arguments: list[Any], shared: int
) -> None:
    """Triton's kernels take two scratch pointers at the end, unused here."""
    place = {"device": target} if target == "interpreter" else {"target": target}
    entry = text.split(".entry ")[1].split("(")[0].strip()
    everything = [*arguments, np.uint64(0), np.uint64(0)]
    block = (32 * WARPS, 1, 1)
    ptxlift.run(text, entry, (*grid, 1), block, everything, shared=shared, **place)


@dataclass(frozen=True)
class Kind:
    """An element type: Triton's names of it and of the sums, and the instruction it becomes."""

    element: str
    sums: str
    instruction: str
    roundoff: float  # of one product's sum; 0: exact


KINDS = {
    "f16": Kind("*fp16", "float32", "mma.sync.aligned.m16n8k16.row.col.f32.f16", 2.0**-24),
    "bf16": Kind("*bf16", "float32", "mma.sync.aligned.m16n8k16.row.col.f32.bf16", 2.0**-24),
    "tf32": Kind("*fp32", "float32", "mma.sync.aligned.m16n8k8.row.col.f32.tf32", 2.0**-24),
    "s8": Kind("*i8", "int32", "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8", 0),
}


def matrix(kind: str, shape: tuple[int, int], rng: np.random.Generator) -> tuple[Array, Array]:
    """As stored, and its values as the instruction sees them."""
    if kind == "s8":
        signed = rng.integers(-128, 128, shape).astype(np.int8)
        return signed, signed.astype(np.int64)
    single = rng.standard_normal(shape).astype(np.float32)
    if kind == "f16":
        half = single.astype(np.float16)
        return half, half.astype(np.float64)
    bits = single.view(np.uint32)
    if kind == "bf16":
        upper = (bits >> np.uint32(16)).astype(np.uint16)
        return upper, (bits & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)
    return single, single.astype(np.float64)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", KINDS)
def test_matmul(kind: str, target: str) -> None:
    found = KINDS[kind]
    sums = getattr(triton.language, found.sums)
    constants = (("M", 64), ("N", 64), ("K", 32), ("SUM", sums))
    result = "*i32" if kind == "s8" else "*fp32"
    signature = f"{found.element} {found.element} {result} i32 i32 i32"
    text, shared = compiled("matmul", signature, constants)
    assert found.instruction in text
    rng = np.random.default_rng(4)
    m, n, k = 70, 72, 100
    (a, a_values), (b, b_values) = matrix(kind, (m, k), rng), matrix(kind, (k, n), rng)
    c = np.zeros((m, n), np.int32 if kind == "s8" else np.float32)
    sizes = [np.int32(m), np.int32(n), np.int32(k)]
    launch(text, target, (2, 2), [a, b, c, *sizes], shared)
    expected = a_values @ b_values
    if kind == "s8":
        assert np.array_equal(c, expected)
        return
    # tf32 drops 13 bits of each operand.
    unit = 2.0**-9 if kind == "tf32" else (k + 1) * found.roundoff
    assert (np.abs(c - expected) <= unit * (np.abs(a_values) @ np.abs(b_values))).all()


@pytest.mark.parametrize("target", TARGETS)
def test_attention(target: str) -> None:
    constants = (("ROWS", 64), ("KEYS", 32), ("D", 32))
    signature = "*fp16 *fp16 *fp16 *fp32 i32 fp32"
    text, shared = compiled("attention", signature, constants)
    assert "mma.sync.aligned.m16n8k16" in text
    rng = np.random.default_rng(8)
    heads, length, d = 2, 64, 32
    q, k, v = (rng.standard_normal((heads, length, d)).astype(np.float16) for _ in range(3))
    out = np.zeros((heads, length, d), np.float32)
    scale = np.float32(1 / np.sqrt(d))
    launch(text, target, (1, heads), [q, k, v, out, np.int32(length), scale], shared)
    scores = q.astype(float) @ np.swapaxes(k.astype(float), 1, 2) * float(scale)
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    expected = weights / weights.sum(axis=2, keepdims=True) @ v.astype(float)
    # The weights are rounded to f16 before the second product.
    assert np.abs(out - expected).max() <= 2.0**-10 * np.abs(v).max()
