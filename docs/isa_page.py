"""Writes docs/isa.md: every instruction form with its versions and what ptxlift does with it.

Comes in: the instruction table and the registries of interpreter and lifter. Goes out: Markdown.
"""

from __future__ import annotations

from ptxlift.interp.ends import endings
from ptxlift.interp.steps import makers
from ptxlift.isa import Row
from ptxlift.isa.table import CHAPTERS, chapter
from ptxlift.isa.versions import ARCHITECTURES
from ptxlift.lifter.cfg import EXITS
from ptxlift.lifter.registry import liftings
from ptxlift.semantics import registry as semantics

_INTRODUCTION = """# Instructions

Every instruction form of PTX ISA 9.0, in the notation of NVIDIA's manual: `{.x}` is an optional
modifier, `{, x}` an optional operand. This page is generated from the instruction table; run
`make docs` to write it anew.

*parsed*: recognised, checked and printed. *interpreted*: the reference interpreter runs it.
*lowered*: translated to AMDGPU code, for wave32 and wave64 alike. A form that is not lowered is
refused by name (PTX201).
"""


def render() -> str:
    """The page."""
    pure = semantics.names()
    interpreted = pure | makers().keys() | endings().keys()
    lowered = pure | liftings().keys() | EXITS.keys()
    parts = [_INTRODUCTION, _summary(interpreted, lowered), _architectures()]
    parts += [_chapter(name, interpreted, lowered) for name in CHAPTERS]
    return "\n".join(parts)


def _summary(interpreted: frozenset[str], lowered: frozenset[str]) -> str:
    lines = ["| chapter | forms | interpreted | lowered |", "| --- | --- | --- | --- |"]
    for name in CHAPTERS:
        rows = chapter(name)
        counts = (sum(row.name in known for row in rows) for known in (interpreted, lowered))
        lines.append(f"| {_title(name)} | {len(rows)} | " + " | ".join(map(str, counts)) + " |")
    return "\n".join(lines) + "\n"


def _architectures() -> str:
    lines = ["Sets of architecture-specific targets named below:", ""]
    lines += [f"- *{name}*: {targets}" for name, targets in ARCHITECTURES.items()]
    return "\n".join(lines) + "\n"


def _chapter(name: str, interpreted: frozenset[str], lowered: frozenset[str]) -> str:
    lines = [
        f"## {_title(name)}",
        "",
        "| form | modifiers | since | parsed | interpreted | lowered |",
    ]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    lines += [_row(row, row.name in interpreted, row.name in lowered) for row in chapter(name)]
    return "\n".join(lines) + "\n"


def _title(name: str) -> str:
    return name.strip("_").replace("_", " ").capitalize()


def _row(row: Row, interpreted: bool, lowered: bool) -> str:
    cells = (
        f"`{_escaped(row.pattern)}`",
        "<br>".join(f"`.{key}`: {_words(words)}" for key, words in row.sets.items()),
        _since(row),
        "yes",
        "yes" if interpreted else "no",
        "yes" if lowered else "no",
    )
    return "| " + " | ".join(cells) + " |"


def _words(words: tuple[str, ...]) -> str:
    if len(words) > 20:
        return f"`.{words[0]}` ... `.{words[-1]}`"
    return " ".join(f"`.{word}`" for word in words)


def _since(row: Row) -> str:
    text = row.since
    text += "".join(f"<br>`.{word}`: {since}" for word, since in row.minima.items())
    return f"{text}<br>gone since {row.removed}" if row.removed else text


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
