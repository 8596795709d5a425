"""Loads, stores and atomics in every address space, against numpy."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from emulator_builds import ALL, FIRST, load, needs_lld, pack, run

from ptxlift import emulator
from ptxlift.diag import PtxError

pytestmark = needs_lld

CHIPS = ("gfx900", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201", "gfx1250")
METADATA = "!amdgpu.no.fine.grained.memory !9, !amdgpu.no.remote.memory !9"
METADATA += ", !amdgpu.ignore.denormal.mode !9"
THREADS = 256

INTEGER = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "xchg": lambda a, b: b,
    "umin": min,
    "umax": max,
    "uinc_wrap": lambda a, b: 0 if a >= b else a + 1,
    "udec_wrap": lambda a, b: b if a == 0 or a > b else a - 1,
}


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value


def pick_signed(bits: int, choose: object) -> object:
    return lambda a, b: choose(a, b, key=lambda v: signed(v, bits))


def operations(bits: int) -> dict[str, object]:
    return INTEGER | {"min": pick_signed(bits, min), "max": pick_signed(bits, max)}


def atomic_kernel(op: str, kind: str, space: str) -> str:
    """Each thread applies the operation to cell (t & 15) and stores what it got."""
    spaces = {"global": 1, "lds": 3, "flat": 0}
    pointer = "ptr" if spaces[space] == 0 else f"ptr addrspace({spaces[space]})"
    setup = {
        "global": "  %base = getelementptr i8, ptr addrspace(1) %p, i32 0",
        "flat": "  %base = addrspacecast ptr addrspace(1) %p to ptr",
        "lds": f"""  %lt = getelementptr {kind}, ptr addrspace(3) @cells, i32 %t
  %in = getelementptr {kind}, ptr addrspace(1) %p, i32 %t
  %few = icmp ult i32 %t, 16
  br i1 %few, label %fill, label %filled
fill:
  %v0 = load {kind}, ptr addrspace(1) %in
  store {kind} %v0, ptr addrspace(3) %lt
  br label %filled
filled:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %base = getelementptr i8, ptr addrspace(3) @cells, i32 0""",
    }[space]
    finish = f"""  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br i1 %few, label %copy, label %end
copy:
  %v1 = load {kind}, ptr addrspace(3) %lt
  store {kind} %v1, ptr addrspace(1) %in
  br label %end
end:"""
    return f"""
