"""What the FILES of a command name, and the PTX in them.

Comes in: words of a command line: files, `-`, folders, patterns. Goes out: PTX texts with names for
messages and for outputs. Fat binaries, objects and executables give the PTX inside them. It must
know nothing of PTX.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from ptxlift.diag import PtxError

STDIN = "-"
_CONTAINERS = (b"\x7fELF", b"\x50\xed\x55\xba", b"!<arch>\n", b"MZ")
_PATTERN = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Input:
    """A file to read. `stem`: what outputs are named after, relative to the output folder."""

    path: str
    stem: Path


@dataclass(frozen=True, slots=True)
class SourceFile:
    """What a manifest says of one PTX text."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Program:
    """One PTX text. `sources`: of what it was made, once that is known."""

    name: str
    stem: Path
    text: bytes | str
    sources: tuple[SourceFile, ...] = ()


def sources_of(programs: Sequence[Program]) -> tuple[SourceFile, ...]:
    """The texts of programs that are translated as one."""
    found = []
    for program in programs:
        data = program.text.encode() if isinstance(program.text, str) else program.text
        found.append(SourceFile(program.name, hashlib.sha256(data).hexdigest(), len(data)))
    return tuple(found)


def find_inputs(words: Sequence[str]) -> list[Input]:
    """The files that words of the command line stand for, each once.

    A folder stands for every .ptx file in and below it, a word with `*`, `?` or `[` that is no file
    for what matches it.
    """
    found = {entry.path: entry for word in words for entry in _expand(word)}
    stems: dict[Path, Input] = {}
    for entry in found.values():
        other = stems.setdefault(entry.stem, entry)
        if other is not entry:
            message = f"{other.path} and {entry.path} would write the same output file"
            raise click.UsageError(f"{message}; give their common folder instead")
    return list(found.values())


def _expand(word: str) -> list[Input]:
    path = Path(word)
    if word == STDIN:
        return [Input(STDIN, Path("stdin"))]
    if path.is_dir():
        files = sorted(path.rglob("*.ptx"))
        if not files:
            raise _unreadable(word, "the folder holds no .ptx files")
        return [Input(str(file), file.relative_to(path).with_suffix("")) for file in files]
    if _PATTERN & set(word) and not path.exists():
        matches = [Path(name) for name in sorted(_glob(word))]
        if not matches:
            raise _unreadable(word, "no file matches the pattern")
        return [Input(str(file), Path(file.stem)) for file in matches if file.is_file()]
    return [Input(word, Path(path.stem))]


def _glob(pattern: str) -> list[str]:
    import glob

    return glob.glob(pattern, recursive=True)


def read_programs(entry: Input) -> Iterator[Program]:
    """The PTX texts in a file: one, or as many as a container holds. Raises `PtxError`."""
    data = read_bytes(entry.path)
    name = "<stdin>" if entry.path == STDIN else entry.path
    if not data.startswith(_CONTAINERS):
        yield Program(name, entry.stem, data)
        return
    from ptxlift.link.extract import extract

    try:
        images = extract(data)
    except PtxError as error:
        hint = "the file must hold PTX, or NVIDIA code built with PTX in it"
        first = error.diagnostics[0]
        message = first.message.replace("the input", name, 1)
        raise PtxError.of(first.code, message, hint=first.hint or hint) from None
    for number, image in enumerate(images):
        stem = (
            entry.stem if len(images) == 1 else entry.stem.with_name(f"{entry.stem.name}.{number}")
        )
        yield Program(f"{name}[{number}]", stem, image.text)


def read_bytes(path: str) -> bytes:
    """The bytes of a file, or of standard input for `-`. Raises PTX008."""
    if path == STDIN:
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise _unreadable(path, getattr(error, "strerror", None) or str(error)) from None


def read_one(path: str) -> Program:
    """The only PTX text of a file; several are an error that names them."""
    programs = list(read_programs(Input(path, Path(Path(path).stem))))
    if len(programs) > 1:
        hint = f"`ptxlift extract {path}` writes each to a file of its own"
        raise PtxError.of("PTX008", f"{path} holds {len(programs)} PTX modules", hint=hint)
    return programs[0]


def _unreadable(path: str, why: str) -> PtxError:
    hint = "give a PTX file, `-` for standard input, a folder, or a pattern in quotes"
    return PtxError.of("PTX008", f"{path} cannot be read: {why}", hint=hint)
