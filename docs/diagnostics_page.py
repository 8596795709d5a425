"""Writes docs/diagnostics.md: every code with its explanation. Comes in: `codes.py`."""

from __future__ import annotations

from ptxlift.codes import CODES, Code

_INTRODUCTION = """# Diagnostics

Every code that ptxlift gives, as `ptxlift explain CODE` shows it: 0xx reading, 1xx names and types,
2xx valid PTX that is not translated, 3xx target and code generation, 4xx run time. This page is
generated from `ptxlift/codes.py`; run `make docs` to write it anew.
"""
_LONG = 100  # columns after which an example line is cut: only the nesting example is longer


def render() -> str:
    """The page."""
    return "\n".join([_INTRODUCTION, *(_section(name, code) for name, code in CODES.items())])


def _section(name: str, code: Code) -> str:
    parts = [f"## {name}: {code.title}", "", code.text, ""]
    for title, example in (("Wrong", code.wrong), ("Right", code.right)):
        if example:
            lines = (
                line if len(line) < _LONG else f"{line[:60]} ..." for line in example.split("\n")
            )
            parts += [f"{title}, {code.scope.value}:", "", "```ptx", *lines, "```", ""]
    return "\n".join(parts)