@cells = internal addrspace(3) global [16 x {kind}] poison, align 16
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %d, ptr addrspace(1) %o) {{
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
{setup}
  %w = and i32 %t, 15
  %cell = getelementptr {kind}, {pointer} %base, i32 %w
  %dp = getelementptr {kind}, ptr addrspace(1) %d, i32 %t
  %v = load {kind}, ptr addrspace(1) %dp
  %old = atomicrmw {op} {pointer} %cell, {kind} %v syncscope("agent") monotonic, {METADATA}
  %op = getelementptr {kind}, ptr addrspace(1) %o, i32 %t
  store {kind} %old, ptr addrspace(1) %op
{finish if space == "lds" else ""}
  ret void
}}
!9 = !{{}}
"""


@pytest.mark.sampled(12)
@pytest.mark.parametrize("cpu", CHIPS)
@pytest.mark.parametrize("space", ("global", "lds", "flat"))
@pytest.mark.parametrize("bits", (32, 64))
def test_integer_atomics(cpu: str, space: str, bits: int) -> None:
    """Lanes of a wave act in order, so each cell sees threads w, w+16, w+32, ... of one wave."""
    dtype = np.dtype(f"u{bits // 8}")
    rng = np.random.default_rng(bits)
    threads = 32  # one wave everywhere, so that the order is known
    for op, function in operations(bits).items():
        cells = rng.integers(0, 1 << bits, 16, dtype)
        data = rng.integers(0, 1 << bits, threads, dtype)
        want_cells, want_old = [int(c) for c in cells], []
        for thread in range(threads):
            old = want_cells[thread & 15]
            want_old.append(old)
            want_cells[thread & 15] = function(old, int(data[thread])) % (1 << bits)
        out = np.zeros(threads, dtype)
        ir = atomic_kernel(op, f"i{bits}", space)
        run(ir, "k", cpu, (1, 1, 1), (threads, 1, 1), cells, data, out)
        np.testing.assert_array_equal(cells, np.array(want_cells, dtype), op)
        np.testing.assert_array_equal(out, np.array(want_old, dtype), op)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("cpu", CHIPS)
@pytest.mark.parametrize("space", ("global", "lds", "flat"))
@pytest.mark.parametrize("kind", ("float", "double"))
def test_float_atomics(cpu: str, space: str, kind: str) -> None:
    """Small integers, so that the order of additions does not matter."""
    dtype = np.float32 if kind == "float" else np.float64
    rng = np.random.default_rng(5)
    for op, function in (("fadd", np.add), ("fmin", np.fmin), ("fmax", np.fmax)):
        cells = rng.integers(-50, 50, 16).astype(dtype)
        data = rng.integers(-99, 99, THREADS).astype(dtype)
        want = function.reduce([cells, *data.reshape(-1, 16)])
        ir = atomic_kernel(op, kind, space)
        out = np.zeros(THREADS, dtype)
        run(ir, "k", cpu, (1, 1, 1), (THREADS, 1, 1), cells, data, out)
        np.testing.assert_array_equal(cells, want, op)


@pytest.mark.parametrize("cpu", CHIPS)
def test_compare_and_swap(cpu: str) -> None:
    """Every thread adds 3 to one counter by compare and swap."""
    for kind, dtype in (("i32", np.uint32), ("i64", np.uint64)):
        ir = f"""
define amdgpu_kernel void @k(ptr addrspace(1) %p) {{
entry:
  %first = load {kind}, ptr addrspace(1) %p
  br label %loop
loop:
  %old = phi {kind} [ %first, %entry ], [ %seen, %loop ]
  %new = add {kind} %old, 3
  %r = cmpxchg ptr addrspace(1) %p, {kind} %old, {kind} %new syncscope("agent") monotonic monotonic
  %seen = extractvalue {{{kind}, i1}} %r, 0
  %ok = extractvalue {{{kind}, i1}} %r, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}}
"""
        counter = np.array([5], dtype)
        run(ir, "k", cpu, (3, 1, 1), (96, 1, 1), counter)
        assert counter[0] == 5 + 3 * 3 * 96


@pytest.mark.parametrize("cpu", CHIPS)
def test_widths_and_alignment(cpu: str) -> None:
    """Copies of 1 to 16 bytes at offsets that are not multiples of the size."""
    for kind, size in (("i8", 1), ("i16", 2), ("i32", 4), ("i64", 8), ("<3 x i32>", 12)):
        for align, offset in ((size if size != 12 else 4, 0), (1, 3)):
            ir = f"""
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) {{
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %s = mul i32 %t, {size}
  %i = add i32 %s, {offset}
  %a = getelementptr i8, ptr addrspace(1) %p, i32 %i
  %v = load {kind}, ptr addrspace(1) %a, align {align}
  %b = getelementptr i8, ptr addrspace(1) %o, i32 %i
  store {kind} %v, ptr addrspace(1) %b, align {align}
  ret void
}}
"""
            data = np.random.default_rng(3).integers(0, 256, 70 * size + 4, np.uint8)
            out = np.zeros_like(data)
            run(ir, "k", cpu, (1, 1, 1), (70, 1, 1), data, out)
            want = np.zeros_like(data)
            want[offset : offset + 70 * size] = data[offset : offset + 70 * size]
            np.testing.assert_array_equal(out, want, f"{kind} align {align}")


@pytest.mark.parametrize("cpu", CHIPS)
def test_generic_pointers(cpu: str) -> None:
    """One flat load reads LDS, scratch or device memory, by lane."""
    ir = """
