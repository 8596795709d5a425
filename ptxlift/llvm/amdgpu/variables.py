"""Module variables as LLVM globals: global, constant, static and dynamic shared memory.

Comes in: `ir.Variable`. Goes out: one line of LLVM text each. Host-visible symbols keep their names
and may be written by the host before any launch.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Relocation, Variable
from ptxlift.llvm.amdgpu.context import Context
from ptxlift.llvm.amdgpu.spaces import NUMBERS, pointer_type
from ptxlift.llvm.context import symbol
from ptxlift.llvm.variables import initial_value
from ptxlift.target import Feature

_LINKAGE = {"weak": "weak ", "common": "weak "}
_LARGEST_ALIGN = 1 << 16  # ROCr places a code object at no more than that


def define_variable(variable: Variable, context: Context) -> str:
    """The global's definition or declaration."""
    name = symbol(variable.name)
    place = f"addrspace({NUMBERS[variable.space]})"
    if variable.align > _LARGEST_ALIGN:
        raise context.error(
            "PTX302",
            f"the variable {variable.name} is aligned to {variable.align} bytes",
            hint=f"code objects align to at most {_LARGEST_ALIGN} bytes",
        )
    if variable.is_object and variable.data is not None and context.has(Feature.IMAGE):
        raise context.error(
            "PTX302",
            f"the sampler fields that {variable.name} begins with are not translated",
            hint="drop the initial value; the host writes the whole object (`Program.bind`)",
        )
    if variable.is_dynamic_shared:
        return f"{name} = external {place} global [0 x i8], align {variable.align}"
    array = f"[{variable.size} x i8]"
    if variable.space is Space.SHARED:
        return f"{name} = internal {place} global {array} poison, align {variable.align}"
    if variable.linkage == "extern":
        return f"{name} = external protected {place} global {array}, align {variable.align}"
    linkage = _LINKAGE.get(variable.linkage, "")
    initial = initial_value(variable, lambda r: _address(r, variable, context))
    head = f"{name} = {linkage}protected {place} externally_initialized global"
    return f"{head} {initial}, align {variable.align}"


def _address(relocation: Relocation, variable: Variable, context: Context) -> str:
    pointed = context.module.variables.get(relocation.symbol)
    in_lds = pointed is not None and pointed.space is Space.SHARED
    if relocation.size != 8 or relocation.shift or in_lds:
        raise context.error(
            "PTX202",
            f"the initial value of {variable.name} holds a part of the address of "
            f"{relocation.symbol}, or a shared address",
            hint="store whole 64-bit addresses of global or constant data, or set it in a kernel",
        )
    type = "ptr" if pointed is None else pointer_type(pointed.space)
    base = f"ptrtoint ({type} {symbol(relocation.symbol)} to i64)"
    if relocation.addend == 0:
        return f"i64 {base}"
    return f"i64 add (i64 {base}, i64 {relocation.addend})"


def static_shared_bytes(names: set[str], context: Context) -> int:
    """Bytes of LDS that these variables need, in the order of least padding."""
    sizes = []
    for name in names:
        variable = context.module.variables.get(name)
        if variable is not None and variable.space is Space.SHARED:
            sizes.append((variable.align, 0 if variable.is_dynamic_shared else variable.size))
    total = 0
    for align, size in sorted(sizes, reverse=True):
        total = -(-total // align) * align + size
    return total
