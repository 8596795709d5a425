"""Functions of the device runtime, which PTX declares and nobody defines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.lifter.printf import lift_vprintf
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_HINTS = {
    "malloc": "allocate on the host and pass a pointer",
    "free": "allocate on the host and pass a pointer",
    "cudaLaunchDevice": "dynamic parallelism has no counterpart; launch from the host",
    "cudaGetParameterBuffer": "dynamic parallelism has no counterpart; launch from the host",
    "cudaLaunchDeviceV2": "dynamic parallelism has no counterpart; launch from the host",
    "cudaGetParameterBufferV2": "dynamic parallelism has no counterpart; launch from the host",
    "cudaDeviceSynchronize": "dynamic parallelism has no counterpart; synchronise on the host",
}


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
        at.builder.trap()
        at.start_block(at.new_block("after_assert"))
        return True
    if name in _HINTS:
        raise at.refuse(f"{name} of the device runtime is not translated", _HINTS[name])
    return False
