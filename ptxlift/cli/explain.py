"""`ptxlift explain CODE`: what a diagnostic code means."""

from __future__ import annotations

import difflib
import textwrap

import click

from ptxlift.codes import CODES


@click.command("explain")
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """Explain diagnostic CODE; without one, list them all."""
    if code is None:
        for name, entry in CODES.items():
            click.echo(f"{name}  {entry.title}")
        return
    found = CODES.get(code.upper())
    if found is None:
        near = difflib.get_close_matches(code.upper(), CODES, n=3)
        raise click.UsageError(f"no code {code!r}; near: {', '.join(near) or 'none'}")
    click.echo(f"{code.upper()}: {found.title}\n")
    click.echo(textwrap.fill(found.text.replace("`", "'"), 88))
    for title, example in (("Wrong", found.wrong), ("Right", found.right)):
        if example:
            click.echo(
                f"\n{title}, {found.scope.value}:\n{textwrap.indent(_short(example), '    ')}"
            )


def _short(example: str) -> str:
    """An example without the parts that only repeat."""
    return "\n".join(
        line if len(line) < 100 else f"{line[:60]} ..." for line in example.splitlines()
    )
