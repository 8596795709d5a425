"""Checks the PTX of a package: every kernel is translated for every target, in processes apart.

Comes in: PTX files in the scratch folder. Goes out: one JSON file a package with what became of
each kernel. It must know no package.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from conformance.compile import compiler_version
from conformance.packages import Package
from conformance.scratch import Scratch, sampled, version_of

TARGETS = ("gfx942", "gfx1100", "gfx1201")
TIME_LIMIT = 1800  # seconds for one file


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one kernel for one target. code: "" where it was translated."""

    kernel: str
    code: str = ""
    message: str = ""
    statement: str = ""


@dataclass(frozen=True, slots=True)
class FileResult:
    """One PTX file. seconds: by target. outcomes: by target."""

    name: str
    lines: int
    seconds: dict[str, float] = field(default_factory=dict)
    outcomes: dict[str, list[Outcome]] = field(default_factory=dict)


def check_package(package: Package, scratch: Scratch, sample: int) -> None:
    """Checks the PTX files of a package, at most `sample` where that is not 0, and writes the
    results.
    """
    folder = scratch.ptx(package.name)
    results = []
    found = sorted(folder.glob("*.ptx"))
    for path in sampled(found, sample, lambda path: path.stem):
        result = check_file(path)
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


def check_file(path: Path) -> FileResult:
    """Translates one file for every target in a process of its own; where that ends early, the
    target at hand has failed and the others are tried again.
    """
    result = FileResult(path.stem, path.read_text(errors="replace").count("\n"))
    left = list(TARGETS)
    while left:
        found, problem = _apart(path, left)
        for one in found:
            result.seconds[one["target"]] = one["seconds"]
            result.outcomes[one["target"]] = [Outcome(**outcome) for outcome in one["outcomes"]]
        left = [target for target in left if target not in result.outcomes]
        if left:
            result.seconds[left[0]] = 0.0
            result.outcomes[left[0]] = [problem]
            del left[0]
    return result


def _apart(path: Path, targets: list[str]) -> tuple[list[dict[str, Any]], Outcome]:
    """What the process printed, and what to say of a target that is missing."""
    command = [sys.executable, "-m", "conformance.one", str(path), *targets]
    try:
        made = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
        output = made.stdout
        problem = Outcome("*", "crash", (made.stderr.strip().splitlines() or ["?"])[-1][-300:])
    except subprocess.TimeoutExpired as error:
        output = (error.stdout or b"").decode()
        problem = Outcome("*", "time", f"longer than {TIME_LIMIT} s")
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")], problem


def summary(result: FileResult) -> str:
    """One line for a person who waits."""
    parts = []
    for target, outcomes in result.outcomes.items():
        good = sum(not one.code for one in outcomes)
        codes = sorted({one.code for one in outcomes if one.code})
        bad = f" ({', '.join(codes)})" if codes else ""
        parts.append(f"{target} {good}/{len(outcomes)}{bad} {result.seconds[target]:.0f}s")
    return f"{result.name}: {'; '.join(parts)}"
