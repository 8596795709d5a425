"""Runs a command's tasks with progress and keeps the score for its exit status.

Comes in: tasks, how many processes. Goes out: outcomes, with diagnostics already on standard error.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from ptxlift.cli.app import FAULT, show_fault
from ptxlift.cli.batch import Batch
from ptxlift.cli.findings import findings_of
from ptxlift.cli.inputs import Input, Program, read_programs, sources_of
from ptxlift.diag import PtxError
from ptxlift.driver.batch import translate_all
from ptxlift.driver.options import Options
from ptxlift.driver.outcomes import Outcome, Task
from ptxlift.records import dataclass, field, replace

if TYPE_CHECKING:
    from rich.progress import Progress

_MANY = 4  # tasks from which on progress is shown unasked


@dataclass(frozen=True, slots=True)
class Request:
    """What a command was asked to do with every input. parts: see `Task`. together: all inputs are
    one program.
    """

    inputs: Sequence[Input]
    targets: Sequence[str]
    parts: tuple[str, ...]
    batch: Batch
    kernels: tuple[str, ...] = ()
    options: Options = field(default_factory=Options)
    together: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """A program with its outcomes by target."""

    program: Program
    outcomes: Mapping[str, Outcome]


@dataclass(slots=True)
class Tally:
    """The score of a run."""

    programs: int = 0
    outcomes: int = 0
    failed: int = 0
    cached: int = 0
    kernels: int = 0
    left_out: int = 0
    started: float = field(default_factory=time.perf_counter)

    def add(self, outcome: Outcome) -> None:
        self.outcomes += 1
        self.failed += not outcome.ok
        self.cached += outcome.cached
        self.kernels += len(outcome.kernels)
        self.left_out += len(outcome.failed)

    def line(self) -> str:
        """The summary in one line."""
        seconds = time.perf_counter() - self.started
        facts = [
            counted(self.programs, "program"),
            counted(self.outcomes, "translation"),
            counted(self.kernels, "kernel"),
        ]
        if self.left_out:
            facts.append(f"{counted(self.left_out, 'kernel')} left out")
        if self.failed:
            facts.append(f"{self.failed} failed")
        if self.cached:
            facts.append(f"{self.cached} from the cache")
        return f"{', '.join(facts)}; {seconds:.1f} s"


def counted(number: int, what: str) -> str:
    """`3 kernels`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


class Work:
    """Does a request, and keeps what went wrong so far."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.status = 0
        self.tally = Tally()
        self._progress: Progress | None = None
        self._faulty = False
        self._programs: list[Program] = []

    def run(self) -> Iterator[Done]:
        """Each program with its outcomes, in the order of the inputs."""
        request = self.request
        total = len(request.inputs) * len(request.targets)
        batch = request.batch
        with batch.executor(total) as executor, self._shown(total):
            outcomes = translate_all(self._tasks(), executor, batch.cache)
            made: dict[str, Outcome] = {}
            for outcome in outcomes:
                program, target = self._programs[0], request.targets[len(made)]
                made[target] = outcome
                self._count(outcome)
                if len(made) == len(request.targets):
                    self.tally.programs += 1
                    del self._programs[0]
                    yield Done(program, made)
                    made = {}

    def _count(self, outcome: Outcome) -> None:
        self.tally.add(outcome)
        if outcome.fault:
            self.fail(FAULT)
        elif not outcome.ok:
            self.fail()
        if self._progress is not None:
            self._progress.advance(self._progress.task_ids[0])

    def tell(self, done: Done) -> None:
        """Shows what was found, on standard error."""
        name = done.program.name
        for note in done.program.notes:
            self.say(note.render(), err=True)
        for finding in findings_of(done.outcomes):
            self.say(finding.render(name), err=True)
        for target, outcome in done.outcomes.items():
            if outcome.fault:
                show_fault(outcome.fault, f"{name} for {target}", not self._faulty)
                self._faulty = True

    def fail(self, status: int = 1) -> None:
        """Something went wrong; the worst status counts."""
        self.status = max(self.status, status)

    def report(self, error: PtxError) -> None:
        """Shows an error that ends one input but not the others."""
        self.say(str(error), err=True)
        self.fail()

    def say(self, text: str, err: bool = False) -> None:
        """Prints a line, above the progress bar if there is one on the same terminal."""
        stream = sys.stderr if err else sys.stdout
        if self._progress is not None and stream.isatty():
            self._progress.console.print(text, markup=False, highlight=False, soft_wrap=True)
        else:
            click.echo(text, err=err)

    def _tasks(self) -> Iterator[Task]:
        request = self.request
        at_once = max(1, request.batch.processes // (len(request.inputs) * len(request.targets)))
        for group in self._groups():
            notes = tuple(note for program in group for note in program.notes)
            sources = sources_of(group)
            first = replace(group[0], text=b"", older=(), notes=notes, sources=sources)
            self._programs.append(first)
            older = tuple(program.older for program in group)
            texts = tuple(program.text for program in group)
            names = tuple(program.name for program in group)
            kernels = request.kernels or None
            for targets in self._portions():
                yield Task(
                    texts, names, targets, request.parts, kernels, request.options, older, at_once
                )

    def _portions(self) -> list[tuple[str, ...]]:
        """All targets at once, so that a file is read once; one by one to busy more processes."""
        request = self.request
        if len(request.inputs) >= request.batch.workers:
            return [tuple(request.targets)]
        return [(target,) for target in request.targets]

    def _groups(self) -> Iterator[list[Program]]:
        """Programs that are translated as one: each alone, or all together."""
        everything: list[Program] = []
        for entry in self.request.inputs:
            try:
                for program in read_programs(entry):
                    if self.request.together:
                        everything.append(program)
                    else:
                        yield [program]
            except PtxError as error:
                self.report(error)
        if everything and not self.status:
            yield everything

    @contextmanager
    def _shown(self, total: int) -> Iterator[None]:
        """Progress on standard error, if it was asked for or somebody looks."""
        wanted = self.request.batch.progress
        if wanted is None:
            wanted = total >= _MANY and sys.stderr.isatty()
        if not wanted:
            yield
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

        console = Console(stderr=True)
        self._progress = Progress(
            "translating", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            console=console, transient=console.is_terminal,
            redirect_stdout=False, redirect_stderr=False,
        )  # fmt: skip
        with self._progress:
            self._progress.add_task("translating", total=total)
            yield
        self._progress = None
