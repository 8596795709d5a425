"""Text for older LLVMs: LLVM 19's own tools take it, and it still means the same."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from catalogue import CHAPTERS
from inline_harness import chapter_module, emulate, expected, load_chapter
from test_inline_catalogue import agree

import ptxlift

OPT, LLC = shutil.which("opt-19"), shutil.which("llc-19")
TARGETS = ("gfx900", "gfx942", "gfx1100", "gfx1201")
NUMBERS = ("halves", "floats")  # the chapters that need other words for an older LLVM


def run(*command: str | Path | None) -> str:
    result = subprocess.run(command, capture_output=True, text=True)  # type: ignore[arg-type]
    assert result.returncode == 0, result.stderr[:2000]
    return result.stdout


@pytest.mark.sampled(14)
@pytest.mark.skipif(not OPT or not LLC, reason="LLVM 19's tools are not installed")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_llvm_19_compiles_it(chapter: str, target: str, tmp_path: Path) -> None:
    source, middle = tmp_path / "a.ll", tmp_path / "b.ll"
    source.write_text(chapter_module(chapter, target, 19), "utf-8")
    chip = ("-mtriple=amdgcn-amd-amdhsa", f"-mcpu={target}")
    run(OPT, "-S", "-O1", *chip, source, "-o", middle)
    text = run(LLC, *chip, middle, "-o", "-")
    assert set(re.findall(r"\bllvm\.[\w.]+", text)) == set(), "intrinsics it does not know"


@pytest.mark.parametrize("version", (17, 19))
@pytest.mark.parametrize("chapter", NUMBERS)
def test_older_words_mean_the_same(chapter: str, version: int) -> None:
    image = load_chapter(chapter, "gfx942", version)
    for entry in CHAPTERS[chapter]:
        if entry.check is None:
            agree(entry, emulate(image, entry), expected(entry))


def test_what_has_no_older_words_is_refused() -> None:
    with pytest.raises(ptxlift.PtxError, match=r"bitop3.*LLVM has since version 20"):
        ptxlift.raise_inline_asm(
            "lop3.b32 %0, %1, %2, %3, 0x96;", "=r,r,r,r", ["i32"] * 4,
            target="gfx950", llvm_version=19,
        )  # fmt: skip


@pytest.mark.parametrize("version", (16, 23, "19", None))
def test_unknown_versions_are_refused(version: object) -> None:
    with pytest.raises(ptxlift.PtxError, match="llvm_version"):
        ptxlift.raise_inline_asm(
            "", "", [], target="gfx942", llvm_version=version,  # type: ignore[arg-type]
        )  # fmt: skip
