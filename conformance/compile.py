"""CUDA sources become PTX: nvcc, one file at a time, kept by what went in.

Comes in: a source and options. Goes out: a PTX file in the scratch folder, or the compiler's first
complaint. It must know no package.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

TIME_LIMIT = 900  # seconds for one file


@dataclass(frozen=True, slots=True)
class Source:
    """One file to compile. name: what reports call it. flags: after `nvcc -ptx`."""

    name: str
    path: Path
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """A PTX file, or why there is none."""

    name: str
    path: Path
    problem: str = ""


def compiler_version() -> str:
    """The last line of what nvcc says of itself, or "" where there is none."""
    if shutil.which("nvcc") is None:
        return ""
    shown = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True)
    return shown.stdout.strip().splitlines()[-2]


def compile_source(source: Source, folder: Path) -> Made:
    """Runs nvcc unless the same source was compiled with the same options before."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{source.name}.ptx"
    key = folder / f"{source.name}.key"
    wanted = _key(source)
    if key.exists() and key.read_text().splitlines()[:1] == [wanted]:
        return Made(source.name, path, "\n".join(key.read_text().splitlines()[1:]))
    unfinished = path.with_suffix(".new")
    command = ["nvcc", "-ptx", *source.flags, str(source.path), "-o", str(unfinished)]
    problem = _run(command, source.path.parent)
    if problem:
        path.unlink(missing_ok=True)
    else:
        unfinished.rename(path)
    key.write_text(f"{wanted}\n{problem}")
    return Made(source.name, path, problem)


def _key(source: Source) -> str:
    parts = [" ".join(source.flags).encode(), source.path.read_bytes()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:24]


def _run(command: list[str], folder: Path) -> str:
    """Empty if it worked, else the first error that the compiler wrote."""
    environment = os.environ | {"NVCC_APPEND_FLAGS": ""}
    try:
        made = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIME_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"the compiler ran longer than {TIME_LIMIT} s"
    if made.returncode == 0:
        return ""
    lines = [line for line in made.stderr.splitlines() if "error" in line.lower()]
    return (lines or made.stderr.splitlines() or ["no message"])[0][-200:]
