"""What is appended to a module: functions, and what they need and the module lacks.

Comes in: fragments. Goes out: the module's text with them at its end. Metadata gets numbers that
are free there; what the module declares already is not declared again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ptxlift.inline_asm.fragment import Fragment
from ptxlift.llvm.fragment import renumbered

_NODE = re.compile(r"^!(\d+)\s*=", re.MULTILINE)
_GROUP = re.compile(r"^attributes #\d+ = \{[^\n]*", re.MULTILINE)
_DECLARED = re.compile(r'^(?:declare|define)\b[^@\n]*@("[^"]+"|[\w.$-]+)', re.MULTILINE)
_GLOBAL = re.compile(r'^@("[^"]+"|[\w.$-]+)\s*=', re.MULTILINE)
_PREFIX = "ptxlift.asm"


class Appendix:
    """Collects fragments for one module."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._declared = {name.strip('"') for name in _DECLARED.findall(text)}
        self._globals = {f"@{name}" for name in _GLOBAL.findall(text)}
        self._next_node = max(map(int, _NODE.findall(text)), default=-1) + 1
        self._nodes: dict[str, int] = {}  # body: number
        self._lines: list[str] = []
        self._definitions: list[str] = []
        self._needs: set[str] = set()
        self._count = 0

    def fresh_name(self) -> str:
        """A name for the next function."""
        while True:
            name = f"{_PREFIX}.{self._count}"
            self._count += 1
            if name not in self._declared:
                return name

    def add(self, fragment: Fragment) -> None:
        """A function and what it needs."""
        pieces = fragment.pieces
        numbers = {number: self._node(body) for number, body in pieces.metadata.items()}
        self._definitions.append(renumbered(pieces.definition, numbers))
        for name, line in pieces.globals.items():
            if name not in self._globals:
                self._globals.add(name)
                self._lines.append(line)
        for name, line in pieces.declarations.items():
            if name not in self._declared:
                self._declared.add(name)
                self._lines.append(line)
        self._needs.update(fragment.needs)

    def _node(self, body: str) -> int:
        number = self._nodes.get(body)
        if number is None:
            number = self._nodes[body] = self._next_node
            self._next_node += 1
        return number

    def append_to(self, text: str) -> str:
        """The module with everything at its end."""
        if not self._definitions:
            return text
        nodes = [f"!{number} = {body}" for body, number in self._nodes.items()]
        parts = [*self._definitions, *self._lines, *nodes]
        end = "" if text.endswith("\n") else "\n"
        return f"{_without(text, self._needs)}{end}\n" + "\n".join(parts) + "\n"


def _without(text: str, names: Iterable[str]) -> str:
    """The text without attributes that promise not to use what the new functions use."""
    words = "|".join(f'"{name}"' for name in sorted(names))
    if not words:
        return text
    pattern = re.compile(f" (?:{words})(?= )")
    return _GROUP.sub(lambda group: pattern.sub("", group[0]), text)
