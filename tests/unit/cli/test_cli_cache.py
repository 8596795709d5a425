"""The command with its cache: the same bytes with and without, after a kill, at any -j."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import SAXPY, ptxlift, refused

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"


def _text(number: int) -> str:
    body = f"ld.param.u64 %rd1, [p];\nst.global.u32 [%rd1], {number};\nret;"
    return f"{HEADER}.visible .entry k{number}(.param .u64 p)\n{{ .reg .b64 %rd<2>;\n{body} }}\n"


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    folder = tmp_path / "ptx"
    folder.mkdir()
    for number in range(6):
        (folder / f"file{number:02}.ptx").write_text(_text(number))
    return folder


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_second_run_takes_everything_from_the_cache(
    programs: Path, tmp_path: Path, own_cache: Path
) -> None:
    words = ("lift", programs, "-t", "gfx942", "-o")
    first = ptxlift(*words, tmp_path / "one")
    second = ptxlift(*words, tmp_path / "two")
    third = ptxlift(*words, tmp_path / "three", "--no-cache")
    assert "from the cache" not in first.errors + third.errors
    assert "6 from the cache" in second.errors
    assert _files(tmp_path / "one") == _files(tmp_path / "two") == _files(tmp_path / "three")
    shown = ptxlift("cache").text.split()
    assert shown[1] == str(own_cache) and shown[3] == "6"
    assert "6 entries, all whole" in ptxlift("cache", "verify").text
    assert "removed 6 entries" in ptxlift("cache", "clear").text


def test_a_damaged_entry_is_shown_and_replaced(tmp_path: Path) -> None:
    store = tmp_path / "cache"
    words = ("lift", SAXPY, "-o", tmp_path / "a.hsaco", "--cache-dir", store)
    ptxlift(*words)
    (entry,) = store.glob("*/*.entry")
    entry.write_bytes(entry.read_bytes()[:-3])
    verified = ptxlift("cache", "verify", "--cache-dir", store)
    assert verified.status == 1 and str(entry) in verified.text
    before = (tmp_path / "a.hsaco").read_bytes()
    ptxlift(*words)
    assert (tmp_path / "a.hsaco").read_bytes() == before
    assert ptxlift("cache", "verify", "--cache-dir", store).status == 0


def test_a_cache_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = refused(ptxlift("lift", SAXPY, "-o", tmp_path, "--cache-dir", tmp_path / "file" / "x"))
    assert ended.codes() == ["PTX308"]


def test_a_bad_size_of_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTXLIFT_CACHE_SIZE", "much")
    assert refused(ptxlift("lift", SAXPY, "-o", "-")).codes() == ["PTX307"]


def _start(
    programs: Path, output: Path, store: Path, seed: str, jobs: str = "2"
) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "ptxlift", "lift", programs, "-t", "gfx942", "-j", jobs]
    words += ["-o", output, "--cache-dir", store, "--manifest", output / "all.json"]
    return subprocess.Popen(
        [str(word) for word in words],
        env={**os.environ, "PYTHONHASHSEED": seed},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _alive(output: Path) -> list[int]:
    """Processes that still work for that output."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(output).encode() in entry.read_bytes():
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_killed_at_any_point_and_run_again(programs: Path, tmp_path: Path) -> None:
    output, store, whole = tmp_path / "out", tmp_path / "cache", tmp_path / "whole"
    for entries in (1, 4):  # killed twice, each time a little further on
        process = _start(programs, output, store, "1")
        deadline = time.monotonic() + 60
        while len(list(store.glob("*/*.entry"))) < entries and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.kill()
        assert process.wait() in (-signal.SIGKILL, 0)
    assert _start(programs, output, store, "2").wait() == 0
    assert not _alive(output)
    made = {n: data for n, data in _files(output).items() if not n.endswith((".json", ".part"))}
    ptxlift("lift", programs, "-t", "gfx942", "-o", whole, "--no-cache")
    assert made == _files(whole) and len(made) == 6
    assert ptxlift("cache", "verify", "--cache-dir", store).status == 0
    before = (output / "all.json").read_bytes()
    assert _start(programs, output, store, "3", jobs="1").wait() == 0  # all from the cache now
    assert (output / "all.json").read_bytes() == before