@tile = internal addrspace(3) global [64 x i32] poison
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %private = alloca [4 x i32], addrspace(5)
  %l = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  %k = and i32 %t, 3
  %s = getelementptr i32, ptr addrspace(5) %private, i32 %k
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %v1 = add i32 %t, 1000
  %v2 = add i32 %t, 2000
  store volatile i32 %v1, ptr addrspace(3) %l
  store volatile i32 %v2, ptr addrspace(5) %s
  %lf = addrspacecast ptr addrspace(3) %l to ptr
  %sf = addrspacecast ptr addrspace(5) %s to ptr
  %gf = addrspacecast ptr addrspace(1) %g to ptr
  %m = urem i32 %t, 3
  %c0 = icmp eq i32 %m, 0
  %c1 = icmp eq i32 %m, 1
  %q = select i1 %c0, ptr %lf, ptr %sf
  %w = select i1 %c1, ptr %gf, ptr %q
  %x = load i32, ptr %w
  %y = add i32 %x, 1
  store i32 %y, ptr %w
  %z = load i32, ptr %w
  %b = getelementptr i32, ptr addrspace(1) %o, i32 %t
  store i32 %z, ptr addrspace(1) %b
  ret void
}
"""
    data, out = np.arange(64, dtype=np.uint32), np.zeros(64, np.uint32)
    run(ir, "k", cpu, (1, 1, 1), (64, 1, 1), data, out)
    t = np.arange(64)
    np.testing.assert_array_equal(out, t + 1 + np.choose(t % 3, (1000, 0, 2000)))
    np.testing.assert_array_equal(data, t + (t % 3 == 1))


DYNAMIC = """
@dyn = external addrspace(3) global [0 x i32], align 4
define amdgpu_kernel void @k(ptr addrspace(1) %o, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %t, %n
  %l = getelementptr i32, ptr addrspace(3) @dyn, i32 %i
  store volatile i32 %t, ptr addrspace(3) %l
  %v = load volatile i32, ptr addrspace(3) %l
  %b = getelementptr i32, ptr addrspace(1) %o, i32 %t
  store i32 %v, ptr addrspace(1) %b
  ret void
}
"""


@pytest.mark.parametrize("cpu", ALL)
def test_dynamic_shared_memory(cpu: str) -> None:
    out = np.zeros(64, np.uint32)
    run(DYNAMIC, "k", cpu, (1, 1, 1), (64, 1, 1), out, np.int32(0), dynamic_lds=256)
    np.testing.assert_array_equal(out, np.arange(64))


@pytest.mark.parametrize("cpu", FIRST)
def test_shared_memory_bounds(cpu: str) -> None:
    out = np.zeros(64, np.uint32)
    with pytest.raises(PtxError) as caught:
        run(DYNAMIC, "k", cpu, (1, 1, 1), (64, 1, 1), out, np.int32(1), dynamic_lds=256)
    text = str(caught.value)
    assert "PTX402" in text and "256 bytes of shared memory" in text
    assert "lane 63" in text if cpu == "gfx942" else "wave 1, lane 31" in text


@pytest.mark.parametrize("cpu", FIRST)
def test_read_only_arrays(cpu: str) -> None:
    out = np.zeros(64, np.uint32)
    out.flags.writeable = False
    with pytest.raises(PtxError, match="read-only"):
        run(DYNAMIC, "k", cpu, (1, 1, 1), (64, 1, 1), out, np.int32(0), dynamic_lds=256)


@pytest.mark.parametrize("cpu", ALL)
def test_variables_of_the_module(cpu: str) -> None:
    """A table that the host rewrites, and a pointer to it that the loader relocates."""
    ir = """
