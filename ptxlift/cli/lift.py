"""`ptxlift lift`: PTX files to code objects and what lies on the way."""

from __future__ import annotations

from pathlib import Path

import click

from ptxlift.cli.app import read_input
from ptxlift.diag import PtxError
from ptxlift.driver.options import Options
from ptxlift.driver.translation import lift

_EMIT = {  # what to write: (file extension, part of the translation)
    "hsaco": ("hsaco", "code_object"),
    "asm": ("s", "asm"),
    "llvm": ("ll", "llvm_ir"),
    "ir": ("ir", "ir"),
    "obj": ("o", "object"),
    "bc": ("bc", "bitcode"),
}


@click.command("lift")
@click.argument("files", nargs=-1, required=True)
@click.option("--target", "-t", default="gfx942", help="Targets, comma separated.")
@click.option("--output", "-o", type=click.Path(), help="Folder, or `-` for standard output.")
@click.option("--emit", type=click.Choice(list(_EMIT)), default="hsaco", show_default=True)
@click.option("--kernel", "-k", "kernels", multiple=True, help="Only this kernel; repeatable.")
@click.option("-O", "opt_level", type=click.IntRange(0, 3), default=2, show_default=True)
@click.option("--wave-size", type=click.Choice(["32", "64"]), help="Lanes of a wave.")
@click.option("--warp-mapping", type=click.Choice(["auto", "packed", "split"]), default="auto")
@click.option(
    "--skip-unsupported", is_flag=True, help="Leave out kernels that cannot be translated."
)
@click.option("--no-isolate", is_flag=True, help="Generate code in this process.")
def command(
    files: tuple[str, ...],
    target: str,
    output: str | None,
    emit: str,
    kernels: tuple[str, ...],
    opt_level: int,
    wave_size: str | None,
    warp_mapping: str,
    skip_unsupported: bool,
    no_isolate: bool,
) -> None:
    """Translate PTX FILES (`-` is standard input) into AMDGPU code objects.

    Each file and target gives one output beside the others in the output folder, named
    FILE.TARGET.EXTENSION.
    """
    options = Options(
        opt_level=opt_level,
        wave_size=int(wave_size) if wave_size else None,
        warp_mapping=warp_mapping,
        on_unsupported="skip" if skip_unsupported else "error",
        isolate=not no_isolate,
    )
    failures = 0
    targets = [name.strip() for name in target.split(",") if name.strip()]
    work = [(file, name) for file in files for name in targets]
    for number, (file, name) in enumerate(work, 1):
        try:
            _one(file, name, kernels, options, emit, output)
        except PtxError as error:
            failures += 1
            click.echo(str(error), err=True)
        if len(work) > 3:
            click.echo(f"[{number}/{len(work)}] {file} {name}", err=True)
    if failures:
        raise SystemExit(1)


def _one(
    file: str,
    target: str,
    kernels: tuple[str, ...],
    options: Options,
    emit: str,
    output: str | None,
) -> None:
    name = "<stdin>" if file == "-" else file
    result = lift(read_input(file), target, kernels or None, options, name=name)
    extension, part = _EMIT[emit]
    made: str | bytes = getattr(result, part)
    for diagnostic in result.diagnostics:
        click.echo(diagnostic.render(), err=True)
    data = made.encode() if isinstance(made, str) else made
    if output == "-" or (file == "-" and output is None):
        click.get_binary_stream("stdout").write(data)
        return
    folder = Path(output or ".")
    folder.mkdir(parents=True, exist_ok=True)
    stem = "stdin" if file == "-" else Path(file).stem
    path = folder / f"{stem}.{target.replace(':', '_')}.{extension}"
    path.write_bytes(data)
    click.echo(f"{path}: {len(result.kernels)} kernels, {len(data)} bytes")
