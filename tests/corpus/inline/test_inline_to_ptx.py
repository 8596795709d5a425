"""Every catalogue entry raised for an NVIDIA target: LLVM's PTX means what the statement means."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from catalogue import CHAPTERS
from catalogue.model import Entry
from inline_harness import interpret, interpret_raised, nvidia_module, nvidia_ptx
from test_inline_catalogue import ALL, IDS, agree, judge

PTXAS, LLC = shutil.which("ptxas"), shutil.which("llc-19")
TARGET = "sm_90a"


@pytest.mark.parametrize(("chapter", "entry"), ALL, ids=IDS)
def test_raised_ptx_gives_what_the_author_expects(chapter: str, entry: Entry) -> None:
    found = interpret_raised(chapter, entry, TARGET)
    judge(entry, found)
    if entry.check is None:
        agree(entry, found, interpret(chapter, entry))


@pytest.mark.skipif(not PTXAS, reason="ptxas is not installed")
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_ptxas_takes_it(chapter: str, tmp_path: Path) -> None:
    source = tmp_path / "a.ptx"
    source.write_text(nvidia_ptx(chapter, TARGET))
    command = [str(PTXAS), "-arch", TARGET, "-O0", "-o", str(tmp_path / "a.cubin"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout


@pytest.mark.skipif(not LLC, reason="LLVM 19's tools are not installed")
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_llvm_19_compiles_it(chapter: str, tmp_path: Path) -> None:
    source = tmp_path / "a.ll"
    text = nvidia_module(chapter, TARGET, 19).replace("define ptx_kernel", "define")
    lines = [line for line in text.splitlines() if not line.startswith("target datalayout")]
    source.write_text("\n".join(lines))
    command = [str(LLC), "-mcpu=sm_90a", "-mattr=+ptx83", str(source), "-o", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
