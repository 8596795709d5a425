"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]  # Any: click passes what it parsed


def files_argument() -> Decorator:
    """FILES: files, `-`, folders and patterns."""
    return click.argument("files", nargs=-1, required=True)


def target_option() -> Decorator:
    """`--target a,b`, or repeated."""
    return click.option(
        "--target",
        "-t",
        "targets",
        multiple=True,
        default=("gfx942",),
        show_default=True,
        help="Targets, separated by commas, or `all`; repeatable.",
    )


def kernel_option() -> Decorator:
    """`--kernel NAME`, repeated."""
    return click.option(
        "--kernel", "-k", "kernels", multiple=True, help="Only this kernel; repeatable."
    )


def split_targets(words: tuple[str, ...]) -> list[str]:
    """The names in `--target`, each once, all of them known. Raises PTX301."""
    from ptxlift.target import all_targets, lookup_any

    names = [name.strip() for word in words for name in word.split(",")]
    if "all" in names:
        names = [target.name for target in all_targets()]
    wanted = list(dict.fromkeys(name for name in names if name))
    if not wanted:
        raise click.UsageError("--target names no target")
    for name in wanted:
        lookup_any(name)
    return wanted
