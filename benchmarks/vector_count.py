"""Counts vector instructions in assembly. Comes in: LLVM's text. Goes out: counts by kernel."""

from __future__ import annotations

import re

_LABEL = re.compile(r"^(\w+):")


def vector_instructions(asm: str) -> dict[str, int]:
    """VALU instructions of each function, both halves of a dual-issue pair counted."""
    counts: dict[str, int] = {}
    name = ""
    for line in asm.splitlines():
        label = _LABEL.match(line)
        if label is not None:
            name = label[1]
            counts[name] = 0
        elif line.startswith(".Lfunc_end"):
            name = ""
        elif name:
            parts = line.split(";")[0].split("::")
            counts[name] += sum(part.strip().startswith("v_") for part in parts)
    return counts
