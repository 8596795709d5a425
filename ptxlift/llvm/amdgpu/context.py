"""What all functions of one LLVM module for AMD chips share: the chip's facts, wave and mode.

Comes in: a target, options and the IR module. Goes out: answers. It must know no op.
"""

from __future__ import annotations

from ptxlift.diag import Source
from ptxlift.ir.core import Module
from ptxlift.llvm.amdgpu.facts import Facts, address_taken
from ptxlift.llvm.context import ModuleContext
from ptxlift.llvm.options import CodegenOptions, WarpMapping
from ptxlift.target import Feature, TargetSpec

FIRST_NOTE = 8  # metadata nodes below are fixed


class Context(ModuleContext):
    """One module being emitted."""

    first_note = FIRST_NOTE

    def __init__(
        self,
        module: Module,
        spec: TargetSpec,
        options: CodegenOptions,
        facts: dict[str, Facts],
        source: Source | None = None,
    ) -> None:
        super().__init__(module, options, source)
        self.target = spec.target
        self.wave_size = options.wave_size or spec.target.default_wave
        self.features = spec.llvm_features(self.wave_size)
        self.is_wave64 = self.wave_size == 64
        self.is_packed = self.is_wave64 and options.warp_mapping is WarpMapping.PACKED
        self.is_split = self.is_wave64 and options.warp_mapping is WarpMapping.SPLIT
        self.facts = facts
        taken = address_taken(module)
        self.indirect_exit = any(facts[name].may_exit for name in taken)
        self.outside = sorted(name for name in taken if not module.functions[name].blocks)

    def has(self, feature: Feature) -> bool:
        return feature in self.target.features
