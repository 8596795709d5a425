"""Functions of the device runtime, which PTX declares and nobody defines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.lifter.printf import lift_assertfail, lift_vprintf
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_HEAP = "give the heap a size by Options(heap_bytes=...), or pass a text that defines both"
_LAUNCHES = (
    "cudaLaunchDevice", "cudaLaunchDeviceV2", "cudaGetParameterBuffer", "cudaGetParameterBufferV2",
    "cudaLaunchDevice_ptsz", "cudaLaunchDeviceV2_ptsz", "cudaStreamCreateWithFlags",
    "cudaGraphLaunch", "__cudaCDP2LaunchDevice", "__cudaCDP2LaunchDeviceV2",
    "__cudaCDP2GetParameterBuffer", "__cudaCDP2GetParameterBufferV2",
    "__cudaCDP2LaunchDevice_ptsz", "__cudaCDP2LaunchDeviceV2_ptsz",
)  # fmt: skip
_HINTS = {
    "malloc": _HEAP,
    "free": _HEAP,
    "cudaDeviceSynchronize": "a kernel cannot wait for others; synchronise on the host",
} | dict.fromkeys(_LAUNCHES, "no AMD runtime takes launches from kernels; launch from the host")


def lift_extern(
    at: FunctionLifter,
    function: ptx.Function,
    arguments: ptx.ArgList,
    results: ptx.ArgList,
    inst: ptx.Inst,
) -> bool:
    """Lifts a call of a runtime function; False if it is none or the program defines it."""
    if at.program.function(function).body is not None:
        return False
    name = function.name
    if name == "vprintf":
        lift_vprintf(at, arguments, results, inst)
        return True
    if name == "__assertfail":
        lift_assertfail(at, arguments)
        return True
    if name in _HINTS:
        raise at.refuse(f"{name} of the device runtime is not translated", _HINTS[name])
    return False
