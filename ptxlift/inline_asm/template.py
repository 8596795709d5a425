"""Templates: placeholders become names and constants, and every place stays known.

Comes in: the string of an `asm` statement. Goes out: PTX in which operand i is the register `%i`,
with a map from its offsets to those of the template. This module must know no instruction.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from ptxlift.diag import PtxError, Source, Span
from ptxlift.inline_asm.model import Dialect
from ptxlift.records import dataclass

_CUDA = re.compile(
    r"%(?:(?P<escape>[%{}|])|(?P<unique>=)|(?P<number>\d+)|\[(?P<name>[^\]]*)\]"
    r"|(?P<modifier>[A-Za-z](?=\d|\[))|(?P<word>[A-Za-z_$]))?"
)
_LLVM = re.compile(
    r"\$(?:(?P<escape>\$)|(?P<number>\d+)"
    r"|\{(?P<braced>\d+)\}|\{:(?P<special>\w+)\}|\{\d+:(?P<modifier>[^}]*)\})?"
)
_SPECIALS = {"uid": "0", "private": "$", "comment": "//"}


@dataclass(frozen=True, slots=True)
class Expansion:
    """PTX text and where its parts come from: `starts[i]` in it is `origins[i]` in the template."""

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]

    def origin(self, offset: int) -> int:
        """The template's offset of a place in the text."""
        at = bisect_right(self.starts, offset) - 1
        return self.origins[at] + min(offset - self.starts[at], self._length(at))

    def _length(self, at: int) -> int:
        if at + 1 == len(self.starts):
            return len(self.text)
        return max(0, self.origins[at + 1] - self.origins[at] - 1)


def expand(
    source: Source, dialect: Dialect, texts: Sequence[str], names: Mapping[str, int]
) -> Expansion:
    """Replaces every placeholder; `texts`: what stands for each operand, `names`: `%[name]`s."""
    template = source.text
    pattern = _CUDA if dialect is Dialect.CUDA else _LLVM
    parts: list[str] = []
    starts, origins = [0], [0]
    at = written = 0
    for found in pattern.finditer(template):
        plain = template[at : found.start()]
        new = _replacement(found, source, texts, names)
        parts += (plain, new)
        starts += (written + len(plain), written + len(plain) + len(new))
        origins += (found.start(), found.end())
        written = starts[-1]
        at = found.end()
    parts.append(template[at:])
    return Expansion("".join(parts), tuple(starts), tuple(origins))


def _replacement(
    found: re.Match[str], source: Source, texts: Sequence[str], names: Mapping[str, int]
) -> str:
    groups = found.groupdict()
    number = groups["number"] or groups.get("braced")
    if number is not None:
        return _operand(int(number), found, source, texts)
    if groups["escape"] is not None:
        return groups["escape"]
    if groups["modifier"] is not None:
        raise _error(source, found, f"`{found[0]}`: operand modifiers mean nothing in PTX")
    if groups.get("word") is not None:
        return found[0]
    if groups.get("name") is not None:
        name = groups["name"]
        if name not in names:
            known = ", ".join(sorted(names)) or "no operand has a name"
            raise _error(source, found, f"no operand is named `{name}`", f"known: {known}")
        return texts[names[name]]
    if groups.get("unique") is not None:
        return "0"  # each statement has names of its own
    if groups.get("special") in _SPECIALS:
        return _SPECIALS[groups["special"]]
    sign = found[0][0]
    raise _error(
        source, found, f"`{sign}` begins nothing here", f"write {sign}{sign} for a plain {sign}"
    )


def _operand(number: int, found: re.Match[str], source: Source, texts: Sequence[str]) -> str:
    if number < len(texts):
        return texts[number]
    count = len(texts)
    operands = f"{count} operand{'' if count == 1 else 's'}" if count else "no operands"
    raise _error(
        source,
        found,
        f"`{found[0]}`: the statement has {operands}",
        "operands are numbered from 0, outputs first",
    )


def _error(source: Source, found: re.Match[str], message: str, hint: str = "") -> PtxError:
    return PtxError.of("PTX112", message, Span(source, *found.span()), hint)
