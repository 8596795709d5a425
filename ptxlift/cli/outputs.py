"""Where a command writes, and the diagnostics for places where it cannot.

Comes in: what `-o` says, stems of inputs. Goes out: files. It must know nothing of what is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from ptxlift.diag import PtxError


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
        name = f"{stem.name}.{target.replace(':', '_')}.{extension}"
        return self.folder / stem.with_name(name)


def place_of(output: str | None, extension: str, outputs: int, from_stdin: bool) -> Place:
    """The place that `-o` means: a file if its name ends as the output does, else a folder."""
    if output == "-" or (output is None and from_stdin):
        if outputs > 1:
            raise click.UsageError(f"{outputs} outputs do not fit one standard output; use -o DIR")
        return Place(Path("."), stdout=True)
    if output is None:
        return Place(Path("."))
    path = Path(output)
    if path.suffix == f".{extension}" and not path.is_dir():
        if outputs > 1:
            raise click.UsageError(f"{outputs} outputs do not fit the file {output}; use -o DIR")
        return Place(path.parent, file=path)
    return Place(path)


def write(path: Path, data: bytes) -> None:
    """Writes a file and the folders above it. Raises PTX308."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        hint = "choose another place with -o"
        raise PtxError.of("PTX308", f"{path} cannot be written: {why}", hint=hint) from None
