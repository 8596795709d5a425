"""What is imported when, and who imports whom."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ptxlift

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("llvmlite", "lark", "numpy", "click", "rich", "multiprocessing")


def loaded_after(code: str) -> set[str]:
    """The top-level modules that are loaded once a new interpreter ran the code."""
    show = f"{code}\nimport sys\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    result = subprocess.run(
        [sys.executable, "-I", "-c", show], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(result.stdout.split()[-4000:])


def test_import_ptxlift_loads_nothing_heavy() -> None:
    assert loaded_after("import ptxlift") & set(HEAVY) == set()


def test_import_ptxlift_loads_no_stage() -> None:
    code = "import ptxlift, sys; print(*(n for n in sys.modules if n.startswith('ptxlift')))"
    result = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert result.stdout.split() == ["ptxlift"]


def test_front_end_needs_no_llvm_and_no_numpy() -> None:
    code = (
        "import ptxlift\n"
        "made = ptxlift.lift('.version 8.0\\n.target sm_80\\n.visible .entry k() { ret; }')\n"
        "made.llvm_ir"
    )
    assert loaded_after(code) & {"llvmlite", "numpy", "click", "rich"} == set()


def test_command_that_lifts_needs_no_numpy_and_no_rich() -> None:
    assert loaded_after("import ptxlift.cli.lift") & {"llvmlite", "numpy", "rich"} == set()


def test_public_names_are_those_of_the_api() -> None:
    from ptxlift import api

    assert sorted(ptxlift.__all__) == sorted(api.__all__)
    for name in ptxlift.__all__:
        assert getattr(ptxlift, name) is getattr(api, name)
    assert set(ptxlift.__all__) <= set(dir(ptxlift))


def test_import_contracts() -> None:
    tool = Path(sys.executable).with_name("lint-imports")
    if not tool.exists():
        pytest.skip("import-linter is not installed")
    result = subprocess.run([tool, "--no-cache"], capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stdout[-3000:]
