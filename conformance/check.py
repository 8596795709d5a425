"""Checks the PTX of a package: every kernel is translated for every target, in processes apart.

Comes in: PTX files in the scratch folder. Goes out: one JSON file a package with what became of
each kernel. It must know no package.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path

from conformance.compile import compiler_version
from conformance.packages import Package
from conformance.scratch import Scratch, sampled, version_of

TARGETS = ("gfx942", "gfx1100", "gfx1201")
TIME_LIMIT = 1800  # seconds for one file and target


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one kernel for one target. code: "" where it was translated."""

    kernel: str
    code: str = ""
    message: str = ""
    statement: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One file for one target."""

    path: Path
    target: str


@dataclass(frozen=True, slots=True)
class FileResult:
    """One PTX file. seconds: by target. outcomes: by target."""

    name: str
    lines: int
    seconds: dict[str, float] = field(default_factory=dict)
    outcomes: dict[str, list[Outcome]] = field(default_factory=dict)


def check_package(package: Package, scratch: Scratch, sample: int, longest: int) -> None:
    """Checks the PTX files of a package and writes the results: at most `sample` files, none of
    more lines than `longest`, where those are not 0.
    """
    folder = scratch.ptx(package.name)
    found = sorted(folder.glob("*.ptx"))
    short = [path for path in found if not longest or _lines(path) <= longest]
    results = []
    for result in check_files(sampled(short, sample, lambda path: path.stem)):
        results.append(result)
        print(f"{package.name}: {summary(result)}", flush=True)
    if not results:
        return
    problems = {}
    for key in sorted(folder.glob("*.key")):
        lines = key.read_text().splitlines()[1:]
        if lines:
            problems[key.stem] = lines[0]
    record = {
        "package": package.name,
        "version": version_of(scratch, package.name),
        "date": date.today().isoformat(),
        "compiler": compiler_version(),
        "found": len(found),
        "problems": problems,
        "files": [asdict(result) for result in results],
    }
    path = scratch.results(package.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1))


def check_files(paths: list[Path]) -> Iterator[FileResult]:
    """Translates files for every target in a process apart; where that ends early, the file and
    target at hand have failed, and another process goes on with the rest.
    """
    tasks = [Task(path, target) for path in paths for target in TARGETS]
    result = None
    for task, seconds, outcomes in _in_turn(tasks):
        if result is None:
            result = FileResult(task.path.stem, _lines(task.path))
        result.seconds[task.target] = seconds
        result.outcomes[task.target] = outcomes
        if len(result.outcomes) == len(TARGETS):
            yield result
            result = None


def _lines(path: Path) -> int:
    return path.read_text(errors="replace").count("\n")


def _in_turn(tasks: list[Task]) -> Iterator[tuple[Task, float, list[Outcome]]]:
    """Every task with its seconds and outcomes."""
    while tasks:
        problem = yield from _until_the_end(tasks)
        if tasks:
            yield tasks.pop(0), 0.0, [problem]


def _until_the_end(
    tasks: list[Task],
) -> Generator[tuple[Task, float, list[Outcome]], None, Outcome]:
    """Takes off the tasks that one process gets done; what to say of the next one."""
    given = "\n".join(f"{task.target} {task.path}" for task in tasks)
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "conformance.one"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(given)
        process.stdin.close()
        alarm = threading.Timer(TIME_LIMIT, process.kill)
        alarm.start()
        for line in process.stdout:
            alarm.cancel()
            found = json.loads(line)
            yield tasks.pop(0), found["seconds"], [Outcome(**one) for one in found["outcomes"]]
            alarm = threading.Timer(TIME_LIMIT, process.kill)
            alarm.start()
        late = not alarm.is_alive()
        alarm.cancel()
        process.wait()
        errors.seek(0)
        message = (errors.read().strip().splitlines() or ["?"])[-1][-300:]
    return (
        Outcome("*", "time", f"longer than {TIME_LIMIT} s")
        if late
        else Outcome("*", "crash", message)
    )


def summary(result: FileResult) -> str:
    """One line for a person who waits."""
    parts = []
    for target, outcomes in result.outcomes.items():
        good = sum(not one.code for one in outcomes)
        codes = sorted({one.code for one in outcomes if one.code})
        bad = f" ({', '.join(codes)})" if codes else ""
        parts.append(f"{target} {good}/{len(outcomes)}{bad} {result.seconds[target]:.0f}s")
    return f"{result.name}: {'; '.join(parts)}"
