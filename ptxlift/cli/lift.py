"""`ptxlift lift`: PTX files to code objects, or optimised PTX, and what lies on the way."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from ptxlift.cli.batch import Batch, batch_options
from ptxlift.cli.choices import files_argument, kernel_option, split_targets, target_option
from ptxlift.cli.codegen import code_options, take_options
from ptxlift.cli.emit import DEFAULT, KINDS, Output, kind_for, kinds_of, outputs_of, parts_of
from ptxlift.cli.inputs import STDIN, find_inputs
from ptxlift.cli.manifest import Manifest
from ptxlift.cli.outputs import Place, depfile_text, place_of, write
from ptxlift.cli.work import Done, Request, Work, counted
from ptxlift.diag import PtxError
from ptxlift.driver.outcomes import Outcome


@click.command("lift")
@files_argument()
@target_option()
@click.option("--output", "-o", help="Folder, a file name for one output, or `-`.")
@click.option(
    "--emit",
    "emit",
    multiple=True,
    default=(DEFAULT,),
    show_default=True,
    help=f"What to write, separated by commas: {', '.join(KINDS)}. The default is what a runtime "
    "loads: a code object, or PTX for sm_* targets.",
)
@click.option("--name", default="", help="What the outputs of a single program are named after.")
@click.option("--manifest", help="JSON file about everything that was done.")
@click.option("--depfile", help="Dependencies of the outputs, as make and ninja read them.")
@kernel_option()
@click.option("--together", is_flag=True, help="All FILES are one program with one output.")
@click.option("--skip-unsupported", is_flag=True, help="Leave out kernels that fail.")
@click.option("--quiet", "-q", is_flag=True, help="Print diagnostics only.")
@code_options()
@batch_options()
def command(
    files: tuple[str, ...],
    targets: tuple[str, ...],
    output: str | None,
    emit: tuple[str, ...],
    name: str,
    manifest: str | None,
    depfile: str | None,
    kernels: tuple[str, ...],
    together: bool,
    skip_unsupported: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Translate PTX FILES into AMDGPU code objects, or into PTX for an NVIDIA target.

    FILES are PTX files, fat binaries, objects or executables with PTX in them, folders of .ptx
    files, patterns, or `-` for standard input. Each file and target gives one output,
    FILE.TARGET.EXTENSION; a bundle or a header serves all targets. `@FILE`: the words in that file.
    """
    options = take_options(given, skip=skip_unsupported, isolate=True)
    names, inputs, kinds = split_targets(targets), find_inputs(files), kinds_of(emit)
    programs = 1 if together else len(inputs)
    if name and programs > 1:
        raise click.UsageError("--name is for one program; --together makes one of all FILES")
    outputs = programs * sum(KINDS[kind].whole or len(names) for kind in kinds)
    place = place_of(output, _extensions(kinds, names), outputs, STDIN in files)
    parts, how = parts_of(kinds, manifest is not None), Batch.of(**given)
    work = Work(Request(inputs, names, parts, how, kernels, options, together))
    writer = _Writer(work, place, kinds, name, quiet)
    writer.write_all(manifest, depfile)
    if not quiet and work.tally.programs > 1:
        work.say(work.tally.line(), err=True)
    raise SystemExit(work.status)


def _extensions(kinds: list[str], targets: list[str]) -> list[str]:
    return [KINDS[kind_for(kind, target)].extension for kind in kinds for target in targets]


class _Writer:
    """Writes what was made, and remembers what it wrote."""

    def __init__(self, work: Work, place: Place, kinds: list[str], name: str, quiet: bool) -> None:
        self._work = work
        self._place = place
        self._kinds = kinds
        self._name = name
        self._quiet = quiet
        self._manifest = Manifest(work.request.options)
        self._written: list[Path] = []

    def write_all(self, manifest: str | None, depfile: str | None) -> None:
        """Does the work and writes what it gives."""
        for done in self._work.run():
            self.finish(done)
        self.close(manifest, depfile)

    def finish(self, done: Done) -> None:
        """Shows what was found in a program and writes its outputs."""
        self._work.tell(done)
        for outcome in done.outcomes.values():
            if outcome.failed and not outcome.kernels:
                self._work.fail()  # nothing was left to translate
        program = self._manifest.add(done)
        stem = done.program.stem.with_name(self._name) if self._name else done.program.stem
        for output in outputs_of(self._kinds, done):
            path = self._place.path(stem, output.target, KINDS[output.kind].extension)
            try:
                self._write(path, output, done)
            except PtxError as error:
                self._work.report(error)
                continue
            self._written.append(path)
            program.add(output, path)

    def _write(self, path: Path, output: Output, done: Done) -> None:
        if self._place.stdout:
            sys.stdout.buffer.write(output.data)
            return
        write(path, output.data)
        if self._quiet:
            return
        fitting = [o for t, o in done.outcomes.items() if o.ok and output.target in ("", t)]
        self._work.say(f"{path}: {_count(fitting)}, {len(output.data)} bytes")

    def close(self, manifest: str | None, depfile: str | None) -> None:
        """Writes what is about the whole run."""
        try:
            if manifest is not None:
                write(Path(manifest), self._manifest.text().encode())
            if depfile is not None:
                sources = [entry.path for entry in self._work.request.inputs]
                write(Path(depfile), depfile_text(self._written, sources).encode())
        except PtxError as error:
            self._work.report(error)


def _count(outcomes: list[Outcome]) -> str:
    kernels = len({kernel.name for outcome in outcomes for kernel in outcome.kernels})
    failed = len({name for outcome in outcomes for name in outcome.failed})
    said = counted(kernels, "kernel")
    if len(outcomes) > 1:
        said += f" for {len(outcomes)} targets"
    return f"{said}, {failed} left out" if failed else said
