"""Many translations at once, in this process or on any executor.

Comes in: tasks, each one program for one target. Goes out: an outcome for each, in the order of the
tasks, whatever happened: bad input, a death of LLVM and faults of our own are values here, not
exceptions. LLVM always runs in a process apart. It must know nothing of files and terminals.
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
from ptxlift.driver.translation import lift
from ptxlift.llvm.isolate import Worker
from ptxlift.llvm.options import Compiled, Job

_AHEAD = 64  # tasks handed to an executor before the first outcome is waited for
_WITHOUT_LLVM = ("ir", "llvm_ir")


@dataclass(frozen=True, slots=True)
class Task:
    """One program for one target. `part`: the property of `Translation` that is wanted."""

    texts: tuple[str | bytes, ...]
    names: tuple[str, ...]
    target: str
    part: str = "code_object"
    kernels: tuple[str, ...] | None = None
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task.

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
    """The outcomes of tasks, in their order. Without an executor they run here, one by one."""
    if executor is None:
        yield from map(translate, tasks)
        return
    running: deque[Future[Outcome]] = deque()
    for task in tasks:
        running.append(_submit(executor, task))
        if len(running) == _AHEAD:
            yield _result(running.popleft())
    while running:
        yield _result(running.popleft())


def _submit(executor: Executor, task: Task) -> Future[Outcome]:
    try:
        return executor.submit(translate, task)
    except BrokenExecutor as error:
        broken: Future[Outcome] = Future()
        broken.set_exception(error)
        return broken


def _result(future: Future[Outcome]) -> Outcome:
    try:
        return future.result()
    except BrokenExecutor:
        return Outcome(None, fault="a worker process ended; perhaps memory ran out")


def translate(task: Task) -> Outcome:
    """Does one task."""
    try:
        return _outcome(task)
    except PtxError as error:
        return Outcome(None, diagnostics=tuple(error.diagnostics))
    except Exception as error:
        return Outcome(None, fault=describe_fault(error))


def _outcome(task: Task) -> Outcome:
    if task.part not in _WITHOUT_LLVM:
        warm_worker()
    texts, names, options = task.texts, task.names, task.options
    made = lift(texts, task.target, task.kernels, options, name=names, compiler=_compile)
    data: str | bytes = getattr(made, task.part)
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
