"""`ptxlift cmake`: where CMake finds `ptxlift_add_module`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("cmake")
def command() -> None:
    """Print the folder of ptxlift's CMake package, for -Dptxlift_DIR.

    `find_package(ptxlift)` then gives ptxlift_add_module(NAME SOURCES ... TARGETS ...).
    """
    click.echo(Path(__file__).resolve().parents[1] / "cmake")
