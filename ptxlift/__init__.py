"""ptxlift: PTX, NVIDIA's virtual assembly, becomes native AMDGPU machine code.

The public names of `ptxlift.api`, loaded when first used: `import ptxlift` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptxlift.api import (
        Buffer,
        Diagnostic,
        Kernel,
        Options,
        Program,
        PtxError,
        RunResult,
        Translation,
        lift,
        load,
        parse,
        run,
        targets,
    )

__version__ = "0.1.0"

__all__ = [
    "Buffer",
    "Diagnostic",
    "Kernel",
    "Options",
    "Program",
    "PtxError",
    "RunResult",
    "Translation",
    "lift",
    "load",
    "parse",
    "run",
    "targets",
]


def __getattr__(name: str) -> Any:  # Any: each public name has its own type
    if name not in __all__:
        raise AttributeError(f"module 'ptxlift' has no attribute {name!r}")
    from ptxlift import api

    return getattr(api, name)
