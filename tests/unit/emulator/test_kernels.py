"""Whole kernels on the emulator against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from emulator_builds import ALL, FIRST, load, needs_lld, pack, run

from ptxlift import emulator
from ptxlift.diag import PtxError

pytestmark = needs_lld

SAXPY = """
declare float @llvm.fma.f32(float, float, float)
define amdgpu_kernel void @saxpy(ptr addrspace(1) %x, ptr addrspace(1) %y, float %a, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %ip = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %bp = getelementptr i8, ptr addrspace(4) %ip, i64 12
  %b16 = load i16, ptr addrspace(4) %bp
  %b = zext i16 %b16 to i32
  %gb = mul i32 %g, %b
  %i = add i32 %gb, %t
  %c = icmp ult i32 %i, %n
  br i1 %c, label %body, label %end
body:
  %px = getelementptr float, ptr addrspace(1) %x, i32 %i
  %py = getelementptr float, ptr addrspace(1) %y, i32 %i
  %vx = load float, ptr addrspace(1) %px
  %vy = load float, ptr addrspace(1) %py
  %m = call float @llvm.fma.f32(float %a, float %vx, float %vy)
  store float %m, ptr addrspace(1) %py
  br label %end
end:
  ret void
}
"""

REDUCE = """
@tile = internal addrspace(3) global [256 x float] poison
define amdgpu_kernel void @reduce(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %gb = shl i32 %g, 8
  %i = add i32 %gb, %t
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p
  %mine = getelementptr float, ptr addrspace(3) @tile, i32 %t
  store float %v, ptr addrspace(3) %mine
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br label %loop
loop:
  %s = phi i32 [ 128, %entry ], [ %half, %next ]
  %on = icmp ult i32 %t, %s
  br i1 %on, label %add, label %next
add:
  %o = add i32 %t, %s
  %other = getelementptr float, ptr addrspace(3) @tile, i32 %o
  %a = load float, ptr addrspace(3) %mine
  %b = load float, ptr addrspace(3) %other
  %c = fadd float %a, %b
  store float %c, ptr addrspace(3) %mine
  br label %next
next:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %half = lshr i32 %s, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop, label %done
done:
  %first = icmp eq i32 %t, 0
  br i1 %first, label %write, label %end
write:
  %r = load float, ptr addrspace(3) @tile
  %q = getelementptr float, ptr addrspace(1) %out, i32 %g
  store float %r, ptr addrspace(1) %q
  br label %end
end:
  ret void
}
"""


@pytest.mark.parametrize("cpu", ALL)
def test_saxpy(cpu: str) -> None:
    rng = np.random.default_rng(1)
    x, y = (rng.standard_normal(1000).astype(np.float32) for _ in range(2))
    want = (np.float64(np.float32(2.5)) * x + y).astype(np.float32)
    want[990:] = y[990:]
    stats = run(SAXPY, "saxpy", cpu, (8, 1, 1), (128, 1, 1), x, y, np.float32(2.5), np.int32(990))
    np.testing.assert_array_equal(y, want)
    lanes = 64 if cpu.startswith("gfx9") else 32
    assert stats.waves == 1024 // lanes


def pairwise(values: np.ndarray) -> np.ndarray:
    """The sum that the kernel's tree makes."""
    while values.shape[1] > 1:
        half = values.shape[1] // 2
        values = values[:, :half] + values[:, half:]
    return values[:, 0]


@pytest.mark.parametrize("cpu", ALL)
def test_shared_memory_reduction(cpu: str) -> None:
    values = np.random.default_rng(2).standard_normal(64 * 256).astype(np.float32)
    out = np.zeros(64, np.float32)
    run(REDUCE, "reduce", cpu, (64, 1, 1), (256, 1, 1), values, out)
    np.testing.assert_array_equal(out, pairwise(values.reshape(64, 256)))


@pytest.mark.parametrize("cpu", ("gfx1030", "gfx1100", "gfx1201"))
def test_wave64_on_wave32_chips(cpu: str) -> None:
    values = np.random.default_rng(3).standard_normal(4 * 256).astype(np.float32)
    out = np.zeros(4, np.float32)
    feature = "+wavefrontsize64"
    stats = run(REDUCE, "reduce", cpu, (4, 1, 1), (256, 1, 1), values, out, features=feature)
    np.testing.assert_array_equal(out, pairwise(values.reshape(4, 256)))
    assert stats.waves == 16


@pytest.mark.parametrize("cpu", FIRST)
def test_out_of_bounds_access_names_the_place(cpu: str) -> None:
    x, y = np.zeros(100, np.float32), np.zeros(200, np.float32)
    with pytest.raises(PtxError) as caught:
        run(SAXPY, "saxpy", cpu, (1, 1, 1), (128, 1, 1), x, y, np.float32(1), np.int32(128))
    text = str(caught.value)
    assert "PTX402" in text and "saxpy" in text and "global_load" in text
    assert "work-group (0, 0, 0)" in text
    # float 100 is the first outside: lane 36 of the second wave64, lane 4 of the fourth wave32
    assert ("wave 1, lane 36" if cpu == "gfx942" else "wave 3, lane 4") in text


def test_step_limit() -> None:
    ir = """
define amdgpu_kernel void @spin(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %v = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %end
end:
  ret void
}
"""
    with pytest.raises(PtxError, match="PTX405"):
        run(ir, "spin", "gfx942", (1, 1, 1), (64, 1, 1), np.zeros(1, np.int32), max_steps=10_000)


def test_launch_is_checked() -> None:
    image, memory = load(SAXPY, "gfx942"), emulator.Memory()
    x = np.zeros(4, np.float32)
    args = pack(memory, image, "saxpy", (x, x.copy(), np.float32(0), np.int32(0)))
    for kernel, block, lds in (
        ("absent", (1, 1, 1), 0),
        ("saxpy", (1025, 1, 1), 0),
        ("saxpy", (0, 1, 1), 0),
        ("saxpy", (64, 1, 1), 1 << 20),
    ):
        with pytest.raises(PtxError, match="PTX401"):
            emulator.launch(image, memory, kernel, (1, 1, 1), block, args, lds)
    with pytest.raises(PtxError, match="PTX401"):
        emulator.launch(image, memory, "saxpy", (1, 1, 1), (64, 1, 1), args[:12])
