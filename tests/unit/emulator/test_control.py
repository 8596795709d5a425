"""Control flow between waves and work-groups: ids, barriers, calls, locks, traps, limits."""

from __future__ import annotations

import numpy as np
import pytest
from emulator_builds import ALL, FIRST, load, needs_lld, run

from ptxlift.diag import PtxError
from ptxlift.emulator import Approx, InstClass

pytestmark = needs_lld

CHIPS = ("gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201", "gfx1250")

IDS = """
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
define amdgpu_kernel void @k(ptr addrspace(1) %o) {
  %tx = call i32 @llvm.amdgcn.workitem.id.x()
  %ty = call i32 @llvm.amdgcn.workitem.id.y()
  %tz = call i32 @llvm.amdgcn.workitem.id.z()
  %gx = call i32 @llvm.amdgcn.workgroup.id.x()
  %gy = call i32 @llvm.amdgcn.workgroup.id.y()
  %gz = call i32 @llvm.amdgcn.workgroup.id.z()
  %h = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %pnx = getelementptr i8, ptr addrspace(4) %h, i64 0
  %pny = getelementptr i8, ptr addrspace(4) %h, i64 4
  %pbx = getelementptr i8, ptr addrspace(4) %h, i64 12
  %pby = getelementptr i8, ptr addrspace(4) %h, i64 14
  %pbz = getelementptr i8, ptr addrspace(4) %h, i64 16
  %nx = load i32, ptr addrspace(4) %pnx
  %ny = load i32, ptr addrspace(4) %pny
  %bx16 = load i16, ptr addrspace(4) %pbx
  %by16 = load i16, ptr addrspace(4) %pby
  %bz16 = load i16, ptr addrspace(4) %pbz
  %bx = zext i16 %bx16 to i32
  %by = zext i16 %by16 to i32
  %bz = zext i16 %bz16 to i32
  %g0 = mul i32 %gz, %ny
  %g1 = add i32 %g0, %gy
  %g2 = mul i32 %g1, %nx
  %g = add i32 %g2, %gx
  %t0 = mul i32 %tz, %by
  %t1 = add i32 %t0, %ty
  %t2 = mul i32 %t1, %bx
  %t = add i32 %t2, %tx
  %v0 = mul i32 %bx, %by
  %v = mul i32 %v0, %bz
  %b = mul i32 %g, %v
  %i = add i32 %b, %t
  %c0 = shl i32 %tx, 0
  %c1 = shl i32 %ty, 5
  %c2 = shl i32 %tz, 10
  %c3 = shl i32 %gx, 15
  %c4 = shl i32 %gy, 20
  %c5 = shl i32 %gz, 25
  %s0 = or i32 %c0, %c1
  %s1 = or i32 %c2, %c3
  %s2 = or i32 %c4, %c5
  %s3 = or i32 %s0, %s1
  %s = or i32 %s3, %s2
  %a = getelementptr i32, ptr addrspace(1) %o, i32 %i
  store i32 %s, ptr addrspace(1) %a
  ret void
}
"""


@pytest.mark.parametrize("cpu", ALL)
@pytest.mark.parametrize("level", (0, 2))
def test_ids_in_three_dimensions(cpu: str, level: int) -> None:
    block, grid = (5, 7, 3), (2, 3, 4)
    count = int(np.prod(block) * np.prod(grid))
    out = np.zeros(count, np.uint32)
    run(IDS, "k", cpu, grid, block, out, level=level)
    gz, gy, gx, tz, ty, tx = np.indices((*grid[::-1], *block[::-1])).reshape(6, -1)
    np.testing.assert_array_equal(out, tx | ty << 5 | tz << 10 | gx << 15 | gy << 20 | gz << 25)


