"""Instructions that cross lanes, against lane maps written from AMD's ISA manuals."""

from __future__ import annotations

import numpy as np
import pytest
from emulator_builds import needs_lld, run

from ptxlift.target import Feature, lookup
from tests.lane_maps import dpp_source

pytestmark = needs_lld

CHIPS = ("gfx900", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201", "gfx1250")
OLD = 0xDEAD  # what a destination holds before


def lanes_of(cpu: str) -> int:
    return 64 if cpu.startswith("gfx9") else 32


def kernel(declaration: str, body: str) -> str:
    """A kernel in which %x is the lane's input and %r what it stores."""
    return f"""
{declaration}
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) {{
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load i32, ptr addrspace(1) %a
  %b = getelementptr i32, ptr addrspace(1) %o, i32 %t
{body}
  store i32 %r, ptr addrspace(1) %b
  ret void
}}
"""


def execute(cpu: str, declaration: str, body: str, lanes: int) -> np.ndarray:
    x = np.arange(100, 100 + lanes, dtype=np.uint32)
    out = np.zeros(lanes, np.uint32)
    run(kernel(declaration, body), "k", cpu, (1, 1, 1), (lanes, 1, 1), x, out)
    return out


DPP = "declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)"


CONTROLS = (
    *((c, None) for c in (0x00, 0x1B, 0x4E, 0xB1, 0xE4, 0x101, 0x10F, 0x111, 0x118)),
    *((c, None) for c in (0x11F, 0x121, 0x12F, 0x140, 0x141)),
    *((c, Feature.DPP_WAVE_SHIFT) for c in (0x130, 0x134, 0x138, 0x13C)),
    *((c, Feature.DPP_ROW_BCAST) for c in (0x142, 0x143)),
    *((c, Feature.DPP_ROW_XMASK) for c in (0x150, 0x15F, 0x161, 0x16F)),
    *((c, Feature.DPP_ROW_NEWBCAST) for c in (0x150, 0x15E)),
)


MASKS = ((15, 15), (0xA, 15), (15, 0x5))


@pytest.mark.parametrize("cpu", CHIPS)
@pytest.mark.parametrize("zero", (True, False))
def test_dpp(cpu: str, zero: bool) -> None:
    """All controls in one kernel; each writes a row of results."""
    lanes, target = lanes_of(cpu), lookup(cpu).target
    controls = [c for c, feature in CONTROLS if feature is None or target.has(feature)]
    cases = [(c, rows, banks) for c in controls for rows, banks in MASKS]
    lines, want = [], []
    for i, (ctrl, rows, banks) in enumerate(cases):
        call = f"i32 {OLD}, i32 %x, i32 {ctrl}, i32 {rows}, i32 {banks}, i1 {str(zero).lower()}"
        lines.append(f"  %r{i} = call i32 @llvm.amdgcn.update.dpp.i32({call})")
        lines.append(f"  %b{i} = getelementptr i32, ptr addrspace(1) %b, i32 {i * lanes}")
        lines.append(f"  store i32 %r{i}, ptr addrspace(1) %b{i}")
        for lane in range(lanes):
            source = dpp_source(ctrl, lane, lanes)
            value = 100 + source if source is not None else 0 if zero else OLD
            on = rows >> (lane >> 4) & banks >> (lane >> 2 & 3) & 1
            want.append(value if on else OLD)
    x = np.arange(100, 100 + lanes, dtype=np.uint32)
    out = np.zeros(len(cases) * lanes, np.uint32)
    body = "\n".join([*lines, "  %r = add i32 %r0, 0"])
    run(kernel(DPP, body), "k", cpu, (1, 1, 1), (lanes, 1, 1), x, out)
    got, wanted = out.reshape(-1, lanes), np.array(want).reshape(-1, lanes)
    wrong = [(hex(c), r, b) for k, (c, r, b) in enumerate(cases) if (got[k] != wanted[k]).any()]
    assert not wrong


@pytest.mark.parametrize("cpu", CHIPS)
def test_dpp_from_inactive_lanes(cpu: str) -> None:
    """Only odd lanes execute, so even sources are invalid: 0 with bound_ctrl, else old stays."""
    lanes = lanes_of(cpu)
    for zero in (True, False):
        body = f"""
  store i32 7, ptr addrspace(1) %b
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 1
  br i1 %c, label %some, label %end
end:
  ret void
some:
  %r = call i32 @llvm.amdgcn.update.dpp.i32(i32 {OLD}, i32 %x, i32 {0b00_01_10_11},
    i32 15, i32 15, i1 {str(zero).lower()})"""
        got = execute(cpu, DPP, body, lanes)
        # quad_perm [3,2,1,0] sends odd lanes to even sources
        want = [(0 if zero else OLD) if lane & 1 else 7 for lane in range(lanes)]
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("cpu", ("gfx1030", "gfx1100", "gfx1201"))
def test_dpp8(cpu: str) -> None:
    select = (3, 0, 7, 1, 1, 6, 5, 2)
    code = sum(s << 3 * i for i, s in enumerate(select))
    got = execute(
        cpu,
        "declare i32 @llvm.amdgcn.mov.dpp8.i32(i32, i32)",
        f"  %r = call i32 @llvm.amdgcn.mov.dpp8.i32(i32 %x, i32 {code})",
        32,
    )
    np.testing.assert_array_equal(got, [100 + (i & ~7) + select[i & 7] for i in range(32)])


@pytest.mark.parametrize("cpu", ("gfx1030", "gfx1100", "gfx1201", "gfx1250"))
@pytest.mark.parametrize("cross", (False, True))
def test_permlane16(cpu: str, cross: bool) -> None:
    select = [(5 * i + 3) & 15 for i in range(16)]
    low, high = (sum(select[8 * h + i] << 4 * i for i in range(8)) for h in (0, 1))
    name = f"llvm.amdgcn.permlane{'x' if cross else ''}16.i32"
    got = execute(
        cpu,
        f"declare i32 @{name}(i32, i32, i32, i32, i1, i1)",
        f"  %r = call i32 @{name}(i32 {OLD}, i32 %x, i32 {low}, i32 {high}, i1 false, i1 false)",
        32,
    )
    row = 16 if cross else 0
    np.testing.assert_array_equal(got, [100 + (i & 16 ^ row) + select[i & 15] for i in range(32)])


@pytest.mark.parametrize("cpu", ("gfx1201", "gfx1250"))
@pytest.mark.parametrize("cross", (False, True))
def test_permlane16_var(cpu: str, cross: bool) -> None:
    name = f"llvm.amdgcn.permlane{'x' if cross else ''}16.var"
    body = f"""  %s = mul i32 %t, 7
  %r = call i32 @{name}(i32 {OLD}, i32 %x, i32 %s, i1 false, i1 false)"""
    got = execute(cpu, f"declare i32 @{name}(i32, i32, i32, i1, i1)", body, 32)
    row = 16 if cross else 0
    np.testing.assert_array_equal(got, [100 + (i & 16 ^ row) + (7 * i & 15) for i in range(32)])


@pytest.mark.parametrize("rows", (16, 32))
def test_permlane_swap(rows: int) -> None:
    """Odd groups of the first operand trade places with even groups of the second."""
    name = f"llvm.amdgcn.permlane{rows}.swap"
    for part in (0, 1):
        body = f"""  %y = add i32 %x, 1000
  %s = call {{i32, i32}} @{name}(i32 %x, i32 %y, i1 false, i1 false)
  %r = extractvalue {{i32, i32}} %s, {part}"""
        got = execute("gfx950", f"declare {{i32, i32}} @{name}(i32, i32, i1, i1)", body, 64)
        x = np.arange(100, 164).reshape(-1, rows)
        y = x + 1000
        first, second = x.copy(), y.copy()
        first[1::2], second[0::2] = y[0::2], x[1::2]
        np.testing.assert_array_equal(got, (first, second)[part].ravel())


SWIZZLES = {
    0x041F: lambda i: i ^ 1,  # xor mask 1
    0x401F: lambda i: i ^ 16,
    0x7C1F: lambda i: i ^ 31,
    0x0018: lambda i: i & 24,  # broadcast the first of eight
    0x0060: lambda i: 3,  # or mask 3, and mask 0
    0x801B: lambda i: (i & ~3) | (3 - (i & 3)),  # quad mode, reversed
    0xC020: lambda i: (i + 1) % 32,  # rotate by one
    0xC420: lambda i: (i - 1) % 32,
}


@pytest.mark.parametrize("cpu", CHIPS)
def test_ds_swizzle(cpu: str) -> None:
    lanes = lanes_of(cpu)
    for code, source in SWIZZLES.items():
        got = execute(
            cpu,
            "declare i32 @llvm.amdgcn.ds.swizzle(i32, i32)",
            f"  %r = call i32 @llvm.amdgcn.ds.swizzle(i32 %x, i32 {code})",
            lanes,
        )
        want = [100 + (i & 32) + source(i & 31) for i in range(lanes)]
        np.testing.assert_array_equal(got, want, f"{code:#x}")


@pytest.mark.parametrize("cpu", CHIPS)
def test_bpermute_and_permute(cpu: str) -> None:
    lanes = lanes_of(cpu)
    body = "  %m = mul i32 %t, 20\n  %r = call i32 @llvm.amdgcn.ds.{}(i32 %m, i32 %x)"
    declaration = "declare i32 @llvm.amdgcn.ds.{}(i32, i32)"
    pull = execute(cpu, declaration.format("bpermute"), body.format("bpermute"), lanes)
    np.testing.assert_array_equal(pull, [100 + 5 * i % lanes for i in range(lanes)])
    push = execute(cpu, declaration.format("permute"), body.format("permute"), lanes)
    want = np.zeros(lanes, np.uint32)
    for lane in range(lanes):
        want[5 * lane % lanes] = 100 + lane
    np.testing.assert_array_equal(push, want)


@pytest.mark.parametrize("cpu", CHIPS)
def test_scalar_lane_moves(cpu: str) -> None:
    lanes = lanes_of(cpu)
    declarations = """declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.writelane.i32(i32, i32, i32)
declare i64 @llvm.amdgcn.ballot.i64(i1)"""
    read = "  %r = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 13)"
    np.testing.assert_array_equal(execute(cpu, declarations, read, lanes), [113] * lanes)
    write = f"  %r = call i32 @llvm.amdgcn.writelane.i32(i32 {OLD}, i32 21, i32 %x)"
    want = [OLD if i == 21 else 100 + i for i in range(lanes)]
    np.testing.assert_array_equal(execute(cpu, declarations, write, lanes), want)
    first = """  store i32 7, ptr addrspace(1) %b
  %c = icmp ugt i32 %t, 4
  br i1 %c, label %some, label %end
end:
  ret void
some:
  %r = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)"""
    want = [105 if i > 4 else 7 for i in range(lanes)]
    np.testing.assert_array_equal(execute(cpu, declarations, first, lanes), want)
    ballot = """  %d = urem i32 %t, 3
  %c = icmp eq i32 %d, 0
  %m = call i64 @llvm.amdgcn.ballot.i64(i1 %c)
  %r = trunc i64 %m to i32"""
    want = [sum(1 << i for i in range(0, 32, 3))] * lanes
    np.testing.assert_array_equal(execute(cpu, declarations, ballot, lanes), want)


@pytest.mark.parametrize("cpu", CHIPS)
def test_lane_number(cpu: str) -> None:
    lanes = lanes_of(cpu)
    body = """  %l = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 5)
  %r = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %l)"""
    declarations = """declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)"""
    np.testing.assert_array_equal(execute(cpu, declarations, body, lanes), np.arange(lanes) + 5)
