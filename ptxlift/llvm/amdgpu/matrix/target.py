"""What planning asks of a target. Comes in: a target and options. Goes out: answers."""

from __future__ import annotations

from ptxlift.llvm.options import CodegenOptions, MatrixUse, WarpMapping
from ptxlift.records import dataclass
from ptxlift.target import Feature, TargetSpec


@dataclass(frozen=True, slots=True)
class MatrixTarget:
    """One target with the options of a translation."""

    spec: TargetSpec
    options: CodegenOptions

    def has(self, feature: Feature) -> bool:
        return feature in self.spec.target.features

    @property
    def use(self) -> MatrixUse:
        return self.options.matrix

    @property
    def wave_size(self) -> int:
        return self.options.wave_size or self.spec.target.default_wave

    @property
    def is_split(self) -> bool:
        """Waves of 64 whose upper half idles: no matrix instruction can use it."""
        return self.wave_size == 64 and self.options.warp_mapping is WarpMapping.SPLIT
