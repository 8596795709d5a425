"""NVIDIA's own tools on the catalogue: nvcc takes every statement, ptxas every reference."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from catalogue import CHAPTERS
from catalogue.model import Entry, kind_of
from inline_harness import reference_module

NVCC, PTXAS = shutil.which("nvcc"), shutil.which("ptxas")
OURS = ("no_semicolon",)  # nvcc wants the last `;`, others do not
TYPES = {
    "h": "unsigned short", "r": "unsigned", "l": "unsigned long long", "f": "float", "d": "double",
}  # fmt: skip


def quoted(text: str) -> str:
    """A C string; JSON's escapes are C's."""
    return json.dumps(text)


def function(entry: Entry, number: int) -> str:
    """A device function that holds the statement; outputs go through references."""
    parameters, outputs, inputs, before = [], [], [], ""
    for n, operand in enumerate(entry.operands):
        kind = kind_of(operand)
        if kind is None:
            if isinstance(operand, int):
                inputs.append(f'"n"({operand})')
            else:
                before += f"static constexpr char text{n}[] = {quoted(operand)}; "
                inputs.append(f'"C"(text{n})')
            continue
        prefix = str(operand)[0] if str(operand)[0] in "=+" else ""
        parameters.append(f"{TYPES[kind.letter]} {'&' if prefix else ''}x{n}")
        (outputs if prefix else inputs).append(f'"{prefix}{kind.letter}"(x{n})')
    word = "asm volatile" if entry.volatile else "asm"
    clobbers = ", ".join(f'"{clobber}"' for clobber in entry.clobbers)
    statement = f"{word}({quoted(entry.template)} : {', '.join(outputs)} : {', '.join(inputs)}"
    statement += f" : {clobbers});" if clobbers else ");"
    head = f'extern "C" __device__ __noinline__ void f{number}({", ".join(parameters)})'
    return f"{head} {{ {before}{statement} }}\n"


@pytest.mark.slow
@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nvcc_takes_every_statement(chapter: str, tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    entries = [e for e in CHAPTERS[chapter] if not e.reference and e.name not in OURS]
    functions = [function(entry, n) for n, entry in enumerate(entries)]
    source.write_text("".join(functions), "utf-8")
    command = [str(NVCC), "-arch=sm_90a", "-std=c++17", "-rdc=true", "-ptx", "-o"]
    result = subprocess.run([*command, tmp_path / "a.ptx", source], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[:2000]


@pytest.mark.skipif(PTXAS is None, reason="ptxas is not installed")
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_ptxas_takes_every_reference(chapter: str, tmp_path: Path) -> None:
    source = tmp_path / "a.ptx"
    source.write_text(reference_module(chapter), "utf-8")
    command = [str(PTXAS), "-arch=sm_90a", "-o", tmp_path / "a.cubin", source]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[:2000]
