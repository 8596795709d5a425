"""`ptxlift check`: all diagnostics without code generation."""

from __future__ import annotations

import click

from ptxlift.cli.app import read_input
from ptxlift.diag import PtxError
from ptxlift.driver.options import Options
from ptxlift.driver.translation import lift


@click.command("check")
@click.argument("files", nargs=-1, required=True)
@click.option("--target", "-t", default="gfx942", show_default=True)
def command(files: tuple[str, ...], target: str) -> None:
    """Report what is wrong in PTX FILES and which kernels cannot be translated."""
    failures = 0
    for file in files:
        try:
            options = Options(on_unsupported="skip")
            result = lift(read_input(file), target, options=options, name=file)
        except PtxError as error:
            failures += 1
            click.echo(str(error))
            continue
        for kernel, found in result.failed.items():
            failures += 1
            click.echo(f"{file}: kernel {kernel} cannot be translated:")
            click.echo("\n".join(d.render() for d in found))
        if not result.failed:
            click.echo(f"{file}: {len(result.kernels)} kernels, all translated")
    if failures:
        raise SystemExit(1)
