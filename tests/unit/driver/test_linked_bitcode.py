"""Functions that PTX declares and LLVM bitcode defines."""

from __future__ import annotations

from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest

import ptxlift

LIBRARY = """
target triple = "amdgcn-amd-amdhsa"
@table = internal addrspace(4) constant [2 x i32] [i32 100, i32 200]
define float @halve(float %x) { %y = fmul float %x, 0.5  ret float %y }
define void @put(ptr addrspace(1) %p, i32 %v) { store i32 %v, ptr addrspace(1) %p  ret void }
define i32 @look(i32 %i) {
  %p = getelementptr [2 x i32], ptr addrspace(4) @table, i32 0, i32 %i
  %v = load i32, ptr addrspace(4) %p  %w = call i32 @helper(i32 %v)  ret i32 %w }
define i32 @helper(i32 %v) { %w = add i32 %v, 1  ret i32 %w }
define i32 @two(i32 %a, i32 %b) { ret i32 %a }
define <2 x half> @swapped(<2 x half> %x) {
  %y = shufflevector <2 x half> %x, <2 x half> %x, <2 x i32> <i32 1, i32 0>  ret <2 x half> %y }
define void @free(i64 %p) { %q = inttoptr i64 %p to ptr addrspace(1)
  store i32 77, ptr addrspace(1) %q  ret void }
"""
PTX = """.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .f32 r) halve(.param .f32 x);
.extern .func put(.param .b64 p, .param .b32 v);
.extern .func (.param .b32 r) mapped(.param .b32 i);
.extern .func (.param .b32 r) swapped(.param .b32 x);
.func (.param .b32 r) helper(.param .b32 x) { .reg .b32 %r<2>; ld.param.b32 %r1, [x];
  mul.lo.u32 %r1, %r1, 3; st.param.b32 [r], %r1; ret; }
.visible .entry k(.param .u64 out)
{ .reg .b32 %r<5>; .reg .f32 %f<3>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  { .param .b64 a; .param .b32 b; st.param.b64 [a], %rd1; st.param.b32 [b], 42; call put, (a, b); }
  { .param .f32 a; .param .f32 b; st.param.f32 [a], 0f40A00000; call (b), halve, (a);
    ld.param.f32 %f1, [b]; }
  st.global.f32 [%rd1+4], %f1;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], 1; call (b), mapped, (a);
    ld.param.b32 %r1, [b]; }
  st.global.u32 [%rd1+8], %r1;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), helper, (a);
    ld.param.b32 %r2, [b]; }
  st.global.u32 [%rd1+12], %r2;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], 0x11112222; call (b), swapped, (a);
    ld.param.b32 %r3, [b]; }
  st.global.u32 [%rd1+16], %r3;
  ret; }
"""


@pytest.fixture(scope="module")
def bitcode() -> bytes:
    return llvm.parse_assembly(LIBRARY).as_bitcode()


def _result(options: ptxlift.Options, target: str) -> list[int]:
    out = np.zeros(5, np.uint32)
    ptxlift.run(ptxlift.lift(PTX, target, options=options), "k", 1, 1, [out])
    return out.tolist()


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("level", [0, 2])
def test_calls_reach_the_bitcode(bitcode: bytes, target: str, level: int) -> None:
    options = ptxlift.Options(link=(bitcode,), externs={"mapped": "look"}, opt_level=level)
    two_and_a_half = int(np.float32(2.5).view(np.uint32))
    assert _result(options, target) == [42, two_and_a_half, 201, 603, 0x22221111]


def test_the_bitcode_is_given_in_an_isolated_process_too(bitcode: bytes) -> None:
    options = ptxlift.Options(link=[bitcode], externs={"mapped": "look"}, isolate=True)  # type: ignore[arg-type]
    here = ptxlift.Options(link=(bitcode,), externs={"mapped": "look"})
    assert ptxlift.lift(PTX, options=options).code_object == (
        ptxlift.lift(PTX, options=here).code_object
    )


def _refused(options: ptxlift.Options) -> tuple[str, str]:
    with pytest.raises(ptxlift.PtxError) as caught:
        _ = ptxlift.lift(PTX, options=options).code_object
    return caught.value.diagnostics[0].code, str(caught.value)


def test_a_function_in_no_bitcode(bitcode: bytes) -> None:
    code, text = _refused(ptxlift.Options(link=(bitcode,)))
    assert code == "PTX111" and "'mapped'" in text and "kernel k" in text


def test_without_bitcode_nothing_is_assumed() -> None:
    assert _refused(ptxlift.Options())[0] == "PTX111"


def test_sizes_that_differ(bitcode: bytes) -> None:
    code, text = _refused(ptxlift.Options(link=(bitcode,), externs={"mapped": "two"}))
    assert code == "PTX302" and "i32 (i32, i32) in the linked bitcode, but i32 (i32)" in text


def test_what_is_no_bitcode() -> None:
    assert _refused(ptxlift.Options(link=(b"nonsense",), externs={"mapped": "look"}))[0] == "PTX305"
    with pytest.raises(ptxlift.PtxError, match="PTX307"):
        ptxlift.Options(link="file.bc")  # type: ignore[arg-type]


def test_a_runtime_function_gets_a_meaning(bitcode: bytes) -> None:
    text = PTX[: PTX.index(".extern")] + (
        ".extern .func free(.param .b64 p);\n.visible .entry k(.param .u64 out)\n"
        "{ .reg .b64 %rd<2>; ld.param.u64 %rd1, [out];\n"
        "{ .param .b64 a; st.param.b64 [a], %rd1; call free, (a); } ret; }\n"
    )
    with pytest.raises(ptxlift.PtxError, match="free of the device runtime"):
        ptxlift.lift(text)
    out = np.zeros(1, np.uint32)
    options = ptxlift.Options(link=(bitcode,), externs={"free": "free"})
    ptxlift.run(ptxlift.lift(text, options=options), "k", 1, 1, [out])
    assert out[0] == 77


def test_from_the_command_line(bitcode: bytes, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from ptxlift.cli.app import app

    (tmp_path / "lib.bc").write_bytes(bitcode)
    (tmp_path / "k.ptx").write_text(PTX)
    words = ["lift", tmp_path / "k.ptx", "--link", tmp_path / "lib.bc", "-o", tmp_path]
    words += ["--cache-dir", tmp_path / "cache"]
    ended = CliRunner().invoke(app, [str(word) for word in [*words, "--extern", "mapped=look"]])
    assert ended.exit_code == 0, ended.output
    options = ptxlift.Options(link=(bitcode,), externs={"mapped": "look"})
    wanted = ptxlift.lift(PTX, options=options).code_object
    assert (tmp_path / "k.gfx942.hsaco").read_bytes() == wanted
    assert CliRunner().invoke(app, ["lift", "x.ptx", "--extern", "mapped"]).exit_code == 2
