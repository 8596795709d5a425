"""Which files the command reads and writes, and what it says where it cannot."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command import EXAMPLES, SAXPY, ptxlift, refused

SECOND = EXAMPLES / "ptx" / "strided_copy.ptx"
NVCC = shutil.which("nvcc")


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# ---- inputs ----


def test_two_files_and_two_targets(tmp_path: Path) -> None:
    ended = ptxlift("lift", SAXPY, SECOND, "--target", "gfx942,gfx1100", "-o", tmp_path)
    assert ended.status == 0, ended.errors
    assert names(tmp_path) == [
        "saxpy.gfx1100.hsaco",
        "saxpy.gfx942.hsaco",
        "strided_copy.gfx1100.hsaco",
        "strided_copy.gfx942.hsaco",
    ]
    assert len(ended.text.splitlines()) == 4


def test_folder_keeps_its_shape(tmp_path: Path) -> None:
    for place in ("a/saxpy.ptx", "b/c/saxpy.ptx"):
        (tmp_path / "in" / place).parent.mkdir(parents=True)
        shutil.copy(SAXPY, tmp_path / "in" / place)
    (tmp_path / "in" / "notes.txt").write_text("not PTX")
    assert ptxlift("lift", tmp_path / "in", "-o", tmp_path / "out", "--emit", "ir").status == 0
    assert names(tmp_path / "out") == ["a/saxpy.gfx942.ir", "b/c/saxpy.gfx942.ir"]


def test_pattern(tmp_path: Path) -> None:
    pattern = EXAMPLES / "ptx" / "saxpy*.ptx"
    assert ptxlift("check", pattern).text.count("kernels can be translated") == 3


def test_same_name_twice_is_a_usage_error(tmp_path: Path) -> None:
    shutil.copy(SAXPY, tmp_path / "saxpy.ptx")
    ended = ptxlift("lift", SAXPY, tmp_path / "saxpy.ptx", "-o", tmp_path)
    assert ended.status == 2
    assert "would write the same output file" in ended.errors


@pytest.mark.parametrize("word", ["missing.ptx", "nothing*.ptx", "a\0b.ptx"])
def test_missing_inputs(word: str) -> None:
    ended = refused(ptxlift("lift", word))
    assert ended.codes() == ["PTX008"]
    assert "hint: " in ended.errors


def test_empty_folder(tmp_path: Path) -> None:
    assert refused(ptxlift("lift", tmp_path)).codes() == ["PTX008"]


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    bad = tmp_path / "bad.ptx"
    bad.write_text("nonsense")
    ended = refused(ptxlift("lift", bad, "gone.ptx", SAXPY, "-o", tmp_path / "out"))
    assert ended.codes() == ["PTX004", "PTX008"]
    assert names(tmp_path / "out") == ["saxpy.gfx942.hsaco"]


def test_errors_of_several_targets_are_said_once(tmp_path: Path) -> None:
    bad = tmp_path / "bad.ptx"
    bad.write_text("nonsense")
    ended = refused(ptxlift("lift", bad, "-t", "gfx942", "-t", "gfx1100", "-o", tmp_path))
    assert ended.codes() == ["PTX004"]


def test_several_modules_together(tmp_path: Path) -> None:
    header = ".version 8.0\n.target sm_80\n.address_size 64\n"
    (tmp_path / "main.ptx").write_text(
        header + ".extern .func f();\n.visible .entry k() { call f; ret; }\n"
    )
    (tmp_path / "part.ptx").write_text(header + ".visible .func f() { ret; }\n")
    files = (tmp_path / "main.ptx", tmp_path / "part.ptx")
    assert refused(ptxlift("lift", *files, "-o", tmp_path)).codes() == ["PTX111"]
    assert ptxlift("lift", "--together", *files, "-o", tmp_path / "out").status == 0
    assert names(tmp_path / "out") == ["main.gfx942.hsaco"]


# ---- containers ----


@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
def test_executables_and_fat_binaries(tmp_path: Path) -> None:
    source = tmp_path / "two.cu"
    source.write_text(
        "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }\n"
        "int main() { twice<<<1, 32>>>(nullptr); return 0; }\n"
    )
    architectures = []
    for number in ("80", "90"):
        architectures += ["-gencode", f"arch=compute_{number},code=compute_{number}"]
    for output, option in (("two.out", "--cudart=none"), ("two.fatbin", "-fatbin")):
        link = ["-c"] if output == "two.out" else []
        command = [NVCC or "", *architectures, option, *link, str(source), "-o"]
        subprocess.run([*command, str(tmp_path / output)], check=True)
        ended = ptxlift("extract", tmp_path / output)
        assert ended.text.count("sm_80") == 1 and ended.text.count("sm_90") == 1
        folder = tmp_path / output.replace(".", "_")
        assert ptxlift("lift", tmp_path / output, "-o", folder).status == 0
        assert names(folder) == ["two.gfx942.hsaco"]
    assert ptxlift("extract", tmp_path / "two.fatbin", "-o", tmp_path / "ptx").status == 0
    assert names(tmp_path / "ptx") == ["two.0.ptx", "two.1.ptx"]
    ended = ptxlift("run", tmp_path / "two.fatbin", "f32[32]=ones")
    assert ended.status == 0 and "2.0, 2.0" in ended.text


def test_extract_says_what_holds_no_ptx() -> None:
    ended = refused(ptxlift("extract", sys.executable))
    assert sys.executable in ended.errors and "holds no PTX" in ended.errors


# ---- outputs ----


def test_standard_output_is_the_code_object() -> None:
    ended = ptxlift("lift", "-", stdin=SAXPY.read_bytes())
    assert ended.status == 0
    assert ended.output.startswith(b"\x7fELF")


def test_output_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "one.hsaco"
    assert ptxlift("lift", SAXPY, "-o", path).status == 0
    assert path.read_bytes().startswith(b"\x7fELF")


@pytest.mark.parametrize(
    ("emit", "extension", "begins"),
    [
        ("hsaco", "hsaco", b"\x7fELF"),
        ("obj", "o", b"\x7fELF"),
        ("bc", "bc", b"BC\xc0\xde"),
        ("llvm", "ll", b"target triple"),
        ("asm", "s", b"\t"),
        ("ir", "ir", b""),
    ],
)
def test_everything_that_can_be_emitted(
    tmp_path: Path, emit: str, extension: str, begins: bytes
) -> None:
    assert ptxlift("lift", SAXPY, "--emit", emit, "-o", tmp_path).status == 0
    data = (tmp_path / f"saxpy.gfx942.{extension}").read_bytes()
    assert data.startswith(begins) and b"saxpy" in data


def test_unwritable_output(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    ended = refused(ptxlift("lift", SAXPY, "-o", tmp_path / "file" / "below"))
    assert ended.codes() == ["PTX308"]
    assert "hint: " in ended.errors


@pytest.mark.parametrize("output", ["-", "one.hsaco"])
def test_several_outputs_do_not_fit_one_place(output: str) -> None:
    assert ptxlift("lift", SAXPY, "-t", "gfx942,gfx1100", "-o", output).status == 2


# ---- kernels ----


def test_kernels_by_name(tmp_path: Path) -> None:
    header = ".version 8.0\n.target sm_80\n.address_size 64\n"
    text = header + ".visible .entry a() { ret; }\n.visible .entry b() { ret; }\n"
    ended = ptxlift("lift", "-", "-k", "b", "-o", tmp_path, "--emit", "llvm", stdin=text.encode())
    assert ended.status == 0
    made = (tmp_path / "stdin.gfx942.ll").read_text()
    assert "@b(" in made and "@a(" not in made
    ended = refused(ptxlift("lift", "-", "-k", "c", stdin=text.encode()))
    assert ended.codes() == ["PTX104"] and "kernels here: a, b" in ended.errors


def test_skipping_what_is_not_translated(tmp_path: Path) -> None:
    text = (
        b".version 8.6\n.target sm_100a\n.address_size 64\n"
        b".visible .entry good() { ret; }\n"
        b".visible .entry bad()\n{\n.reg .b32 %r<2>;\n"
        b"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;\nret;\n}\n"
    )
    assert refused(ptxlift("lift", "-", stdin=text)).codes() == ["PTX201"]
    ended = ptxlift("lift", "-", "--skip-unsupported", "-o", tmp_path, stdin=text)
    assert ended.status == 0 and ended.codes() == ["PTX201"]
    assert "1 kernel, 1 left out" in ended.text
    ended = ptxlift("check", "-", stdin=text)
    assert ended.status == 1 and "1 of 2 kernels" in ended.text and "not: bad" in ended.text


def test_remarks_and_the_rewritten_ir(tmp_path: Path) -> None:
    words = (
        "lift",
        EXAMPLES / "ptx" / "bit_tricks.ptx",
        "-t",
        "gfx942",
        "--emit",
        "rewritten",
        "-o",
        tmp_path,
        "--no-cache",
    )
    ended = ptxlift(*words, "--remarks")
    assert ended.status == 0
    assert "bit_tricks.ptx:44:2: remark[PTX208]: fold in bit_tricks: a constant" in ended.errors
    made = next(tmp_path.iterdir())
    assert made.name == "bit_tricks.gfx942.rewritten.ir"
    assert "remark" not in ptxlift(*words).errors
