"""What `lift` writes besides code objects: bundles, manifests, headers, depfiles."""

from __future__ import annotations

import hashlib
import json
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import EXAMPLES, SAXPY, ptxlift
from schema import problems

from ptxlift import Texture, lift
from ptxlift.cli.emit import DEFAULT, KINDS
from ptxlift.link import read_code_object
from ptxlift.link.bundle import read_bundle
from ptxlift.runtime.image_memory import placed_levels
from ptxlift.runtime.image_objects import software_object
from ptxlift.runtime.placed_images import PlacedImage

HERE = Path(__file__).parent
SCHEMA = json.loads((HERE.parents[2] / "docs" / "manifest.schema.json").read_text())
HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"
ODD = (
    HEADER
    + """.visible .entry odd$name(
    .param .u8 for, .param .align 4 .b8 block[12], .param .f64 odd_param_2,
    .param .s32 n, .param .u64 p)
{ .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], 1; ret; }
.visible .entry odd_name() { ret; }
.visible .entry apart(.param .u64 out)
{ .reg .pred %p; .reg .b32 %r<2>; .reg .b64 %rd<2>; .shared .b32 s;
  mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 32; @%p bra L; bar.sync 1, 32; L:
  ret; }
"""
)
BUNDLER = shutil.which("clang-offload-bundler-19") or shutil.which("clang-offload-bundler")


def manifest_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    assert problems(found, SCHEMA, SCHEMA) == []
    return found


def test_a_bundle_for_several_targets(tmp_path: Path) -> None:
    targets = ["gfx942:xnack-", "gfx1100", "gfx90a"]
    path = tmp_path / "saxpy.hipfb"
    ptxlift("lift", SAXPY, "-t", ",".join(targets), "--emit", "bundle", "-o", path)
    entries = read_bundle(path.read_bytes())
    assert [entry.id for entry in entries] == [
        "host-x86_64-unknown-linux-gnu-",
        *(f"hipv4-amdgcn-amd-amdhsa--{target}" for target in targets),
    ]
    for entry, target in zip(entries[1:], targets, strict=True):
        assert entry.data == lift(SAXPY.read_bytes(), target).code_object
    assert not entries[0].data


