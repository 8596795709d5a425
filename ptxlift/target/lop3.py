"""Shortest instruction sequences for every logical function of three inputs.

Comes in: a truth table of eight bits and a chip's features. Goes out: the steps of a shortest
program in the chip's bitwise vector instructions, or its length. Programs come from
`lop3_table.py`. It must know no IR and no LLVM.
"""

from __future__ import annotations

from enum import Enum
from functools import cache

from ptxlift.records import dataclass
from ptxlift.target.features import Feature
from ptxlift.target.lop3_table import ROWS


class LogicOp(Enum):
    """A bitwise instruction of the vector unit or, from AND_NOT on, of the scalar unit only; the
    value is its letter in the table.
    """

    NOT = "n"  # v_not_b32
    AND = "a"  # v_and_b32
    OR = "o"  # v_or_b32
    XOR = "x"  # v_xor_b32
    XNOR = "q"  # v_xnor_b32
    MERGE = "b"  # v_bfi_b32: (x & y) | (~x & z)
    AND_OR = "m"  # v_and_or_b32: (x & y) | z
    OR3 = "r"  # v_or3_b32
    XOR3 = "t"  # v_xor3_b32
    AND_NOT = "d"  # s_andn2_b32: x & ~y
    OR_NOT = "e"  # s_orn2_b32: x | ~y
    NAND = "f"  # s_nand_b32
    NOR = "g"  # s_nor_b32


class LogicClass(Enum):
    """Units with the same bitwise instructions; the value is the table's column."""

    BASE = 0
    XNOR = 1
    XOR3 = 2
    SCALAR = 3  # the scalar unit of any chip: uniform values, and predicates as lane masks


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction. `operands`: a, b, c, the constants 0 and 1 (all ones), or the result of
    step one, two, three as p, q, r. `pinned`: only by itself does the result survive LLVM.
    """

    op: LogicOp
    operands: str
    pinned: bool


def logic_class(features: frozenset[Feature]) -> LogicClass:
    """Which column holds for a chip. The step that brought v_fmac_f32 brought v_xnor_b32."""
    if Feature.V_XOR3 in features:
        return LogicClass.XOR3
    return LogicClass.XNOR if Feature.FMAC_F32 in features else LogicClass.BASE


@cache
def program(lut: int, unit: LogicClass) -> tuple[Step, ...]:
    """The steps, none where the function is a constant or one of its inputs."""
    return tuple(_step(text) for text in ROWS[lut][unit.value].split())


def _step(text: str) -> Step:
    operands = text[1:].removesuffix("!")
    return Step(LogicOp(text[0]), operands, text.endswith("!"))


def shortest(lut: int, features: frozenset[Feature]) -> int:
    """The fewest vector instructions that compute the function."""
    steps = len(program(lut, logic_class(features)))
    return min(steps, 1) if Feature.V_BITOP3 in features else steps
