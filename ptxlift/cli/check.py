"""`ptxlift check`: all diagnostics without running LLVM."""

from __future__ import annotations

import click

from ptxlift.cli.choices import (
    files_argument,
    jobs_option,
    kernel_option,
    processes,
    split_targets,
    target_option,
)
from ptxlift.cli.inputs import find_inputs
from ptxlift.cli.work import Work
from ptxlift.driver.options import Options


@click.command("check")
@files_argument()
@target_option()
@kernel_option()
@jobs_option()
def command(
    files: tuple[str, ...], targets: tuple[str, ...], kernels: tuple[str, ...], jobs: int
) -> None:
    """Report what is wrong in PTX FILES and which kernels cannot be translated."""
    names = split_targets(targets)
    options = Options(on_unsupported="skip")
    work = Work(find_inputs(files), names, "llvm_ir", kernels, options, processes(jobs))
    for program, target, outcome in work.run():
        if outcome.data is None:
            continue
        good, bad = len(outcome.kernels), len(outcome.failed)
        line = f"{program.name}: {target}: {good} of {good + bad} kernels can be translated"
        work.say(line)
        if bad:
            work.say(f"  not: {', '.join(outcome.failed)}")
            work.fail()
    raise SystemExit(work.status)
