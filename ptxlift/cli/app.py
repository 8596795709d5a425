"""The group of sub-commands, and what they share: reading inputs, reporting errors."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import click

from ptxlift import __version__
from ptxlift.diag import PtxError

_COMMANDS = {  # name: (module, one line of help); modules load when their command runs
    "lift": ("lift", "Translate PTX files into AMDGPU code."),
    "check": ("check", "Report everything wrong or untranslatable in PTX files."),
    "run": ("run", "Run a kernel in the emulator or the interpreter and show its results."),
    "targets": ("targets", "List the AMDGPU targets."),
    "isa": ("isa", "List the PTX instructions and what is done with each."),
    "explain": ("explain", "Explain a diagnostic code."),
}


class _Group(click.Group):
    """Finds sub-commands without loading all of them; turns `PtxError` into text and exit 1."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = _COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command = importlib.import_module(f"ptxlift.cli.{entry[0]}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry[1]) for name, entry in _COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except PtxError as error:
            click.echo(str(error), err=True)
            raise SystemExit(1) from None
        except BrokenPipeError:
            raise SystemExit(0) from None


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ptxlift")
def app() -> None:
    """Translates PTX, NVIDIA's virtual assembly, into native AMDGPU machine code."""


def read_input(name: str) -> bytes:
    """The bytes of a file; `-` is standard input."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise click.UsageError(f"{name}: {error.strerror}") from None
