"""Facts of AMD and NVIDIA chips: which there are, what each can do, how LLVM and ELF name it.

Comes in: a target's name. Goes out: `TargetSpec` and `Target`, or `NvidiaSpec`. It must know
nothing of PTX, IR or LLVM's API.
"""

from ptxlift.target.features import Feature
from ptxlift.target.mnemonics import illegal_mnemonics, is_legal
from ptxlift.target.model import Fp8, Scratch, Setting, Target, TargetSpec, WorkgroupId
from ptxlift.target.names import AnySpec, all_targets, lookup, lookup_any
from ptxlift.target.nvidia import (
    NVIDIA_TARGETS,
    NvidiaFeature,
    NvidiaSpec,
    NvidiaTarget,
    is_nvidia,
    lookup_nvidia,
)

__all__ = [
    "NVIDIA_TARGETS",
    "AnySpec",
    "Feature",
    "Fp8",
    "NvidiaFeature",
    "NvidiaSpec",
    "NvidiaTarget",
    "Scratch",
    "Setting",
    "Target",
    "TargetSpec",
    "WorkgroupId",
    "all_targets",
    "illegal_mnemonics",
    "is_legal",
    "is_nvidia",
    "lookup",
    "lookup_any",
    "lookup_nvidia",
]
