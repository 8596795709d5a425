"""`ptxlift run`: one launch from the command line, with results shown and checked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import numpy as np

from ptxlift.cli.app import read_input
from ptxlift.driver.translation import lift
from ptxlift.runtime.arguments import Argument, Array
from ptxlift.runtime.program import run

_DTYPES = {
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "f16": np.float16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip
_SPEC = re.compile(r"(?P<type>[uif]\d+)(\[(?P<count>\d+)\])?=(?P<value>.+)")
_SHOWN = 8


@click.command("run")
@click.argument("file")
@click.argument("args", nargs=-1)
@click.option("--kernel", "-k", help="Needed where the file has several.")
@click.option("--grid", "-g", default="1", help="Blocks: X or X,Y,Z.")
@click.option("--block", "-b", default="32", help="Threads of a block: X or X,Y,Z.")
@click.option("--shared", default=0, help="Bytes of dynamic shared memory.")
@click.option("--target", "-t", default="gfx942", show_default=True)
@click.option(
    "--device", type=click.Choice(["emulator", "interpreter", "both"]), default="emulator"
)
@click.option("--profile", is_flag=True, help="Show dynamic instruction counts.")
@click.option("--save", type=click.Path(), help="Folder for the arrays after the launch (.npy).")
@click.option("--seed", default=0, help="Of `random` arrays.")
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
) -> None:
    """Run a kernel of FILE with ARGS and show the arrays afterwards.

    An argument is TYPE=VALUE for a scalar (`f32=2.5`, `u32=1024`), TYPE[COUNT]=FILL for an array
    (`f32[1024]=random`, `zeros`, `ones`, `ramp`), or TYPE=FILE.npy. `--device both` also runs the
    PTX interpreter and compares all arrays bit for bit.
    """
    text = read_input(file)
    rng = np.random.default_rng(seed)
    values = [_argument(spec, rng) for spec in args]
    translation = lift(text, target, name=file)
    kernel = kernel or _only(list(translation.kernels))
    devices = ("emulator", "interpreter") if device == "both" else (device,)
    results = {}
    for where in devices:
        given = [v.copy() if isinstance(v, np.ndarray) else v for v in values]
        program = text if where == "interpreter" else translation
        outcome = run(
            program, kernel, _shape(grid), _shape(block), given, shared=shared, device=where
        )
        click.echo(outcome.stdout, nl=False)
        results[where] = [v for v in given if isinstance(v, np.ndarray)]
        _show(where, results[where])
        if profile:
            for name, count in outcome.profile.items():
                click.echo(f"  {name:<24}{count:>14,.1f}")
    if save:
        _save(Path(save), results[devices[0]])
    if device == "both":
        _compare(results["emulator"], results["interpreter"])


def _only(kernels: list[str]) -> str:
    if len(kernels) != 1:
        raise click.UsageError(f"choose a kernel with --kernel: {', '.join(kernels) or 'none'}")
    return kernels[0]


def _shape(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise click.UsageError(f"{text!r} is no X or X,Y,Z") from None


def _argument(spec: str, rng: np.random.Generator) -> Argument:
    match = _SPEC.fullmatch(spec)
    if match is None or match["type"] not in _DTYPES:
        raise click.UsageError(f"{spec!r} is no TYPE=VALUE or TYPE[COUNT]=FILL")
    dtype = np.dtype(_DTYPES[match["type"]])
    if match["count"] is not None:
        return _array(match["value"], int(match["count"]), dtype, rng)
    if match["value"].endswith(".npy"):
        return np.ascontiguousarray(np.load(match["value"]).astype(dtype))
    try:
        number: Any = float(match["value"]) if dtype.kind == "f" else int(match["value"], 0)
        scalar: np.generic = dtype.type(number)
    except (ValueError, OverflowError):
        raise click.UsageError(f"{match['value']!r} is no {match['type']}") from None
    return scalar


def _array(fill: str, count: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Array:
    match fill:
        case "zeros":
            return np.zeros(count, dtype)
        case "ones":
            return np.ones(count, dtype)
        case "ramp":
            return np.arange(count).astype(dtype)
        case "random" if dtype.kind == "f":
            return rng.standard_normal(count).astype(dtype)
        case "random":
            low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
            return rng.integers(low, high, count, dtype, endpoint=True)
        case _:
            raise click.UsageError(f"{fill!r} is no zeros, ones, ramp or random")


def _show(where: str, arrays: list[Array]) -> None:
    for index, array in enumerate(arrays):
        shown = ", ".join(str(value) for value in array.flat[:_SHOWN])
        more = ", ..." if array.size > _SHOWN else ""
        click.echo(f"{where}: array {index} ({array.dtype}, {array.size}): {shown}{more}")


def _save(folder: Path, arrays: list[Array]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for index, array in enumerate(arrays):
        np.save(folder / f"array{index}.npy", array)


def _compare(first: list[Array], second: list[Array]) -> None:
    for index, (a, b) in enumerate(zip(first, second, strict=True)):
        if a.tobytes() != b.tobytes():
            where = int(np.flatnonzero(a.view(np.uint8) != b.view(np.uint8))[0]) // a.itemsize
            click.echo(f"array {index} differs first at element {where}", err=True)
            raise SystemExit(1)
    click.echo("emulator and interpreter agree bit for bit")
