"""Semantics of the vector ALU: `lookup(mnemonic)` gives a `ValuOp` whose function maps lanes."""

from ptxlift.emulator.valu.kinds import Approx, Ctx, Flags, Kind, Rounding, ValuOp, dtype_of
from ptxlift.emulator.valu.modifiers import Omod, apply_clamp, apply_omod
from ptxlift.emulator.valu.table import lookup, mnemonics

__all__ = [
    "Approx",
    "Ctx",
    "Flags",
    "Kind",
    "Omod",
    "Rounding",
    "ValuOp",
    "apply_clamp",
    "apply_omod",
    "dtype_of",
    "lookup",
    "mnemonics",
]
