"""`ptxlift run`: one launch from the command line, with results shown and compared."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click
import numpy as np

from ptxlift.cli.arguments import argument
from ptxlift.cli.inputs import read_one
from ptxlift.cli.outputs import write
from ptxlift.driver.translation import lift
from ptxlift.runtime.buffers import Array
from ptxlift.runtime.device import CHECKS_OF_EMULATOR
from ptxlift.runtime.program import run

_SHOWN = 8  # elements of an array that are printed


@click.command("run")
@click.argument("file")
@click.argument("args", nargs=-1)
@click.option("--kernel", "-k", help="Needed where the file has several.")
@click.option("--grid", "-g", default="1", show_default=True, help="Blocks: X, X,Y or X,Y,Z.")
@click.option("--block", "-b", default="32", show_default=True, help="Threads of a block.")
@click.option("--shared", type=click.IntRange(0), default=0, help="Bytes of dynamic shared memory.")
@click.option("--target", "-t", default="gfx942", show_default=True)
@click.option(
    "--device",
    type=click.Choice(["emulator", "interpreter", "both", "hip"]),
    default="emulator",
    show_default=True,
)
@click.option("--profile", is_flag=True, help="Show dynamic instruction counts.")
@click.option("--save", help="Folder for the arrays after the launch (.npy).")
@click.option("--seed", type=click.IntRange(0), default=0, help="Of `random` arrays.")
@click.option(
    "--check",
    "checks",
    default="",
    help="uninitialised,races: what the interpreter looks for; hazards: the emulator.",
)
@click.option("--max-steps", type=click.IntRange(1), help="End a kernel that runs longer.")
def command(
    file: str,
    args: tuple[str, ...],
    kernel: str | None,
    grid: str,
    block: str,
    shared: int,
    target: str,
    device: str,
    profile: bool,
    save: str | None,
    seed: int,
    max_steps: int | None,
    checks: str,
) -> None:
    """Run a kernel of FILE with ARGS and show the arrays afterwards.

    An argument is TYPE=VALUE for a scalar (`f32=2.5`, `u32=1024`), TYPE[COUNT]=FILL for an array
    (FILL: random, zeros, ones, ramp or a number), or TYPE=FILE.npy. `--device both` also runs the
    PTX interpreter and compares all arrays bit for bit.
    """
    rng = np.random.default_rng(seed)
    values = [argument(word, rng) for word in args]
    shape = (shape_of(grid), shape_of(block))
    program = read_one(file)
    translation = lift(program.text, target, name=program.name, older=[program.older])
    kernel = kernel or only_kernel(list(translation.kernels))
    launch = partial(run, translation, kernel, *shape, shared=shared, max_steps=max_steps)
    devices = ("emulator", "interpreter") if device == "both" else (device,)
    results: dict[str, list[Array]] = {}
    for where in devices:
        given = [v.copy() if isinstance(v, np.ndarray) else v for v in values]
        told = _checks_on(where, checks) if device == "both" else checks
        outcome = launch(args=given, device=where, checks=told)
        click.echo(outcome.stdout, nl=False)
        results[where] = [v for v in given if isinstance(v, np.ndarray)]
        _show(where, results[where])
        for name, count in outcome.profile.items() if profile else ():
            click.echo(f"  {name:<24}{count:>14,.1f}")
    if save:
        _save(Path(save), results[devices[0]])
    if device == "both":
        _compare(results["emulator"], results["interpreter"])


def _checks_on(device: str, checks: str) -> list[str]:
    """Of checks for two devices those of one; names that nobody knows go to the interpreter."""
    names = filter(None, checks.split(","))
    return [name for name in names if (name in CHECKS_OF_EMULATOR) == (device == "emulator")]


def only_kernel(kernels: Sequence[str]) -> str:
    """The kernel of a file that has one; a usage error for several."""
    if len(kernels) != 1:
        raise click.UsageError(f"choose a kernel with --kernel: {', '.join(kernels) or 'none'}")
    return kernels[0]


def shape_of(text: str) -> tuple[int, ...]:
    """A grid or block as `X,Y,Z`."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise click.UsageError(f"{text!r} is no X, X,Y or X,Y,Z") from None


def _show(where: str, arrays: Sequence[Array]) -> None:
    for index, array in enumerate(arrays):
        shown = ", ".join(str(value) for value in array.flat[:_SHOWN])
        more = ", ..." if array.size > _SHOWN else ""
        click.echo(f"{where}: array {index} ({array.dtype}, {array.size}): {shown}{more}")


def _save(folder: Path, arrays: Sequence[Array]) -> None:
    for index, array in enumerate(arrays):
        buffer = io.BytesIO()
        np.save(buffer, array)
        write(folder / f"array{index}.npy", buffer.getvalue())


def _compare(first: Sequence[Array], second: Sequence[Array]) -> None:
    for index, (a, b) in enumerate(zip(first, second, strict=True)):
        if a.tobytes() != b.tobytes():
            where = int(np.flatnonzero(a.view(np.uint8) != b.view(np.uint8))[0]) // a.itemsize
            click.echo(f"array {index} differs first at element {where}", err=True)
            raise SystemExit(1)
    click.echo("emulator and interpreter agree bit for bit")