CALLS = """
@functions = internal addrspace(4) constant [3 x ptr] [ptr @twice, ptr @square, ptr @factorial]
define i32 @twice(i32 %x) noinline {
  %r = shl i32 %x, 1
  ret i32 %r
}
define i32 @square(i32 %x) noinline {
  %r = mul i32 %x, %x
  ret i32 %r
}
define i32 @factorial(i32 %x) noinline {
  %c = icmp ule i32 %x, 1
  br i1 %c, label %one, label %more
one:
  ret i32 1
more:
  %y = sub i32 %x, 1
  %f = call i32 @factorial(i32 %y)
  %r = mul i32 %f, %x
  ret i32 %r
}
define amdgpu_kernel void @k(ptr addrspace(1) %o) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %w = urem i32 %t, 3
  %p = getelementptr ptr, ptr addrspace(4) @functions, i32 %w
  %f = load ptr, ptr addrspace(4) %p
  %x = and i32 %t, 7
  %r = call i32 %f(i32 %x)
  %a = getelementptr i32, ptr addrspace(1) %o, i32 %t
  store i32 %r, ptr addrspace(1) %a
  ret void
}
"""


@pytest.mark.parametrize("cpu", ALL)
def test_indirect_and_recursive_calls(cpu: str) -> None:
    out = np.zeros(96, np.uint32)
    run(CALLS, "k", cpu, (1, 1, 1), (96, 1, 1), out)
    factorial = np.cumprod([1, 1, 2, 3, 4, 5, 6, 7])
    t = np.arange(96)
    x = t & 7
    np.testing.assert_array_equal(out, np.choose(t % 3, (2 * x, x * x, factorial[x])))


DIVERGENT_BARRIER = """
@cell = internal addrspace(3) global [8 x i32] poison
define amdgpu_kernel void @k(ptr addrspace(1) %o, i32 %lanes) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %wave.v = udiv i32 %t, %lanes
  %wave = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %wave.v)
  %mine = getelementptr i32, ptr addrspace(3) @cell, i32 %wave
  %first = icmp eq i32 %wave, 0
  br i1 %first, label %left, label %right
left:
  store volatile i32 11, ptr addrspace(3) %mine
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br label %join
right:
  %v = add i32 %wave, 20
  store volatile i32 %v, ptr addrspace(3) %mine
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br label %join
join:
  %next.0 = add i32 %wave, 1
  %next = and i32 %next.0, 3
  %theirs = getelementptr i32, ptr addrspace(3) @cell, i32 %next
  %r = load volatile i32, ptr addrspace(3) %theirs
  %a = getelementptr i32, ptr addrspace(1) %o, i32 %t
  store i32 %r, ptr addrspace(1) %a
  ret void
}
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
"""


@pytest.mark.parametrize("cpu", CHIPS)
def test_waves_meet_at_different_barriers(cpu: str) -> None:
    """The hardware counts waves, not places."""
    lanes = 64 if cpu.startswith("gfx9") else 32
    out = np.zeros(4 * lanes, np.uint32)
    run(DIVERGENT_BARRIER, "k", cpu, (1, 1, 1), (4 * lanes, 1, 1), out, np.int32(lanes))
    np.testing.assert_array_equal(out, np.repeat([21, 22, 23, 11], lanes))


GRID_BARRIER = """
define amdgpu_kernel void @k(ptr addrspace(1) %count, ptr addrspace(1) %data, i32 %groups) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %mine = getelementptr i32, ptr addrspace(1) %data, i32 %g
  %v = add i32 %g, 100
  store i32 %v, ptr addrspace(1) %mine
  %first = icmp eq i32 %t, 0
  br i1 %first, label %arrive, label %wait
arrive:
  %old = atomicrmw add ptr addrspace(1) %count, i32 1 syncscope("agent") acq_rel
  br label %wait
wait:
  %now = load atomic i32, ptr addrspace(1) %count syncscope("agent") acquire, align 4
  %all = icmp eq i32 %now, %groups
  br i1 %all, label %go, label %wait
go:
  %n0 = add i32 %g, 1
  %n = urem i32 %n0, %groups
  %theirs = getelementptr i32, ptr addrspace(1) %data, i32 %n
  %x = load i32, ptr addrspace(1) %theirs
  %o0 = add i32 %g, %groups
  %out = getelementptr i32, ptr addrspace(1) %data, i32 %o0
  store i32 %x, ptr addrspace(1) %out
  ret void
}
"""


