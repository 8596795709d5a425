"""What `ptxlift lift` writes: the kinds of output, and the files of one program.

Comes in: a program's outcomes by target. Goes out: files and their bytes. It must know nothing of
options and terminals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import click

from ptxlift.cli.header import header_of
from ptxlift.cli.work import Done
from ptxlift.records import dataclass
from ptxlift.target import is_nvidia


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of output. `part`: of the translation that it needs; `whole`: one for all targets."""

    extension: str
    part: str
    whole: bool = False


DEFAULT = "code"  # what a runtime loads: `hsaco`, or `ptx` for NVIDIA's targets


KINDS = {
    DEFAULT: Kind("", "output"),
    "hsaco": Kind("hsaco", "code_object"),
    "bundle": Kind("hipfb", "code_object", whole=True),
    "asm": Kind("s", "asm"),
    "rewritten": Kind("rewritten.ir", "rewritten_ir"),
    "llvm": Kind("ll", "llvm_ir"),
    "ir": Kind("ir", "ir"),
    "obj": Kind("o", "object"),
    "bc": Kind("bc", "bitcode"),
    "ptx": Kind("ptx", "ptx"),
    "header": Kind("h", "verdict", whole=True),
}


@dataclass(frozen=True, slots=True)
class Output:
    """One file. `target`: empty for one that serves all targets."""

    kind: str
    target: str
    data: bytes


def kind_for(kind: str, target: str) -> str:
    """The kind that the default means for a target; others mean themselves."""
    if kind != DEFAULT:
        return kind
    return "ptx" if is_nvidia(target) else "hsaco"


def kinds_of(words: Sequence[str]) -> list[str]:
    """The kinds that `--emit a,b` names, each once."""
    names = [name.strip() for word in words for name in word.split(",")]
    wanted = list(dict.fromkeys(name for name in names if name))
    unknown = [name for name in wanted if name not in KINDS]
    if unknown or not wanted:
        said = f"{unknown[0]!r} is none" if unknown else "--emit names nothing"
        raise click.UsageError(f"{said}; there are {', '.join(KINDS)}")
    return wanted


def parts_of(kinds: Iterable[str], resources: bool) -> tuple[str, ...]:
    """The parts of a translation that outputs need. `resources`: those of kernels are wanted, if
    code is generated at all.
    """
    parts = dict.fromkeys(KINDS[kind].part for kind in kinds)
    if resources and not parts.keys() <= {"ir", "rewritten_ir", "llvm_ir", "verdict"}:
        parts["output"] = None
    return tuple(parts)


def outputs_of(kinds: Sequence[str], done: Done) -> Iterator[Output]:
    """All files of a program. What serves all targets is made of those that could be done."""
    good = {target: outcome for target, outcome in done.outcomes.items() if outcome.ok}
    for target, outcome in good.items():
        for name in kinds:
            if not KINDS[name].whole:
                data = outcome.parts[KINDS[name].part]
                kind = kind_for(name, target)
                yield Output(kind, target, data.encode() if isinstance(data, str) else data)
    if not good:
        return
    if "bundle" in kinds:
        yield Output("bundle", "", _bundle(done, list(good)))
    if "header" in kinds:
        yield Output("header", "", header_of(done.program, good).encode())


def _bundle(done: Done, targets: Sequence[str]) -> bytes:
    from ptxlift.link.bundle import bundle
    from ptxlift.target import lookup

    objects: dict[str, bytes] = {}
    for target in targets:
        data = done.outcomes[target].parts["code_object"]
        assert isinstance(data, bytes)
        objects[lookup(target).target_id] = data
    return bundle(objects)
