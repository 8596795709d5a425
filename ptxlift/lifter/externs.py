"""Functions of the device runtime, which PTX declares and nobody defines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxlift.lifter.printf import lift_assertfail, lift_vprintf
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_HEAP = "give the heap a size by Options(heap_bytes=...), or pass a text that defines both"
_HINTS = {
    "malloc": _HEAP,
    "free": _HEAP,
    "cudaDeviceSynchronize": "a kernel cannot wait for others; synchronise on the host",
}
# CUDA dynamic parallelism, as nvcc's headers name it before and since CUDA 11.6
_LAUNCHES = re.compile(r"(cuda|__cudaCDP2)[A-Z]\w*")
_LAUNCH = "no AMD runtime takes launches from kernels; launch from the host"


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
    hint = _HINTS.get(name, _LAUNCH if _LAUNCHES.fullmatch(name) else None)
    if hint is not None:
        raise at.refuse(f"{name} of the device runtime is not translated", hint)
    return False