@table = protected addrspace(1) global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@where = protected addrspace(1) global ptr addrspace(1) @table
define amdgpu_kernel void @k(ptr addrspace(1) %o) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = load volatile ptr addrspace(1), ptr addrspace(1) @where
  %a = getelementptr i32, ptr addrspace(1) %q, i32 %t
  %v = load i32, ptr addrspace(1) %a
  %b = getelementptr i32, ptr addrspace(1) %o, i32 %t
  store i32 %v, ptr addrspace(1) %b
  ret void
}
"""
    image, memory, out = load(ir, cpu), emulator.Memory(), np.zeros(4, np.uint32)
    args = pack(memory, image, "k", (out,))
    emulator.launch(image, memory, "k", (1, 1, 1), (4, 1, 1), args)
    np.testing.assert_array_equal(out, [1, 2, 3, 4])
    address, data = image.variable("table")
    data[4:8] = np.frombuffer(struct.pack("<I", 77), np.uint8)
    emulator.launch(image, memory, "k", (1, 1, 1), (4, 1, 1), args)
    np.testing.assert_array_equal(out, [1, 77, 3, 4])
    pointer = image.variable("where")[1]
    assert int(pointer.view(np.uint64)[0]) == address


@pytest.mark.parametrize("cpu", ALL)
def test_dynamically_indexed_registers(cpu: str) -> None:
    """A vector indexed by a uniform and by a lane's own number."""
    ir = """
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr <16 x i32>, ptr addrspace(1) %p, i32 %t
  %v = load <16 x i32>, ptr addrspace(1) %a
  %e = extractelement <16 x i32> %v, i32 %n
  %w = insertelement <16 x i32> %v, i32 %t, i32 %n
  %m = and i32 %t, 15
  %f = extractelement <16 x i32> %w, i32 %m
  %s = add i32 %e, %f
  %b = getelementptr i32, ptr addrspace(1) %o, i32 %t
  store i32 %s, ptr addrspace(1) %b
  ret void
}
"""
    x = np.random.default_rng(4).integers(0, 1 << 32, (64, 16), np.uint32)
    out, t = np.zeros(64, np.uint32), np.arange(64)
    run(ir, "k", cpu, (1, 1, 1), (64, 1, 1), x, out, np.int32(5))
    changed = x.copy()
    changed[:, 5] = t
    np.testing.assert_array_equal(out, x[:, 5] + changed[t, t & 15])


def pressure(count: int) -> str:
    """All of `count` values live at once, then folded in an order that keeps them so."""
    lines = []
    for i in range(count):
        lines.append(f"  %p{i} = getelementptr i32, ptr addrspace(1) %a, i32 {i}")
        lines.append(f"  %x{i} = load volatile i32, ptr addrspace(1) %p{i}")
    value = "0"
    for i in range(count):
        lines.append(f"  %m{i} = mul i32 {value}, 3")
        lines.append(f"  %s{i} = add i32 %m{i}, %x{count - 1 - i}")
        value = f"%s{i}"
    body = "\n".join(lines)
    return f"""
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) #0 {{
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr [{count} x i32], ptr addrspace(1) %p, i32 %t
{body}
  %b = getelementptr i32, ptr addrspace(1) %o, i32 %t
  store i32 {value}, ptr addrspace(1) %b
  ret void
}}
attributes #0 = {{ "amdgpu-flat-work-group-size"="1,64" }}
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("cpu", ALL)
@pytest.mark.parametrize("count", (301,))
def test_register_pressure(cpu: str, count: int) -> None:
    """Spills to scratch and accumulation registers, and registers above 255, keep their values."""
    x = np.random.default_rng(6).integers(0, 1 << 32, (64, count), np.uint32)
    out = np.zeros(64, np.uint32)
    run(pressure(count), "k", cpu, (1, 1, 1), (64, 1, 1), x, out)
    want = np.zeros(64, np.uint32)
    for i in range(count):
        want = want * np.uint32(3) + x[:, count - 1 - i]
    np.testing.assert_array_equal(out, want)
