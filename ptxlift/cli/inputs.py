"""What the FILES of a command name, and the PTX in them.

Comes in: words of a command line: files, `-`, folders, patterns. Goes out: PTX texts with names for
messages and for outputs. Fat binaries, objects and executables give the PTX inside them. It must
know nothing of PTX.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptxlift.diag import Diagnostic, PtxError, Severity
from ptxlift.driver.images import Image
from ptxlift.records import dataclass

if TYPE_CHECKING:
    from ptxlift.link.extract import Contents, PtxImage

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
    """One PTX text. `older`: other images of it, the best first. `notes`: what was noticed while it
    was read. `sources`: of what it was made, once that is known.
    """

    name: str
    stem: Path
    text: bytes | str
    older: tuple[Image, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    sources: tuple[SourceFile, ...] = ()


def sources_of(programs: Sequence[Program]) -> tuple[SourceFile, ...]:
    """The texts of programs that are translated as one."""
    found = []
    for program in programs:
        for image in (Image(program.name, program.text), *program.older):
            data = image.text.encode() if isinstance(image.text, str) else image.text
            found.append(SourceFile(image.name, hashlib.sha256(data).hexdigest(), len(data)))
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
    """The programs in a file: one, or as many as there are containers in it. Raises `PtxError`."""
    data = read_bytes(entry.path)
    name = "<stdin>" if entry.path == STDIN else entry.path
    if not data.startswith(_CONTAINERS):
        yield Program(name, entry.stem, data)
        return
    found = _contents(data, name)
    numbers = {image.offset: number for number, image in enumerate(found.images)}
    groups = _groups(found.images)
    notes = tuple(_only_code(name, archs) for archs in found.only_code.values())
    for number, group in enumerate(groups):
        stem = entry.stem
        if len(groups) > 1:
            stem = stem.with_name(f"{stem.name}.{number}")
        images = [Image(f"{name}[{numbers[image.offset]}]", image.text) for image in group]
        best, *older = images
        yield Program(best.name, stem, best.text, tuple(older), notes if number == 0 else ())


def read_images(entry: Input) -> Iterator[Program]:
    """Every PTX text in a file by itself. Raises `PtxError`."""
    data = read_bytes(entry.path)
    name = "<stdin>" if entry.path == STDIN else entry.path
    if not data.startswith(_CONTAINERS):
        yield Program(name, entry.stem, data)
        return
    found = _contents(data, name)
    notes = tuple(_only_code(name, archs) for archs in found.only_code.values())
    for number, image in enumerate(found.images):
        stem = entry.stem
        if len(found.images) > 1:
            stem = stem.with_name(f"{stem.name}.{number}")
        yield Program(f"{name}[{number}]", stem, image.text, (), () if number else notes)


def _contents(data: bytes, name: str) -> Contents:
    from ptxlift.link.extract import contents

    try:
        return contents(data)
    except PtxError as error:
        hint = "the file must hold PTX, or NVIDIA code built with PTX in it"
        first = error.diagnostics[0]
        message = first.message.replace("the input", name, 1)
        raise PtxError.of(first.code, message, hint=first.hint or hint) from None


def _groups(images: Sequence[PtxImage]) -> list[list[PtxImage]]:
    """Images of one program, the newest architecture first. Those of one container are, unless they
    are for the same architecture: then the first of each are one program, the second, and so on.
    """
    groups: dict[tuple[int, int], list[PtxImage]] = {}
    seen: Counter[tuple[int, str]] = Counter()
    for at, image in enumerate(images):
        container = image.container if image.container >= 0 else -1 - at
        place = seen[container, image.target]
        seen[container, image.target] += 1
        groups.setdefault((container, place), []).append(image)
    return [sorted(group, key=_newest_first) for group in groups.values()]


def _newest_first(image: PtxImage) -> tuple[int, str]:
    return -image.sm, image.target


def _only_code(name: str, archs: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        "PTX003",
        f"{name} also holds machine code for {', '.join(archs)} without PTX, which is left out",
        hint="build it with -gencode arch=compute_NN,code=compute_NN to include PTX",
        severity=Severity.WARNING,
    )


def read_bytes(path: str) -> bytes:
    """The bytes of a file, or of standard input for `-`. Raises PTX008."""
    if path == STDIN:
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise _unreadable(path, getattr(error, "strerror", None) or str(error)) from None


def read_one(path: str) -> Program:
    """The only program of a file; several are an error that names them."""
    programs = list(read_programs(Input(path, Path(Path(path).stem))))
    if len(programs) > 1:
        hint = f"`ptxlift extract {path}` writes each to a file of its own"
        raise PtxError.of("PTX008", f"{path} holds {len(programs)} programs", hint=hint)
    return programs[0]


def _unreadable(path: str, why: str) -> PtxError:
    hint = "give a PTX file, `-` for standard input, a folder, or a pattern in quotes"
    return PtxError.of("PTX008", f"{path} cannot be read: {why}", hint=hint)
