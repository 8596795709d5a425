"""Device "hip" through a stand-in for hip-python: the calls, their arguments, errors, results."""

from __future__ import annotations

import gc
import struct
import sys
import types

import numpy as np
import pytest
from fake_hip import FakeHip, hipError_t

import ptxlift

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
MIXED = (
    HEAD
    + """.visible .const .align 4 .b8 factors[8];
.visible .global .u32 calls = 3;
.visible .entry mixed(.param .u8 small, .param .f64 large, .param .u64 out, .param .b8 pair[8])
{ .reg .b16 %h; .reg .b32 %r<6>; .reg .b64 %rd<2>; .reg .f64 %d;
  ld.param.u8 %h, [small]; cvt.u32.u16 %r0, %h;
  ld.param.f64 %d, [large]; cvt.rzi.u32.f64 %r1, %d;
  ld.param.u64 %rd1, [out]; ld.param.u32 %r2, [pair+4];
  ld.const.u32 %r3, [factors+4]; ld.global.u32 %r4, [calls];
  add.u32 %r4, %r4, 1; st.global.u32 [calls], %r4;
  st.global.v4.u32 [%rd1], {%r0, %r1, %r2, %r3}; ret; }
.visible .entry plain() { ret; }
"""
)
SPLIT = (
    HEAD
    + """.visible .entry apart(.param .u64 out)
{ .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd<3>; .shared .b32 s;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
  setp.lt.u32 %p, %r1, 32; @%p bra L; bar.sync 1, 32; L:
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r1; ret; }
"""
)


def fake(monkeypatch: pytest.MonkeyPatch, text: str, arch: str = "gfx942") -> FakeHip:
    made = FakeHip(ptxlift.lift(text, arch.split(":")[0]), arch)
    package = types.ModuleType("hip")
    package.hip = made  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "hip", package)
    return made


def test_one_launch_as_hip_is_to_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    hip = fake(monkeypatch, MIXED)
    out = np.zeros(4, np.uint32)
    arguments = [np.uint8(7), 2.5, out, struct.pack("<2I", 5, 9)]
    result = ptxlift.run(MIXED, "mixed", (2, 1), 1, arguments, shared=64, device="hip")
    assert result == ptxlift.RunResult()
    np.testing.assert_array_equal(out, [7, 2, 9, 0])
    ((name, grid, block, shared, data),) = hip.launches
    assert (name, grid, block, shared) == ("mixed", (2, 1, 1), (1, 1, 1), 64)
    assert data[0] == 7 and struct.unpack_from("<d", data, 8) == (2.5,)
    assert struct.unpack_from("<2I", data, 24) == (5, 9) and len(data) == 32
    gc.collect()
    assert not hip.live
    assert [call for call in hip.calls if "Get" not in call or "Function" in call] == [
        "hipModuleLoadData", "hipMalloc", "hipModuleGetFunction", "hipMemcpy",
        "hipModuleLaunchKernel", "hipDeviceSynchronize", "hipMemcpy", "hipFree", "hipModuleUnload",
    ]  # fmt: skip


def test_state_and_variables_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    fake(monkeypatch, MIXED)
    program = ptxlift.load(MIXED, device="hip")
    factors, calls = program.symbol("factors"), program.symbol("calls")
    assert calls.array.view(np.uint32)[0] == 3 and program.symbol("calls") is calls
    factors.array.view(np.uint32)[1] = 77
    out = program.alloc(np.zeros(8, np.uint32))
    for _ in range(2):
        program.launch("mixed", 1, 1, [np.uint8(1), 1.0, out + 16, bytes(8)])
    np.testing.assert_array_equal(out.array, [0, 0, 0, 0, 1, 1, 0, 77])
    assert calls.array.view(np.uint32)[0] == 5
    program.launch("plain", 1, 1, [])
    program.free(out)
    with pytest.raises(ptxlift.PtxError, match="freed before"):
        program.free(out)


def test_blocks_of_one_warp_a_wave_are_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    hip = fake(monkeypatch, SPLIT)
    out = np.zeros(64, np.uint32)
    ptxlift.run(SPLIT, "apart", 1, 64, [out], device="hip")
    np.testing.assert_array_equal(out, np.arange(64))
    assert hip.launches[0][2] == (128, 1, 1)


