"""Bitcode that is linked into a unit, and the bridges to its functions.

Comes in: a module that declares "outside.NAME" functions over integers, bitcode. Goes out: the
module with NAME from the bitcode, and a bridge for each that turns integers into the types NAME
has: floats of the same size by their bits, pointers by their address. Everything that came in is
internal, so that what nobody calls goes away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import llvmlite.binding as llvm

from ptxlift.diag import PtxError
from ptxlift.ir.core import OUTSIDE
from ptxlift.llvm.options import Job

_SIZES = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
_VECTOR = re.compile(r"<(\d+) x (\w+)>")
_POINTER = re.compile(r"ptr(?: addrspace\((\d+)\))?")
_SHORT = ("2", "3", "5")  # address spaces whose pointers have 32 bits


def link_libraries(module: llvm.ModuleRef, job: Job, context: llvm.ContextRef) -> None:
    """Defines the outside functions of a module. Raises PTX305 for what is no bitcode, PTX111 for a
    function that is in none of it, PTX302 for one with other sizes.
    """
    wanted = [f for f in module.functions if f.is_declaration and f.name.startswith(OUTSIDE)]
    outer = [f.name for f in wanted]
    libraries: list[llvm.ModuleRef] = []
    try:
        libraries += (_library(data, module, context) for data in job.libraries)
        known = {
            f.name: f for library in libraries for f in library.functions if not f.is_declaration
        }
        text = "\n".join(_bridge(function, known, job) for function in wanted)
    except PtxError:
        for library in libraries:
            library.close()  # before their context, whatever the collector does later
        raise
    functions = [n for library in libraries for n in _exported(library.functions)]
    variables = [n for library in libraries for n in _exported(library.global_variables)]
    bridges = llvm.parse_assembly(f'target triple = "{job.triple}"\n{text}', context)
    for other in (*libraries, bridges):
        _link(module, other, job)
    for name in (*functions, *outer):
        module.get_function(name).linkage = "internal"
    for name in variables:
        module.get_global_variable(name).linkage = "internal"


def _exported(values: Iterable[llvm.ValueRef]) -> list[str]:
    """The names that a library defines for others."""
    own = (llvm.Linkage.internal, llvm.Linkage.private)
    defined = [value for value in values if not value.is_declaration and value.linkage not in own]
    return [value.name for value in defined if not value.name.startswith("llvm.")]


def _library(data: bytes, module: llvm.ModuleRef, context: llvm.ContextRef) -> llvm.ModuleRef:
    try:
        library = llvm.parse_bitcode(data, context)
    except RuntimeError as error:
        hint = "give bitcode of LLVM 22 or older, as `clang -emit-llvm -c` writes it"
        raise PtxError.of(
            "PTX305", f"what was to be linked is no bitcode: {error}", hint=hint
        ) from None
    library.triple, library.data_layout = module.triple, module.data_layout
    return library


def _link(module: llvm.ModuleRef, other: llvm.ModuleRef, job: Job) -> None:
    try:
        module.link_in(other)
    except RuntimeError as error:
        raise PtxError.of("PTX306", f"bitcode cannot be linked into {job.name}: {error}") from None


def _bridge(outer: llvm.ValueRef, known: dict[str, llvm.ValueRef], job: Job) -> str:
    """LLVM IR of an outside function, which calls the one in the bitcode."""
    name = outer.name.removeprefix(OUTSIDE)
    inner = known.get(name)
    if inner is None:
        message = f"function '{name}', which {job.name} calls, is not in the linked bitcode"
        raise PtxError.of("PTX111", message, hint="link the bitcode that defines it")
    given, taken = _signature(outer), _signature(inner)
    if len(given) != len(taken) or not all(map(_fits, given, taken)):
        message = f"function '{name}' is {_shown(taken)} in the linked bitcode, but {_shown(given)}"
        raise PtxError.of("PTX302", f"{message} in the PTX", hint="their sizes must be the same")
    lines, arguments = [], []
    for number, (have, want) in enumerate(zip(given[1:], taken[1:], strict=True)):
        value = f"%a{number}"
        if have != want:
            lines.append(f"  %b{number} = {_cast(have, want)} {have} {value} to {want}")
            value = f"%b{number}"
        arguments.append(f"{want} {value}")
    call = f"call {taken[0]} @{_quoted(name)}({', '.join(arguments)})"
    if taken[0] == "void":
        lines += [f"  {call}", "  ret void"]
    else:
        lines.append(f"  %r = {call}")
        result = "%r"
        if taken[0] != given[0]:
            lines.append(f"  %s = {_cast(taken[0], given[0])} {taken[0]} %r to {given[0]}")
            result = "%s"
        lines.append(f"  ret {given[0]} {result}")
    params = ", ".join(f"{have} %a{number}" for number, have in enumerate(given[1:]))
    head = f"define {given[0]} @{_quoted(outer.name)}({params}) alwaysinline {{"
    declared = f"declare {taken[0]} @{_quoted(name)}({', '.join(taken[1:])})"
    return "\n".join((declared, head, *lines, "}"))


def _signature(function: llvm.ValueRef) -> tuple[str, ...]:
    """The result and the parameters, as LLVM writes them."""
    kind = function.global_value_type
    return tuple(str(t) for t in (kind.get_function_return(), *kind.get_function_parameters()))


def _shown(signature: tuple[str, ...]) -> str:
    return f"{signature[0]} ({', '.join(signature[1:])})"


def _bits(kind: str) -> int | None:
    """The size of a type that travels in registers as it is; None for others."""
    if kind[0] == "i" and kind[1:].isdigit():
        return int(kind[1:])
    vector, pointer = _VECTOR.fullmatch(kind), _POINTER.fullmatch(kind)
    if vector:
        element = _bits(vector[2])
        return None if element is None else int(vector[1]) * element
    if pointer:
        return 32 if pointer[1] in _SHORT else 64
    return _SIZES.get(kind)


def _fits(first: str, second: str) -> bool:
    return first == second or (_bits(first) is not None and _bits(first) == _bits(second))


def _cast(source: str, wanted: str) -> str:
    if _POINTER.fullmatch(wanted):
        return "inttoptr"
    return "ptrtoint" if _POINTER.fullmatch(source) else "bitcast"


def _quoted(name: str) -> str:
    escaped = "".join(c if c.isalnum() or c in "$._-" else f"\\{ord(c):02X}" for c in name)
    return f'"{escaped}"'
