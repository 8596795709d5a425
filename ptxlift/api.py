"""The public functions and types in one place; each lives with the stage it belongs to."""

from __future__ import annotations

from ptxlift.diag import Diagnostic, PtxError
from ptxlift.driver.kernels import Kernel
from ptxlift.driver.options import Options
from ptxlift.driver.translation import Translation, lift, parse
from ptxlift.link.extract import PtxImage, extract
from ptxlift.runtime.arguments import Buffer
from ptxlift.runtime.device import RunResult
from ptxlift.runtime.program import Program, load, run
from ptxlift.target import all_targets as targets

__all__ = [
    "Buffer",
    "Diagnostic",
    "Kernel",
    "Options",
    "Program",
    "PtxError",
    "PtxImage",
    "RunResult",
    "Translation",
    "extract",
    "lift",
    "load",
    "parse",
    "run",
    "targets",
]
