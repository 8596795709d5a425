"""The grammar's tables on disk: used when whole, rebuilt when damaged, never needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FILES = 2  # the tables, and the looks of usual statements
SCRIPT = """
from ptxlift.syntax import parse
module = parse(".version 9.0\\n.target sm_90\\n.entry k() { add.s32 a, b, 1; ret; }")
print(len(module.items[0].body.statements))
"""


def start(folder: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder)}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT], env=environment, stdout=pipe, stderr=pipe, text=True
    )


def run(folder: Path) -> tuple[str, str]:
    return start(folder).communicate()


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_written_once_and_used(tmp_path: Path) -> None:
    assert run(tmp_path) == ("2\n", "")
    written = [cache.stat().st_mtime_ns for cache in files(tmp_path)]
    assert len(written) == FILES
    assert run(tmp_path) == ("2\n", "")
    assert [cache.stat().st_mtime_ns for cache in files(tmp_path)] == written


def test_damage_is_repaired(tmp_path: Path) -> None:
    run(tmp_path)
    wholes = {cache: cache.read_bytes() for cache in files(tmp_path)}
    for parts in (0, 2):
        for cache, whole in wholes.items():
            cache.write_bytes(whole[: len(whole) // parts] if parts else b"nonsense")
        assert run(tmp_path) == ("2\n", "")
        assert all(len(cache.read_bytes()) > 0.9 * len(whole) for cache, whole in wholes.items())


def test_no_place_to_write(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert run(blocked) == ("2\n", "")


def test_many_processes_at_once(tmp_path: Path) -> None:
    processes = [start(tmp_path) for _ in range(4)]
    assert [process.communicate() for process in processes] == [("2\n", "")] * 4
    assert len(files(tmp_path)) == FILES
