"""What a batch is given and what becomes of it: plain records that travel between processes.

Comes in: nothing. Goes out: `Task`, `Outcome`. It must know nothing of how either is made.
"""

from __future__ import annotations

from collections.abc import Mapping

from ptxlift.diag import Diagnostic
from ptxlift.driver.images import Image
from ptxlift.driver.kernels import KernelReport
from ptxlift.driver.options import Options
from ptxlift.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Task:
    """One program, read once, for some targets.

    parts: the properties of `Translation` that are wanted: "code_object", "asm", "llvm_ir",
    "bitcode", "object", "ir". kernels: names of those wanted; None: all. older, at_once: see
    `lift`.
    """

    texts: tuple[str | bytes, ...]
    names: tuple[str, ...]
    targets: tuple[str, ...]
    parts: tuple[str, ...] = ("code_object",)
    kernels: tuple[str, ...] | None = None
    options: Options = field(default_factory=Options)
    older: tuple[tuple[Image, ...], ...] = ()
    at_once: int = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task on one target.

    parts: what was asked for; empty where there is nothing. kernels: those translated; their
    resources are known if the code object was asked for. failed: kernels that were left out, with
    the reasons. diagnostics: everything found, those reasons too. fault: what is wrong with ptxlift
    itself, if this is why there is nothing. cached: it was made in another run.
    """

    parts: Mapping[str, str | bytes] = field(default_factory=dict)
    kernels: tuple[KernelReport, ...] = ()
    failed: Mapping[str, tuple[Diagnostic, ...]] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    fault: str = ""
    cached: bool = False

    @property
    def ok(self) -> bool:
        """Whether there is what was asked for, perhaps without some kernels."""
        return bool(self.parts)
