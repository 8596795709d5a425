"""Facts of AMD chips: which there are, what each can do, how LLVM and ELF name it.

Comes in: a target's name. Goes out: `TargetSpec` and `Target`. It must know nothing of PTX, IR or
LLVM's API.
"""

from ptxlift.target.features import Feature
from ptxlift.target.mnemonics import illegal_mnemonics, is_legal
from ptxlift.target.model import Fp8, Scratch, Setting, Target, TargetSpec, WorkgroupId
from ptxlift.target.names import all_targets, lookup

__all__ = [
    "Feature",
    "Fp8",
    "Scratch",
    "Setting",
    "Target",
    "TargetSpec",
    "WorkgroupId",
    "all_targets",
    "illegal_mnemonics",
    "is_legal",
    "lookup",
]
