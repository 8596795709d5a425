"""What all functions of one LLVM module share, whatever the target: symbols, declared intrinsics.

Comes in: the IR module and options. Goes out: answers and the list of declarations. It must know no
op and no target.
"""

from __future__ import annotations

import re

from ptxlift.diag import PtxError, Source, Span
from ptxlift.ir.core import Module
from ptxlift.llvm.options import CodegenOptions

_PLAIN_NAME = re.compile(r"[A-Za-z$._][A-Za-z0-9$._]*\Z")


def symbol(name: str) -> str:
    """A global name as LLVM text."""
    if _PLAIN_NAME.match(name):
        return f"@{name}"
    escaped = "".join(c if c.isalnum() or c in "%$._-" else f"\\{ord(c):02X}" for c in name)
    return f'@"{escaped}"'


class ModuleContext:
    """One module being emitted."""

    first_note = 0  # metadata nodes below are fixed

    def __init__(
        self, module: Module, options: CodegenOptions, source: Source | None = None
    ) -> None:
        self.module = module
        self.options = options
        self.source = source
        self.declarations: dict[str, str] = {}  # function name -> its declare line
        self.helpers: dict[str, str] = {}  # name -> text of a global that lowerings share
        self.notes: dict[str, int] = {}  # metadata nodes after the fixed ones, in order
        self.calls: dict[str, str] = {}  # signature -> call expression with %s for arguments

    def declare(self, signature: str) -> str:
        """Declares `i32 @llvm.umin.i32(i32, i32)`; returns the pattern of its calls."""
        head, _, rest = signature.partition("@")
        name = rest.partition("(")[0]
        typed = ", ".join(f"{type} %s" for type in argument_types(signature))
        pattern = f"call {head}@{name}({typed})"
        self.calls[signature] = pattern
        self.declarations[name] = f"declare {signature}"
        return pattern

    def signature(self, text: str) -> tuple[str, tuple[str, ...]]:
        """The pattern of an intrinsic's calls and its argument types."""
        pattern = self.calls.get(text) or self.declare(text)
        return pattern, tuple(argument_types(text))

    def note(self, text: str) -> str:
        """A metadata node; returns its name."""
        return f"!{self.first_note + self.notes.setdefault(text, len(self.notes))}"

    def span(self, offset: int) -> Span | None:
        if self.source is None or offset < 0:
            return None
        end = self.source.text.find(";", offset)
        return Span(self.source, offset, end if end > offset else offset + 1)

    def error(self, code: str, message: str, offset: int = -1, hint: str = "") -> PtxError:
        return PtxError.of(code, message, self.span(offset), hint)


def argument_types(signature: str) -> list[str]:
    """The types in the signature's parentheses, split at commas outside of any brackets."""
    text = signature.partition("@")[2].partition("(")[2].removesuffix(")")
    if not text:
        return []
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        if character in "(<[{":
            depth += 1
        elif character in ")>]}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    return [*parts, text[start:].strip()]
