"""What LLVM 22's SDWA pass breaks: copies of a sign as operands of float instructions.

It lets an instruction select a byte or a word of a register itself, with its sign copied. Float
instructions have no such operand: there the bit that asks for it says "negated", and the upper
bits are zeros. Comes in: a value. Goes out: whether the pass may take it for such a selection.
"""

from __future__ import annotations

from ptxlift.ir.core import Op, Value

_SIGN_COPIES = frozenset({"sext", "ashr", "bfe_s", "prmt"})


def may_copy_a_sign(value: Value) -> bool:
    """Whether the value may be a byte or a word of another one with its sign copied."""
    return isinstance(value.definition, Op) and value.definition.name in _SIGN_COPIES
