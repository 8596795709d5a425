"""`ptxlift view`: one HTML page with PTX, IR and assembly beside each other."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import numpy as np

from ptxlift.cli.arguments import argument
from ptxlift.cli.inputs import read_one
from ptxlift.cli.outputs import write
from ptxlift.cli.run import only_kernel, shape_of
from ptxlift.driver.options import Options
from ptxlift.driver.translation import lift
from ptxlift.runtime.program import run
from ptxlift.view import render


@click.command("view")
@click.argument("file")
@click.argument("args", nargs=-1)
@click.option("--output", "-o", help="The page, or `-`; FILE.html if not given.")
@click.option("--target", "-t", default="gfx942", show_default=True)
@click.option("-O", "opt_level", type=click.IntRange(0, 3), default=2, show_default=True)
@click.option("--run", "is_run", is_flag=True, help="Run a kernel with ARGS for its profile.")
@click.option("--kernel", "-k", help="The kernel to run, where the file has several.")
@click.option("--grid", "-g", default="1", show_default=True, help="Blocks: X, X,Y or X,Y,Z.")
@click.option("--block", "-b", default="32", show_default=True, help="Threads of a block.")
@click.option("--shared", type=click.IntRange(0), default=0, help="Bytes of dynamic shared memory.")
@click.option("--seed", type=click.IntRange(0), default=0, help="Of `random` arrays.")
def command(
    file: str,
    args: tuple[str, ...],
    output: str | None,
    target: str,
    opt_level: int,
    is_run: bool,
    kernel: str | None,
    grid: str,
    block: str,
    shared: int,
    seed: int,
) -> None:
    """Write a page that shows what became of each line of FILE.

    With --run a kernel runs in the emulator, ARGS as for `ptxlift run`, and the page tells how
    often each instruction ran and what it cost.
    """
    if args and not is_run:
        raise click.UsageError("arguments are for --run")
    program = read_one(file)
    options = Options(opt_level=opt_level, debug_lines=True, isolate=True, on_unsupported="skip")
    made = lift(program.text, target, options=options, name=program.name, older=[program.older])
    executed: tuple[int, ...] = ()
    ran = ""
    if is_run:
        rng = np.random.default_rng(seed)
        name = kernel or only_kernel(list(made.kernels))
        values = [argument(word, rng) for word in args]
        executed = run(made, name, shape_of(grid), shape_of(block), values, shared=shared).executed
        ran = f"{name}, grid {grid}, block {block}"
    page = render(made, executed, ran).encode()
    if output == "-":
        sys.stdout.buffer.write(page)
        return
    path = Path(output or f"{program.stem}.html")
    write(path, page)
    click.echo(f"{path}: {len(made.kernels)} kernels for {target}, {len(page)} bytes")
