"""ptxlift: PTX, NVIDIA's virtual assembly, becomes native AMDGPU machine code.

The public names, loaded when first used, so that `import ptxlift` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptxlift.api import Translation, lift, parse
    from ptxlift.diag import Diagnostic, PtxError
    from ptxlift.kernels import Kernel
    from ptxlift.options import Options
    from ptxlift.runtime.arguments import Buffer
    from ptxlift.runtime.device import RunResult
    from ptxlift.runtime.program import Program, load, run
    from ptxlift.target.names import all_targets as targets

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

_HOMES = {  # public name: (module, name there)
    "Buffer": ("ptxlift.runtime.arguments", "Buffer"),
    "Diagnostic": ("ptxlift.diag", "Diagnostic"),
    "Kernel": ("ptxlift.kernels", "Kernel"),
    "Options": ("ptxlift.options", "Options"),
    "Program": ("ptxlift.runtime.program", "Program"),
    "PtxError": ("ptxlift.diag", "PtxError"),
    "RunResult": ("ptxlift.runtime.device", "RunResult"),
    "Translation": ("ptxlift.api", "Translation"),
    "lift": ("ptxlift.api", "lift"),
    "load": ("ptxlift.runtime.program", "load"),
    "parse": ("ptxlift.api", "parse"),
    "run": ("ptxlift.runtime.program", "run"),
    "targets": ("ptxlift.target.names", "all_targets"),
}


def __getattr__(name: str) -> Any:  # Any: each public name has its own type
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'ptxlift' has no attribute {name!r}")
    return getattr(importlib.import_module(home[0]), home[1])
