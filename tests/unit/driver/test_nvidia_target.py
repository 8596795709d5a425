"""Targets of NVIDIA: PTX comes out, own instructions stay, reductions become `redux.sync`."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from driver_programs import TWO

import ptxlift
from ptxlift import Options, PtxError

HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"


def kernel(body: str, params: str = ".param .u64 p", before: str = "", bounds: str = "") -> str:
    """A kernel with some registers; %rd1 is its first parameter."""
    registers = ".reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .pred %p<9>;"
    load = "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;"
    text = f"{HEAD}{before}\n.visible .entry k({params})\n{bounds}\n{{\n{registers}\n{load}\n"
    return f"{text}{body}\nret;\n}}\n"


def lifted(text: str, target: str = "sm_90a", folder: Path | None = None) -> str:
    """The PTX; ptxas, where it is installed, must take it."""
    out = ptxlift.lift(text, target).ptx
    if folder is not None and shutil.which("ptxas"):
        (folder / "a.ptx").write_text(out)
        command = ["ptxas", "-arch", target, "-o", str(folder / "o"), str(folder / "a.ptx")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr + out
    return out


# ---- reductions ----


def _butterfly(join: str, masks: tuple[int, ...] = (16, 8, 4, 2, 1), members: str = "-1") -> str:
    lines = ["mad.wide.u32 %rd2, %r1, 4, %rd1;", "ld.global.u32 %r2, [%rd2];"]
    for mask in masks:
        lines.append(f"shfl.sync.bfly.b32 %r3, %r2, {mask}, 31, {members};")
        lines.append(f"{join} %r2, %r2, %r3;")
    return "\n".join([*lines, "st.global.u32 [%rd2], %r2;"])


@pytest.mark.parametrize(
    ("join", "name", "reduce"),
    [
        ("add.s32", "add.s32", np.add),
        ("min.u32", "min.u32", np.minimum),
        ("max.u32", "max.u32", np.maximum),
        ("and.b32", "and.b32", np.bitwise_and),
        ("or.b32", "or.b32", np.bitwise_or),
        ("xor.b32", "xor.b32", np.bitwise_xor),
    ],
)
def test_butterfly_is_one_reduction(join: str, name: str, reduce: np.ufunc, tmp_path: Path) -> None:
    out = lifted(kernel(_butterfly(join)), "sm_80", tmp_path)
    assert f"redux.sync.{name}" in out and "shfl" not in out
    data = np.random.default_rng(5).integers(0, 2**32, 32, np.uint32)
    wanted = np.full(32, reduce.reduce(data), np.uint32)
    ptxlift.run(out, "k", 1, 32, [data], device="interpreter")
    np.testing.assert_array_equal(data, wanted)


def test_signed_butterfly() -> None:
    out = lifted(kernel(_butterfly("max.s32", (1, 2, 4, 8, 16))), "sm_80")
    assert "redux.sync.max.s32" in out
    data = np.arange(-16, 16, dtype=np.int32)[::-1].copy()
    ptxlift.run(out, "k", 1, 32, [data], device="interpreter")
    assert data.tolist() == [15] * 32


@pytest.mark.parametrize(
    "body",
    [
        _butterfly("add.s32", (16, 8, 4, 2)),  # half a warp
        _butterfly("add.s32", (16, 8, 4, 2, 2)),  # not every distance
        _butterfly("add.s32", members="0xffff"),  # not all lanes
        _butterfly("add.f32"),  # float order must stay
        _butterfly("add.s32").replace("bfly", "down"),  # lanes end with other sums
        _butterfly("add.s32").replace(", 31,", ", 0x1c1f,"),  # segments of four
        _butterfly("add.s32") + "st.global.u32 [%rd2+128], %r3;",  # a step is wanted
    ],
)
def test_other_shuffles_stay(body: str) -> None:
    out = lifted(kernel(body), "sm_80")
    assert "redux" not in out and "shfl.sync" in out


def test_no_reduction_where_there_is_none() -> None:
    assert "redux" not in lifted(kernel(_butterfly("add.s32")).replace("sm_90a", "sm_75"), "sm_75")


# ---- what stays ----

KEPT = {
    "mbarrier": "mov.u32 %r2, bar; mbarrier.init.shared::cta.b64 [%r2], 32;"
    "mbarrier.arrive.shared::cta.b64 %rd2, [%r2]; st.global.u64 [%rd1], %rd2;",
    "copies": "mov.u32 %r2, tile; cp.async.cg.shared.global [%r2+16], [%rd1], 16;"
    "cp.async.commit_group; cp.async.wait_group 0;",
    "matrix": "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r2,%r3,%r4,%r5},"
    "{%r6,%r7,%r8,%r9},{%r10,%r11},{%r2,%r3,%r4,%r5}; st.global.v4.b32 [%rd1],"
    "{%r2,%r3,%r4,%r5};",
    "matrix_load": "mov.u32 %r2, tile; ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16"
    " {%r3,%r4}, [%r2]; st.global.v2.b32 [%rd1], {%r3,%r4};",
    "atomic": "atom.acquire.cluster.global.cas.b32 %r2, [%rd1+-4], %r1, 7;"
    "red.release.sys.global.add.f32 [%rd1], 0f3f800000;",
    "wide_atomic": "mov.b128 q, {%rd1,%rd1}; atom.global.exch.b128 q, [%rd1], q;",
    "barrier": "bar.sync 1, 64; barrier.cta.red.popc.u32 %r2, 2, %p1; st.global.u32 [%rd1], %r2;",
    "cluster": "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
    "mov.u32 %r2, %cluster_ctarank; mapa.shared::cluster.u32 %r3, %r2, 1;"
    "st.global.u32 [%rd1], %r3;",
    "hinted": "ld.global.nc.L1::no_allocate.L2::128B.v2.b32 {%r2,%r3}, [%rd1+8];"
    "st.global.cs.b32 [%rd1], %r2;",
    "ordered": "ld.acquire.gpu.global.b32 %r2, [%rd1]; st.release.sys.b32 [%rd1+4], %r2;",
    "fences": "fence.proxy.async; fence.mbarrier_init.release.cluster; membar.gl;",
    "video": "vadd.s32.u32.s32.sat %r2, %r1.b0, %r1.h1, %r1; st.global.u32 [%rd1], %r2;",
    "elect": "elect.sync %r2|%p1, -1; @%p1 st.global.u32 [%rd1], %r2;",
    "bulk": "mov.u32 %r2, tile; mov.u32 %r3, bar; cp.async.bulk.shared::cluster.global."
    "mbarrier::complete_tx::bytes [%r2], [%rd1], 64, [%r3];",
    "warp_group": "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
    "{%r2,%r3,%r4,%r5}, %rd2, %rd3, 1, 1, -1, 0, 1; wgmma.commit_group.sync.aligned;"
    "wgmma.wait_group.sync.aligned 0; st.global.b32 [%rd1], %r2;",
    "registers": "setmaxnreg.dec.sync.aligned.u32 64;",
    "texture": "tex.2d.v4.f32.f32 {%r2,%r3,%r4,%r5}, [%rd1, {%r6,%r7}];"
    "st.global.v4.b32 [%rd1], {%r2,%r3,%r4,%r5};",
    "tensor_copy": "mov.u32 %r2, tile; mov.u32 %r3, bar; cp.async.bulk.tensor.2d.shared::cluster."
    "global.mbarrier::complete_tx::bytes [%r2], [%rd1, {%r4,%r5}], [%r3];",
}  # fmt: skip
_MOVES = re.compile(r"^(mov|ld\.param|st\.global\.(v\d\.)?[ub]\d|\s*$)")


@pytest.mark.parametrize("name", KEPT)
def test_own_instructions_stay(name: str, tmp_path: Path) -> None:
    """Each keeps its opcode with all modifiers, and ptxas takes what surrounds it."""
    before = ".shared .align 128 .b8 tile[4096];\n.shared .align 8 .b64 bar;\n"
    body = KEPT[name] if name != "wide_atomic" else ".reg .b128 q; " + KEPT[name]
    text = kernel(body, before=before)
    if name in ("wide_atomic", "texture"):
        text = text.replace(".version 8.0", ".version 8.4")
    out = lifted(text, folder=tmp_path)
    kept = [line.split()[0] for line in body.replace("@%p1 ", "").split(";") if line.strip()]
    wanted = [word for word in kept if not _MOVES.match(word) and not word.startswith(".reg")]
    assert wanted and all(f"{word}" in out for word in wanted), out


def test_target_that_lacks_an_instruction_says_so() -> None:
    with pytest.raises(PtxError) as caught:
        ptxlift.lift(kernel(KEPT["warp_group"]), "sm_90")
    found = caught.value.diagnostics[0]
    assert found.code == "PTX302" and "wgmma" in found.message and found.span is not None


TEXTURE = "tex.1d.v4.f32.s32 {%r2,%r3,%r4,%r5}, [image, {%r1}];"
BYTES = "multimem.ld_reduce.relaxed.cta.global.max.v4.e5m2 {%c1,%c2,%c3,%c4}, [%rd1];"


@pytest.mark.parametrize(
    ("body", "before", "words"),
    [
        (TEXTURE, ".global .texref image;\n", "handles"),
        (f".reg .b8 %c<9>; {BYTES}", "", "8-bit"),
    ],
)
def test_what_cannot_be_kept_is_refused(body: str, before: str, words: str) -> None:
    text = kernel(body, before=before)
    target = "sm_100a" if "multimem" in body else "sm_90a"
    text = text.replace("sm_90a", target).replace(".version 8.0", ".version 8.8")
    with pytest.raises(PtxError, match=words) as caught:
        ptxlift.lift(text, target)
    assert [d.code for d in caught.value.diagnostics] == ["PTX202"]


def test_surface_variables_cannot_be_kept() -> None:
    text = kernel("ret;", before=".visible .global .surfref plane;\n")
    with pytest.raises(PtxError, match=r"PTX202.*plane: texture, sampler and surface variables"):
        str(ptxlift.lift(text, "sm_90").ptx)


def test_directives_of_a_kernel_stay(tmp_path: Path) -> None:
    bounds = ".maxntid 128, 2, 1\n.minnctapersm 2\n.maxnreg 64\n.reqnctapercluster 2, 1, 1"
    out = lifted(kernel("st.global.u32 [%rd1], %r1;", bounds=bounds), folder=tmp_path)
    for line in (".maxntid 128, 2, 1", ".minnctapersm 2", ".maxnreg 64", ".reqnctapercluster 2"):
        assert line in out


def test_functions_of_the_runtime_stay_calls(tmp_path: Path) -> None:
    before = (
        ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
        ".global .align 1 .b8 text[6] = {104, 105, 32, 37, 117, 10};\n"
    )
    body = (
        ".local .align 8 .b8 buffer[8]; .reg .b32 %x<3>; st.local.u32 [buffer], %r1;\n"
        "mov.u64 %rd3, buffer; cvta.local.u64 %rd3, %rd3; mov.u64 %rd4, text;\n"
        "cvta.global.u64 %rd4, %rd4; { .param .b64 a; .param .b64 b; .param .b32 r;\n"
        "st.param.b64 [a], %rd4; st.param.b64 [b], %rd3; call (r), vprintf, (a, b); }"
    )
    out = lifted(kernel(body, before=before), folder=tmp_path)
    assert re.search(r"call(\.uni)? \(retval0\), vprintf", out)


def test_parameters_in_memory(tmp_path: Path) -> None:
    """A part of a block, a byte of a scalar and a place that is computed."""
    params = ".param .u64 p, .param .align 8 .b8 block[24], .param .u32 n"
    body = (
        "ld.param.u32 %r2, [block+12]; ld.param.u8 %r3, [n+1]; mov.b64 %rd3, block;\n"
        "mul.wide.u32 %rd4, %r1, 4; add.s64 %rd3, %rd3, %rd4; ld.param.u32 %r4, [%rd3];\n"
        "add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r4; st.global.u32 [%rd5+16], %r2;\n"
        "st.global.u32 [%rd5+32], %r3;"
    )
    out = lifted(kernel(body, params), folder=tmp_path)
    data = np.zeros(12, np.uint32)
    block = np.arange(10, 16, dtype=np.uint32).tobytes()
    ptxlift.run(out, "k", 1, 4, [data, block, np.uint32(0x1234)], device="interpreter")
    assert data.tolist() == [10, 11, 12, 13] + [13] * 4 + [0x12] * 4


def test_carry_chains_are_one_statement(tmp_path: Path) -> None:
    """Four words in a chain with a carry out, and a chain whose sum is wanted in between."""
    body = (
        "ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd1];\n"
        "ld.global.v4.u32 {%r6,%r7,%r8,%r9}, [%rd1+16];\n"
        "add.cc.u32 %r2, %r2, %r6; addc.cc.u32 %r3, %r3, %r7; addc.cc.u32 %r4, %r4, %r8;\n"
        "addc.cc.u32 %r5, %r5, %r9; addc.u32 %r10, 0, 0;\n"
        "st.global.v4.u32 [%rd1], {%r2,%r3,%r4,%r5}; st.global.u32 [%rd1+32], %r10;\n"
        "sub.cc.u32 %r11, %r2, %r9; st.global.u32 [%rd1+36], %r11; subc.u32 %r12, %r11, 0;\n"
        "st.global.u32 [%rd1+40], %r12;"
    )
    out = lifted(kernel(body), folder=tmp_path)
    assert out.count("addc.cc.u32") == 3
    data = np.array([2**32 - 1] * 4 + [1, 0, 0, 7] + [0] * 3, np.uint32)
    ptxlift.run(out, "k", 1, 1, [data], device="interpreter")
    total = (2**128 - 1) + (1 | 7 << 96)
    words = [total >> 32 * i & 2**32 - 1 for i in range(5)]
    low = (words[0] - 7) % 2**32
    assert data[:4].tolist() == words[:4] and data[8] == words[4]
    assert data[9] == low and data[10] == (low - (words[0] < 7)) % 2**32


# ---- the interface ----


def test_parts_of_ptx() -> None:
    made = ptxlift.lift(TWO, "sm_90", kernels=["second"])
    assert list(made.kernels) == ["second"] and made.is_ptx
    assert made.output == made.ptx == made.asm
    assert ".entry second" in made.ptx and ".entry first" not in made.ptx
    assert made.bitcode[:4] == b"BC\xc0\xde" and "nvptx64" in made.llvm_ir
    for part in ("code_object", "object", "listing"):
        with pytest.raises(PtxError, match="its output is PTX"):
            getattr(made, part)
    with pytest.raises(PtxError, match="its output is PTX"):
        _ = made.kernels["second"].vgprs
    with pytest.raises(PtxError, match="is no PTX"):
        _ = ptxlift.lift(TWO, "gfx942").ptx
    assert made.for_target("gfx942").code_object[:4] == b"\x7fELF"
    assert made.for_target("sm_80").ptx.splitlines()[1] == ".target sm_80"


@pytest.mark.parametrize(
    "option",
    [
        {"wave_size": 64}, {"warp_mapping": "split"}, {"code_object_version": 6},
        {"unsafe_fp_atomics": True}, {"matrix": "native"}, {"max_block": 256},
    ],
)  # fmt: skip
def test_options_of_amd_are_refused(option: dict[str, object]) -> None:
    with pytest.raises(PtxError) as caught:
        ptxlift.lift(TWO, "sm_90", options=Options(**option))  # type: ignore[arg-type]
    assert [d.code for d in caught.value.diagnostics] == ["PTX307"]
    assert next(iter(option)) in caught.value.diagnostics[0].message


def test_lines_of_the_source() -> None:
    out = ptxlift.lift(
        kernel("st.global.u32 [%rd1], %r1;"), "sm_90", options=Options(debug_lines=True)
    )
    assert re.search(r"\.loc\s+1 \d+ \d+\s+st\.global", out.ptx)


def test_version_is_that_of_the_source_if_newer() -> None:
    text = kernel("").replace(".version 8.0", ".version 8.8")
    assert lifted(text).startswith(".version 8.8\n.target sm_90a\n")
    assert lifted(text, "sm_120").startswith(".version 8.8\n.target sm_120\n")
    assert lifted(kernel(""), "sm_120").startswith(".version 8.7\n.target sm_120\n")
