"""The public functions and types in one place; each lives with the stage it belongs to."""

from __future__ import annotations

from ptxlift.diag import Diagnostic, PtxError
from ptxlift.driver.kernels import Kernel
from ptxlift.driver.options import Options
from ptxlift.driver.translation import Translation, lift, parse
from ptxlift.inline_asm.fragment import Fragment
from ptxlift.inline_asm.model import Operand
from ptxlift.inline_asm.module import lift_inline_asm
from ptxlift.inline_asm.raising import raise_inline_asm
from ptxlift.link.extract import PtxImage, extract
from ptxlift.runtime.arguments import Buffer
from ptxlift.runtime.device import RunResult
from ptxlift.runtime.program import Program, load, run
from ptxlift.target import all_targets as targets

__all__ = [
    "Buffer",
    "Diagnostic",
    "Fragment",
    "Kernel",
    "Operand",
    "Options",
    "Program",
    "PtxError",
    "PtxImage",
    "RunResult",
    "Translation",
    "extract",
    "lift",
    "lift_inline_asm",
    "load",
    "parse",
    "raise_inline_asm",
    "run",
    "targets",
]
