"""Declarations become registers and variables.

Comes in: declaration and parameter nodes. Goes out: `Register`s and `Variable`s with their sizes
and layouts; what PTX does not allow is reported. This module must know no instruction.
"""

from __future__ import annotations

from collections.abc import Iterable

from ptxlift.isa import Kind, type_of
from ptxlift.isa.types import REGISTER_TYPES, TYPES, VARIABLE_TYPES
from ptxlift.ptx.module import Register, Space, Variable
from ptxlift.ptx.report import Report
from ptxlift.syntax import nodes
from ptxlift.target.image_object import OBJECT_ALIGN, OBJECT_BYTES

_MAX_REGISTERS = 1 << 20
_MAX_BYTES = 1 << 40
_LARGEST_ALIGN = 1 << 31
_VECTOR_BITS = 128
_NO_INITIAL = ("shared", "local", "param", "reg")


def registers(report: Report, node: nodes.Declaration, first: int) -> list[tuple[int, Register]]:
    """The registers of one `.reg` statement, each with the offset of its declarator."""
    if not _register_type_fits(report, node):
        return []
    type_ = type_of(node.type)
    signature = register_signature(node.type, node.vector)
    found: list[tuple[int, Register]] = []
    for declarator in node.declarators:
        if declarator.initializer is not None:
            _no_initial(report, declarator)
        if declarator.dimensions:
            report.error(
                "PTX106",
                f"`{declarator.name}` is an array; registers are not",
                declarator.start,
                declarator.start + len(declarator.name),
                "declare a range: `name<4>`",
            )
            continue
        for name in _names(report, declarator):
            register = Register(name, type_, node.vector, first + len(found), signature)
            found.append((declarator.start, register))
    return found


def register_signature(type_name: str, vector: int) -> str:
    return type_name if vector == 1 else f"v{vector}.{type_name}"


def _names(report: Report, declarator: nodes.Declarator) -> Iterable[str]:
    count = declarator.count
    if count is None:
        return (declarator.name,)
    if count > _MAX_REGISTERS:
        report.error("PTX106", f"{count} registers are too many", declarator.start)
        return ()
    base = declarator.name
    return [f"{base}{n}" for n in range(count)]


def _register_type_fits(report: Report, node: nodes.Declaration) -> bool:
    if node.type not in REGISTER_TYPES:
        _error(report, node, f"a register cannot be .{node.type}", "declare untyped bits, .b32")
        return False
    if node.vector > 1 and node.type == "pred":
        _error(report, node, "predicates come in scalar registers only", "drop the vector")
        return False
    if node.vector * type_of(node.type).bits > _VECTOR_BITS:
        _error(report, node, "the vector has more than 128 bits", "use a shorter vector")
        return False
    return True


def _error(report: Report, node: nodes.Declaration, message: str, hint: str = "") -> None:
    report.error("PTX106", message, node.start, node.end, hint)


def _no_initial(report: Report, declarator: nodes.Declarator) -> None:
    assert declarator.initializer is not None
    report.error(
        "PTX107",
        f"`{declarator.name}` cannot have an initial value in this state space",
        declarator.start,
        declarator.start + len(declarator.name),
        "only .global and .const variables are initialised",
    )


def variables(
    report: Report, node: nodes.Declaration, *, module_scope: bool
) -> list[tuple[nodes.Declarator, Variable]]:
    """The variables of one declaration, without their initial values."""
    if not _variable_fits(report, node, module_scope=module_scope):
        return []
    found = []
    for declarator in node.declarators:
        if not _declarator_fits(report, node, declarator):
            continue
        found.append((declarator, _variable(node, declarator)))
    return found


def _variable(node: nodes.Declaration, declarator: nodes.Declarator) -> Variable:
    type_ = type_of(node.type)
    dims = tuple(d or 0 for d in declarator.dimensions)
    opaque = type_.kind is Kind.OPAQUE
    element = OBJECT_BYTES if opaque else type_.bytes * node.vector
    variable = Variable(
        declarator.name,
        Space(node.space),
        type_,
        node.vector,
        dims,
        node.align or (OBJECT_ALIGN if opaque else element),
        element * _product(dims),
        node.linkage,
        managed="managed" in node.attributes,
        start=declarator.start,
    )
    variable.signature = variable_signature(variable)
    return variable


def variable_signature(variable: Variable, prefix: str = "variable") -> str:
    inner = ",".join(map(str, variable.dims)) if variable.dims else "-"
    return f"{prefix} {variable.space.value} {variable.type.name} {variable.vector} {inner}"


def _product(dims: tuple[int, ...]) -> int:
    size = 1
    for dim in dims:
        size *= dim
    return size


def _variable_fits(report: Report, node: nodes.Declaration, *, module_scope: bool) -> bool:
    problem, hint = _variable_problem(node, module_scope=module_scope)
    if problem:
        code = "PTX109" if node.space == "tex" else "PTX106"
        report.error(code, problem, node.start, node.end, hint)
    return not problem