@pytest.mark.parametrize("cpu", FIRST)
def test_groups_wait_for_each_other(cpu: str) -> None:
    """A grid barrier by spinning: groups that run later must get their turn."""
    groups = 130
    count, data = np.zeros(1, np.uint32), np.zeros(2 * groups, np.uint32)
    args = (count, data, np.int32(groups))
    run(GRID_BARRIER, "k", cpu, (groups, 1, 1), (64, 1, 1), *args, max_steps=200_000_000)
    np.testing.assert_array_equal(data[groups:], (np.arange(groups) + 1) % groups + 100)


LOCK = """
define amdgpu_kernel void @k(ptr addrspace(1) %lock, ptr addrspace(1) %sum, i32 %lanes) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %lane = urem i32 %t, %lanes
  %leads = icmp eq i32 %lane, 0
  br i1 %leads, label %try, label %end
try:
  %r = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 syncscope("agent") acquire monotonic
  %got = extractvalue {i32, i1} %r, 1
  br i1 %got, label %inside, label %next
inside:
  %a = load volatile i32, ptr addrspace(1) %sum
  %b = add i32 %a, %t
  store volatile i32 %b, ptr addrspace(1) %sum
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %next
next:
  br i1 %got, label %end, label %try
end:
  ret void
}
"""


@pytest.mark.parametrize("cpu", FIRST)
def test_lock(cpu: str) -> None:
    """One thread of each wave enters the critical section once. (Two lanes of one wave would hang
    on the hardware too, because they leave the loop before the lock is released.)"""
    lock, total = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    lanes = 64 if cpu == "gfx942" else 32
    args = (lock, total, np.int32(lanes))
    run(LOCK, "k", cpu, (40, 1, 1), (256, 1, 1), *args, max_steps=20_000_000)
    assert total[0] == 40 * sum(range(0, 256, lanes))


@pytest.mark.parametrize("cpu", ALL)
def test_trap(cpu: str) -> None:
    ir = """
declare void @llvm.trap()
define amdgpu_kernel void @boom(ptr addrspace(1) %o) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp eq i32 %t, 40
  br i1 %c, label %bad, label %end
bad:
  call void @llvm.trap()
  unreachable
end:
  ret void
}
"""
    with pytest.raises(PtxError) as caught:
        run(ir, "boom", cpu, (1, 1, 1), (64, 1, 1), np.zeros(1, np.uint32))
    text = str(caught.value)
    place = "wave 0, lane 40" if cpu.startswith("gfx9") else "wave 1, lane 8"
    assert "PTX403" in text and "boom" in text and place in text


@pytest.mark.parametrize("cpu", FIRST)
def test_counts(cpu: str) -> None:
    """Two waves, of which each executes a known mix."""
    ir = """
define amdgpu_kernel void @k(ptr addrspace(1) %o) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %o, i32 %t
  %v = load i32, ptr addrspace(1) %a
  %x = mul i32 %v, %v
  store i32 %x, ptr addrspace(1) %a
  ret void
}
"""
    lanes = 64 if cpu == "gfx942" else 32
    data = np.arange(2 * lanes, dtype=np.uint32)
    stats = run(ir, "k", cpu, (1, 1, 1), (2 * lanes, 1, 1), data)
    # s_load, s_waitcnt, v_lshlrev, global_load, s_waitcnt, v_mul_lo, global_store, s_endpgm, and
    # what work-item ids in packed form or hints need in addition
    text = [inst.mnemonic for inst in load(ir, cpu).insts.values()]
    assert stats.counts[InstClass.VMEM] == 2 * 2
    assert stats.counts[InstClass.SMEM] == 2 * sum(m.startswith("s_load") for m in text)
    assert stats.counts[InstClass.VALU] == 2 * sum(m.startswith("v_") for m in text)
    assert stats.instructions == 2 * len(text)
    assert stats.lanes_active == 2 * lanes * sum(m.startswith("v_") for m in text)
    assert stats.lines_touched == 2 * 2 * lanes * 4 // 64


