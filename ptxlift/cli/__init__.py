"""The command line: one module a sub-command, loaded when it is called."""

from __future__ import annotations

import gc
import io
import sys

# Modules are many small objects that live as long as their program: looking at them again and
# again took a fifth of the front end's time.
COLLECTIONS = (200_000, 20, 100)


def main() -> None:
    """Entry point of the `ptxlift` command: exit 0 ok, 1 diagnostics, 2 usage, 3 our own fault."""
    try:
        from ptxlift.cli.app import app
    except ModuleNotFoundError as missing:
        if missing.name not in ("click", "rich"):
            raise
        print(
            f"ptxlift: the command needs {missing.name}: pip install 'ptxlift[cli]'",
            file=sys.stderr,
        )
        raise SystemExit(2) from None
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a source line may hold what the terminal cannot
            stream.reconfigure(errors="backslashreplace")
    gc.set_threshold(*COLLECTIONS)
    try:
        app(prog_name="ptxlift")
    finally:
        gc.freeze()  # the process ends: nothing is worth looking for any more
