"""What an editor shows: hover texts and completions.

Comes in: a text, its outline, an offset. Goes out: Markdown and words. It must not know the
protocol.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ptxlift import isa
from ptxlift.isa.summaries import SUMMARIES
from ptxlift.lsp.outline import Kind, Outline, word_at
from ptxlift.ptx.specials import specials
from ptxlift.records import dataclass

_STATEMENT = re.compile(r"\s*(?:@!?[%\w$]+\s+)?(?P<opcode>[a-z]\w*)(?P<modifiers>(?:\.[\w:]+)*\.?)")
_FORMS_SHOWN = 4
_NATIVE_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Choice:
    """One completion. `kind`: "opcode", "modifier", or a `Kind`'s value."""

    label: str
    kind: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """The instruction around an offset, as far as it is typed. `head`: offset of its opcode."""

    opcode: str
    modifiers: tuple[str, ...]
    head: int
    head_end: int


def statement_at(text: str, offset: int) -> Statement | None:
    """The statement that an offset lies in."""
    start = max(text.rfind(mark, 0, offset) for mark in ";{}\n") + 1
    line = text[start:]
    match = _STATEMENT.match(line)
    label = re.match(r"\s*[\w$%]+:(?!:)", line)
    if label is not None:
        start += label.end()
        match = _STATEMENT.match(text, start)
        if match is None:
            return None
        return _statement(match, 0)
    return None if match is None else _statement(match, start)


def _statement(match: re.Match[str], base: int) -> Statement:
    modifiers = tuple(word for word in match["modifiers"].split(".") if word)
    return Statement(match["opcode"], modifiers, base + match.start("opcode"), base + match.end())


def hover(text: str, offset: int, outline: Outline, native: Sequence[str], target: str) -> str:
    """Markdown about what stands at an offset; empty where there is nothing to say. `native`: the
    assembly that the line becomes.
    """
    statement = statement_at(text, offset)
    if statement and statement.head <= offset <= statement.head_end:
        return _instruction(statement, native, target)
    word = word_at(text, offset)
    special = specials().get(word) or specials().get(word.split(".")[0])
    if special is not None:
        return f"`{special.name}`: special register, `.{special.type.name}`, since {special.since}"
    symbol = outline.find(word, offset)
    if symbol is None:
        return ""
    family = f", one of {symbol.count} `{symbol.name}`" if symbol.count else ""
    return f"`{word}`: {symbol.kind.value} `{symbol.detail}`{family}".replace(" ``", "")


def _instruction(statement: Statement, native: Sequence[str], target: str) -> str:
    rows = isa.by_opcode(statement.opcode)
    if not rows:
        return ""
    parts = [f"**{statement.opcode}**: {SUMMARIES[statement.opcode]}"]
    fitting = [row for row in rows if _fits(row, statement.modifiers)] or list(rows)
    forms = [f"{row.pattern}  // since PTX {row.since}" for row in fitting[:_FORMS_SHOWN]]
    parts.append("```ptx\n" + "\n".join(forms) + "\n```")
    if native:
        shown = [line.strip() for line in native[:_NATIVE_SHOWN]]
        more = [f"; and {len(native) - len(shown)} more"] if len(native) > len(shown) else []
        parts.append(f"On {target}:\n```asm\n" + "\n".join([*shown, *more]) + "\n```")
    return "\n\n".join(parts)


def _fits(row: isa.Row, modifiers: tuple[str, ...]) -> bool:
    known = set(_words(row))
    return all(word in known for word in modifiers)


def _words(row: isa.Row) -> Iterator[str]:
    """Every word that may follow the opcode of a form."""
    from ptxlift.isa.pattern import parse

    for slot in parse(row).slots:
        yield from slot.words


def completions(text: str, offset: int, outline: Outline) -> list[Choice]:
    """What may be typed at an offset: an opcode, a modifier of it, or a name."""
    statement = statement_at(text, offset)
    if statement is None:
        return _opcodes()
    if offset <= statement.head_end:
        typed = text[statement.head : offset]
        return _modifiers(statement, typed) if "." in typed else _opcodes()
    return _names(offset, outline)


def _opcodes() -> list[Choice]:
    return [Choice(name, "opcode", SUMMARIES[name]) for name in isa.opcodes()]


def _modifiers(statement: Statement, typed: str) -> list[Choice]:
    """Words of the forms that have all modifiers before the one being typed."""
    before = tuple(word for word in typed.split(".")[1:-1] if word)
    found: dict[str, list[str]] = {}
    for row in isa.by_opcode(statement.opcode):
        if _fits(row, before):
            for word in sorted(set(_words(row)) - set(before)):
                found.setdefault(word, []).append(row.pattern)
    return [Choice(word, "modifier", forms[0]) for word, forms in sorted(found.items())]


def _names(offset: int, outline: Outline) -> list[Choice]:
    scope = outline.scope_at(offset)
    symbols = [*(scope.symbols if scope else []), *outline.symbols]
    symbols += [one.symbol for one in outline.scopes if one.symbol.kind is Kind.FUNCTION]
    named: dict[str, Choice] = {}
    for symbol in symbols:
        for name in _members(symbol.name, symbol.count):
            named.setdefault(name, Choice(name, symbol.kind.value, symbol.detail))
    special = [Choice(s.name, Kind.REGISTER.value, "special") for s in specials().values()]
    return [*named.values(), *special]


_MOST = 200  # registers of one family that are offered


def _members(name: str, count: int) -> list[str]:
    return [f"{name}{number}" for number in range(min(count, _MOST))] if count else [name]
