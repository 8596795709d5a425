"""Usage errors, help, and the commands that only tell something."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from command import SAXPY, ptxlift, refused

from ptxlift import __version__
from ptxlift.cli import app as app_module
from ptxlift.cli.app import app
from ptxlift.codes import CODES
from ptxlift.target import NVIDIA_TARGETS, all_targets

COMMANDS = tuple(app_module._COMMANDS)


def test_help_names_every_command() -> None:
    text = ptxlift("--help").text
    assert all(f"  {name} " in text for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    ended = ptxlift(name, "--help")
    assert ended.status == 0 and ended.text.startswith("Usage: ")


@pytest.mark.parametrize(
    "words",
    [
        ("lfit", SAXPY),
        ("lift",),
        ("lift", SAXPY, "--emit", "exe"),
        ("lift", SAXPY, "-O7"),
        ("lift", SAXPY, "--target", ","),
        ("lift", SAXPY, "--nonsense"),
        ("lift", SAXPY, "-j", "-1"),
        ("lift", SAXPY, "--wave-size", "16"),
        ("run", SAXPY, "f33=1"),
        ("run", SAXPY, "u32=-1x"),
        ("run", SAXPY, "u8=256"),
        ("run", SAXPY, "f32[4]=many"),
        ("run", SAXPY, "f32[999999999999]=zeros"),
        ("run", SAXPY, "--grid", "x"),
        ("run", SAXPY, "--shared", "-4"),
        ("isa", "frobnicate"),
        ("explain", "PTX999"),
    ],
    ids=lambda words: " ".join(str(word) for word in words[1:]).replace(str(SAXPY), "FILE"),
)
def test_usage_errors(words: tuple[object, ...]) -> None:
    ended = ptxlift(*words)
    assert ended.status == 2
    assert ended.errors.startswith("Usage: ") and "Error: " in ended.errors


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("gfx9420", "gfx942"),
        ("sm_95", "did you mean"),
        ("nv40", "ptxlift targets"),
        ("gfx1100:xnack+", "it takes"),
        ("gfx942:xnack", "it takes"),
    ],
)
def test_unknown_targets(target: str, hint: str, tmp_path: Path) -> None:
    ended = refused(ptxlift("lift", SAXPY, "-t", f"gfx1100,{target}", "-o", tmp_path))
    assert ended.codes() == ["PTX301"] and hint in ended.errors
    assert not list(tmp_path.iterdir())  # no work is done before all targets are known


def test_wave_size_the_target_lacks() -> None:
    assert refused(ptxlift("lift", SAXPY, "--wave-size", "32")).codes() == ["PTX302"]


def test_launch_errors() -> None:
    arrays = ("f32[64]=ramp", "f32[64]=ones")
    launch = ("--grid", "2", "--block", "32")
    assert refused(ptxlift("run", SAXPY, *launch, *arrays)).codes() == ["PTX401"]
    assert refused(ptxlift("run", SAXPY, "--block", "2000")).codes() == ["PTX401"]
    assert refused(ptxlift("run", SAXPY, "f32=missing.npy")).codes() == ["PTX008"]
    short = ("u32=64", "f32=2", "f32[64]=ramp", "f32[32]=ones")
    assert refused(ptxlift("run", SAXPY, *launch, *short)).codes() == ["PTX402"]


def test_run_shows_and_saves_results(tmp_path: Path) -> None:
    import numpy as np

    words = ("u32=64", "f32=2", "f32[64]=ramp", "f32[64]=ones", "--grid", "2", "--save", tmp_path)
    ended = ptxlift("run", SAXPY, *words, "--profile")
    assert ended.status == 0, ended.errors
    assert "1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, ..." in ended.text
    expected = 2 * np.arange(64, dtype=np.float32) + 1
    np.testing.assert_array_equal(np.load(tmp_path / "array1.npy"), expected)


def test_targets_and_codes_are_all_listed() -> None:
    amd, nvidia = ptxlift("targets").text.split("\n\n")
    for table, targets in ((amd, all_targets()), (nvidia, NVIDIA_TARGETS)):
        listed = [line.split()[0] for line in table.splitlines()[1:]]
        assert listed == [target.name for target in targets]
    listed = [line.split()[0] for line in ptxlift("explain").text.splitlines()]
    assert listed == list(CODES)


def test_isa_lists_forms() -> None:
    lines = ptxlift("isa", "shfl", "vot*").text.splitlines()[1:]
    assert {line.split()[4].split(".")[0] for line in lines} == {"shfl", "vote"}


def test_explain_is_not_particular_about_case() -> None:
    assert ptxlift("explain", "ptx301").text.startswith("PTX301: unknown target")


def test_our_own_fault_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command("targets")
    def broken() -> None:
        raise KeyError("boom")

    monkeypatch.setattr(app_module._Group, "get_command", lambda *_: broken)
    result = CliRunner().invoke(app, ["targets"])
    assert result.exit_code == 3
    assert result.stderr.startswith("internal error: KeyError: 'boom'")
    assert "Please report" in result.stderr


# ---- as a process ----


def process(*words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "ptxlift", *words]
    return subprocess.run(command, capture_output=True, env={**os.environ, **environment})


def test_module_is_the_command() -> None:
    ended = process("--version")
    assert ended.stdout.decode().split()[-1] == __version__


def test_ascii_terminal_takes_what_it_cannot_show(tmp_path: Path) -> None:
    path = tmp_path / "odd.ptx"
    path.write_text(
        ".version 8.0\n.target sm_80\n.visible .entry k() { frob; } // größe µ\n", "utf-8"
    )
    for command in ("check", "lift"):
        ended = process(command, str(path), PYTHONIOENCODING="ascii")
        assert ended.returncode == 1 and b"PTX101" in ended.stderr, ended.stderr
