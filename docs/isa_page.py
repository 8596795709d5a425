"""Writes docs/isa.md: every instruction form with its versions and what ptxlift does with it.

Comes in: the instruction table, the registry of the interpreter, trials of the backend. Goes out:
Markdown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from docs.markdown import table
from docs.trials import Verdict, trials
from ptxlift.interp.ends import endings
from ptxlift.interp.steps import makers
from ptxlift.isa import Row, rows
from ptxlift.isa.table import CHAPTERS, chapter
from ptxlift.isa.versions import ARCHITECTURES
from ptxlift.semantics import registry as semantics

Facts: TypeAlias = tuple[bool, Verdict, Verdict]  # interpreted, on wave32, on wave64
_UNTRIED = (Verdict.UNKNOWN, Verdict.UNKNOWN)
_INTRODUCTION = """# Instructions

Every instruction form of PTX ISA 9.0, in the notation of NVIDIA's manual: `{.x}` is an optional
modifier, `{, x}` an optional operand. This page is generated from the instruction table; run
`make docs` to write it anew.

*parsed*: recognised, checked and printed. *interpreted*: the reference interpreter runs it.
*wave32*, *wave64*: translated for chips with waves of 32 and 64 lanes, found by trying recorded
instances of the form on gfx1100 and gfx942; *in part*: some of them; *untried*: none is recorded.
What is not translated is refused by name (PTX201, PTX202).
"""
_HEADS = ("form", "modifiers", "since", "parsed", "interpreted", "wave32", "wave64")
_COUNTS = ("chapter", "forms", "interpreted", "wave32", "wave64")


def render() -> str:
    """The page."""
    interpreted = semantics.names() | makers().keys() | endings().keys()
    tried = trials()
    facts = {row: (row.name in interpreted, *tried.get(row, _UNTRIED)) for row in rows()}
    parts = [_INTRODUCTION, _summary(facts), _architectures()]
    parts += [_chapter(name, facts) for name in CHAPTERS]
    return "\n".join(parts)


def _summary(facts: Mapping[Row, Facts]) -> str:
    lines = [_counts(_title(name), [facts[row] for row in chapter(name)]) for name in CHAPTERS]
    return table(_COUNTS, [*lines, _counts("all", list(facts.values()))])


def _counts(title: str, facts: Sequence[Facts]) -> tuple[str, ...]:
    known = (
        sum(interpreted for interpreted, _, _ in facts),
        sum(wave32 is Verdict.YES for _, wave32, _ in facts),
        sum(wave64 is Verdict.YES for _, _, wave64 in facts),
    )
    return title, str(len(facts)), *map(str, known)


def _architectures() -> str:
    lines = ["Sets of architecture-specific targets named below:", ""]
    lines += [f"- *{name}*: {targets}" for name, targets in ARCHITECTURES.items()]
    return "\n".join(lines) + "\n"


def _chapter(name: str, facts: Mapping[Row, Facts]) -> str:
    lines = [_row(row, *facts[row]) for row in chapter(name)]
    return f"## {_title(name)}\n\n{table(_HEADS, lines)}"


def _title(name: str) -> str:
    return name.strip("_").replace("_", " ").capitalize()


def _row(row: Row, interpreted: bool, wave32: Verdict, wave64: Verdict) -> tuple[str, ...]:
    return (
        f"`{_escaped(row.pattern)}`",
        "<br>".join(f"`.{key}`: {_words(words)}" for key, words in row.sets.items()),
        _since(row),
        "yes",
        "yes" if interpreted else "no",
        wave32.value,
        wave64.value,
    )


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
