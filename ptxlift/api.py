"""The public functions and types in one place; each lives with the stage it belongs to."""

from __future__ import annotations

from ptxlift.diag import Diagnostic, PtxError
from ptxlift.driver.batch import translate_all
from ptxlift.driver.cache import Cache
from ptxlift.driver.kernels import Kernel
from ptxlift.driver.options import Options
from ptxlift.driver.outcomes import Outcome, Task
from ptxlift.driver.translation import Translation, lift, parse
from ptxlift.inline_asm.fragment import Fragment
from ptxlift.inline_asm.model import Operand
from ptxlift.inline_asm.module import lift_inline_asm
from ptxlift.inline_asm.raising import raise_inline_asm
from ptxlift.link.extract import PtxImage, extract
from ptxlift.runtime.buffers import Buffer
from ptxlift.runtime.device import RunResult
from ptxlift.runtime.images import Sampler, Surface, Texture
from ptxlift.runtime.program import Program, load, run
from ptxlift.target import all_targets as targets

__all__ = [
    "Buffer",
    "Cache",
    "Diagnostic",
    "Fragment",
    "Kernel",
    "Operand",
    "Options",
    "Outcome",
    "Program",
    "PtxError",
    "PtxImage",
    "RunResult",
    "Sampler",
    "Surface",
    "Task",
    "Texture",
    "Translation",
    "extract",
    "lift",
    "lift_inline_asm",
    "load",
    "parse",
    "raise_inline_asm",
    "run",
    "targets",
    "translate_all",
]
