"""How the source looks, where no other tool checks it."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import ptxlift

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "ptxlift"
MODULES = sorted(PACKAGE.rglob("*.py"))
TABLES = {"codes.py", "target/gfx.py", "target/relays.py", "ir/ops.py"}  # and the chapters of isa/
LONGEST_MODULE, LONGEST_FUNCTION = 500, 40
# Absolute paths of one machine, and unfinished work that no issue tracks.
LOCAL = re.compile(r"(?<![\w.~$}/-])/(?:work|root|home|tmp)/[\w.]")
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b(?!\(#\d+\))")


def relative(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def tracked() -> list[Path]:
    """The text files of the repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, cwd=ROOT, check=True)
    paths = [ROOT / name.decode() for name in listed.stdout.split(b"\0") if name]
    return [path for path in paths if path.is_file() and path.suffix != ".gz"]


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_module(path: Path) -> None:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    docstring = ast.get_docstring(tree)
    if text.strip():
        assert docstring, "a module begins with a paragraph on what it does"
    is_table = relative(path) in TABLES or path.parent.name == "isa"
    if not is_table:
        assert text.count("\n") <= LONGEST_MODULE
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            length -= _docstring_lines(node)
            assert length <= LONGEST_FUNCTION, f"{node.name} has {length} lines"


def _docstring_lines(node: ast.FunctionDef) -> int:
    first = node.body[0]
    if ast.get_docstring(node) is None or first.end_lineno is None:
        return 0
    return first.end_lineno - first.lineno + 1


@pytest.mark.parametrize("name", ptxlift.__all__)
def test_public_names_are_documented(name: str) -> None:
    thing = getattr(ptxlift, name)
    assert thing.__doc__ and not thing.__doc__.startswith(f"{name}("), name
    if not inspect.isclass(thing) or not thing.__module__.startswith("ptxlift"):
        return
    for member_name, member in vars(thing).items():
        is_method = inspect.isfunction(member) or isinstance(member, property)
        if is_method and not member_name.startswith("_"):
            assert member.__doc__, f"{name}.{member_name}"


def test_no_paths_of_one_machine() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in tracked()
        for match in LOCAL.finditer(path.read_text("utf-8", "replace"))
    ]
    assert found == []


def test_no_unfinished_work() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in tracked()
        if path.suffix in (".py", ".lark", ".toml")
        for match in UNFINISHED.finditer(path.read_text("utf-8", "replace"))
    ]
    assert found == []


def test_names_of_test_files_are_distinct() -> None:
    """pytest loads them by their base name."""
    files = [*(ROOT / "tests").rglob("test_*.py")]
    counts = Counter(path.name for path in files)
    assert [name for name, count in counts.items() if count > 1] == []
