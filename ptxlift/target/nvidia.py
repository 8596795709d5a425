"""Facts of NVIDIA targets: which PTX version each needs, what its instructions can do.

Comes in: a name such as `sm_90a`. Goes out: `NvidiaSpec`, or PTX301. The output for these is PTX
text. It must know nothing of PTX syntax or IR.
"""

from __future__ import annotations

import re
from enum import Enum, unique

from ptxlift.diag import PtxError
from ptxlift.records import dataclass

TRIPLE = "nvptx64-nvidia-cuda"
DATA_LAYOUT = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
Version = tuple[int, int]


@unique
class NvidiaFeature(Enum):
    """A capability that not every target has, by its instruction."""

    REDUX = "redux.sync"
    MINMAX_16 = "min.f16, max.f16, min.bf16, max.bf16"
    MINMAX_NAN = "min.NaN.f32, max.NaN.f32"
    FMA_BF16 = "fma.rn.bf16"
    CVT_BF16 = "cvt.rn.bf16.f32"
    ARITHMETIC_BF16 = "add.rn.bf16, setp.lt.bf16, cvt.rn.bf16.f64"
    TANH_F16 = "ex2.approx.f16, tanh.approx.f16"
    TANH_BF16 = "ex2.approx.ftz.bf16, tanh.approx.bf16"
    ELECT = "elect.sync"


# From which target on; the PTX ISA manual's "Target ISA Notes".
SINCE: dict[NvidiaFeature, int] = {
    NvidiaFeature.REDUX: 80,
    NvidiaFeature.MINMAX_16: 80,
    NvidiaFeature.MINMAX_NAN: 80,
    NvidiaFeature.FMA_BF16: 80,
    NvidiaFeature.CVT_BF16: 80,
    NvidiaFeature.ARITHMETIC_BF16: 90,
    NvidiaFeature.TANH_F16: 75,
    NvidiaFeature.TANH_BF16: 90,
    NvidiaFeature.ELECT: 90,
}
# fmt: off
# name -> least PTX version: the manual's release notes, and what LLVM 22 writes by itself.
_LEAST: dict[str, Version] = {
    "sm_70":  (6, 0), "sm_72":   (6, 1), "sm_75":   (6, 3),
    "sm_80":  (7, 0), "sm_86":   (7, 1), "sm_87":   (7, 4), "sm_88": (9, 0), "sm_89": (7, 8),
    "sm_90":  (7, 8), "sm_90a":  (8, 0),
    "sm_100": (8, 6), "sm_100a": (8, 6), "sm_100f": (8, 8),
    "sm_103": (8, 8), "sm_103a": (8, 8), "sm_103f": (8, 8),
    "sm_110": (9, 0), "sm_110a": (9, 0), "sm_110f": (9, 0),
    "sm_120": (8, 7), "sm_120a": (8, 7), "sm_120f": (8, 8),
    "sm_121": (8, 8), "sm_121a": (8, 8), "sm_121f": (8, 8),
}
# fmt: on
NEWEST_VERSION: Version = (9, 0)
_ORDINARY: Version = (7, 8)  # what the backend's own instructions need at most


@dataclass(frozen=True, slots=True)
class NvidiaTarget:
    """One NVIDIA target. `number`: 90 of `sm_90a`; `least`: the first PTX version that has it."""

    name: str
    number: int
    least: Version
    default_wave: int = 32  # lanes of a warp

    @property
    def features(self) -> frozenset[NvidiaFeature]:
        """What it can do."""
        return frozenset(feature for feature, sm in SINCE.items() if self.number >= sm)

    def has(self, feature: NvidiaFeature) -> bool:
        """Whether the target has a capability."""
        return self.number >= SINCE[feature]


@dataclass(frozen=True, slots=True)
class NvidiaSpec:
    """A target to translate for; its name says everything."""

    target: NvidiaTarget

    @property
    def cpu(self) -> str:
        """LLVM's cpu name."""
        return self.target.name

    @property
    def target_id(self) -> str:
        """The name as `.target` has it."""
        return self.target.name

    def version(self, source: Version) -> Version:
        """The `.version` of the output, for a source of that version."""
        return min(max(source, self.target.least, _ORDINARY), NEWEST_VERSION)

    def llvm_features(self, source: Version) -> str:
        """LLVM's feature string."""
        major, minor = self.version(source)
        return f"+ptx{major}{minor}"


def _number(name: str) -> int:
    return int(re.sub(r"\D", "", name))


NVIDIA_TARGETS = tuple(NvidiaTarget(name, _number(name), least) for name, least in _LEAST.items())


def is_nvidia(name: str) -> bool:
    """Whether a target's name is meant to be one of NVIDIA's."""
    return name.strip().startswith(("sm_", "compute_"))


def lookup_nvidia(name: str) -> NvidiaSpec:
    """The target that a name means."""
    known = {target.name: target for target in NVIDIA_TARGETS}
    found = known.get(name.strip())
    if found is not None:
        return NvidiaSpec(found)
    from difflib import get_close_matches

    near = get_close_matches(name.strip()[:40], known, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else "`ptxlift targets` lists them"
    shown = repr(name if len(name) <= 60 else name[:60] + "...")
    raise PtxError.of("PTX301", f"there is no NVIDIA target {shown} to translate for", hint=hint)
