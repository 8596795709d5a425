"""Tells PTX from AMD's own assembly in a module for AMD GPUs.

Comes in: an `asm` statement's template and constraints. Goes out: whether it is AMD's. Only the
shape of mnemonics and register names is looked at: every AMD mnemonic begins with the name of its
unit, and its constraints name AMD's register files.
"""

from __future__ import annotations

import re

_MNEMONIC = re.compile(
    r"^[ \t]*(?:[A-Za-z_.$][\w.$]*:[ \t]*)*"
    r"(?:v|s|ds|buffer|tbuffer|global|flat|scratch|image|lds|exp|cluster|tensor)_\w+",
    re.MULTILINE,
)
_REGISTERS = re.compile(r"(?:^|,)[=+&*]*(?:(?:[vsaAB]|DA|DB|VA|SA|VS)(?=,|\Z)|\{[vsa](?:\d+\}|\[))")


def is_amd(template: str, constraints: str) -> bool:
    """Whether a statement is AMD assembly, not PTX."""
    if _REGISTERS.search(constraints):
        return True
    return bool(_MNEMONIC.search(template))
