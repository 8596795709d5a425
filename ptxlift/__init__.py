"""ptxlift: PTX, NVIDIA's virtual assembly, becomes native AMDGPU machine code.

The public names of `ptxlift.api`, each loaded when first used: the import costs next to nothing,
and lifting loads neither the runtime nor numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptxlift.api import (
        Buffer,
        Cache,
        Diagnostic,
        Fragment,
        Kernel,
        Operand,
        Options,
        Outcome,
        Program,
        PtxError,
        PtxImage,
        RunResult,
        Sampler,
        Surface,
        Task,
        Texture,
        Translation,
        extract,
        lift,
        lift_inline_asm,
        load,
        parse,
        raise_inline_asm,
        run,
        targets,
        translate_all,
    )

__version__ = "0.1.0"

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

_HOMES = {  # public name: (module, name there); the same as in `api`
    "Buffer": ("runtime.buffers", "Buffer"),
    "Cache": ("driver.cache", "Cache"),
    "Diagnostic": ("diag", "Diagnostic"),
    "Fragment": ("inline_asm.fragment", "Fragment"),
    "Kernel": ("driver.kernels", "Kernel"),
    "Operand": ("inline_asm.model", "Operand"),
    "Options": ("driver.options", "Options"),
    "Outcome": ("driver.outcomes", "Outcome"),
    "Program": ("runtime.program", "Program"),
    "PtxError": ("diag", "PtxError"),
    "PtxImage": ("link.extract", "PtxImage"),
    "RunResult": ("runtime.device", "RunResult"),
    "Sampler": ("runtime.images", "Sampler"),
    "Surface": ("runtime.images", "Surface"),
    "Texture": ("runtime.images", "Texture"),
    "Task": ("driver.outcomes", "Task"),
    "Translation": ("driver.translation", "Translation"),
    "extract": ("link.extract", "extract"),
    "lift": ("driver.translation", "lift"),
    "lift_inline_asm": ("inline_asm.module", "lift_inline_asm"),
    "load": ("runtime.program", "load"),
    "parse": ("driver.translation", "parse"),
    "raise_inline_asm": ("inline_asm.raising", "raise_inline_asm"),
    "run": ("runtime.program", "run"),
    "targets": ("target", "all_targets"),
    "translate_all": ("driver.batch", "translate_all"),
}


def __getattr__(name: str) -> Any:  # Any: each public name has its own type
    if name not in _HOMES:
        raise AttributeError(f"module 'ptxlift' has no attribute {name!r}")
    from importlib import import_module

    module, inside = _HOMES[name]
    return getattr(import_module(f"ptxlift.{module}"), inside)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
