"""MFMA and WMMA, through LLVM's intrinsics, on random matrices.

The layouts are spelled out here by lane and element as AMD's lab notes and the RDNA ISA documents
describe them, one formula a shape.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from emulator_builds import needs_lld, run
from numpy.typing import NDArray

Array = NDArray[Any]
Place = Callable[[int, int], tuple[int, int, int]]  # lane, element -> block, row (column), k


@dataclass(frozen=True)
class Case:
    """One intrinsic; `a`, `b`, `d` are LLVM's vector types, `extra` its trailing arguments."""

    name: str
    kind: str
    sizes: tuple[int, int, int, int]  # m, n, k, blocks
    a: str
    d: str
    extra: str
    left: Place
    result: Place  # lane, element -> block, row, column
    lanes: int = 64

    def __str__(self) -> str:
        return self.name.removeprefix("llvm.amdgcn.")


ZEROS = ", i32 0, i32 0, i32 0"


def groups(rows: int, along: int) -> Place:
    """Inputs of one block: groups of `rows` lanes hold `along` neighbours of K each."""
    return lambda lane, e: (0, lane % rows, along * (lane // rows) + e)


def blocks(rows: int) -> Place:
    """Inputs of several blocks: each group of lanes has one of its own."""
    return lambda lane, e: (lane // rows, lane % rows, e)


def repeated(lane: int, e: int) -> tuple[int, int, int]:
    """Inputs on gfx11: both halves of the wave hold the same rows."""
    return 0, lane % 16, e


def sum_16(lane: int, e: int) -> tuple[int, int, int]:
    return e // 4, 4 * (lane // 16) + e % 4, lane % 16


def sum_32(lane: int, e: int) -> tuple[int, int, int]:
    return e // 16, 8 * (e % 16 // 4) + 4 * (lane // 32) + e % 4, lane % 32


def sum_4(lane: int, e: int) -> tuple[int, int, int]:
    return lane // 4, e, lane % 4


def sum_f64(lane: int, e: int) -> tuple[int, int, int]:
    return 0, 4 * e + lane // 16, lane % 16


def sum_gfx11(lane: int, e: int) -> tuple[int, int, int]:
    return 0, 2 * e + lane // 16, lane % 16


def sum_gfx12(lane: int, e: int) -> tuple[int, int, int]:
    return 0, 8 * (lane // 16) + e, lane % 16


HALVES, OCTETS, SHORTS = "<4 x half>", "<8 x half>", "<4 x i16>"
F4, I4 = "<4 x float>", "<4 x i32>"
F32S, I32S = "<8 x float>", "<8 x i32>"


def mfma(
    name: str, kind: str, sizes: tuple[int, int, int, int], a: str, d: str, left: Place, sum_: Place
) -> Case:
    return Case(f"llvm.amdgcn.mfma.{name}", kind, sizes, a, d, ZEROS, left, sum_)


def wmma(name: str, kind: str, a: str, d: str, left: Place, sum_: Place) -> Case:
    return Case(f"llvm.amdgcn.wmma.{name}", kind, (16, 16, 16, 1), a, d, "", left, sum_, 32)


def wmma125(name: str, kind: str, k: int, a: str, d: str) -> Case:
    """gfx1250: a modifier of c, and hints; which K a lane group holds is the same for a and b."""
    sizes = (16, 16, k, 1)
    return Case(
        f"llvm.amdgcn.wmma.{name}", kind, sizes, a, d, "", groups(16, k // 2), sum_gfx12, 32
    )


# fmt: off
MFMA = [
    mfma("f32.32x32x8f16", "f16", (32, 32, 8, 1), HALVES, "<16 x float>", groups(32, 4), sum_32),
    mfma("f32.16x16x16f16", "f16", (16, 16, 16, 1), HALVES, F4, groups(16, 4), sum_16),
    mfma("f32.32x32x4f16", "f16", (32, 32, 4, 2), HALVES, "<32 x float>", blocks(32), sum_32),
    mfma("f32.16x16x4f16", "f16", (16, 16, 4, 4), HALVES, "<16 x float>", blocks(16), sum_16),
    mfma("f32.4x4x4f16", "f16", (4, 4, 4, 16), HALVES, F4, blocks(4), sum_4),
    mfma("f32.16x16x16bf16.1k", "bf16", (16, 16, 16, 1), SHORTS, F4, groups(16, 4), sum_16),
    mfma("f32.16x16x4f32", "f32", (16, 16, 4, 1), "float", F4, groups(16, 1), sum_16),
    mfma("f64.16x16x4f64", "f64", (16, 16, 4, 1), "double", "<4 x double>", groups(16, 1), sum_f64),
]
MFMA_GFX90A = [
    mfma("i32.16x16x16i8", "i8", (16, 16, 16, 1), "i32", I4, groups(16, 4), sum_16),
]
MFMA_GFX942 = [
    mfma("i32.16x16x32.i8", "i8", (16, 16, 32, 1), "i64", I4, groups(16, 8), sum_16),
    mfma("i32.32x32x16.i8", "i8", (32, 32, 16, 1), "i64", "<16 x i32>", groups(32, 8), sum_32),
]
MFMA_GFX950 = [
    mfma("f32.16x16x32.f16", "f16", (16, 16, 32, 1), OCTETS, F4, groups(16, 8), sum_16),
    mfma("i32.16x16x64.i8", "i8", (16, 16, 64, 1), I4, I4, groups(16, 16), sum_16),
]
WMMA_GFX11 = [
    wmma("f32.16x16x16.f16.v8f32.v16f16", "f16", "<16 x half>", F32S, repeated, sum_gfx11),
    wmma("f32.16x16x16.bf16.v8f32.v16i16", "bf16", "<16 x i16>", F32S, repeated, sum_gfx11),
    wmma("i32.16x16x16.iu8.v8i32.v4i32", "i8", "<4 x i32>", I32S, repeated, sum_gfx11),
]
WMMA_GFX125 = [
    wmma125("f32.16x16x32.f16.v8f32.v16f16", "f16", 32, "<16 x half>", F32S),
    wmma125("f32.16x16x32.bf16.v8f32.v16bf16", "bf16", 32, "<16 x bfloat>", F32S),
    wmma125("f32.16x16x4.f32.v8f32.v2f32", "f32", 4, "<2 x float>", F32S),
    wmma125("i32.16x16x64.iu8.v8i32.v8i32", "i8", 64, "<8 x i32>", I32S),
    wmma125("f32.16x16x64.fp8.fp8.v8f32.v8i32", "fp8", 64, "<8 x i32>", F32S),
]
WMMA_GFX12 = [
    wmma("f32.16x16x16.f16.v8f32.v8f16", "f16", OCTETS, F32S, groups(16, 8), sum_gfx12),
    wmma("i32.16x16x16.iu8.v8i32.v2i32", "i8", "<2 x i32>", I32S, groups(16, 8), sum_gfx12),
    wmma("f32.16x16x16.fp8.fp8.v8f32.v2i32", "fp8", "<2 x i32>", F32S, groups(16, 8), sum_gfx12),
]
# fmt: on
RUNS = [
    *[(cpu, case) for cpu in ("gfx90a", "gfx942", "gfx950") for case in MFMA],
    *[("gfx90a", case) for case in MFMA_GFX90A],
    *[(cpu, case) for cpu in ("gfx942", "gfx950") for case in MFMA_GFX942],
    *[("gfx950", case) for case in MFMA_GFX950],
    *[("gfx1100", case) for case in WMMA_GFX11],
    *[("gfx1201", case) for case in WMMA_GFX12],
    *[("gfx1250", case) for case in WMMA_GFX125],
]


def random_inputs(
    kind: str, shape: tuple[int, ...], rng: np.random.Generator
) -> tuple[Array, Array]:
    """Bits and values."""
    exact = rng.standard_normal(shape)
    match kind:
        case "f16":
            return exact.astype(np.float16).view(np.uint16), exact.astype(np.float16).astype(float)
        case "bf16":
            upper = (exact.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
            return upper, (upper.astype(np.uint32) << 16).view(np.float32).astype(float)
        case "f32":
            return exact.astype(np.float32), exact.astype(np.float32).astype(float)
        case "f64":
            return exact, exact
        case "fp8":  # e4m3 with exponents that f16 has too
            codes = rng.integers(0, 0x78, shape).astype(np.uint8)
            half = (codes.astype(np.uint16) << 7).view(np.float16)
            return codes, half.astype(float) * 256
        case _:
            signed = rng.integers(-128, 128, shape).astype(np.int8)
            return signed.view(np.uint8), signed.astype(np.int64)


def kernel(case: Case) -> str:
    signed, newer = ".iu8." in case.name, case in WMMA_GFX125
    sign = "i1 true, " if signed else "i1 false, " if newer and case.kind != "fp8" else ""
    middle = "i16 0, " if newer and not signed else ""
    clamp = ", i1 false, i1 false" if newer else ", i1 false" if signed else ""
    types = f"{sign and 'i1, '}{case.a}, {sign and 'i1, '}{case.a}, {middle and 'i16, '}{case.d}"
    tail = ", i32, i32, i32" if case.extra else ", i1" * clamp.count("i1")
    return f"""
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r) {{
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %ap = getelementptr {case.a}, ptr addrspace(1) %p, i32 %lane
  %bp = getelementptr {case.a}, ptr addrspace(1) %q, i32 %lane
  %dp = getelementptr {case.d}, ptr addrspace(1) %r, i32 %lane
  %a = load {case.a}, ptr addrspace(1) %ap
  %b = load {case.a}, ptr addrspace(1) %bp
  %c = load {case.d}, ptr addrspace(1) %dp
  %d = call {case.d} @{case.name}(
      {sign}{case.a} %a, {sign}{case.a} %b, {middle}{case.d} %c{case.extra}{clamp})
  store {case.d} %d, ptr addrspace(1) %dp
  ret void
}}
declare {case.d} @{case.name}({types}{tail})
"""


def place(matrices: Array, where: Place, lanes: int, elements: int) -> Array:
    """Matrices (block, row, column) as the elements of each lane."""
    return np.array([[matrices[where(lane, e)] for e in range(elements)] for lane in range(lanes)])


@needs_lld
@pytest.mark.parametrize(("cpu", "case"), RUNS, ids=str)
def test_product(cpu: str, case: Case) -> None:
    rng = np.random.default_rng(5)
    m, n, k, blocks = case.sizes
    a_bits, a = random_inputs(case.kind, (blocks, m, k), rng)
    b_bits, b = random_inputs(case.kind, (blocks, n, k), rng)  # columns of B
    is_integer = case.kind == "i8"
    sums = np.float64 if case.kind == "f64" else np.int32 if is_integer else np.float32
    c = rng.integers(-1000, 1000, (blocks, m, n)).astype(sums)
    inputs = k if case.lanes == 32 and case.left(16, 0)[2] == 0 else m * k * blocks // case.lanes
    results = m * n * blocks // case.lanes
    left = place(a_bits, case.left, case.lanes, inputs)
    right = place(b_bits, case.left, case.lanes, inputs)
    data = place(c, case.result, case.lanes, results)
    data = np.ascontiguousarray(data)
    run(kernel(case), "k", cpu, (1, 1, 1), (case.lanes, 1, 1), left, right, data)
    wide = np.int64 if is_integer else np.float64
    expected = a.astype(wide) @ np.swapaxes(b, 1, 2).astype(wide) + c.astype(wide)
    got = np.zeros((blocks, m, n), wide)
    for lane in range(case.lanes):
        for e in range(results):
            got[case.result(lane, e)] = data[lane, e]
    if is_integer:
        assert np.array_equal(got, expected)
    else:
        bound = np.abs(a) @ np.abs(np.swapaxes(b, 1, 2)) + np.abs(c)
        unit = 2.0**-53 if case.kind == "f64" else 2.0**-24
        assert (np.abs(got - expected) <= (k + 1) * unit * bound).all()
