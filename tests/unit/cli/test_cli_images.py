"""Executables with several images: the best of each kernel, in one code object a program."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from command import ptxlift, refused

from ptxlift import extract, lift, run
from ptxlift.driver.images import Image
from ptxlift.link.bundle import read_bundle
from ptxlift.link.metadata import read_code_object

NVCC = shutil.which("nvcc")
HEAD = ".version 8.6\n.target {}\n.address_size 64\n"
CUDA = r"""
__device__ int counter = 5;
static __device__ int hidden = 7;
extern "C" __global__ void add(int *p) { *p = ++counter + hidden; }
extern "C" __global__ void only(int *p) {
#if __CUDA_ARCH__ >= 900
  asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
               "aligned [%0], [%1], 128;" :: "l"(p), "r"(0));
#endif
  *p = ++counter + ++hidden + 100;
}
int main() { return 0; }
"""
OTHER = r"""
static __device__ int hidden = 1;
extern "C" __global__ void other(int *p) { *p = hidden++; }
"""
ARCHITECTURES = [
    "-gencode", "arch=compute_80,code=[sm_80,compute_80]",
    "-gencode", "arch=compute_90,code=[sm_90,compute_90]",
]  # fmt: skip
_COMPRESSED = {"compressed": "size", "plain": "none"}


def container(*members: tuple[int, int, bytes]) -> bytes:
    """A fat binary with (kind, architecture, payload) members."""
    body = b""
    for kind, arch, data in members:
        data += bytes(-len(data) % 8)
        head = struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(data), 0, 0, 0, 0, arch, 0, 0,
                           0, 0, 0)  # fmt: skip
        body += head.ljust(64, b"\0") + data
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


@pytest.mark.skipif(NVCC is None, reason="needs nvcc")
@pytest.mark.parametrize("compression", list(_COMPRESSED))
def test_an_executable_with_one_command(tmp_path: Path, compression: str) -> None:
    (tmp_path / "two.cu").write_text(CUDA)
    (tmp_path / "other.cu").write_text(OTHER)
    mode = f"--compress-mode={_COMPRESSED[compression]}"
    sources = ["two.cu", "other.cu", "-o", "app"]
    subprocess.run([NVCC or "", *ARCHITECTURES, mode, *sources], check=True, cwd=tmp_path)
    words = ("lift", tmp_path / "app", "-t", "gfx942,gfx1100", "--emit", "bundle", "-o", tmp_path)
    ended = ptxlift(*words, "--manifest", tmp_path / "m.json")
    assert ended.status == 0, ended.errors
    assert "warning" not in ended.errors
    assert ended.errors.count("remark[PTX209]") == 1 and "tensormap" in ended.errors
    two, other = json.loads((tmp_path / "m.json").read_text())["programs"]
    for program, kernels in ((two, {"add", "only"}), (other, {"other"})):
        (output,) = program["outputs"]
        entries = read_bundle(Path(output["path"]).read_bytes())[1:]
        assert [entry.target_id for entry in entries] == ["gfx942", "gfx1100"]
        for entry in entries:
            described = read_code_object(entry.data)
            assert {kernel.name for kernel in described.kernels} == kernels
            facts = program["targets"][entry.target_id]
            assert {kernel["name"] for kernel in facts["kernels"]} == kernels
        assert len(program["sources"]) == 2
    assert len(extract(tmp_path / "app")) == 4


def _image(arch: str, text: str) -> str:
    return HEAD.format(arch) + text


_SHARED = ".visible .global .u32 counter = 5;\n.global .u32 hidden = 7;\n"
_HELPER = ".func (.reg .b32 d) f() {{ mov.u32 d, {}; ret; }}\n"
_KERNEL = """.visible .entry {name}(.param .u64 out) {{
.reg .b32 %r<4>; .reg .b64 %rd<2>;
{first}
ld.param.u64 %rd1, [out]; call (%r3), f;
ld.global.u32 %r1, [counter]; add.u32 %r1, %r1, 1; st.global.u32 [counter], %r1;
ld.global.u32 %r2, [hidden]; add.u32 %r2, %r2, 1; st.global.u32 [hidden], %r2;
mad.lo.u32 %r1, %r1, 1000, %r2; add.u32 %r1, %r1, %r3; st.global.u32 [%rd1], %r1; ret; }}
"""
_TOO_NEW = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;"
_LARGE = ".shared .b8 tile[100000]; ld.shared.u32 %r1, [tile]; st.shared.u32 [tile+99996], %r1;"


def _pair(first: str, newest: str = "sm_100a") -> tuple[Image, Image]:
    a, b = _KERNEL.format(name="a", first=""), _KERNEL.format(name="b", first="")
    bad = _KERNEL.format(name="b", first=first)
    new = _image(newest, _SHARED + _HELPER.format(10000000) + a + bad)
    old = _image("sm_80", _SHARED + _HELPER.format(20000000) + a + b)
    return Image("new", new), Image("old", old)


@pytest.mark.parametrize("first", [_TOO_NEW, _LARGE], ids=["front end", "target"])
def test_a_kernel_of_an_older_image_shares_the_memory_of_the_others(first: str) -> None:
    new, old = _pair(first)
    program = lift(new.text, "gfx942", name=new.name, older=[[old]])
    from ptxlift import load

    loaded = load(program)
    seen = []
    for kernel in ("a", "b", "a"):
        out = np.zeros(1, np.uint32)
        loaded.launch(kernel, 1, 1, [out])
        seen.append(int(out[0]))
    assert seen == [10006008, 20007009, 10008010]  # one counter, one `hidden`, two functions `f`
    assert int(loaded.symbol("counter").array.view(np.uint32)[0]) == 8
    assert [d.code for d in program.diagnostics] == ["PTX209"]
    assert "kernel b is taken from an older image" in program.diagnostics[0].message


def test_another_target_takes_the_newest_again() -> None:
    new, old = _pair(_LARGE)
    small = lift(new.text, "gfx942", name=new.name, older=[[old]])
    assert small.code_object and "[100000 x i8]" not in small.llvm_ir
    large = small.for_target("gfx950")
    assert "[100000 x i8]" in large.llvm_ir and not large.diagnostics
    again = large.for_target("gfx1100")
    assert again.code_object == lift(new.text, "gfx1100", name="new", older=[[old]]).code_object


def test_an_image_that_cannot_be_read_is_passed_over() -> None:
    _, old = _pair("")
    program = lift(_image("sm_90", "nonsense;"), older=[[old]], name="new")
    assert set(program.kernels) == {"a", "b"}
    assert [(d.code, d.severity.value) for d in program.diagnostics] == [("PTX001", "warning")]


def test_kernels_that_only_an_older_image_has() -> None:
    both = _image("sm_80", ".visible .entry a() { ret; }\n.visible .entry b() { ret; }\n")
    newest = _image("sm_90", ".visible .entry a() { ret; }\n")
    program = lift(newest, older=[[Image("old", both)]])
    assert set(program.kernels) == {"a", "b"} and program.code_object


def test_what_no_image_can_do_is_said_of_the_newest() -> None:
    bad = _KERNEL.format(name="b", first=_TOO_NEW)
    texts = [_image(a, _SHARED + _HELPER.format(1) + bad) for a in ("sm_100a", "sm_100f")]
    from ptxlift import PtxError

    with pytest.raises(PtxError) as caught:
        lift(texts[0], name="new", older=[[Image("old", texts[1])]])
    (found,) = caught.value.diagnostics
    assert found.code == "PTX201" and found.span is not None and found.span.source.name == "new"


def test_variables_that_differ_between_images() -> None:
    new, old = _pair(_TOO_NEW)
    assert isinstance(old.text, str)
    other = Image("old", old.text.replace(".u32 counter", ".u32 counter[2]").replace("= 5", ""))
    from ptxlift import PtxError

    with pytest.raises(PtxError, match="PTX201"):
        lift(new.text, older=[[other]])


def test_images_of_one_architecture_are_programs_of_their_own(tmp_path: Path) -> None:
    texts = [_image("sm_80", f".visible .entry k{n}() {{ ret; }}\n").encode() for n in range(2)]
    path = tmp_path / "two.fatbin"
    path.write_bytes(container(*((1, 80, text) for text in texts)))
    assert ptxlift("lift", path, "-o", tmp_path / "out").status == 0
    names = sorted(p.name for p in (tmp_path / "out").iterdir())
    assert names == ["two.0.gfx942.hsaco", "two.1.gfx942.hsaco"]


def test_machine_code_without_ptx_is_named(tmp_path: Path) -> None:
    text = _image("sm_80", ".visible .entry k() { ret; }\n").encode()
    path = tmp_path / "mixed"
    cubin = b"\x7fELF\0.text.k\0"
    code = container((2, 75, cubin), (2, 86, cubin)) + container((2, 90, b"\x7fELF of no kernel"))
    path.write_bytes(b"\x7fELF" + bytes(60) + container((1, 80, text)) + code)
    for command in ("lift", "extract"):
        ended = ptxlift(command, path, *(["-o", tmp_path / "out"] if command == "lift" else []))
        assert ended.status == 0
        assert "warning[PTX003]" in ended.errors and "sm_75, sm_86 without PTX" in ended.errors
        assert "sm_90" not in ended.errors  # as nvcc's linker leaves it
    path.write_bytes(code)
    assert (
        "machine code for sm_75, sm_86, sm_90 and no PTX" in refused(ptxlift("lift", path)).errors
    )


def test_run_takes_the_newest(tmp_path: Path) -> None:
    new, old = _pair(_TOO_NEW)
    assert isinstance(new.text, str) and isinstance(old.text, str)
    path = tmp_path / "k.fatbin"
    path.write_bytes(container((1, 80, old.text.encode()), (1, 100, new.text.encode())))
    out = np.zeros(1, np.uint32)
    run(lift(new.text, older=[[old]]), "a", 1, 1, [out])
    assert f"{out[0]}\n" in ptxlift("run", path, "u32[1]=zeros", "-k", "a", "-b", "1").text
