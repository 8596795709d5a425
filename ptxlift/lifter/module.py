"""Lifts a program: one or several checked PTX modules become one IR module.

Comes in: typed modules, which kernels are wanted. Goes out: the IR of those kernels and of what
they need, and the errors of kernels that could not be lifted. It resolves names between modules;
functions are lifted one by one by `FunctionLifter`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ptxlift.diag import Diagnostic, PtxError
from ptxlift.ir import core as ir
from ptxlift.ir.lock_loops import release_in_loops
from ptxlift.ir.meeting_loop import bring_together
from ptxlift.isa import Kind
from ptxlift.lifter.calls import widths
from ptxlift.lifter.declarations import check_declarations
from ptxlift.lifter.function import FunctionLifter
from ptxlift.lifter.local_values import values_for_locals
from ptxlift.lifter.locations import origin_of
from ptxlift.lifter.named_barriers import Reach, place_counted_barriers
from ptxlift.lifter.operands import SPACE_OF
from ptxlift.lifter.program import Older, Outside, Program
from ptxlift.lifter.wrapped_atomics import inline_atomics
from ptxlift.ptx import module as ptx
from ptxlift.records import dataclass, field


@dataclass(slots=True)
class Lifted:
    """The IR, and the errors by the name of the kernel that could not be lifted.

    passed: kernels that are not those of their best image: how many images were passed over.
    reasons: what stood against the first image that was tried.
    """

    module: ir.Module
    failed: dict[str, list[Diagnostic]] = field(default_factory=dict)
    passed: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, list[Diagnostic]] = field(default_factory=dict)


def lift_program(
    modules: Sequence[ptx.Module],
    kernels: Iterable[str] | None = None,
    older: Sequence[Older] = (),
    passed: Mapping[str, int] | None = None,
    native: str = "",
    outside: Outside | None = None,
    has_barriers: bool = False,
) -> Lifted:
    """Lifts the kernels named (all of them if None) and everything they reach.

    older: other images of the modules, the best first; a kernel is taken from the first image that
    can be lifted. passed: how many images of a kernel not to try, if there are more. native: the
    NVIDIA target whose own instructions stay, "" for an AMD one. outside: what the program is
    linked with. has_barriers: the target has barriers for some of a block's waves. Raises
    `PtxError` for a kernel name nobody defines and for symbols defined twice.
    """
    program = Program(modules, older, native, outside)
    check_declarations(program)
    images = _wanted(program, kernels)
    at = {n: min((passed or {}).get(n, 0), len(images[n]) - 1) for n in images}
    lifting = _Lifting(program)
    lifting.lift([images[name][at[name]] for name in images])
    reasons: dict[str, list[Diagnostic]] = {}
    for name, candidates in images.items():
        for number in range(at[name], len(candidates)):
            lifting.lift([candidates[number]])
            errors = lifting.errors(candidates[number])
            if not errors:
                at[name] = number
                break
            reasons.setdefault(name, errors)
    lifted, reaches = _gather(program, [images[name][at[name]] for name in images], lifting)
    if not native:  # lanes of NVIDIA's warps make progress by themselves
        place_counted_barriers(lifted.module, reaches, has_barriers)
        inline_atomics(lifted.module)
        values_for_locals(lifted.module)
        release_in_loops(lifted.module)
        bring_together(lifted.module)
    lifted.passed = {name: number for name, number in at.items() if number}
    lifted.reasons = {name: found for name, found in reasons.items() if name in lifted.passed}
    return lifted


class _Lifting:
    """Functions that have been lifted, or could not be."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.done: dict[ptx.Function, ir.Function | list[Diagnostic]] = {}
        self.needs: dict[ptx.Function, FunctionLifter] = {}

    def lift(self, sources: Sequence[ptx.Function]) -> None:
        """Lifts functions and all they reach."""
        work = list(sources)
        while work:
            source = work.pop()
            if source in self.done:
                continue
            lifter = FunctionLifter(self._program, source, _empty(self._program, source))
            self.needs[source] = lifter
            try:
                self.done[source] = lifter.run()
            except PtxError as error:
                self.done[source] = list(error.diagnostics)
            work.extend(lifter.called)

    def made(self, source: ptx.Function) -> ir.Function:
        """The IR of a function that was lifted."""
        function = self.done[source]
        assert isinstance(function, ir.Function), "its errors were looked at before"
        return function

    def closure(self, kernel: ptx.Function) -> list[ptx.Function]:
        """A kernel and all it reaches."""
        seen = {kernel: None}
        work = [kernel]
        while work:
            for function in self.needs[work.pop()].called:
                if function not in seen:
                    seen[function] = None
                    work.append(function)
        return list(seen)

    def errors(self, kernel: ptx.Function) -> list[Diagnostic]:
        """What stands against a kernel."""
        found = []
        for function in self.closure(kernel):
            result = self.done[function]
            found += result if isinstance(result, list) else []
        return found


