"""The sequences LLVM writes for exact operations, in every approximation mode.

Division, square root, integer division and narrowing with a rounding are built on v_rcp, v_rsq,
v_sqrt, div_scale and MODE switches. Their results are defined exactly, so they must not depend on
how the approximate instructions err inside their documented bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from emulator_builds import needs_lld, run

from ptxlift.emulator.valu import Approx

pytestmark = needs_lld

KERNEL = """
%(declare)s
define amdgpu_kernel void @k(ptr addrspace(1) %%x, ptr addrspace(1) %%y, ptr addrspace(1) %%o) {
  %%t = call i32 @llvm.amdgcn.workitem.id.x()
  %%px = getelementptr %(type)s, ptr addrspace(1) %%x, i32 %%t
  %%py = getelementptr %(type)s, ptr addrspace(1) %%y, i32 %%t
  %%po = getelementptr %(out)s, ptr addrspace(1) %%o, i32 %%t
  %%a = load %(type)s, ptr addrspace(1) %%px
  %%b = load %(type)s, ptr addrspace(1) %%py
  %(body)s
  store %(out)s %%r, ptr addrspace(1) %%po
  ret void
}
"""

THREADS = 512
CHIPS = ("gfx900", "gfx942", "gfx1030", "gfx1100", "gfx1201", "gfx1250")
SHAPES = {"half": (5, 10), "bfloat": (8, 7), "float": (8, 23), "double": (11, 52)}


@dataclass(frozen=True, slots=True)
class Shape:
    """An IEEE format by its field widths; numbers as exact fractions."""

    exponent: int
    mantissa: int

    @property
    def bias(self) -> int:
        return (1 << self.exponent - 1) - 1

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent) - 1) << self.mantissa

    @property
    def sign(self) -> int:
        return 1 << self.exponent + self.mantissa

    def is_nan(self, bits: int) -> bool:
        return bits & self.sign - 1 > self.infinity

    def value(self, bits: int) -> Fraction:
        field = (bits & self.sign - 1) >> self.mantissa
        digits = bits & (1 << self.mantissa) - 1 | (bool(field) << self.mantissa)
        size = Fraction(digits) * Fraction(2) ** (max(field, 1) - self.bias - self.mantissa)
        return -size if bits & self.sign else size

    def round(self, exact: Fraction, mode: str = "tonearest") -> int:
        """By search over the ordered patterns: no arithmetic to share a mistake with."""
        size = abs(exact)
        low, high = 0, self.infinity
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.value(middle) <= size else (low, middle)
        inexact = self.value(low) != size
        up = (mode == "upward" and exact > 0) or (mode == "downward" and exact < 0)
        if mode == "tonearest":
            twice = 2 * size - self.value(low) - self.value(high)
            up = twice > 0 or (twice == 0 and low % 2 == 1)
        return (low + (up and inexact)) | (self.sign if exact < 0 else 0)


def special(shape: Shape, a: int) -> bool:
    return a & shape.sign - 1 >= shape.infinity


def narrow(source: str, target: str, mode: str) -> Callable[[int, int], int | None]:
    wide, small = Shape(*SHAPES[source]), Shape(*SHAPES[target])

    def reference(a: int, _: int) -> int | None:
        sign = small.sign if a & wide.sign else 0
        if wide.is_nan(a):
            return None
        if special(wide, a):
            return sign | small.infinity
        exact = wide.value(a)
        return small.round(exact, mode) if exact else sign

    return reference


def divide(name: str) -> Callable[[int, int], int | None]:
    shape = Shape(*SHAPES[name])

    def reference(a: int, b: int) -> int | None:
        sign = (a ^ b) & shape.sign
        if shape.is_nan(a) or shape.is_nan(b) or (special(shape, a) and special(shape, b)):
            return None
        if special(shape, a):
            return sign | shape.infinity
        if special(shape, b):
            return sign
        if shape.value(b) == 0:
            return sign | shape.infinity if shape.value(a) else None
        quotient = shape.value(a) / shape.value(b)
        return shape.round(quotient) if quotient else sign

    return reference


def root(name: str) -> Callable[[int, int], int | None]:
    shape = Shape(*SHAPES[name])

    def reference(a: int, _: int) -> int | None:
        if shape.is_nan(a) or (a & shape.sign and a != shape.sign):
            return None
        if special(shape, a) or shape.value(a) == 0:
            return a
        exact = shape.value(a)
        digits = 1200
        scaled = (exact.numerator << 2 * digits) // exact.denominator
        whole = math.isqrt(scaled)
        sticky = whole * whole != scaled or (exact.numerator << 2 * digits) % exact.denominator
        return shape.round(Fraction(2 * whole + bool(sticky), 2 << digits))

    return reference


ROUND = "llvm.fptrunc.round"
NONZERO = "%z = icmp eq {0} %b, 0\n  %d = select i1 %z, {0} 1, {0} %b\n  "

CASES = (  # operation, operand type, result type, declaration, body, reference
    ("fdiv", "half", "half", "", "%r = fdiv half %a, %b", divide("half")),
    ("fdiv", "float", "float", "", "%r = fdiv float %a, %b", divide("float")),
    ("fdiv", "double", "double", "", "%r = fdiv double %a, %b", divide("double")),
    ("sqrt", "float", "float", "declare float @llvm.sqrt.f32(float)",
        "%r = call float @llvm.sqrt.f32(float %a)", root("float")),
    ("sqrt", "double", "double", "declare double @llvm.sqrt.f64(double)",
        "%r = call double @llvm.sqrt.f64(double %a)", root("double")),
    ("udiv", "i32", "i32", "", NONZERO.format("i32") + "%r = udiv i32 %a, %d",
        lambda a, b: a // (b or 1)),
    ("urem", "i64", "i64", "", NONZERO.format("i64") + "%r = urem i64 %a, %d",
        lambda a, b: a % (b or 1)),
    ("fptrunc", "float", "bfloat", "", "%r = fptrunc float %a to bfloat",
        narrow("float", "bfloat", "tonearest")),
    ("fptrunc", "double", "half", "", "%r = fptrunc double %a to half",
        narrow("double", "half", "tonearest")),
    *((f"fptrunc {mode}", "double", "float", f"declare float @{ROUND}.f32.f64(double, metadata)",
        f'%r = call float @{ROUND}.f32.f64(double %a, metadata !"round.{mode}")',
        narrow("double", "float", mode)) for mode in ("upward", "downward", "towardzero")),
    *((f"fptrunc {mode}", "float", "half", f"declare half @{ROUND}.f16.f32(float, metadata)",
        f'%r = call half @{ROUND}.f16.f32(float %a, metadata !"round.{mode}")',
        narrow("float", "half", mode)) for mode in ("upward", "downward", "towardzero")),
)  # fmt: skip

WIDTHS = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "i32": 32, "i64": 64}


def inputs(kind: str, seed: int) -> np.ndarray[tuple[int], np.dtype[np.unsignedinteger]]:
    width = WIDTHS[kind]
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 1 << width, THREADS, np.dtype(f"u{width // 8}"), endpoint=False)
    if kind in SHAPES:
        shape = Shape(*SHAPES[kind])
        one = shape.bias << shape.mantissa
        edges = [0, 1, (1 << shape.mantissa) - 1, 1 << shape.mantissa, one, one + 1]
        edges += [shape.infinity - 1, shape.infinity]
        for i, edge in enumerate(edges):
            bits[i] = edge
            bits[40 + 3 * i] = edge | shape.sign
    return bits


@pytest.mark.sampled(30)
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("name", "kind", "out", "declare", "body", "reference"), CASES)
def test_same_result_in_every_mode(
    name: str,
    kind: str,
    out: str,
    declare: str,
    body: str,
    reference: Callable[[int, int], int | None],
    chip: str,
) -> None:
    ir = KERNEL % {"declare": declare, "type": kind, "out": out, "body": body}
    x, y = inputs(kind, 1), inputs(kind, 2)
    want = [reference(int(a), int(b)) for a, b in zip(x, y, strict=True)]
    for approx in Approx:
        got = np.zeros(THREADS, np.dtype(f"u{WIDTHS[out] // 8}"))
        run(ir, "k", chip, (1, 1, 1), (THREADS, 1, 1), x, y, got, approx=approx)
        for a, b, actual, expected in zip(x, y, got.tolist(), want, strict=True):
            if expected is None:
                assert Shape(*SHAPES[out]).is_nan(actual), (name, approx, hex(a), hex(b))
            else:
                assert actual == expected, (name, approx, hex(a), hex(b), hex(actual))
