"""Runs mutants: each in a child process, against the tests that reach the changed function.

Comes in: pytest's collected tests and the modules to change. Goes out: verdicts. A first run of all
tests notes which of them execute which function. A mutant's child is a fork, so nothing is imported
twice; it forgets what caches hold, gives every function object the changed code, runs its tests,
the quickest first, and ends at the first failure. It must know no test and no operator.
"""

from __future__ import annotations

import ast
import functools
import gc
import os
import signal
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest
from _pytest.runner import runtestprotocol

from tests.mutants.operators import Mutant, functions
from tests.mutants.reach import Reach

_ROOT = Path(__file__).resolve().parents[2]
_KILLED, _SURVIVED = 1, 0
_TELL = "__reached__"
# What these keep does not depend on what is mutated, and takes long to make again.
_LASTING = ("ptxlift.syntax", "ptxlift.isa", "ptxlift.ptx", "ptxlift.target", "ptxlift.emulator")
_SLACK, _SLOWER = 20, 5  # a child may take so many seconds, and so many times what its tests took


def key_of(code: CodeType) -> str:
    """File and qualified name: unique among the functions of a module."""
    return f"{code.co_filename}:{code.co_qualname}"


def observe(items: Sequence[pytest.Item], modules: Sequence[ModuleType], reach: Reach) -> None:
    """Runs tests once and notes which functions of the modules each reaches: these tell it
    themselves for the time of this run. Of tests that are known already one a file is run, so that
    children find everything imported.
    """
    new = [item for item in items if not reach.knows(item)]
    first = {item.path: item for item in items}
    seen = set[str]()
    for module in modules:
        vars(module)[_TELL] = seen.add
        apply(_telling(module), str(module.__file__))
    for item in [*(first[path] for path in first if first[path] not in new), *new]:
        forget()
        seen.clear()
        start = time.perf_counter()
        passed = run_test(item)
        reach.note(item, time.perf_counter() - start, seen if passed else None)
    for module in modules:
        apply(ast.parse(_source(module)), str(module.__file__))


def _source(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text(encoding="utf-8")


def _telling(module: ModuleType) -> ast.Module:
    """The module, with a first statement in each function that says its name."""
    tree = ast.parse(_source(module))
    for path, function in functions(tree):
        key = f"{module.__name__}:{'.'.join(path)}"
        call = ast.Call(ast.Name(_TELL, ast.Load()), [ast.Constant(key)], [])
        function.body.insert(0, ast.Expr(call))
    return ast.fix_missing_locations(tree)


def run_test(item: pytest.Item) -> bool:
    """Whether a test passes, with all its fixtures made and ended."""
    reports = runtestprotocol(item, log=False, nextitem=None)
    return not any(report.failed for report in reports)


def forget() -> None:
    """Empties the caches of this project's functions: a mutant must not find what was computed
    before it.
    """
    for thing in gc.get_objects():
        if isinstance(thing, functools._lru_cache_wrapper):
            made_of = getattr(thing, "__wrapped__", None)
            code = getattr(made_of, "__code__", None)
            ours = code is not None and code.co_filename.startswith(f"{_ROOT}/")
            if ours and not made_of.__module__.startswith(_LASTING):
                thing.cache_clear()


# ---- mutants ----


def is_killed(
    mutant: Mutant, module: ModuleType, tests: Sequence[pytest.Item], taken: float
) -> bool:
    """Whether a test fails, the child dies, or it takes far more than the tests have `taken`."""
    child = os.fork()
    if child == 0:
        _be_child(mutant, module, tests, int(_SLACK + _SLOWER * taken))
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
        forget()
        apply(mutant.build(), module.__file__)
        verdict = _SURVIVED if all(run_test(item) for item in tests) else _KILLED
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
