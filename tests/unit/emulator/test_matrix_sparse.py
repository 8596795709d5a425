"""SMFMAC and SWMMAC, through LLVM's intrinsics, on random matrices.

Layouts are spelled out by lane and element: of gfx942 as AMD's matrix instruction calculator prints
them, of gfx12 as the RDNA 4 ISA document's tables, of gfx950 and gfx1250 as AMD's FPSan found them
on these chips.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from emulator_builds import needs_lld, run
from test_matrix import random_inputs, sum_16, sum_32, sum_gfx12

Place = Callable[[int, int], tuple[int, int]]


@dataclass(frozen=True)
class Case:
    """One intrinsic. `a`: lane, element -> row, stored element; `b`: -> column, k; `index`: row,
    stored element -> lane, bit; `part`: which part of the index is used, of `bits` bits.
    """

    cpu: str
    name: str
    kind: str
    sizes: tuple[int, int]  # rows and columns, k
    types: tuple[str, str, str, str]  # of a, b, d and the index
    a: Place
    b: Place
    index: Place
    part: int = 0

    def __str__(self) -> str:
        return f"{self.cpu}-{self.name}-{self.part}"

    @property
    def lanes(self) -> int:
        return 64 if "smfmac" in self.name else 32


def neighbours(rows: int, along: int) -> Place:
    """A lane has neighbours; lanes count rows first."""
    return lambda lane, e: (lane % rows, along * (lane // rows) + e)


def places(rows: int, along: int) -> Place:
    """The index is where the elements are."""
    return lambda row, c: (row + rows * (c // along), 2 * (c % along))


def half_after_half(along: int, k: int) -> Place:
    """b on gfx950: a lane has elements of both halves of K."""
    return lambda lane, e: (
        lane % 16,
        e % (along // 2) + along // 2 * (lane // 16) + (k // 2 if e >= along // 2 else 0),
    )


def stored_by_turns(lane: int, e: int) -> tuple[int, int]:
    return lane % 16, e & 1 | lane >> 4 << 1 | e >> 1 << 2


def columns_by_turns(lane: int, e: int) -> tuple[int, int]:
    return lane % 16, e & 3 | lane >> 4 << 2 | e >> 2 << 3


def index_gfx1250_halves(row: int, c: int) -> tuple[int, int]:
    return row + 16 * (c >> 4), 2 * (c & 15)


def index_gfx1250_bytes(row: int, c: int) -> tuple[int, int]:
    return row + 16 * (c // 32), 32 * (c // 2 & 1) + 4 * (c // 4 % 8) + 2 * (c & 1)


F4, F16S, I4 = "<4 x float>", "<16 x float>", "<4 x i32>"
F8, I8 = "<8 x float>", "<8 x i32>"
H48, H816 = ("<4 x half>", "<8 x half>"), ("<8 x half>", "<16 x half>")
BY_TURNS = (stored_by_turns, columns_by_turns)
# fmt: off
CASES = [
    Case("gfx942", "smfmac.f32.16x16x32.f16", "f16", (16, 32), (*H48, F4, "i32"),
         neighbours(16, 4), neighbours(16, 8), places(16, 4)),
    Case("gfx942", "smfmac.f32.16x16x32.f16", "f16", (16, 32), (*H48, F4, "i32"),
         neighbours(16, 4), neighbours(16, 8), places(16, 4), part=3),
    Case("gfx950", "smfmac.f32.16x16x32.bf16", "bf16", (16, 32),
         ("<4 x i16>", "<8 x i16>", F4, "i32"),
         neighbours(16, 4), neighbours(16, 8), places(16, 4)),
    Case("gfx942", "smfmac.f32.32x32x16.f16", "f16", (32, 16), (*H48, F16S, "i32"),
         neighbours(32, 4), neighbours(32, 8), places(32, 4)),
    Case("gfx942", "smfmac.i32.16x16x64.i8", "i8", (16, 64), ("<2 x i32>", I4, I4, "i32"),
         neighbours(16, 8), neighbours(16, 16), places(16, 8), part=1),
    Case("gfx950", "smfmac.f32.16x16x64.f16", "f16", (16, 64), (*H816, F4, "i32"),
         neighbours(16, 8), half_after_half(16, 64), places(16, 8), part=1),
    Case("gfx950", "smfmac.i32.16x16x128.i8", "i8", (16, 128), (I4, I8, I4, "i32"),
         neighbours(16, 16), half_after_half(32, 128), places(16, 16)),
    Case("gfx950", "smfmac.f32.16x16x128.fp8.fp8", "fp8", (16, 128), (I4, I8, F4, "i32"),
         neighbours(16, 16), half_after_half(32, 128), places(16, 16)),
    Case("gfx1201", "swmmac.f32.16x16x32.f16.v8f32.v8f16.v16f16.i16", "f16", (16, 32),
         (*H816, F8, "i16"), neighbours(16, 8), neighbours(16, 16), places(16, 8), 1),
    Case("gfx1201", "swmmac.i32.16x16x32.iu8.v8i32.v2i32.v4i32.i16", "i8", (16, 32),
         ("<2 x i32>", I4, I8, "i16"), neighbours(16, 8), neighbours(16, 16), places(16, 8)),
    Case("gfx1201", "swmmac.f32.16x16x32.fp8.fp8.v8f32.v2i32.v4i32.i16", "fp8", (16, 32),
         ("<2 x i32>", I4, F8, "i16"), neighbours(16, 8), neighbours(16, 16), places(16, 8)),
    Case("gfx1250", "swmmac.f32.16x16x64.f16.v8f32.v16f16.v32f16.i32", "f16", (16, 64),
         ("<16 x half>", "<32 x half>", F8, "i32"), *BY_TURNS, index_gfx1250_halves),
    Case("gfx1250", "swmmac.i32.16x16x128.iu8.v8i32.v8i32.v16i32.i64", "i8", (16, 128),
         (I8, "<16 x i32>", I8, "i64"), *BY_TURNS, index_gfx1250_bytes),
    Case("gfx1250", "swmmac.f32.16x16x128.fp8.fp8.v8f32.v8i32.v16i32.i64", "fp8", (16, 128),
         (I8, "<16 x i32>", F8, "i64"), *BY_TURNS, index_gfx1250_bytes),
]
# fmt: on


def kernel(case: Case) -> str:
    a, b, d, index = case.types
    newer = case.cpu == "gfx1250"
    sign = "i1 true, " if ".iu8." in case.name else ""
    if newer and case.kind == "f16":
        sign = "i1 false, "
    after = ", i1 false, i1 false" if newer else ", i1 false" if sign else ""
    if "smfmac" in case.name:
        after = f", i32 0, i32 {case.part}"
    kinds = after.replace(" false", "").replace(" 0", "").replace(f" {case.part}", "")
    sign_type = "i1, " if sign else ""
    short = f"%s = lshr i32 %w, {16 * case.part}\n  %x = trunc i32 %s to i16"
    plain = f"%x = or {index} %w, 0"
    word = "i64" if index == "i64" else "i32"
    return f"""
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r,
                             ptr addrspace(1) %i) {{
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %ap = getelementptr {a}, ptr addrspace(1) %p, i32 %lane
  %bp = getelementptr {b}, ptr addrspace(1) %q, i32 %lane
  %dp = getelementptr {d}, ptr addrspace(1) %r, i32 %lane
  %ip = getelementptr {word}, ptr addrspace(1) %i, i32 %lane
  %a = load {a}, ptr addrspace(1) %ap
  %b = load {b}, ptr addrspace(1) %bp
  %c = load {d}, ptr addrspace(1) %dp
  %w = load {word}, ptr addrspace(1) %ip
  {short if index == "i16" else plain}
  %d = call {d} @llvm.amdgcn.{case.name}({sign}{a} %a, {sign}{b} %b, {d} %c, {index} %x{after})
  store {d} %d, ptr addrspace(1) %dp
  ret void
}}
declare {d} @llvm.amdgcn.{case.name}({sign_type}{a}, {sign_type}{b}, {d}, {index}{kinds})
"""


@needs_lld
@pytest.mark.parametrize("case", CASES, ids=str)
def test_sparse_product(case: Case) -> None:
    rng = np.random.default_rng(6)
    (size, k), lanes = case.sizes, case.lanes
    a_bits, a = random_inputs(case.kind, (size, k // 2), rng)
    b_bits, b = random_inputs(case.kind, (size, k), rng)  # columns of B
    picks = np.array([np.sort(rng.permutation(4)[:2]) for _ in range(size * k // 4)])
    picks = picks.reshape(size, k // 2)
    is_integer = case.kind == "i8"
    wide = np.int64 if is_integer else np.float64
    whole = np.zeros((size, k), wide)
    index = rng.integers(0, 1 << 62, lanes, np.uint64)  # bits that do not count: anything
    bits = case.part * 2 * (size * k // 2 // lanes)
    for row in range(size):
        for c in range(k // 2):
            whole[row, 4 * (c // 2) + picks[row, c]] = a[row, c]
            lane, low = case.index(row, c)
            mask = np.uint64(3) << np.uint64(low + bits)
            index[lane] = index[lane] & ~mask | np.uint64(picks[row, c]) << np.uint64(low + bits)
    c0 = rng.integers(-1000, 1000, (size, size)).astype(np.int32 if is_integer else np.float32)
    d_of = sum_gfx12 if lanes == 32 else sum_16 if size == 16 else sum_32
    cells = [[d_of(lane, e)[1:] for e in range(size * size // lanes)] for lane in range(lanes)]
    stored, columns = size * k // 2 // lanes, size * k // lanes
    left = np.array([[a_bits[case.a(x, e)] for e in range(stored)] for x in range(lanes)])
    right = np.array([[b_bits[case.b(x, e)] for e in range(columns)] for x in range(lanes)])
    data = np.array([[c0[cell] for cell in row] for row in cells])
    words = index if case.types[3] == "i64" else index.astype(np.uint32)
    run(kernel(case), "k", case.cpu, (1, 1, 1), (lanes, 1, 1), left, right, data, words)
    expected = whole @ b.T.astype(wide) + c0.astype(wide)
    bound = (k + 1) * 2.0**-24 * (np.abs(whole) @ np.abs(b.T) + np.abs(c0))
    got = np.zeros((size, size), wide)
    for row, values in zip(cells, data, strict=True):
        for cell, value in zip(row, values, strict=True):
            got[cell] = value
    assert (np.abs(got - expected) <= (0 if is_integer else bound)).all()
