"""`ptxlift extract`: the PTX in fat binaries, objects, archives and executables."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ptxlift.cli.inputs import Program, find_inputs, read_images
from ptxlift.cli.outputs import write
from ptxlift.diag import PtxError


@click.command("extract")
@click.argument("files", nargs=-1, required=True)
@click.option("--output", "-o", help="Folder for the .ptx files; `-` writes them to stdout.")
def command(files: tuple[str, ...], output: str | None) -> None:
    """List the PTX modules in FILES, or write them to a folder."""
    failures = 0
    for entry in find_inputs(files):
        try:
            for program in read_images(entry):
                for note in program.notes:
                    click.echo(note.render(), err=True)
                _show(program, output)
        except PtxError as error:
            failures += 1
            click.echo(str(error), err=True)
    raise SystemExit(1 if failures else 0)


def _show(program: Program, output: str | None) -> None:
    from ptxlift.link.extract import extract

    text = program.text.encode() if isinstance(program.text, str) else program.text
    if output == "-":
        sys.stdout.buffer.write(text)
        return
    image = extract(text)[0]
    version = ".".join(str(number) for number in image.version)
    line = f"{program.name}: PTX {version}, {image.target}, {len(text)} bytes"
    if output is not None:
        path = Path(output) / program.stem.with_name(f"{program.stem.name}.ptx")
        write(path, text)
        line += f" -> {path}"
    click.echo(line)
