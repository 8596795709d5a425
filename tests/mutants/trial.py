"""Runs mutants: each in a child process, against the tests that reach the changed function.

Comes in: pytest's collected tests and the modules to change. Goes out: verdicts. A first run of all
tests notes which of them execute which function. A mutant's child gives every function object the
changed code, runs its tests, the quickest first, and ends at the first failure. It must know no
test and no operator.
"""

from __future__ import annotations

import ast
import gc
import os
import signal
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest
from _pytest.runner import runtestprotocol

from tests.mutants.operators import Mutant, functions

_KILLED, _SURVIVED = 1, 0
_TELL = "__reached__"


@dataclass(slots=True)
class Reach:
    """Which tests execute which functions. `seconds` a test took, unobserved time included."""

    tests: dict[str, list[pytest.Item]] = field(default_factory=dict)
    seconds: dict[pytest.Item, float] = field(default_factory=dict)
    failed: list[pytest.Item] = field(default_factory=list)

    def of(self, key: str, budget: float) -> list[pytest.Item]:
        """The tests that reach a function, the quickest first, for about `budget` seconds."""
        chosen, total = [], 0.0
        for item in sorted(self.tests.get(key, ()), key=lambda item: self.seconds[item]):
            total += self.seconds[item]
            if chosen and total > budget:
                break
            chosen.append(item)
        return chosen


def key_of(code: CodeType) -> str:
    """File and qualified name: unique among the functions of a module."""
    return f"{code.co_filename}:{code.co_qualname}"


def observe(items: Sequence[pytest.Item], modules: Sequence[ModuleType]) -> Reach:
    """Runs every test once and notes which functions of the modules it reaches: these tell it
    themselves for the time of this run."""
    reach, seen = Reach(), set[str]()
    for module in modules:
        vars(module)[_TELL] = seen.add
        apply(_telling(module), str(module.__file__))
    for item in items:
        seen.clear()
        start = time.perf_counter()
        passed = _run(item)
        reach.seconds[item] = time.perf_counter() - start
        if not passed:
            reach.failed.append(item)
            continue
        for key in seen:
            reach.tests.setdefault(key, []).append(item)
    for module in modules:
        apply(ast.parse(_source(module)), str(module.__file__))
    return reach


def _source(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text(encoding="utf-8")


def _telling(module: ModuleType) -> ast.Module:
    """The module, with a first statement in each function that says its name."""
    tree = ast.parse(_source(module))
    for path, function in functions(tree):
        key = f"{module.__file__}:{'.'.join(path)}"
        call = ast.Call(ast.Name(_TELL, ast.Load()), [ast.Constant(key)], [])
        function.body.insert(0, ast.Expr(call))
    return ast.fix_missing_locations(tree)


def _run(item: pytest.Item) -> bool:
    reports = runtestprotocol(item, log=False, nextitem=None)
    return not any(report.failed for report in reports)


# ---- mutants ----


def is_killed(mutant: Mutant, module: ModuleType, tests: Sequence[pytest.Item], limit: int) -> bool:
    """Whether a test fails, the child dies, or it takes more than `limit` seconds."""
    child = os.fork()
    if child == 0:
        _be_child(mutant, module, tests, limit)
    _, status = os.waitpid(child, 0)
    return not (os.WIFEXITED(status) and os.WEXITSTATUS(status) == _SURVIVED)


def _be_child(mutant: Mutant, module: ModuleType, tests: Sequence[pytest.Item], limit: int) -> None:
    verdict = _KILLED
    try:
        signal.alarm(limit)  # ends the process
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        assert module.__file__ is not None
        apply(mutant.tree, module.__file__)
        verdict = _SURVIVED if all(_run(item) for item in tests) else _KILLED
    finally:
        os._exit(verdict)


def apply(tree: ast.Module, file: str) -> None:
    """Gives the functions of a module that live in this process the code of the changed tree."""
    new = {key_of(code): code for code in _codes(compile(tree, file, "exec"))}
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename == file:
            code = new.get(key_of(thing.__code__))
            if code is not None and code.co_freevars == thing.__code__.co_freevars:
                thing.__code__ = code


def _codes(code: CodeType) -> Iterable[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)
