"""`ptxlift isa`: the instruction table, as far as a person asks."""

from __future__ import annotations

import difflib
from fnmatch import fnmatchcase

import click

_HEAD = f"{'translated':<12}{'interpreted':<13}{'since':<14}form"


@click.command("isa")
@click.argument("opcodes", nargs=-1)
def command(opcodes: tuple[str, ...]) -> None:
    """List the instruction forms of OPCODES (`shfl`, `'cp*'`; all if none) and what is done with
    them. docs/isa.md says more.
    """
    from ptxlift import isa
    from ptxlift.interp.ends import endings
    from ptxlift.interp.steps import makers
    from ptxlift.lifter.cfg import EXITS
    from ptxlift.lifter.registry import liftings
    from ptxlift.semantics.registry import names

    for opcode in opcodes:
        if not any(fnmatchcase(known, opcode) for known in isa.opcodes()):
            near = difflib.get_close_matches(opcode, isa.opcodes(), n=3)
            raise click.UsageError(f"no instruction {opcode!r}; near: {', '.join(near) or 'none'}")
    translated = names() | liftings().keys() | EXITS.keys()
    interpreted = names() | makers().keys() | endings().keys()
    click.echo(_HEAD)
    for row in isa.rows():
        if opcodes and not any(fnmatchcase(row.opcode, opcode) for opcode in opcodes):
            continue
        known = (row.name in translated, row.name in interpreted)
        marks = ["yes" if mark else "no" for mark in known]
        click.echo(f"{marks[0]:<12}{marks[1]:<13}{row.since:<14}{row.pattern}")
