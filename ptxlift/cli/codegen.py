"""The options of the command line that become `ptxlift.Options`.

Comes in: what click parsed. Goes out: `Options`. It must know nothing of files and targets.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ptxlift.driver.options import Options

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]  # Any: click passes what it parsed

_OPTIONS = [
    click.option("-O", "opt_level", type=click.IntRange(0, 3), default=2, show_default=True),
    click.option("--wave-size", type=click.Choice(["32", "64"]), help="Lanes of a wave."),
    click.option(
        "--warp-mapping",
        type=click.Choice(["auto", "packed", "split"]),
        default="auto",
        show_default=True,
        help="Two warps in a wave of 64, or one.",
    ),
    click.option(
        "--max-block",
        type=click.IntRange(1, 1024),
        default=1024,
        show_default=True,
        help="Threads of the largest block of kernels that do not say.",
    ),
    click.option(
        "--code-object-version",
        type=click.Choice(["4", "5", "6"]),
        default="5",
        show_default=True,
    ),
    click.option(
        "--matrix",
        type=click.Choice(["auto", "native", "generic"]),
        default="auto",
        show_default=True,
        help="Whether matrix products use matrix instructions.",
    ),
    click.option(
        "--stack-bytes",
        type=click.IntRange(0),
        help="Scratch memory a lane of kernels whose need is not known.",
    ),
    click.option(
        "--link",
        multiple=True,
        type=click.Path(exists=True, dir_okay=False),
        help="LLVM bitcode with functions that the PTX declares; repeatable.",
    ),
    click.option(
        "--extern",
        "externs",
        multiple=True,
        metavar="NAME=FUNCTION",
        help="What a function of the PTX is called in --link; repeatable.",
    ),
    click.option("--unsafe-fp-atomics", is_flag=True, help="Memory is never fine-grained."),
    click.option("--debug-lines", "-g", is_flag=True, help="Say the lines of PTX in the code."),
    click.option(
        "--source-lines",
        is_flag=True,
        help="Say the lines of the source that .loc names instead.",
    ),
    click.option(
        "--heap-bytes",
        type=click.IntRange(0),
        default=0,
        help="Heap of kernels that call malloc and free.",
    ),
    click.option("--remarks", is_flag=True, help="Say what the rewriter made of which line."),
]
_NAMES = (
    "opt_level", "wave_size", "warp_mapping", "max_block", "code_object_version", "matrix",
    "stack_bytes", "heap_bytes", "link", "externs",
    "unsafe_fp_atomics", "debug_lines", "remarks",
)  # fmt: skip
_NUMBERS = ("wave_size", "code_object_version")


def code_options() -> Decorator:
    """All of them."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(_OPTIONS):
            function = option(function)
        return function

    return decorate


def take_options(given: dict[str, Any], *, skip: bool, isolate: bool) -> Options:
    """The `Options` in what click parsed, which loses them. skip: leave out kernels that fail."""
    values = {name: given.pop(name) for name in _NAMES}
    if given.pop("source_lines"):
        values["debug_lines"] = "source"
    for name in _NUMBERS:
        values[name] = int(values[name]) if values[name] else None
    values["link"] = tuple(Path(path).read_bytes() for path in values["link"])
    values["externs"] = dict(_extern(word) for word in values["externs"])
    return Options(on_unsupported="skip" if skip else "error", isolate=isolate, **values)


def _extern(word: str) -> tuple[str, str]:
    name, equals, function = word.partition("=")
    if not (name and equals and function):
        raise click.UsageError(f"--extern {word!r} is no NAME=FUNCTION")
    return name, function
