"""`ptxlift isa`: the instruction table, as far as a person asks."""

from __future__ import annotations

import click

from ptxlift import isa
from ptxlift.lifter.registry import liftings
from ptxlift.semantics.registry import names


@click.command("isa")
@click.argument("opcodes", nargs=-1)
def command(opcodes: tuple[str, ...]) -> None:
    """List instruction forms of OPCODES (all if none): pattern, since, translated or not."""
    translated = names() | set(liftings())
    count = 0
    for row in isa.rows():
        if opcodes and row.opcode not in opcodes:
            continue
        count += 1
        mark = "yes" if row.name in translated else "no "
        click.echo(f"{mark}  {row.since:<12} {row.pattern}")
    if opcodes and not count:
        raise click.UsageError(f"no instruction named {' or '.join(opcodes)}")
