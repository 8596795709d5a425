"""The shape of a chip's facts: `Target`, one row of the table, and `TargetSpec`, with settings.

Comes in: values from `gfx.py` and `names.py`. Goes out: typed facts, LLVM's cpu and feature
strings, ELF flags. It must know no chip by name.
"""

from __future__ import annotations

from enum import Enum

from ptxlift.diag import PtxError
from ptxlift.records import dataclass
from ptxlift.target.features import Feature


class Scratch(Enum):
    """How a kernel reaches its private memory."""

    BUFFER = "buffer descriptor and FLAT_SCRATCH from user SGPRs"
    ARCHITECTED = "set up by the hardware"


class WorkgroupId(Enum):
    """Where the work-group id is at kernel entry."""

    SGPR = "system SGPRs after the user SGPRs"
    TTMP = "ttmp9, ttmp7"


class Fp8(Enum):
    """Which 8-bit float formats the conversion instructions speak."""

    NONE = "none"
    FNUZ = "fnuz"
    OCP = "ocp"


class Setting(Enum):
    """A target-id feature: fixed on, fixed off, or code that runs under both."""

    ANY = "any"
    ON = "on"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Target:
    """One chip, or one generic target that runs on a family of chips."""

    name: str
    generation: int  # 9, 10, 11, 12
    default_wave: int  # lanes of a wave unless asked otherwise
    wave_sizes: tuple[int, ...]
    lds_bytes: int  # the most that one work-group may have
    vgprs: int  # addressable by one lane, AGPRs that share the file included
    agprs: int
    sgprs: int
    waves_per_simd: int
    xnack: bool  # the target id may carry xnack+ or xnack-
    sramecc: bool
    mach: int  # EF_AMDGPU_MACH, the low byte of e_flags
    scratch: Scratch
    workgroup_id: WorkgroupId
    packed_work_item_ids: bool  # x, y, z in 10-bit fields of v0; else v0, v1, v2
    fp8: Fp8
    generic_version: int  # 0 for a real chip; a generic target needs code object v6
    features: frozenset[Feature]

    @property
    def is_generic(self) -> bool:
        """Whether the name stands for a family of chips."""
        return self.generic_version > 0

    @property
    def needs_cov6(self) -> bool:
        """Whether only code object version 6 can hold this target's code."""
        return self.is_generic

    def has(self, feature: Feature) -> bool:
        """Whether the target has a capability."""
        return feature in self.features


_XNACK_FLAGS = {Setting.ANY: 0x100, Setting.OFF: 0x200, Setting.ON: 0x300}
_SRAMECC_FLAGS = {Setting.ANY: 0x400, Setting.OFF: 0x800, Setting.ON: 0xC00}
_SIGN = {Setting.ON: "+", Setting.OFF: "-"}
TRIPLE = "amdgcn-amd-amdhsa"


@dataclass(frozen=True, slots=True)
class TargetSpec:
    """A target with its xnack and sramecc settings, as a target id says them."""

    target: Target
    xnack: Setting = Setting.ANY
    sramecc: Setting = Setting.ANY

    @property
    def cpu(self) -> str:
        """LLVM's cpu name."""
        return self.target.name

    @property
    def target_id(self) -> str:
        """The canonical target id, such as `gfx942:sramecc+:xnack-`."""
        return self.target.name + "".join(f":{name}{sign}" for name, sign in self._fixed())

    @property
    def full_target_id(self) -> str:
        """The target id with its triple, as metadata and bundles write it."""
        return f"{TRIPLE}--{self.target_id}"

    @property
    def e_flags(self) -> int:
        """The ELF header flags of code for this target."""
        flags = self.target.mach | self.target.generic_version << 24
        if self.target.xnack:
            flags |= _XNACK_FLAGS[self.xnack]
        if self.target.sramecc:
            flags |= _SRAMECC_FLAGS[self.sramecc]
        return flags

    def llvm_features(self, wave_size: int) -> str:
        """LLVM's feature string for a wave size."""
        if wave_size not in self.target.wave_sizes:
            sizes = " and ".join(str(size) for size in self.target.wave_sizes)
            message = f"{self.target.name} has no waves of {wave_size} lanes"
            raise PtxError.of("PTX302", message, hint=f"its wave sizes are: {sizes}")
        parts = [f"+wavefrontsize{wave_size}"]
        parts += [f"{sign}{name}" for name, sign in self._fixed()]
        return ",".join(parts)

    def _fixed(self) -> list[tuple[str, str]]:
        settings = (("sramecc", self.sramecc), ("xnack", self.xnack))
        return [(name, _SIGN[value]) for name, value in settings if value is not Setting.ANY]