@pytest.mark.skipif(BUNDLER is None, reason="needs clang-offload-bundler")
def test_clang_reads_the_bundle(tmp_path: Path) -> None:
    path, one = tmp_path / "saxpy.hipfb", tmp_path / "one.hsaco"
    ptxlift("lift", SAXPY, "-t", "gfx942,gfx1100", "--emit", "bundle", "-o", path)
    listed = subprocess.run(
        [str(BUNDLER), "--list", "--type=o", f"--input={path}"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert "hipv4-amdgcn-amd-amdhsa--gfx1100" in listed and len(listed) == 3
    subprocess.run(
        [
            str(BUNDLER), "--unbundle", "--type=o", f"--input={path}", f"--output={one}",
            "--targets=hipv4-amdgcn-amd-amdhsa--gfx1100",
        ],
        check=True,
    )  # fmt: skip
    assert one.read_bytes() == lift(SAXPY.read_bytes(), "gfx1100").code_object


def test_several_kinds_and_a_manifest(tmp_path: Path) -> None:
    kinds = {"hsaco": "hsaco", "asm": "s", "llvm": "ll", "ir": "ir", "obj": "o", "bc": "bc"}
    words = ("-t", "gfx942,gfx1100", "--emit", "hsaco,asm,llvm", "--emit", "ir,obj,bc,bundle")
    ptxlift("lift", SAXPY, *words, "-o", tmp_path, "--manifest", tmp_path / "m.json")
    found = manifest_of(tmp_path / "m.json")
    (program,) = found["programs"]
    source = SAXPY.read_bytes()
    assert program["sources"] == [
        {"name": str(SAXPY), "sha256": hashlib.sha256(source).hexdigest(), "size": len(source)}
    ]
    for target, facts in program["targets"].items():
        assert [(o["kind"], o["path"]) for o in facts["outputs"]] == [
            (kind, str(tmp_path / f"saxpy.{target}.{extension}"))
            for kind, extension in kinds.items()
        ]
        made = lift(source, target)
        (kernel,) = facts["kernels"]
        params = [(p["name"], p["type"], p["offset"], p["size"]) for p in kernel["parameters"]]
        wanted = made.kernels[kernel["name"]]
        assert params == [(p.name, p.type, p.offset, p.size) for p in wanted.params]
        (described,) = read_code_object((tmp_path / f"saxpy.{target}.hsaco").read_bytes()).kernels
        for name in ("vgprs", "sgprs", "shared_bytes", "private_bytes", "code_bytes", "wave_size"):
            assert kernel["resources"][name] == getattr(described, name)
    outputs = [o for facts in program["targets"].values() for o in facts["outputs"]]
    for output in [*outputs, *program["outputs"]]:
        data = Path(output["path"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (output["bytes"], output["sha256"])
    assert (tmp_path / "saxpy.gfx942.bc").read_bytes()[:2] == b"BC"
    assert "s_endpgm" in (tmp_path / "saxpy.gfx942.s").read_text()


def test_a_manifest_of_failures(tmp_path: Path) -> None:
    text = HEADER + ".visible .entry good() { ret; }\n.visible .entry bad() { addd; }\n"
    (tmp_path / "bad.ptx").write_text(text)
    (tmp_path / "good.ptx").write_text(HEADER + ".visible .entry good() { ret; }\n")
    words = ("lift", tmp_path, "-o", tmp_path / "out", "--manifest", tmp_path / "m.json")
    assert ptxlift(*words).status == 1
    bad, good = manifest_of(tmp_path / "m.json")["programs"]
    facts = bad["targets"]["gfx942"]
    assert not facts["ok"] and not facts["outputs"] and good["targets"]["gfx942"]["ok"]
    (diagnostic,) = facts["diagnostics"]
    assert diagnostic["code"] == "PTX101" and diagnostic["place"] == {
        "source": str(tmp_path / "bad.ptx"), "line": 5, "column": 25, "end_line": 5,
        "end_column": diagnostic["place"]["end_column"],
    }  # fmt: skip


def test_emit_names_nothing_unknown() -> None:
    ended = ptxlift("lift", SAXPY, "--emit", "hsaco,exe")
    assert ended.status == 2 and "'exe'" in ended.errors and "bundle" in ended.errors


def test_name_is_for_one_program(tmp_path: Path) -> None:
    ptxlift("lift", SAXPY, "--name", "mine", "-o", tmp_path)
    assert (tmp_path / "mine.gfx942.hsaco").exists()
    assert ptxlift("lift", EXAMPLES / "ptx", "--name", "mine", "-o", tmp_path).status == 2


# ---- headers ----


def _header(tmp_path: Path, text: str, targets: str = "gfx942,gfx1100") -> None:
    (tmp_path / "odd.ptx").write_text(text)
    ended = ptxlift(
        "lift", tmp_path / "odd.ptx", "-t", targets, "--emit", "header", "-o", tmp_path / "odd.h"
    )
    assert ended.status == 0, ended.errors
    (tmp_path / "hip").mkdir(exist_ok=True)
    shutil.copy(HERE / "hip_stub.h", tmp_path / "hip" / "hip_runtime_api.h")


def _built_and_run(tmp_path: Path, compiler: str, code: str) -> list[str]:
    suffix = "c" if compiler == "gcc" else "cpp"
    (tmp_path / f"main.{suffix}").write_text(f'#include "odd.h"\n#include "odd.h"\n{code}')
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
    files = ["-I", tmp_path, "-o", tmp_path / "main", tmp_path / f"main.{suffix}"]
    subprocess.run([compiler, *warnings, *files], check=True)
    ran = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()


_ARGUMENTS = (
    struct.pack("<B3x", 5) + bytes(range(12)) + struct.pack("<d", 0.5) + struct.pack("<i4x", -2)
    + struct.pack("<Q", 0x1234)
)  # fmt: skip
_CALLS = """
int main(void) {
    unsigned char block[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    hipFunction_t function;
    dim3 grid = {2, 3, 4}, threads = {32, 2, 1}, large = {1024, 1, 1};
    if (odd_name_load((hipModule_t)5, &function) != hipSuccess) return 1;
    if (odd_name_launch(function, grid, threads, 16, (hipStream_t)9, 5, block, 0.5, -2, %s))
        return 2;
    if (odd_name_1_launch(function, grid, large, 0, 0)) return 3;
    if (apart_launch(function, grid, threads, 0, 0, 1)) return 4;
    if (apart_launch(function, grid, large, 0, 0, 1) != hipErrorInvalidConfiguration) return 5;
    hip_stub_wave = 32;
    if (apart_launch(function, grid, large, 0, 0, 1)) return 6;
    return 0;
}
"""


@pytest.mark.parametrize(
    ("compiler", "pointer"), [("gcc", "0x1234"), ("g++", "(int *)0x1234"), ("g++", "0x1234")]
)
def test_launch_helpers(tmp_path: Path, compiler: str, pointer: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    _header(tmp_path, ODD)
    assert _built_and_run(tmp_path, compiler, _CALLS % pointer) == [
        "get 5 odd$name",
        f"launch 7 grid 2 3 4 block 32 2 1 shared 16 stream 9 args {_ARGUMENTS.hex()}",
        "launch 7 grid 2 3 4 block 1024 1 1 shared 0 stream 0 args ",
        f"launch 7 grid 2 3 4 block 64 2 1 shared 0 stream 0 args {struct.pack('<Q', 1).hex()}",
        f"launch 7 grid 2 3 4 block 1024 1 1 shared 0 stream 0 args {struct.pack('<Q', 1).hex()}",
    ]


_IMAGES = """
#include <stdio.h>
int main(void) {
    uint32_t format = ptxlift_image_format(1, PTXLIFT_SIGNED, 1, 2), sampler =
        PTXLIFT_ADDRESS_MIRROR << PTXLIFT_ADDRESS_0 | PTXLIFT_ADDRESS_CLAMP << PTXLIFT_ADDRESS_1 |
        PTXLIFT_ADDRESS_CLAMP << PTXLIFT_ADDRESS_2 | 1 << PTXLIFT_LINEAR;
    ptxlift_image image = ptxlift_image_of(%s, 5, 3, 1, 7, format, 256, 768, sampler);
    int i;
    for (i = 0; i < 20; ++i) printf("%%u\\n", (unsigned)image.dword[i]);
    if (sees_launch(0, (dim3){1, 1, 1}, (dim3){1, 1, 1}, 0, 0, 0x55)) return 1;
    return 0;
}
"""


def test_a_header_describes_textures(tmp_path: Path) -> None:
    """The object that C makes is the one that `ptxlift.Texture` makes."""
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc")
    _header(tmp_path, HEADER + ".visible .entry sees(.param .texref t) { ret; }\n")
    *words, launch = _built_and_run(tmp_path, "gcc", _IMAGES % "0x730000000100")
    texture = Texture(
        np.zeros((7, 3, 5, 2), np.int16), "a2d", address_mode=("mirror", "clamp", "clamp"),
        filter_mode="linear", normalized=True, normalized_float=True,
    )  # fmt: skip
    memory = np.zeros(7 * 768, np.uint8)
    placed = PlacedImage(texture, placed_levels(texture, None), memory, 0x730000000100)
    assert [int(word) for word in words] == software_object(placed, texture, 0)
    assert launch.endswith(struct.pack("<Q", 0x55).hex())


# ---- builds ----


def test_a_depfile_says_what_an_output_depends_on(tmp_path: Path) -> None:
    source = tmp_path / "a b$#.ptx"
    source.write_text(HEADER + ".visible .entry k() { ret; }\n")
    path = tmp_path / "k.d"
    ptxlift("lift", source, "-t", "gfx942,gfx1100", "-o", tmp_path, "--depfile", path)
    text = path.read_text()
    assert text.count("\n") == 2 and text.endswith("a\\ b$$\\#.ptx\n")
    if shutil.which("make") is None:
        pytest.skip("needs make")
    rules = f"include {path}\n%.hsaco:\n\t@echo again\n"
    (tmp_path / "Makefile").write_text(rules)
    output = tmp_path / "a b$#.gfx942.hsaco"
    assert output.exists()
    clean = subprocess.run(["make", "-s", "-C", tmp_path], capture_output=True, text=True)
    assert clean.returncode == 0 and "again" not in clean.stdout
    source.touch()
    once = subprocess.run(["make", "-s", "-C", tmp_path], capture_output=True, text=True)
    assert "again" in once.stdout, once.stderr


_CMAKE = """
cmake_minimum_required(VERSION 3.20)
project(example LANGUAGES CXX)
find_package(ptxlift REQUIRED)
ptxlift_add_module(my-kernels SOURCES saxpy.ptx TARGETS gfx942 gfx1100 OPTIONS --no-cache -O1)
get_target_property(bundle my-kernels PTXLIFT_BUNDLE)
message(STATUS "bundle is ${bundle}")
add_executable(main main.cpp)
target_include_directories(main PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(main PRIVATE my-kernels)
"""
_MAIN = """
#include "my-kernels.h"
int main() { puts(my_kernels_BUNDLE); hipFunction_t f; return saxpy_load(0, &f); }
"""


@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_cmake(tmp_path: Path, generator: str, request: pytest.FixtureRequest) -> None:
    tool = "ninja" if generator == "Ninja" else "make"
    if not all(map(shutil.which, ("cmake", tool, "g++"))):
        pytest.skip(f"needs cmake, {tool} and g++")
    shutil.copy(SAXPY, tmp_path / "saxpy.ptx")
    (tmp_path / "hip").mkdir()
    shutil.copy(HERE / "hip_stub.h", tmp_path / "hip" / "hip_runtime_api.h")
    (tmp_path / "CMakeLists.txt").write_text(_CMAKE)
    (tmp_path / "main.cpp").write_text(_MAIN)
    folder = ptxlift("cmake").text.strip()
    build = tmp_path / "build"
    script = tmp_path / "ptxlift"
    script.write_text(_wrapper())
    script.chmod(0o755)
    made = _cmake(
        "-S", tmp_path, "-B", build, "-G", generator, f"-Dptxlift_DIR={folder}",
        f"-DPTXLIFT_EXECUTABLE={script}",
    )  # fmt: skip
    bundle = build / "my-kernels.ptxlift" / "my-kernels.hipfb"
    assert f"bundle is {bundle}" in made
    _cmake("--build", build)
    assert len(read_bundle(bundle.read_bytes())) == 3
    manifest_of(bundle.with_suffix(".json"))
    ran = subprocess.run([build / "main"], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [str(bundle), "get 0 saxpy"]
    first = bundle.stat().st_mtime_ns
    _cmake("--build", build)
    assert bundle.stat().st_mtime_ns == first  # nothing changed
    text = (tmp_path / "saxpy.ptx").read_text()
    (tmp_path / "saxpy.ptx").write_text(text + "// changed\n")
    _cmake("--build", build)
    assert bundle.stat().st_mtime_ns != first


def _cmake(*words: object) -> str:
    made = subprocess.run(["cmake", *map(str, words)], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    return made.stdout


def _wrapper() -> str:
    import sys

    return f'#!/bin/sh\nexec "{sys.executable}" -m ptxlift "$@"\n'


def test_the_schema_knows_every_kind() -> None:
    assert set(SCHEMA["$defs"]["output"]["properties"]["kind"]["enum"]) == set(KINDS) - {DEFAULT}
