"""The reference interpreter: PTX semantics over numpy lanes, with memory, warps and blocks."""

from ptxlift.interp.machine import Machine

__all__ = ["Machine"]
