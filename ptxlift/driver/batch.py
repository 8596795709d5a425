"""Many translations at once, in this process or on any executor.

Comes in: tasks, each one program for some targets. Goes out: an outcome for each target, in the
order of the tasks, whatever happened: bad input, a death of LLVM and faults of our own are values
here, not exceptions. LLVM always runs in a process apart. It must know nothing of files and
terminals.
"""

from __future__ import annotations

import atexit
import traceback
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ptxlift.diag import Diagnostic, PtxError
from ptxlift.driver.options import Options
from ptxlift.driver.translation import Translation, lift
from ptxlift.llvm.isolate import Worker
from ptxlift.llvm.options import Compiled, Job

_AHEAD = 64  # tasks handed to an executor before the first outcome is waited for
_WITHOUT_LLVM = ("ir", "llvm_ir")


@dataclass(frozen=True, slots=True)
class Task:
    """One program, read once, for some targets. `part`: the property of `Translation` that is
    wanted.
    """

    texts: tuple[str | bytes, ...]
    names: tuple[str, ...]
    targets: tuple[str, ...]
    part: str = "code_object"
    kernels: tuple[str, ...] | None = None
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task on one target.

    data: the part asked for; None where there is none. diagnostics: everything found.
    failed: names of kernels that were left out. fault: what is wrong with ptxlift itself, if this
    is why there is no data.
    """

    data: str | bytes | None
    kernels: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    fault: str = ""


def translate_all(tasks: Iterable[Task], executor: Executor | None = None) -> Iterator[Outcome]:
    """The outcomes of tasks, in their order and that of their targets. Without an executor they
    run here, one by one.
    """
    if executor is None:
        for task in tasks:
            yield from translate(task)
        return
    running: deque[tuple[Task, Future[list[Outcome]]]] = deque()
    for task in tasks:
        running.append((task, _submit(executor, task)))
        if len(running) == _AHEAD:
            yield from _results(*running.popleft())
    while running:
        yield from _results(*running.popleft())


def _submit(executor: Executor, task: Task) -> Future[list[Outcome]]:
    try:
        return executor.submit(translate, task)
    except BrokenExecutor as error:
        broken: Future[list[Outcome]] = Future()
        broken.set_exception(error)
        return broken


def _results(task: Task, future: Future[list[Outcome]]) -> list[Outcome]:
    try:
        return future.result()
    except BrokenExecutor:
        gone = Outcome(None, fault="a worker process ended; perhaps memory ran out")
        return [gone] * len(task.targets)


def translate(task: Task) -> list[Outcome]:
    """Does one task: an outcome for each target."""
    if task.part not in _WITHOUT_LLVM:
        warm_worker()
    texts, names, options = task.texts, task.names, task.options
    try:
        first = lift(texts, task.targets[0], task.kernels, options, name=names, compiler=_compile)
    except Exception as error:
        return [_no_outcome(error)] * len(task.targets)
    return [_outcome(first, target, task.part) for target in task.targets]


def _no_outcome(error: Exception) -> Outcome:
    if isinstance(error, PtxError):
        return Outcome(None, diagnostics=tuple(error.diagnostics))
    return Outcome(None, fault=describe_fault(error))


def _outcome(first: Translation, target: str, part: str) -> Outcome:
    try:
        return _finished(first if target == first.target else first.for_target(target), part)
    except Exception as error:
        return _no_outcome(error)


def _finished(made: Translation, part: str) -> Outcome:
    data: str | bytes = getattr(made, part)
    return Outcome(data, tuple(made.kernels), tuple(made.failed), tuple(made.diagnostics))


def _compile(job: Job) -> Compiled:
    return warm_worker().run(job)


@cache
def warm_worker() -> Worker:
    """This process's LLVM worker, kept from task to task; it starts at once, so that LLVM loads
    while the first program is read. A worker that dies is replaced at the next job.
    """
    worker = Worker()
    worker.start()
    atexit.register(worker.close)
    return worker


def describe_fault(error: BaseException) -> str:
    """One line about an exception that should not be: what, and where in ptxlift."""
    said = " ".join(str(error).split())[:200]
    place = ""
    for frame in traceback.extract_tb(error.__traceback__):
        parts = Path(frame.filename).parts
        if "ptxlift" in parts:
            inside = parts[len(parts) - parts[::-1].index("ptxlift") :]
            place = f" at {'/'.join(inside)}:{frame.lineno}"
    return f"{type(error).__name__}{': ' if said else ''}{said}{place}"