def _variable_problem(node: nodes.Declaration, *, module_scope: bool) -> tuple[str, str]:
    space, type_name = node.space, node.type
    if space == "tex":
        return "the .tex space is gone since PTX 1.5", "declare a .global .texref"
    if module_scope and space in ("reg", "local", "param"):
        return f".{space} variables are declared inside functions", "move it into the body"
    if type_name == "pred":
        return "a predicate can only be a register", "use .reg .pred or a .b8 variable"
    if type_name not in VARIABLE_TYPES:
        return f"a variable cannot be .{type_name}", "declare it as .b16, .b32 or .b64"
    if TYPES[type_name].kind is Kind.OPAQUE and space != "global":
        return f".{type_name} variables lie in .global", "write .global"
    if node.linkage == "common" and space != "global":
        return ".common variables lie in .global", "write .common .global"
    if "managed" in node.attributes and space != "global":
        return "managed variables lie in .global", "drop the attribute"
    if any(a.startswith("unified") for a in node.attributes):
        return "unified addresses need separate compilation", "drop the attribute"
    if node.vector * type_of(type_name).bits > _VECTOR_BITS:
        return "the vector has more than 128 bits", "use a shorter vector"
    if node.vector > 1 and space == "param":
        return "a parameter cannot be a vector", "declare an array with .align"
    return _align_problem(node.align)


def _align_problem(align: int | None) -> tuple[str, str]:
    if align is not None and (align <= 0 or align & (align - 1)):
        return f"alignment {align} is no power of two", "use 1, 2, 4, 8, 16, ..."
    if align is not None and align > _LARGEST_ALIGN:
        return f"alignment {align} does not fit 32 bits", f"at most {_LARGEST_ALIGN}"
    return "", ""


def _declarator_fits(report: Report, node: nodes.Declaration, declarator: nodes.Declarator) -> bool:
    start, end = declarator.start, declarator.start + len(declarator.name)
    name = declarator.name
    if declarator.initializer is not None:
        if node.space in _NO_INITIAL:
            _no_initial(report, declarator)
            return False
        if node.linkage == "extern":
            report.error("PTX107", f"`{name}` is external and cannot be initialised", start, end)
            return False
    if declarator.count is not None:
        report.error("PTX106", "only registers are declared in ranges", start, end)
        return False
    known = declarator.initializer is not None or node.linkage == "extern"
    if not known and any(not d for d in declarator.dimensions):
        report.error("PTX106", f"`{name}` has no size", start, end, "give the dimension")
        return False
    if _product(tuple(d or 1 for d in declarator.dimensions)) > _MAX_BYTES:
        report.error("PTX106", f"`{name}` is too large", start, end)
        return False
    return True


# ---- parameters ----


def parameters(
    report: Report, found: Iterable[nodes.Parameter], *, entry: bool, prefix: str = "input"
) -> tuple[Variable | Register, ...]:
    """The formal parameters of a function; those of a kernel get their offsets."""
    made: list[Variable | Register] = []
    offset = 0
    for node in found:
        problem = _parameter_problem(node, entry=entry)
        if problem:
            report.error("PTX106", problem, node.start, node.start + len(node.name))
            continue
        if node.space == "reg":
            made.append(_register_parameter(node))
            continue
        variable = _parameter(node, prefix)
        if entry:
            offset = -(-offset // variable.align) * variable.align
            variable.offset = offset
            offset += variable.size
        made.append(variable)
    return tuple(made)


def _register_parameter(node: nodes.Parameter) -> Register:
    signature = register_signature(node.type, node.vector)
    return Register(node.name, type_of(node.type), node.vector, 0, signature)


def _parameter(node: nodes.Parameter, prefix: str) -> Variable:
    type_ = type_of(node.type)
    dims = tuple(d or 0 for d in node.dimensions)
    variable = Variable(
        node.name,
        Space.PARAM,
        type_,
        1,
        dims,
        node.align or type_.bytes,
        type_.bytes * _product(dims),
        pointer=node.pointer,
        pointer_space=Space(node.pointer_space) if node.pointer_space else None,
        pointer_align=node.pointer_align or 0,
    )
    variable.signature = variable_signature(variable, prefix)
    return variable


def _parameter_problem(node: nodes.Parameter, *, entry: bool) -> str:
    if entry and node.space == "reg":
        return f"kernel parameter `{node.name}` must be a .param"
    if node.space == "param":
        if node.type == "pred":
            return f"parameter `{node.name}` cannot be a predicate"
        if node.vector > 1:
            return f"parameter `{node.name}` cannot be a vector"
        if node.type not in VARIABLE_TYPES:
            return f"a parameter cannot be .{node.type}"
        if entry and any(not d for d in node.dimensions):
            return f"parameter `{node.name}` has no size"
    elif node.type not in REGISTER_TYPES:
        return f"a register cannot be .{node.type}"
    return _align_problem(node.align)[0]