@pytest.mark.parametrize("cpu", FIRST)
@pytest.mark.parametrize(("stride", "ways"), ((1, 1), (2, 2), (4, 4), (32, 32), (33, 1)))
def test_bank_conflicts(cpu: str, stride: int, ways: int) -> None:
    """32 lanes that read 32-bit words `stride` apart from 32 banks."""
    ir = f"""
@tile = internal addrspace(3) global [2048 x i32] poison
define amdgpu_kernel void @k(ptr addrspace(1) %o) {{
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = mul i32 %t, {stride}
  %l = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  %v = load volatile i32, ptr addrspace(3) %l
  store i32 %v, ptr addrspace(1) %o
  ret void
}}
"""
    stats = run(ir, "k", cpu, (1, 1, 1), (32, 1, 1), np.zeros(1, np.uint32))
    assert stats.bank_conflicts == ways - 1


def test_dynamic_cost_weights_the_classes() -> None:
    ir = """
define amdgpu_kernel void @k(ptr addrspace(1) %o) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr double, ptr addrspace(1) %o, i32 %t
  %v = load double, ptr addrspace(1) %a
  %x = fmul double %v, %v
  store double %x, ptr addrspace(1) %a
  ret void
}
"""
    costs = {}
    for cpu in ("gfx942", "gfx906"):
        stats = run(ir, "k", cpu, (1, 1, 1), (64, 1, 1), np.ones(64))
        counts = stats.counts
        assert counts[InstClass.F64] == 1
        fixed = 4 * counts[InstClass.VMEM] + 2 * counts[InstClass.SMEM] + counts[InstClass.VALU]
        fixed += 0.5 * (counts[InstClass.SALU] + counts[InstClass.BRANCH])
        costs[cpu] = stats.dynamic_cost - fixed - stats.lines_touched
    assert costs == {"gfx942": 1, "gfx906": 2}


def test_deadlock_names_the_waves() -> None:
    """One wave signals and waits; the other waits for a barrier it has not signalled."""
    ir = """
declare void @llvm.amdgcn.s.barrier.signal(i32)
declare void @llvm.amdgcn.s.barrier.wait(i16)
define amdgpu_kernel void @stuck(ptr addrspace(1) %o) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 32
  br i1 %c, label %both, label %wait
both:
  call void @llvm.amdgcn.s.barrier.signal(i32 -1)
  br label %wait
wait:
  call void @llvm.amdgcn.s.barrier.wait(i16 -1)
  store i32 1, ptr addrspace(1) %o
  ret void
}
"""
    out = np.zeros(1, np.uint32)
    with pytest.raises(PtxError) as caught:
        run(ir, "stuck", "gfx1201", (1, 1, 1), (64, 1, 1), out)
    text = str(caught.value)
    assert "PTX404" in text and "stuck" in text and "wave 1" in text
    run(ir, "stuck", "gfx1201", (1, 1, 1), (32, 1, 1), out)
    assert out[0] == 1


@pytest.mark.parametrize("cpu", FIRST)
def test_approximation_modes(cpu: str) -> None:
    """v_rcp_f32 errs by less than one unit in the last place: up, down, or at random."""
    ir = """
declare float @llvm.amdgcn.rcp.f32(float)
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr float, ptr addrspace(1) %p, i32 %t
  %x = load float, ptr addrspace(1) %a
  %r = call float @llvm.amdgcn.rcp.f32(float %x)
  store float %r, ptr addrspace(1) %a
  ret void
}
"""
    x = np.linspace(1.1, 1.9, 64).astype(np.float32)
    results = {}
    for mode in Approx:
        results[mode] = x.copy()
        run(ir, "k", cpu, (1, 1, 1), (64, 1, 1), results[mode], approx=mode)
    steps = {mode: got.view(np.int32) - (1 / x).view(np.int32) for mode, got in results.items()}
    assert not steps[Approx.EXACT].any()
    assert set(steps[Approx.PLUS].tolist()) == {0, 1}
    assert set(steps[Approx.MINUS].tolist()) == {-1, 0}
    assert set(steps[Approx.RANDOM].tolist()) == {-1, 0, 1}
