"""Whether what a module declares is what another one defines, as NVIDIA's linker checks it.

Comes in: a program. Goes out: nothing, or PTX306 with both places. A call by other types than the
function has would read registers that nobody wrote.
"""

from __future__ import annotations

from ptxlift.diag import Diagnostic, PtxError
from ptxlift.lifter.calls import widths
from ptxlift.lifter.program import Program, Symbol
from ptxlift.ptx import module as ptx


def check_declarations(program: Program) -> None:
    """Raises `PtxError` for the first declaration that its definition in another module belies."""
    homes = {v: module for module in program.modules for v in module.variables.values()}
    for module in program.modules:
        for function in module.functions.values():
            defined = program.function(function)
            if function.body is None and defined is not function and defined in program.home:
                problem = _function_problem(function, defined)
                _raise_if(problem, function, module, defined, program.home[defined])
        for variable in module.variables.values():
            meant = program.variable(variable)
            if variable.linkage == "extern" and meant.linkage != "extern" and meant in homes:
                problem = _variable_problem(variable, meant)
                _raise_if(problem, variable, module, meant, homes[meant])


def _function_problem(declared: ptx.Function, defined: ptx.Function) -> str:
    if declared.kind != defined.kind:
        return "one is a kernel"
    if widths(declared.params) != widths(defined.params):
        return "their parameters differ"
    return "" if widths(declared.returns) == widths(defined.returns) else "their results differ"


def _variable_problem(declared: ptx.Variable, defined: ptx.Variable) -> str:
    """A declaration may leave its size open: `.extern .global .b8 x[];`."""
    if declared.space is not defined.space:
        return f"one is .{declared.space.value}, the other .{defined.space.value}"
    if declared.size and declared.size != defined.size:
        return f"one has {declared.size} bytes, the other {defined.size}"
    return ""


def _raise_if(
    problem: str, declared: Symbol, at: ptx.Module, defined: Symbol, home: ptx.Module
) -> None:
    if not problem:
        return
    what = "variable" if isinstance(declared, ptx.Variable) else "function"
    found = []
    for text, symbol, module in (("declared here", declared, at), ("defined here", defined, home)):
        span = module.span(symbol.start, symbol.start + max(len(symbol.name), 1))
        message = f"{what} '{symbol.name}' is not what it is declared as, {problem}: {text}"
        found.append(Diagnostic("PTX306", message, span, "declare it as it is defined"))
    raise PtxError(found)
