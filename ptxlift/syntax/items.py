"""A module's text behind its header comes in; its items go out.

This module knows what stands at module level and nothing of what stands inside a body.
"""

from __future__ import annotations

import re

from ptxlift.syntax.body import Body
from ptxlift.syntax.build import ITEM_BUILDERS, function
from ptxlift.syntax.nodes import Item
from ptxlift.syntax.recovery import Recovery, StatementError
from ptxlift.syntax.sections import section
from ptxlift.syntax.statements import (
    INSTRUCTION_LIMIT,
    check_length,
    look_at,
    parse_cut,
    statement_end,
)
from ptxlift.syntax.tables import LONG, long_declaration

_NUMBER = r"[0-9]\w*+"
_ITEM = re.compile(
    r"\s*+(?:"
    r"(\.section)\s++(\.[A-Za-z_][\w$.]*+)\s*+\{([^{}]*+)\}"
    rf"|(\.file\s++{_NUMBER}\s*+\"[^\"\n]*+\"(?:\s*+,\s*+{_NUMBER}(?:\s*+,\s*+{_NUMBER})?+)?+)(?!\s*+,)"
    r"|((?:\.(?:extern|visible|weak|common)(?!\w)\s*+|\.attribute\s*+\([^;{}]*?\)\s*+)*+"
    r"\.(?:entry|func)(?!\w))"
    r"|(\.\w++)"
    r")",
    re.ASCII,
)
_SECTION_TEXT, _FILE, _FUNCTION, _WORD = 3, 4, 5, 6
_HEAD = re.compile(r"[^;{]*+")
_PRAGMA = re.compile(r'\.pragma\s*+(?:"[^"\n]*+"|[^;"{])*+;')
_VARIABLES = (".global", ".const", ".shared", ".local", ".reg", ".param", ".tex", ".attribute")
_LINKAGES = (".extern", ".visible", ".weak", ".common")
_RULES = {
    ".alias": "alias",
    ".pragma": "pragma",
    ".file": "file",
    **dict.fromkeys((*_VARIABLES, *_LINKAGES), "variable"),
}
_EXPECTED = "expected .entry, .func, a variable such as .global, or another directive"


class Items:
    """Scans the module level of one module."""

    def __init__(self, clean: str, recovery: Recovery) -> None:
        self.clean = clean
        self.recovery = recovery
        self.body = Body(clean, recovery)
        self.items: list[Item] = []

    def scan(self, at: int) -> None:
        """Collect the items from `at` to the end of the text."""
        while (at := self.recovery.skip_blanks(at)) < len(self.clean):
            at = self._item(at)

    def _item(self, at: int) -> int:
        found = _ITEM.match(self.clean, at)
        if found is None:
            return self._odd(at)
        match found.lastindex:
            case 3:
                return self._section(found)
            case 4:
                return self._directive(found.start(_FILE), found.end(), ".file", found.end())
            case 5:
                return self._function(found.start(_FUNCTION))
            case _:
                return self._worded(found.start(_WORD), found[_WORD])

    def _section(self, found: re.Match[str]) -> int:
        start, inside = found.start(1), found.start(_SECTION_TEXT)
        try:
            self.items.append(section(found[2], found[_SECTION_TEXT], start, inside))
        except StatementError as error:
            self.recovery.after(error, start)
        return found.end()

    def _no_section(self, start: int) -> int:
        """A `.section` that does not look like one."""
        brace = self.clean.find("}", start)
        if brace < 0:
            hint = "close it with '}'"
            self.recovery.end_of_file(start, "the file ends inside this section", hint)
        try:
            check_length(start, brace, INSTRUCTION_LIMIT)
            parse_cut(self.clean[start : brace + 1], start, brace + 1, "section")
        except StatementError as error:
            self.recovery.after(error, start)
        return brace + 1

    def _worded(self, start: int, word: str) -> int:
        if word == ".section":
            return self._no_section(start)
        if word not in _RULES:
            self.recovery.unexpected(start, _EXPECTED)
            return self._resume(start)
        end = statement_end(self.clean, start)
        if end == len(self.clean):
            hint = "finish it with ';'"
            self.recovery.end_of_file(start, "the file ends inside this directive", hint)
        return self._directive(start, end, word, end + 1)

    def _directive(self, start: int, end: int, word: str, after: int) -> int:
        try:
            self.items.append(self._directive_node(start, end, _RULES[word]))
        except StatementError as error:
            at = self.recovery.after(error, start)
            return self._resume(at) if self.clean[at : at + 1] == "{" else at
        return after

    def _directive_node(self, start: int, end: int, rule: str) -> Item:
        if rule == "variable" and end - start > LONG:
            table = long_declaration(self.clean, start, end, rule)
            if table is not None:
                return table
        look, cut = look_at(self.clean, start, end, rule)
        return ITEM_BUILDERS[look.rule](look, cut)

    def _function(self, start: int) -> int:
        clean = self.clean
        end = self._head_end(start)
        if end >= len(clean):
            hint = "a function ends with its body or ';'"
            self.recovery.end_of_file(start, "the file ends inside this function's head", hint)
        try:
            look, cut = look_at(clean, start, end, "function_head")
        except StatementError as error:
            self.recovery.after(error, start)
            return self._resume(end)
        if clean[end] == ";":
            self.items.append(function(look, cut, None, end + 1))
            return end + 1
        body, after = self.body.scan(end)
        self.items.append(function(look, cut, body, after))
        return after

    def _head_end(self, start: int) -> int:
        """Where a function's `{` or `;` stands; the `;` of a pragma is no end."""
        clean = self.clean
        at = start
        while (head := _HEAD.match(clean, at)) is not None:
            begin = clean.rfind(".pragma", at, head.end())
            skipped = _PRAGMA.match(clean, begin) if begin >= 0 else None
            if skipped is None:
                return head.end()
            at = skipped.end()
        return len(clean)

    def _odd(self, at: int) -> int:
        brace = self.clean[at] == "}"
        hint = "this '}' closes nothing; remove it" if brace else _EXPECTED
        if not self.recovery.lost:
            self.recovery.unexpected(at, hint)
        return at + 1 if brace else self._resume(at)

    def _resume(self, at: int) -> int:
        """The place behind the next `;` or `{ ... }` at module level."""
        depth = 0
        for found in _BRACE.finditer(self.clean, at):
            if found[0] == "{":
                depth += 1
            elif found[0] == "}":
                depth -= 1
            if depth <= 0:
                return found.end()
        return len(self.clean)


_BRACE = re.compile(r"[;{}]")
