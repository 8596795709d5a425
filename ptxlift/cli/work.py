"""Runs a command's tasks with progress and keeps the score for its exit status.

Comes in: tasks, how many processes. Goes out: outcomes, with diagnostics already on standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import click

from ptxlift.cli.app import FAULT, show_fault
from ptxlift.cli.inputs import Input, Program, read_programs
from ptxlift.diag import PtxError
from ptxlift.driver.batch import Outcome, Task, translate_all
from ptxlift.driver.options import Options

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from rich.progress import Progress

_MANY = 4  # tasks from which on progress is shown


@dataclass(slots=True)
class Work:
    """What to do with every input, and what went wrong so far."""

    inputs: Sequence[Input]
    targets: Sequence[str]
    part: str
    kernels: tuple[str, ...]
    options: Options
    processes: int
    together: bool = False
    status: int = 0
    _progress: Progress | None = None
    _said: set[str] = field(default_factory=set)
    _programs: list[tuple[Program, str]] = field(default_factory=list)

    def run(self) -> Iterator[tuple[Program, str, Outcome]]:
        """Each program and target with its outcome."""
        total = len(self.inputs) * len(self.targets)
        with _executor(min(self.processes, total)) as executor, _progress(total) as progress:
            self._progress = progress
            for number, outcome in enumerate(translate_all(self._tasks(), executor)):
                program, target = self._programs[number]
                self._tell(outcome, program.name, target)
                yield program, target, outcome
                if progress is not None:
                    progress.advance(progress.task_ids[0])

    def _tell(self, outcome: Outcome, name: str, target: str) -> None:
        for diagnostic in outcome.diagnostics:
            text = diagnostic.render()
            if diagnostic.span is None:
                text = f"{name} for {target}: {text}"
            if text not in self._said:  # targets share most of what is wrong
                self.say(text, err=True)
            self._said.add(text)
        if outcome.fault:
            show_fault(outcome.fault, f"{name} for {target}", self.status < FAULT)
            self.fail(FAULT)
        elif outcome.data is None:
            self.fail()

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
        for group in self._groups():
            program = replace(group[0], text=b"")
            self._programs.extend((program, target) for target in self.targets)
            texts = tuple(program.text for program in group)
            names = tuple(program.name for program in group)
            for targets in self._portions():
                yield Task(texts, names, targets, self.part, self.kernels or None, self.options)

    def _portions(self) -> list[tuple[str, ...]]:
        """All targets at once, so that a file is read once; one by one to busy more processes."""
        if len(self.inputs) >= self.processes:
            return [tuple(self.targets)]
        return [(target,) for target in self.targets]

    def _groups(self) -> Iterator[list[Program]]:
        """Programs that are translated as one: each alone, or all together."""
        everything: list[Program] = []
        for entry in self.inputs:
            try:
                for program in read_programs(entry):
                    if self.together:
                        everything.append(program)
                    else:
                        yield [program]
            except PtxError as error:
                self.report(error)
        if everything and not self.status:
            yield everything


@contextmanager
def _executor(processes: int) -> Iterator[Executor | None]:
    if processes <= 1:
        yield None
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as executor:
        yield executor


@contextmanager
def _progress(total: int) -> Iterator[Progress | None]:
    if total < _MANY or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    progress = Progress(
        console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    )
    with progress:
        progress.add_task("translating", total=total)
        yield progress
