"""The text of a `.section` block comes in; a checked `Section` goes out.

Debug sections run to hundreds of thousands of lines that nothing but a debugger reads, so one
regular expression goes over the text and no tree is made. This module must not know DWARF.
"""

from __future__ import annotations

import re

from ptxlift.syntax.build import Misfit
from ptxlift.syntax.nodes import Section

_NAME = r"[%$_.A-Za-z][\w$.]*+"
_NUMBER = r"-?+\s*+[0-9]\w*+"
_LINES = re.compile(
    r"(?:\s*+(?:"
    rf"\.b(?:8|16|32|64)(?![\w$])\s*+{_NUMBER}(?:\s*+,\s*+{_NUMBER})*+"
    rf"|\.b(?:32|64)(?![\w$])\s*+{_NAME}(?:\s*+[+-]\s*+(?:{_NUMBER}|{_NAME}))?+"
    rf"|(?!\.){_NAME}\s*+:"
    r"))*+\s*+",
    re.ASCII,
)


def section(name: str, text: str, start: int, inside: int) -> Section:
    """The section whose text between the braces begins at `inside`."""
    lines = _LINES.match(text)
    end = lines.end() if lines else 0
    if end < len(text):
        message = "this is no line of a section"
        hint = "expected a label or .b8, .b16, .b32, .b64 and numbers or one label"
        raise Misfit("PTX001", message, inside + end, hint)
    return Section(name, text, start)
