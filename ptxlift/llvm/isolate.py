"""Code generation in worker processes, so that LLVM's death is an error and not ours.

Comes in: jobs. Goes out: `Compiled`, or PTX304 that names the kernel and quotes LLVM's last line.
A worker serves one job at a time. Where this process has one thread it is forked, which spares an
interpreter's start; else, and where there is no fork, it is a fresh interpreter: a fork of several
threads may keep locks that nobody opens. It must know nothing of what is compiled.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from queue import SimpleQueue
from typing import IO, NoReturn, Protocol

from ptxlift.diag import PtxError
from ptxlift.llvm.options import Compiled, Job

_QUOTE = 300  # characters of LLVM's message that are quoted


class _Process(Protocol):
    """What a worker needs of its process."""

    @property
    def stdin(self) -> IO[bytes] | None: ...

    @property
    def stdout(self) -> IO[bytes] | None: ...

    def wait(self) -> int: ...


class _Fork:
    """A copy of this process that serves jobs. `errors`: where its standard error goes."""

    def __init__(self, errors: IO[bytes]) -> None:
        jobs, self_jobs = os.pipe()
        self_results, results = os.pipe()
        self._status: int | None = None
        self._pid = os.fork()
        if not self._pid:
            _serve_and_leave(jobs, results, errors.fileno())
        os.close(jobs)
        os.close(results)
        self.stdin: IO[bytes] | None = os.fdopen(self_jobs, "wb")
        self.stdout: IO[bytes] | None = os.fdopen(self_results, "rb")

    def wait(self) -> int:
        """Waits for its end; its status as `Popen` gives it."""
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._status


def _serve_and_leave(jobs: int, results: int, errors: int) -> NoReturn:
    """The life of a forked worker. It never returns into the code it was copied from, and holds
    none of its files open: a pipe that another worker waits at would never end.
    """
    status = 1
    try:
        gc.disable()  # what was copied is not looked at
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard, given in enumerate((nothing, errors, errors)):
            os.dup2(given, standard)
        kept = sorted((2, jobs, results, os.sysconf("SC_OPEN_MAX")))
        for low, high in pairwise(kept):
            os.closerange(low + 1, high)
        from ptxlift.llvm.worker import serve

        serve(os.fdopen(jobs, "rb"), os.fdopen(results, "wb"))
        status = 0
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _fresh_interpreter(errors: IO[bytes]) -> _Process:
    import subprocess

    command = [sys.executable, "-m", "ptxlift.llvm.worker"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors)


def _can_fork() -> bool:
    """Whether a copy of this process works: of its threads only the one that forks lives on."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


class Worker:
    """One worker process, started at its first job and again after it died."""

    def __init__(self) -> None:
        self._process: _Process | None = None
        self._errors: IO[bytes] | None = None

    def run(self, job: Job) -> Compiled:
        """Compiles a job there."""
        process = self.start()
        assert process.stdin is not None and process.stdout is not None
        try:
            pickle.dump(job, process.stdin)
            process.stdin.flush()
            result = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise self._death(job) from None
        if isinstance(result, PtxError):
            raise result
        assert isinstance(result, Compiled)
        return result

    def close(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is not None:
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
            process.wait()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def start(self) -> _Process:
        """The process, started if there is none: LLVM loads there before the first job comes."""
        if self._process is None:
            import tempfile

            self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the process
            self._process = _Fork(self._errors) if _can_fork() else _fresh_interpreter(self._errors)
        return self._process

    def _death(self, job: Job) -> PtxError:
        """What to say of a worker that ended in the middle of a job."""
        assert self._process is not None and self._errors is not None
        status = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").splitlines()
        self.close()
        reason = _reason(lines) or f"the process ended with status {status}"
        hint = "this is a limit of LLVM's AMDGPU code generator; another target may do"
        return PtxError.of("PTX304", f"LLVM cannot compile {job.name}: {reason}", hint=hint)


def _reason(lines: Sequence[str]) -> str:
    """LLVM's own last word: its error line if there is one, else the last line that says
    something."""
    said = [line.strip() for line in lines if line.strip()]
    errors = [line for line in said if "error:" in line.lower() or "assertion" in line.lower()]
    return (errors or said or [""])[-1][:_QUOTE]


def run_isolated(job: Job) -> Compiled:
    """Compiles one job in a worker of its own."""
    worker = Worker()
    try:
        return worker.run(job)
    finally:
        worker.close()


@contextmanager
def _workers(count: int) -> Iterator[SimpleQueue[Worker]]:
    idle: SimpleQueue[Worker] = SimpleQueue()
    workers = [Worker() for _ in range(count)]
    for worker in workers:
        idle.put(worker)
    try:
        yield idle
    finally:
        for worker in workers:
            worker.close()


def run_all(jobs: Sequence[Job], processes: int) -> list[Compiled | PtxError]:
    """Compiles jobs in at most so many workers; results in the order of the jobs."""
    from concurrent.futures import ThreadPoolExecutor

    with _workers(min(processes, len(jobs)) or 1) as idle, ThreadPoolExecutor(processes) as threads:

        def compile_one(job: Job) -> Compiled | PtxError:
            worker = idle.get()
            try:
                return worker.run(job)
            except PtxError as error:
                return error
            finally:
                idle.put(worker)

        return list(threads.map(compile_one, jobs))
