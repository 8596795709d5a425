"""Where a command writes, and the diagnostics for places where it cannot.

Comes in: what `-o` says, stems of inputs. Goes out: files. It must know nothing of what is written.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from ptxlift.diag import PtxError
from ptxlift.records import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A folder, one file, or standard output (`-`)."""

    folder: Path
    file: Path | None = None
    stdout: bool = False

    def path(self, stem: Path, target: str, extension: str) -> Path:
        """Where one output goes."""
        if self.file is not None:
            return self.file
        middle = f".{target.replace(':', '_')}" if target else ""
        name = f"{stem.name}{middle}.{extension}"
        return self.folder / stem.with_name(name)


def place_of(
    output: str | None, extensions: Sequence[str], outputs: int, from_stdin: bool
) -> Place:
    """The place that `-o` means: a file if its name ends as the output does, else a folder."""
    if output == "-" or (output is None and from_stdin):
        if outputs > 1:
            raise click.UsageError(f"{outputs} outputs do not fit one standard output; use -o DIR")
        return Place(Path("."), stdout=True)
    if output is None:
        return Place(Path("."))
    path = Path(output)
    if path.suffix[1:] in extensions and not path.is_dir():
        if outputs > 1:
            raise click.UsageError(f"{outputs} outputs do not fit the file {output}; use -o DIR")
        return Place(path.parent, file=path)
    return Place(path)


def write(path: Path, data: bytes) -> None:
    """Writes a file and the folders above it, all of it or nothing. Raises PTX308."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            path.write_bytes(data)  # a device or a pipe stays what it is
        else:
            _replace(path.resolve(), data)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        hint = "choose another place with -o"
        raise PtxError.of("PTX308", f"{path} cannot be written: {why}", hint=hint) from None


def _replace(path: Path, data: bytes) -> None:
    """Writes aside and renames, so that nobody sees half a file, whatever ends this process."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        aside.write_bytes(data)
        if path.exists():
            os.chmod(aside, path.stat().st_mode)
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def depfile_text(outputs: Sequence[Path], inputs: Sequence[str]) -> str:
    """A rule of make, which ninja reads too: the outputs depend on the inputs."""
    files = [name for name in inputs if name != "-"]
    left = " ".join(_escaped(str(path)) for path in outputs)
    right = "".join(f" \\\n  {_escaped(name)}" for name in files)
    return f"{left}:{right}\n" if outputs else ""


def _escaped(name: str) -> str:
    return name.replace("$", "$$").replace("#", "\\#").replace(" ", "\\ ")
