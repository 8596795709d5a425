"""`ptxlift check`: all diagnostics without running LLVM."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ptxlift import __version__
from ptxlift.cli.batch import Batch, batch_options
from ptxlift.cli.choices import files_argument, kernel_option, split_targets, target_option
from ptxlift.cli.codegen import code_options, take_options
from ptxlift.cli.findings import Finding, findings_of, targets_that_fail, verdicts_of
from ptxlift.cli.inputs import find_inputs
from ptxlift.cli.manifest import diagnostic_facts
from ptxlift.cli.outputs import write
from ptxlift.cli.sarif import sarif
from ptxlift.cli.work import Done, Request, Work
from ptxlift.diag import Severity

SCHEMA = "ptxlift-check-1"


@click.command("check")
@files_argument()
@target_option()
@kernel_option()
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif"]),
    default="text",
    show_default=True,
)
@click.option("--output", "-o", help="File for the report; standard output if none.")
@click.option("--strict", is_flag=True, help="Warnings fail too.")
@code_options()
@batch_options()
def command(
    files: tuple[str, ...],
    targets: tuple[str, ...],
    kernels: tuple[str, ...],
    form: str,
    output: str | None,
    strict: bool,
    **given: Any,
) -> None:
    """Report what is wrong in PTX FILES and which kernels cannot be translated for which targets.

    Nothing is generated. The status is 0 if every kernel can be translated for every target, 1 if
    not (with --strict: or if there are warnings), 2 for wrong usage, 3 for a fault of ptxlift.
    """
    names = split_targets(targets)
    options = take_options(given, skip=True, isolate=False)
    request = Request(find_inputs(files), names, ("verdict",), Batch.of(**given), kernels, options)
    work = Work(request)
    report = _Report(work)
    for done in work.run():
        report.add(done, tell=form == "text", strict=strict)
    text = {"text": report.text, "json": report.json, "sarif": report.sarif}[form]()
    if output is None:
        click.echo(text, nl=False)
    else:
        write(Path(output), text.encode())
    raise SystemExit(work.status)


class _Report:
    """What was found so far, in all its forms."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._lines: list[str] = []
        self._programs: list[dict[str, Any]] = []
        self._findings: list[tuple[str, Finding]] = []
        self._faults: list[str] = []

    def add(self, done: Done, tell: bool, strict: bool) -> None:
        """Adds a program; `tell`: its diagnostics go to standard error at once."""
        found, name = findings_of(done.outcomes), done.program.name
        if tell:
            self._work.tell(done)
        if targets_that_fail(done.outcomes):
            self._work.fail()
        if strict and any(f.diagnostic.severity is Severity.WARNING for f in found):
            self._work.fail()
        self._lines += _lines(done)
        self._findings += [(name, finding) for finding in found]
        self._faults += [f"{name} for {t}: {o.fault}" for t, o in done.outcomes.items() if o.fault]
        self._programs.append(_facts(done, found))

    def text(self) -> str:
        return "".join(f"{line}\n" for line in self._lines)

    def json(self) -> str:
        facts = {
            "schema": SCHEMA,
            "ptxlift": __version__,
            "targets": list(self._work.request.targets),
            "status": self._work.status,
            "programs": self._programs,
        }
        return json.dumps(facts, indent=1) + "\n"

    def sarif(self) -> str:
        return sarif(self._findings, self._faults)


def _lines(done: Done) -> list[str]:
    lines = []
    for target, outcome in done.outcomes.items():
        if not outcome.ok:
            continue
        good, bad = len(outcome.kernels), len(outcome.failed)
        lines.append(
            f"{done.program.name}: {target}: {good} of {good + bad} kernels can be translated"
        )
        if bad:
            lines.append(f"  not: {', '.join(outcome.failed)}")
    return lines


def _facts(done: Done, found: list[Finding]) -> dict[str, Any]:
    faults = {target: outcome.fault for target, outcome in done.outcomes.items() if outcome.fault}
    return {
        "name": done.program.name,
        "sources": [asdict(source) for source in done.program.sources],
        "fails_for": list(targets_that_fail(done.outcomes)),
        "kernels": [
            {"name": name, "fails_for": targets}
            for name, targets in verdicts_of(done.outcomes).items()
        ],
        "diagnostics": [
            {**diagnostic_facts(f.diagnostic), "targets": list(f.targets)} for f in found
        ],
        "faults": faults,
    }
