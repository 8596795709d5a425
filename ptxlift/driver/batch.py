"""Many translations at once, in this process or on any executor.

Comes in: tasks, each one program for some targets. Goes out: an outcome for each target, in the
order of the tasks, whatever happened: bad input, a death of LLVM and faults of our own are values
here, not exceptions. LLVM always runs in a process apart. It must know nothing of files and
terminals.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ptxlift.diag import PtxError
from ptxlift.driver.cache import Cache
from ptxlift.driver.outcomes import Outcome, Task
from ptxlift.driver.translation import Translation, lift
from ptxlift.llvm.isolate import Worker
from ptxlift.llvm.options import Compiled, Job
from ptxlift.records import dataclass, replace

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

_AHEAD = 64  # tasks handed to an executor before the first outcome is waited for
_WITHOUT_LLVM = frozenset({"ir", "verdict", "rewritten_ir", "llvm_ir"})


def translate_all(
    tasks: Iterable[Task], executor: Executor | None = None, cache: Cache | None = None
) -> Iterator[Outcome]:
    """The outcomes of tasks, in their order and that of their targets.

    executor: any of `concurrent.futures`, or what behaves like one (Dask's, MPI's); without one the
    tasks run here, one by one. cache: outcomes of earlier runs, and the place for new ones.
    """
    running: deque[_Running] = deque()
    for task in tasks:
        running.append(_start(task, executor, cache))
        if len(running) == (_AHEAD if executor is not None else 1):
            yield from running.popleft().outcomes()
    while running:
        yield from running.popleft().outcomes()


@dataclass(frozen=True, slots=True)
class _Running:
    """A task at work. `known`: by target, what needs no work; `rest`: the targets that do."""

    task: Task
    known: dict[str, Outcome]
    rest: Task | None
    future: Future[list[Outcome]] | None
    cache: Cache | None

    def outcomes(self) -> list[Outcome]:
        """Waits for them; without a future, does the work."""
        made = dict(self.known)
        if self.rest is not None:
            made |= zip(self.rest.targets, self._made(self.rest), strict=True)
        return [made[target] for target in self.task.targets]

    def _made(self, rest: Task) -> list[Outcome]:
        if self.future is None:
            return translate(rest, self.cache)
        from concurrent.futures import BrokenExecutor

        try:
            return self.future.result()
        except BrokenExecutor:
            gone = Outcome(fault="a worker process ended; perhaps memory ran out")
            return [gone] * len(rest.targets)


def _start(task: Task, executor: Executor | None, cache: Cache | None) -> _Running:
    known: dict[str, Outcome] = {}
    if cache is not None:
        found = {target: cache.get(task, target) for target in task.targets}
        known = {target: outcome for target, outcome in found.items() if outcome is not None}
    missing = tuple(target for target in task.targets if target not in known)
    rest = replace(task, targets=missing) if missing else None
    future = _submit(executor, rest, cache) if executor is not None and rest is not None else None
    return _Running(task, known, rest, future, cache)


def _submit(executor: Executor, task: Task, cache: Cache | None) -> Future[list[Outcome]]:
    from concurrent.futures import BrokenExecutor, Future

    try:
        return executor.submit(translate, task, cache)
    except BrokenExecutor as error:
        broken: Future[list[Outcome]] = Future()
        broken.set_exception(error)
        return broken


def translate(task: Task, cache: Cache | None = None) -> list[Outcome]:
    """Does one task: an outcome for each target, kept in the cache if there is one."""
    outcomes = _translated(task)
    for target, outcome in zip(task.targets, outcomes, strict=True):
        if cache is not None:
            cache.put(task, target, outcome)
    return outcomes


def _translated(task: Task) -> list[Outcome]:
    if not _WITHOUT_LLVM.issuperset(task.parts):
        warm_worker().start()
    texts, names, options = task.texts, task.names, task.options
    try:
        first = lift(
            texts,
            task.targets[0],
            task.kernels,
            options,
            name=names,
            compiler=_compile,
            older=task.older,
            at_once=task.at_once,
        )
    except Exception as error:
        return [_no_outcome(error)] * len(task.targets)
    return [_outcome(first, target, task.parts) for target in task.targets]


def _no_outcome(error: Exception) -> Outcome:
    if isinstance(error, PtxError):
        return Outcome(diagnostics=tuple(error.diagnostics))
    return Outcome(fault=describe_fault(error))


def _outcome(first: Translation, target: str, parts: Sequence[str]) -> Outcome:
    try:
        return _finished(first if target == first.target else first.for_target(target), parts)
    except Exception as error:
        return _no_outcome(error)


def _finished(made: Translation, parts: Sequence[str]) -> Outcome:
    data: dict[str, str | bytes] = {part: getattr(made, part) for part in parts}
    has_resources = not made.is_ptx and not {"code_object", "output"}.isdisjoint(parts)
    return Outcome(
        data,
        tuple(kernel.report(has_resources) for kernel in made.kernels.values()),
        {name: tuple(found) for name, found in made.failed.items()},
        tuple(made.diagnostics),
    )


def _compile(job: Job) -> Compiled:
    return warm_worker().run(job)


class _Life:
    """Something that goes away with its thread."""


class _Own(threading.local):
    """A thread's LLVM worker. It ends with the thread, or with this process."""

    def __init__(self) -> None:
        self.worker = Worker()
        self._life = _Life()
        weakref.finalize(self._life, self.worker.close)


_own = _Own()


def warm_worker() -> Worker:
    """This thread's LLVM worker, kept from task to task. A worker that dies is replaced at the next
    job.
    """
    return _own.worker


def describe_fault(error: BaseException) -> str:
    """One line about an exception that should not be: what, and where in ptxlift."""
    import traceback

    said = " ".join(str(error).split())[:200]
    place = ""
    for frame in traceback.extract_tb(error.__traceback__):
        parts = Path(frame.filename).parts
        if "ptxlift" in parts:
            inside = parts[len(parts) - parts[::-1].index("ptxlift") :]
            place = f" at {'/'.join(inside)}:{frame.lineno}"
    return f"{type(error).__name__}{': ' if said else ''}{said}{place}"
