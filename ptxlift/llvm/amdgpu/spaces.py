"""LLVM address spaces of PTX state spaces.

Comes in: `ir.Space`. Goes out: AMDGPU's numbers and pointer types. It must know no op.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Space

NUMBERS: dict[Space, int] = {
    Space.GENERIC: 0,
    Space.GLOBAL: 1,
    Space.SHARED: 3,
    Space.CONST: 4,  # never written by a kernel: scalar loads
    Space.PARAM: 4,
    Space.LOCAL: 5,
}
FLAT = frozenset({Space.GLOBAL, Space.CONST, Space.PARAM})  # generic and own address agree
TYPES = {s: f"ptr addrspace({n})" if n else "ptr" for s, n in NUMBERS.items()}


def pointer_type(space: Space) -> str:
    """`ptr addrspace(3)` and so on."""
    return TYPES[space]