@pytest.mark.parametrize(
    ("call", "status", "code"),
    [
        ("hipModuleLoadData", hipError_t.hipErrorInvalidImage, "PTX401"),
        ("hipMalloc", hipError_t.hipErrorOutOfMemory, "PTX401"),
        ("hipModuleGetFunction", hipError_t.hipErrorNotFound, "PTX401"),
        ("hipMemcpy", hipError_t.hipErrorInvalidValue, "PTX401"),
        ("hipModuleLaunchKernel", hipError_t.hipErrorInvalidValue, "PTX401"),
        ("hipDeviceSynchronize", hipError_t.hipErrorIllegalAddress, "PTX402"),
    ],
)
def test_errors_of_hip(
    monkeypatch: pytest.MonkeyPatch, call: str, status: hipError_t, code: str
) -> None:
    hip = fake(monkeypatch, SPLIT)
    hip.fails[call] = status
    with pytest.raises(ptxlift.PtxError) as caught:
        ptxlift.run(SPLIT, "apart", 1, 32, [np.zeros(32, np.uint32)], device="hip")
    (found,) = caught.value.diagnostics
    assert found.code == code and found.message == f"{call} failed: {status.name}"


def test_the_gpu_decides_what_is_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    hip = fake(monkeypatch, SPLIT, "gfx1100")
    ptxlift.run(SPLIT, "apart", 1, 64, [np.zeros(64, np.uint32)], device="hip")
    assert hip.launches[0][2] == (64, 1, 1)
    with pytest.raises(ptxlift.PtxError, match="this GPU is gfx1100, the program for gfx942"):
        ptxlift.load(ptxlift.lift(SPLIT, "gfx942"), device="hip")


def test_target_ids_must_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    hip = fake(monkeypatch, SPLIT, "gfx942:sramecc+:xnack-")
    ptxlift.load(hip._translation, device="hip")
    with pytest.raises(ptxlift.PtxError, match="the program for gfx942:xnack\\+"):
        ptxlift.load(ptxlift.lift(SPLIT, "gfx942:xnack+"), device="hip")


@pytest.mark.parametrize("case", ["address", "gaps", "steps", "kernel"])
def test_what_a_gpu_cannot_do(monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    fake(monkeypatch, SPLIT)
    program = ptxlift.load(SPLIT, device="hip")
    array = np.zeros(64, np.uint32)
    with pytest.raises(ptxlift.PtxError) as caught:
        match case:
            case "address":
                program.alloc(array, 0x1000)
            case "gaps":
                program.launch("apart", 1, 32, [array[::2]])
            case "steps":
                program.launch("apart", 1, 32, [array], max_steps=5)
            case _:
                program.launch("other", 1, 32, [array])
    assert caught.value.diagnostics[0].code == "PTX401"


def test_arrays_that_must_not_change_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    fake(monkeypatch, SPLIT)
    array = np.zeros(64, np.uint32)
    array.flags.writeable = False
    ptxlift.run(SPLIT, "apart", 1, 64, [array], device="hip")
    assert not array.any()


def test_without_hip_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hip", None)
    with pytest.raises(ptxlift.PtxError) as caught:
        ptxlift.load(SPLIT, device="hip")
    assert caught.value.diagnostics[0].code == "PTX307"
    assert "ptxlift[hip]" in caught.value.diagnostics[0].hint


SAMPLED = (
    HEAD
    + """.visible .global .surfref plane;
.visible .entry copies(.param .u64 picture)
{ .reg .b32 %r<6>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [picture]; mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2;
  tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%rd1, {%r0}];
  sust.b.1d.b32.trap [plane, {%r1}], %r2; ret; }
"""
)


def test_textures_and_surfaces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their memory and objects are device memory as arrays are."""
    hip = fake(monkeypatch, SAMPLED)
    program = ptxlift.load(SAMPLED, "hip")
    texels, found = np.arange(5, dtype=np.uint32), np.zeros(5, np.uint32)
    program.bind("plane", ptxlift.Surface(found, "1d"))
    program.launch("copies", 1, 5, [ptxlift.Texture(texels, "1d")])
    np.testing.assert_array_equal(found, texels)
    assert hip.calls.count("hipMalloc") == 4  # two images, two objects