def _wanted(program: Program, kernels: Iterable[str] | None) -> dict[str, list[ptx.Function]]:
    defined = program.kernels
    if kernels is None:
        return defined
    names = list(kernels)
    missing = [name for name in names if name not in defined]
    if missing:
        raise PtxError.of(
            "PTX104",
            f"no kernel named '{missing[0]}'",
            hint="kernels here: " + (", ".join(sorted(defined)) or "none"),
        )
    return {name: defined[name] for name in names}


def _empty(program: Program, source: ptx.Function) -> ir.Function:
    """The IR function of a PTX one, without its body."""
    kernel = source.kind == "entry"
    params = [] if kernel else source.params
    function = ir.Function(
        program.name_of(source),
        kernel,
        source.linkage,
        param_widths=widths(params),
        result_widths=widths(source.returns),
        noreturn="noreturn" in source.attributes,
        origin=origin_of(program.home[source], source),
    )
    if kernel:
        function.kernel_params = [
            _kernel_param(p) for p in source.params if isinstance(p, ptx.Variable)
        ]
        function.param_bytes = max((p.offset + p.size for p in function.kernel_params), default=0)
        function.bounds = ir.LaunchBounds(
            _three(source.attributes.get("reqntid")),
            _three(source.attributes.get("maxntid")),
            source.attributes.get("minnctapersm", (None,))[0],
            source.attributes.get("maxnreg", (None,))[0],
            _three(source.attributes.get("reqnctapercluster")),
            source.attributes.get("maxclusterrank", (None,))[0],
            "blocksareclusters" in source.attributes,
        )
    return function


def _three(values: tuple[int, ...] | None) -> tuple[int, int, int] | None:
    if values is None:
        return None
    x, y, z = (*values, 1, 1)[:3]
    return x, y, z


def _kernel_param(variable: ptx.Variable) -> ir.KernelParam:
    return ir.KernelParam(
        variable.name,
        variable.offset,
        variable.size,
        variable.align,
        variable.type.name,
        bool(variable.dims),
        variable.pointer_space.value if variable.pointer_space else "",
        variable.pointer_align or 1,
    )


def _gather(
    program: Program, wanted: Sequence[ptx.Function], lifting: _Lifting
) -> tuple[Lifted, list[Reach]]:
    name = program.modules[0].source.name if program.modules else "<ptx>"
    version = max((module.version for module in program.modules), default=(0, 0))
    lifted = Lifted(ir.Module(name, version=version))
    reaches = []
    for kernel in wanted:
        errors = lifting.errors(kernel)
        if errors:
            lifted.failed[kernel.name] = errors
            continue
        reached = lifting.closure(kernel)
        reaches.append(Reach(lifting.made(kernel), [lifting.made(f) for f in reached]))
        for function in reached:
            made = lifting.made(function)
            lifted.module.functions.setdefault(made.name, made)
            lifted.module.variables.update(lifting.needs[function].scratch)
            lifted.module.functions.update(lifting.needs[function].outside)
            for declared in lifting.needs[function].declared:
                lifted.module.functions.setdefault(declared.name, _empty(program, declared))
            for variable in lifting.needs[function].used:
                declare(program, variable, lifted.module)
    for variable in program.exported_variables:
        functions = program.functions_in(variable)
        if all(program.name_of(f) in lifted.module.functions for f in functions):
            declare(program, variable, lifted.module)
    return lifted, reaches


def declare(program: Program, variable: ptx.Variable, module: ir.Module) -> None:
    """Adds a variable and those its initial value names to the IR."""
    name = program.name_of(variable)
    if name in module.variables:
        return
    variable = program.variable(variable)
    space = SPACE_OF[variable.space]
    dynamic = variable.space is ptx.Space.SHARED and variable.linkage == "extern"
    size = 0 if dynamic else variable.size
    made = ir.Variable(name, space, size, variable.align, variable.linkage)
    made.is_object = variable.type.kind is Kind.OPAQUE
    module.variables[name] = made
    initial = variable.initializer
    if initial is None:
        return
    made.data = initial.data
    relocations = []
    for r in initial.relocations:
        if isinstance(r.symbol, ptx.Variable):
            declare(program, r.symbol, module)
        symbol = program.name_of(r.symbol)
        relocations.append(ir.Relocation(r.offset, r.size, symbol, r.addend, r.generic, r.shift))
    made.relocations = tuple(relocations)
