"""The group of sub-commands, and how each ends: results, diagnostics, usage, faults."""

from __future__ import annotations

import importlib
import os

import click

from ptxlift import __version__
from ptxlift.cli.responses import with_response_files
from ptxlift.diag import PtxError

DIAGNOSTICS = 1
FAULT = 3
_TRACEBACK = "PTXLIFT_TRACEBACK"

_COMMANDS = {  # name: (module, one line of help); modules load when their command runs
    "lift": ("lift", "Translate PTX files into AMDGPU code."),
    "check": ("check", "Report everything wrong or untranslatable in PTX files."),
    "run": ("run", "Run a kernel in the emulator or the interpreter and show its results."),
    "view": ("view", "Write a page with PTX, IR and assembly beside each other."),
    "lsp": ("lsp", "Serve editors over the language server protocol."),
    "extract": ("extract", "Take the PTX out of fat binaries, objects and executables."),
    "inline": ("inline", "Replace the inline PTX of LLVM modules, or serve other compilers."),
    "targets": ("targets", "List the AMDGPU targets."),
    "isa": ("isa", "List the PTX instructions and what is done with each."),
    "explain": ("explain", "Explain a diagnostic code."),
    "cache": ("cache", "Show, check, shrink or empty the cache of translations."),
    "cmake": ("cmake", "Print the folder of the CMake package."),
}


class _Group(click.Group):
    """Finds sub-commands without loading all of them; no exception leaves it as a traceback."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_response_files(args))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = _COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command = importlib.import_module(f"ptxlift.cli.{entry[0]}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            near = _near(args[0])
            raise click.UsageError(f"there is no command {args[0]!r}{near}", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry[1]) for name, entry in _COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except PtxError as error:
            click.echo(str(error), err=True)
            raise SystemExit(DIAGNOSTICS) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            if os.environ.get(_TRACEBACK):
                raise
            from ptxlift.driver.batch import describe_fault

            show_fault(describe_fault(error))
            raise SystemExit(FAULT) from None


def _near(word: str) -> str:
    import difflib

    near = difflib.get_close_matches(word, _COMMANDS, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def show_fault(fault: str, name: str = "", explained: bool = True) -> None:
    """Says that ptxlift itself is wrong, and, if `explained`, what to send."""
    place = f"{name}: " if name else ""
    click.echo(f"{place}internal error: {fault}", err=True)
    if explained:
        click.echo(
            f"  This is a fault of ptxlift {__version__}, not of your file. Please report it with "
            f"the file and the command ({_TRACEBACK}=1 shows where it comes from).",
            err=True,
        )


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ptxlift")
def app() -> None:
    """Translates PTX, NVIDIA's virtual assembly, into native AMDGPU machine code."""
