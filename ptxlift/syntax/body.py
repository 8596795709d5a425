"""The text behind a function's `{` comes in; its statements up to the matching `}` go out.

One regular expression tells the kinds of statements apart and cuts instructions into guard, opcode
and operands; blocks are kept on a stack, so nesting costs no recursion. This module must not know
what stands at module level.
"""

from __future__ import annotations

import re

from ptxlift.syntax.build import STATEMENT_BUILDERS
from ptxlift.syntax.looks import ATOM, Key
from ptxlift.syntax.nodes import Block, Instruction, Label, Statement
from ptxlift.syntax.recovery import Recovery, StatementError
from ptxlift.syntax.statements import (
    INSTRUCTION_LIMIT,
    SHAPES,
    judge_instruction,
    look_at,
    new_shape,
    statement_end,
)
from ptxlift.syntax.tables import LONG, long_declaration
from ptxlift.syntax.trees import BLOCK_DEPTH

_NAME = r"(?:[%$_][\w$]++|[A-Za-z][\w$]*+)"
_NUMBER = r"[0-9]\w*+"
_TABLES = r"\.(?:branchtargets|calltargets|callprototype)(?![\w$])"
_STATEMENT = re.compile(
    r"\s*+(?:"
    rf"(?:(@\s*+(?:!\s*+)?+)({_NAME})\s*+)?+"
    # An instruction: the groups 1 to 4 are guard, its name, opcode with modifiers, operands.
    rf"([%$_A-Za-z][\w$]*+(?:\.[\w:]++)*+)(?!\s*+:)([^;]{{0,{INSTRUCTION_LIMIT}}}+);"
    rf"|({_NAME})\s*+:(?!\s*+{_TABLES})"  # 5: a label
    r"|(\})|(\{)"  # 6, 7
    rf"|(\.loc(?:\s++{_NUMBER}){{3}}(?:\s*+,\s*+[A-Za-z_]\w*+\s++{_NAME}(?:\s*+\+\s*+{_NUMBER})?+"
    rf"\s*+,\s*+[A-Za-z_]\w*+(?:\s++{_NUMBER}){{3}})?+)(?!\s*+,)"  # 8: a .loc
    rf"|((?:{_NAME}\s*+:\s*+)?+\.\w++)"  # 9: another directive
    r")",
    re.ASCII,
)
_INSTRUCTION, _LABEL, _CLOSE, _OPEN, _LOC, _DIRECTIVE = 4, 5, 6, 7, 8, 9
_WORD = re.compile(r"[@%$_A-Za-z]")
_FUNCTION = re.compile(
    r"(?:\.(?:extern|visible|weak|common)\s++)?+(?:(\.(?:entry|func)(?!\w))|\.\w++)", re.ASCII
)
_EXPECTED = "expected an instruction, a label, a declaration, '{' or '}'"

_SPACES = (".reg", ".global", ".const", ".shared", ".local", ".param", ".tex")
_RULES = {
    ".pragma": "pragma",
    ".branchtargets": "targets",
    ".calltargets": "targets",
    ".callprototype": "prototype",
    ".loc": "loc",
    **dict.fromkeys(_SPACES, "local_variable"),
}


