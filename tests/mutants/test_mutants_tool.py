"""The mutation check itself: which faults it makes, that they take effect, and what it counts."""

from __future__ import annotations

import ast
import functools
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutants.equivalent import changes_cost_only, is_equivalent, known
from tests.mutants.operators import mutants
from tests.mutants.reach import Measured, Reach
from tests.mutants.trial import apply, forget

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '''
def clamp(algebra, form, a, b):
    """Not this 7."""
    assert b != 3
    if form.get("sat"):
        a = algebra.select(algebra.icmp(a, b, IntPredicate.ULT), a, b)
    low = algebra.and_(a, 255) if a < 4 and b else a
    return algebra.sub(low, b)


def outer(x):
    def inner(y):
        return y + 1

    return inner(x)
'''


def described() -> set[tuple[str, str]]:
    return {(m.operator, m.what) for m in mutants(SOURCE)}


def test_each_operator_makes_its_fault() -> None:
    assert described() >= {
        ("swap operands", "algebra.sub(low, b) -> algebra.sub(b, low)"),
        ("off by one", "255 -> 256"),
        ("change a predicate", "IntPredicate.ULT -> IntPredicate.ULE"),
        ("change a predicate", "a < 4 -> a <= 4"),
        ("drop a mask", "algebra.and_(a, 255) -> a"),
        ("drop a modifier", "a < 4 and b -> a < 4"),
    }


def test_assertions_and_texts_stay() -> None:
    assert not any("3" in what or "7" in what for _, what in described())


def test_a_mutant_changes_one_place() -> None:
    original = ast.unparse(ast.parse(SOURCE)).splitlines()
    for mutant in mutants(SOURCE):
        lines = ast.unparse(mutant.build()).splitlines()
        assert len(lines) == len(original)
        assert sum(a != b for a, b in zip(lines, original, strict=True)) == 1, str(mutant)


def module_of(path: Path) -> ModuleType:
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("toy", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_functions_that_live_get_the_fault(tmp_path: Path) -> None:
    module = module_of(tmp_path / "toy.py")
    held = module.outer  # as a table of lowerings holds one
    assert held(3) == 4
    (mutant,) = [m for m in mutants(SOURCE) if m.function == "outer.<locals>.inner"]
    apply(mutant.build(), str(module.__file__))
    assert held(3) == 5


@functools.cache
def _remembered() -> list[int]:
    return []


def test_caches_of_the_project_are_emptied() -> None:
    before = _remembered()
    forget()
    assert _remembered() is not before


def test_reach_is_kept(tmp_path: Path) -> None:
    reach = Reach(tmp_path / "reach.json", {"t": Measured("state", 0.5, ["m:f"])})
    reach.save()
    assert Reach.load(reach.file).tests == reach.tests


@pytest.mark.parametrize(("module", "function", "part"), known())
def test_equivalent_mutants_exist(module: str, function: str, part: str) -> None:
    """A reason for a mutant that is no more is dropped."""
    path = ROOT / "ptxlift" / Path(*module.split(".")).with_suffix(".py")
    found = [m for m in mutants(path.read_text()) if m.function == function and part in str(m)]
    assert found
    assert all(is_equivalent(module, m) != changes_cost_only(module, m) for m in found)


@pytest.mark.slow
def test_a_covered_function_has_no_survivor() -> None:
    words = ["semantics", "--only", "semantics.logic cnot", "--tests", "cnot"]
    ended = subprocess.run(
        [sys.executable, "-m", "tests.mutants", *words], capture_output=True, text=True, cwd=ROOT
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "score 100.0% of " in ended.stdout
    assert "survives" not in ended.stdout
