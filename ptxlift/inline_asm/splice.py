"""Writes the calls that take the place of inline assembly in a function's text.

Comes in: a call, the function that does its work, the state it exchanges with others. Goes out:
edits of the module's text. Nothing else of the text changes: debug locations, attributes and
metadata after a call stay where they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ptxlift.inline_asm.calls import AsmCall
from ptxlift.inline_asm.fragment import Fragment
from ptxlift.inline_asm.state import State
from ptxlift.llvm.context import symbol
from ptxlift.records import dataclass

_LABEL = re.compile(r'(?:\s|;[^\n]*\n)*(?:[\w.$-]+|"[^"]*"):[^\n]*\n')
_ODD = re.compile(r"[^\w.]")


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters `start` to `end` become `text`."""

    start: int
    end: int
    text: str


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """The text with all edits, which do not overlap."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=_start):
        parts += (text[at : edit.start], edit.text)
        at = edit.end
    parts.append(text[at:])
    return "".join(parts)


def _start(edit: Edit) -> int:
    return edit.start


class Splicer:
    """Rewrites the calls of one function. `variables`: LLVM types of the shared state; `first`: a
    number above all that names of the text end in.
    """

    def __init__(
        self, text: str, body: int, variables: dict[str, str], is_amd: bool, first: int
    ) -> None:
        self._text = text
        self._body = body
        self._space = "addrspace(5)" if is_amd else ""
        self._variables = variables
        self._count = first
        self._names = {name: self._fresh(_ODD.sub("_", name)) for name in variables}

    def at_entry(self) -> list[Edit]:
        """The variables of the state, in the function's first block."""
        if not self._variables:
            return []
        lines = []
        for name, type in self._variables.items():
            place = f", {self._space}" if self._space else ""
            lines.append(f"  {self._names[name]} = alloca {type}{place}")
            lines.append(f"  store {type} 0, {self._pointer(name)}")
        label = _LABEL.match(self._text, self._body)
        text = "\n".join(lines)
        if label:
            return [Edit(label.end(), label.end(), f"{text}\n")]
        return [Edit(self._body, self._body, f"\n{text}")]

    def replace(self, call: AsmCall, fragment: Fragment, state: State) -> Edit:
        """The edit that puts a call of the fragment in place of the assembly."""
        lines: list[str] = []
        outputs = len(fragment.results)
        arguments = [call.arguments[number - outputs].text for number in fragment.parameters]
        for name in state.takes:
            type, value = self._variables[name], self._fresh("in")
            lines.append(f"{value} = load {type}, {self._pointer(name)}")
            arguments.append(f"{type} {value}")
        target = f"{symbol(fragment.name)}({', '.join(arguments)})"
        whole_type = fragment.signature.result_type
        if not state.leaves and _same_shape(call.type, whole_type):
            result = f"{call.result} = " if call.result else ""
            lines.append(f"{result}{call.words}{call.type} {target}")
            return Edit(call.start, call.end, "\n  ".join(lines))
        after = self._after(call)
        whole = self._fresh("all")
        lines.append(f"{whole} = {call.words}{whole_type} {target}{after}")
        self._take_apart(call, fragment, state, whole, lines)
        return Edit(call.start, call.end + len(after), "\n  ".join(lines))

    def _take_apart(
        self, call: AsmCall, fragment: Fragment, state: State, whole: str, lines: list[str]
    ) -> None:
        """The caller's results under the caller's names, the state into its variables."""
        types = [form.type for form in fragment.signature.results]
        own = len(fragment.results)
        is_plain = bool(call.result) and not call.type.startswith(("{", "%"))
        fields = []
        for number in range(len(types)):
            name = call.result if number == 0 and is_plain else self._fresh("field")
            if len(types) == 1:
                fields.append(whole)
                continue
            aggregate = fragment.signature.result_type
            lines.append(f"{name} = extractvalue {aggregate} {whole}, {number}")
            fields.append(name)
        for name, value in zip(state.leaves, fields[own:], strict=True):
            lines.append(f"store {self._variables[name]} {value}, {self._pointer(name)}")
        if call.result and not is_plain:
            self._put_together(call, types[:own], fields, lines)

    def _put_together(
        self, call: AsmCall, types: Sequence[str], fields: Sequence[str], lines: list[str]
    ) -> None:
        whole = "poison"
        for number, type in enumerate(types):
            is_last = number + 1 == len(types)
            name = call.result if is_last else self._fresh("part")
            value = f"{type} {fields[number]}"
            lines.append(f"{name} = insertvalue {call.type} {whole}, {value}, {number}")
            whole = name

    def _after(self, call: AsmCall) -> str:
        """Attributes and metadata that follow a call on its line."""
        end = self._text.find("\n", call.end)
        return self._text[call.end : end if end >= 0 else len(self._text)]

    def _pointer(self, name: str) -> str:
        return f"ptr {self._space} {self._names[name]}".replace("  ", " ")

    def _fresh(self, what: str) -> str:
        self._count += 1
        return f"%ptxlift.{what}.{self._count}"


def _same_shape(type: str, made: str) -> bool:
    """Whether a function's type can stand where the call's type stands."""
    return type.startswith("{") == made.startswith("{") and not type.startswith("%")
