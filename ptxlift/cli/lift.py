"""`ptxlift lift`: PTX files to code objects and what lies on the way."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ptxlift.cli.choices import (
    files_argument,
    jobs_option,
    kernel_option,
    processes,
    split_targets,
    target_option,
)
from ptxlift.cli.inputs import STDIN, find_inputs
from ptxlift.cli.outputs import Place, place_of, write
from ptxlift.cli.work import Work
from ptxlift.diag import PtxError
from ptxlift.driver.batch import Outcome
from ptxlift.driver.options import Options

_EMIT = {  # what to write: (file extension, part of the translation)
    "hsaco": ("hsaco", "code_object"),
    "asm": ("s", "asm"),
    "llvm": ("ll", "llvm_ir"),
    "ir": ("ir", "ir"),
    "obj": ("o", "object"),
    "bc": ("bc", "bitcode"),
}


@click.command("lift")
@files_argument()
@target_option()
@click.option("--output", "-o", help="Folder, a file name for one output, or `-`.")
@click.option("--emit", type=click.Choice(list(_EMIT)), default="hsaco", show_default=True)
@kernel_option()
@click.option("-O", "opt_level", type=click.IntRange(0, 3), default=2, show_default=True)
@click.option("--wave-size", type=click.Choice(["32", "64"]), help="Lanes of a wave.")
@click.option(
    "--warp-mapping",
    type=click.Choice(["auto", "packed", "split"]),
    default="auto",
    show_default=True,
    help="Two warps in a wave of 64, or one.",
)
@click.option("--together", is_flag=True, help="All FILES are one program with one output.")
@click.option("--skip-unsupported", is_flag=True, help="Leave out kernels that fail.")
@click.option("--quiet", "-q", is_flag=True, help="Print diagnostics only.")
@jobs_option()
def command(
    files: tuple[str, ...],
    targets: tuple[str, ...],
    output: str | None,
    emit: str,
    kernels: tuple[str, ...],
    opt_level: int,
    wave_size: str | None,
    warp_mapping: str,
    together: bool,
    skip_unsupported: bool,
    quiet: bool,
    jobs: int,
) -> None:
    """Translate PTX FILES into AMDGPU code objects.

    FILES are PTX files, fat binaries, objects or executables with PTX in them, folders of .ptx
    files, patterns, or `-` for standard input. Each file and target gives one output,
    FILE.TARGET.EXTENSION.
    """
    options = Options(
        opt_level=opt_level,
        wave_size=int(wave_size) if wave_size else None,
        warp_mapping=warp_mapping,
        on_unsupported="skip" if skip_unsupported else "error",
        isolate=True,
    )
    names = split_targets(targets)
    inputs = find_inputs(files)
    extension, part = _EMIT[emit]
    outputs = len(names) * (1 if together else len(inputs))
    place = place_of(output, extension, outputs, STDIN in files)
    work = Work(inputs, names, part, kernels, options, processes(jobs), together)
    for program, target, outcome in work.run():
        try:
            _write(outcome, place, place.path(program.stem, target, extension), work, quiet)
        except PtxError as error:
            work.report(error)
    raise SystemExit(work.status)


def _write(outcome: Outcome, place: Place, path: Path, work: Work, quiet: bool) -> None:
    if outcome.data is None:
        return
    if outcome.failed and not outcome.kernels:
        work.fail()  # nothing was left to translate
    data = outcome.data.encode() if isinstance(outcome.data, str) else outcome.data
    if place.stdout:
        sys.stdout.buffer.write(data)
        return
    write(path, data)
    if not quiet:
        work.say(f"{path}: {_count(outcome)}, {len(data)} bytes")


def _count(outcome: Outcome) -> str:
    kernels = f"{len(outcome.kernels)} kernel{'' if len(outcome.kernels) == 1 else 's'}"
    return f"{kernels}, {len(outcome.failed)} left out" if outcome.failed else kernels
