"""Code that LLVM 22 translates wrongly for AMDGPU, as the emulator shows.

Each test states the present, wrong result, worked by hand from the instructions emitted, so that
a newer LLVM that mends it is noticed: then the translator's precautions can go.
"""

from __future__ import annotations

import numpy as np
import pytest
from emulator_builds import FIRST, needs_lld, run

pytestmark = needs_lld


def kernel(kind: str, result: str, body: str) -> str:
    """A kernel that maps %x to %r, one element a thread."""
    return f"""
declare {{i64, i1}} @llvm.uadd.with.overflow.i64(i64, i64)
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) {{
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr {kind}, ptr addrspace(1) %p, i32 %t
  %x = load {kind}, ptr addrspace(1) %a
{body}
  %b = getelementptr {result}, ptr addrspace(1) %o, i32 %t
  store {result} %r, ptr addrspace(1) %b
  ret void
}}
"""


@pytest.mark.parametrize("cpu", FIRST)
def test_unordered_equality_with_a_constant(cpu: str) -> None:
    """ueq holds for NaN, so 63 is right; LLVM keeps x."""
    body = """
  %y = fadd double %x, 5.0
  %c = fcmp ueq double %x, 63.0
  %r = select i1 %c, double 63.0, double %y"""
    x, out = np.array([1.0, 63.0, np.nan]), np.zeros(3)
    run(kernel("double", "double", body), "k", cpu, (1, 1, 1), (3, 1, 1), x, out)
    np.testing.assert_array_equal(out, [6.0, 63.0, np.nan])


@pytest.mark.parametrize("cpu", FIRST)
def test_zero_minus_zero_extended(cpu: str) -> None:
    """0 - 0 is +0; LLVM negates and gives -0."""
    body = "  %y = fsub float 0.0, %x\n  %r = fpext float %y to double"
    x, out = np.array([1.0, 0.0], np.float32), np.zeros(2)
    run(kernel("float", "double", body), "k", cpu, (1, 1, 1), (2, 1, 1), x, out)
    np.testing.assert_array_equal(np.signbit(out), [True, True])


@pytest.mark.parametrize("cpu", FIRST)
def test_carry_of_a_sum_with_a_narrow_number(cpu: str) -> None:
    """x * x + (x & 255) does not carry for these x; LLVM reports the carry of an inner sum."""
    body = """
  %y = mul i64 %x, %x
  %z = and i64 %x, 255
  %u = call {i64, i1} @llvm.uadd.with.overflow.i64(i64 %y, i64 %z)
  %v = extractvalue {i64, i1} %u, 1
  %r = zext i1 %v to i64"""
    x = np.array([1, (1 << 64) - 1, 5 << 32, (1 << 63) + 1], np.uint64)
    assert not any((int(n) * int(n) % (1 << 64) + (int(n) & 255)) >> 64 for n in x)
    out = np.zeros(4, np.uint64)
    run(kernel("i64", "i64", body), "k", cpu, (1, 1, 1), (4, 1, 1), x, out)
    np.testing.assert_array_equal(out, [0, 1, 0, 1])


def test_negated_half_beside_minus_zero() -> None:
    """<-x, -0> - y; LLVM makes the upper half +0 on most chips."""
    body = """
  %v = extractelement <2 x half> %x, i32 0
  %n = fneg half %v
  %s = insertelement <2 x half> <half poison, half 0xH8000>, half %n, i64 0
  %r = fsub <2 x half> %s, %x"""
    x, out = np.array([0x0000_3C00], np.uint32), np.zeros(1, np.uint32)
    ir = kernel("<2 x half>", "<2 x half>", body)
    run(ir, "k", "gfx942", (1, 1, 1), (1, 1, 1), x, out)
    assert out[0] == 0x0000_C000  # -0 - 0 is -0: 0x8000_C000 is right
    run(ir, "k", "gfx1100", (1, 1, 1), (1, 1, 1), x, out)
    assert out[0] == 0x8000_C000