class Body:
    """Scans function bodies of one module."""

    def __init__(self, clean: str, recovery: Recovery) -> None:
        self.clean = clean
        self.recovery = recovery
        self.stack: list[tuple[list[Statement], int]] = []  # the open blocks
        self.closed = Block((), 0, 0)  # the block closed last

    def scan(self, opened: int) -> tuple[Block, int]:
        """The block whose `{` stands at `opened`, and the place behind its `}`."""
        clean = self.clean
        match = _STATEMENT.match
        split = ATOM.split
        known = SHAPES.table.get
        statements: list[Statement] = []
        self.stack = [(statements, opened)]
        at = opened + 1
        while True:
            found = match(clean, at)
            if found is None or found.lastindex != _INSTRUCTION:
                at = self._other(found, at)
                if not self.stack:
                    return self.closed, at
                statements = self.stack[-1][0]
                continue
            guard, name, opcode, rest = found.group(1, 2, 3, 4)
            parts = split(rest)
            atoms = parts[1::3]
            del parts[1::3]
            key = (guard, opcode, *parts)
            if guard:
                atoms.insert(0, name)
                start = found.start(1)
            else:
                start = found.start(3)
            shape = known(key)
            if shape is None:
                at = self._new_look(key, tuple(atoms), start, found.end() - 1)
                continue
            at = found.end()
            statements.append(Instruction(shape, tuple(atoms), start, at - 1))

    def _new_look(self, key: Key, atoms: tuple[str, ...], start: int, end: int) -> int:
        """An instruction that the memo does not know; the place to go on from."""
        try:
            shape, cut = new_shape(key, atoms, self.clean, start, end)
        except StatementError as error:
            return self.recovery.after(error, start)
        self._append(Instruction(shape, cut.atoms, start, end))
        return end + 1

    def _append(self, statement: Statement) -> None:
        self.stack[-1][0].append(statement)

    def _other(self, found: re.Match[str] | None, at: int) -> int:
        """Whatever is no instruction at `at`; the place to go on from."""
        if found is None:
            return self._odd(self.recovery.skip_blanks(at))
        kind = found.lastindex
        if kind == _LABEL:
            self._append(Label(found[_LABEL], found.start(_LABEL)))
        elif kind == _CLOSE:
            self._close(found.start(_CLOSE))
        elif kind == _OPEN:
            self._open(found.start(_OPEN))
        elif kind == _LOC:
            return self._directive(found.start(_LOC), found.end(), ".loc", found.end())
        else:
            return self._worded(found.start(_DIRECTIVE), found[_DIRECTIVE])
        return found.end()

    def _open(self, at: int) -> None:
        if len(self.stack) >= BLOCK_DEPTH:
            message = f"blocks are nested more than {BLOCK_DEPTH} deep"
            raise self.recovery.report.fatal("PTX006", message, at, at + 1, "remove some braces")
        self.stack.append(([], at))

    def _close(self, at: int) -> None:
        statements, opened = self.stack.pop()
        self.closed = Block(tuple(statements), opened, at + 1)
        if self.stack:
            self._append(self.closed)

    def _worded(self, start: int, text: str) -> int:
        """A statement that begins with a directive's word."""
        word = text[text.rindex(".") :]
        if word in _RULES:
            end = statement_end(self.clean, start)
            if end == len(self.clean):
                hint = "finish it with ';'"
                self.recovery.end_of_file(start, "the file ends inside this statement", hint)
            return self._directive(start, end, word, end + 1)
        head = _FUNCTION.match(self.clean, start)
        if head is not None and head[1] is not None:
            self._missing_brace(start, head.end())
            return start
        at = start + len(text) - len(word)
        self.recovery.unexpected(at, _EXPECTED, head.end() if head else None)
        return self.recovery.resume(at, start)

    def _directive(self, start: int, end: int, word: str, after: int) -> int:
        try:
            self._append(self._directive_node(start, end, _RULES[word]))
        except StatementError as error:
            return self.recovery.after(error, start)
        return after

    def _directive_node(self, start: int, end: int, rule: str) -> Statement:
        if rule == "local_variable" and end - start > LONG:
            table = long_declaration(self.clean, start, end, rule)
            if table is not None:
                return table
        look, cut = look_at(self.clean, start, end, rule)
        return STATEMENT_BUILDERS[look.rule](look, cut)

    def _missing_brace(self, start: int, end: int) -> None:
        """A function inside a body: most likely the body's `}` is missing."""
        opened = self.recovery.report.source.position(self.stack[-1][1])[0]
        hint = f"did you forget '}}'? The block that begins on line {opened} is still open"
        self.recovery.unexpected(start, hint, end)
        self.recovery.lost = True
        while self.stack:
            self._close(start)

    def _odd(self, start: int) -> int:
        """What no statement can be, or one without its `;`."""
        clean = self.clean
        if start >= len(clean):
            opened = self.stack[0][1]
            self.recovery.end_of_file(opened, "this block is still open at the end", "add '}'")
        if not _WORD.match(clean, start):
            empty = clean[start] == ";"
            hint = "PTX has no empty statement; remove the ';'" if empty else _EXPECTED
            self.recovery.unexpected(start, hint)
            return self.recovery.resume(start, start)
        end = statement_end(clean, start)
        try:
            judge_instruction(clean, start, end)
        except StatementError as error:
            return self.recovery.after(error, start)
        self.recovery.end_of_file(start, "the file ends inside this statement", "add ';'")
        return end
