"""What the runtime asks of a device, and what a launch gives back."""

from __future__ import annotations

from typing import Protocol

from ptxlift.diag import PtxError
from ptxlift.driver.kernels import Param
from ptxlift.driver.translation import Translation
from ptxlift.records import dataclass, field
from ptxlift.runtime.arguments import Argument
from ptxlift.runtime.buffers import Array, Buffer
from ptxlift.runtime.image_memory import ImageMemory

Dim3 = tuple[int, int, int]
CHECKS_OF_EMULATOR = ("hazards",)


@dataclass(frozen=True, slots=True)
class RunResult:
    """A launch that ended. `profile`: dynamic counts by instruction class; `executed`: how many
    waves ran each instruction of the code object, in order. Empty where the device has none.
    """

    stdout: str = ""
    profile: dict[str, float] = field(default_factory=dict)
    trap: str = ""
    executed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch. `shared`: bytes of dynamic shared memory; `max_steps`: None for no limit."""

    kernel: str
    grid: Dim3
    block: Dim3
    arguments: tuple[Argument, ...]
    shared: int = 0
    max_steps: int | None = None


def params_of(translation: Translation, kernel: str) -> tuple[Param, ...]:
    """The parameters of a translated kernel; PTX401 for an unknown one."""
    found = translation.kernels.get(kernel)
    if found is None:
        known = ", ".join(sorted(translation.kernels)) or "none"
        raise PtxError.of("PTX401", f"no kernel named '{kernel}'", hint=f"kernels: {known}")
    return found.params


class Device(Protocol):
    """A place where kernels of one program run; its memory lives from launch to launch."""

    images: ImageMemory

    def params(self, kernel: str) -> tuple[Param, ...]:
        """The kernel's parameters; PTX401 for an unknown kernel."""

    def alloc(self, array: Array, address: int | None = None) -> Buffer:
        """Makes an array device memory; kernels change it in place. `address`: where, instead
        of a place the device chooses; PTX401 if there is something already.
        """

    def free(self, buffer: Buffer) -> None:
        """Forgets an array."""

    def symbol(self, name: str) -> Buffer:
        """A module variable; what is written to its array is what kernels see."""

    def launch(self, launch: Launch) -> RunResult:
        """Runs one kernel to its end; raises `PtxError` PTX4xx for faults."""
