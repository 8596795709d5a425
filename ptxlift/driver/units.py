"""Compilation units: which kernels share a module, how their LLVM IR is made.

Comes in: an IR module. Goes out: units of LLVM IR with their work orders, and the kernels that have
no such IR. Kernels that must keep one warp a wave of 64 go to a unit of their own. It must not run
LLVM.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.diag import Diagnostic, PtxError, Severity
from ptxlift.driver.options import Options
from ptxlift.driver.warps import Request, mapping_of, place_of
from ptxlift.ir import core as ir
from ptxlift.ir.attributes import Space
from ptxlift.llvm.options import CodegenOptions, Job, MatrixUse, WarpMapping
from ptxlift.llvm.toolchains import toolchain_for
from ptxlift.records import dataclass, field, replace
from ptxlift.rewrite.driver import Fire, Log
from ptxlift.rewrite.passes import outcome_of
from ptxlift.target import NvidiaSpec


@dataclass(frozen=True, slots=True)
class Unit:
    """LLVM IR of kernels that are compiled together."""

    kernels: tuple[str, ...]
    mapping: str  # "packed" or "split"
    owns_variables: bool  # defines the module's variables; the other units declare them
    text: str
    job: Job
    fires: tuple[Fire, ...] = ()  # what the rewriter did
    notes: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Split:
    """The units of a module, what was noticed, and the kernels that could not be emitted."""

    units: tuple[Unit, ...]
    notes: tuple[Diagnostic, ...] = ()
    failed: dict[str, tuple[Diagnostic, ...]] = field(default_factory=dict)
    in_pieces: bool = False  # kernels that could be compiled together were not


_PIECE = 6000  # ops: a second or more of LLVM's time, so that a process for them pays


def split_units(request: Request, in_pieces: bool = True) -> Split:
    """The units in a fixed order; at least one, even without kernels.

    in_pieces: a large program is split by kernel, so that several processes can work on it; how
    does not depend on how many there are. Under `on_unsupported="error"` the first kernel that
    cannot be emitted raises.
    """
    groups: dict[str, list[str]] = {}
    notes: list[Diagnostic] = []
    failed: dict[str, tuple[Diagnostic, ...]] = {}
    for function in request.module.functions.values():
        if not function.is_kernel:
            continue
        try:
            mapping, note = mapping_of(function, request)
        except PtxError as error:
            failed[function.name] = tuple(error.diagnostics)
            continue
        groups.setdefault(mapping, []).append(function.name)
        notes += note
    units = []
    whole = sorted(groups.items()) or [("packed", [])]
    pieces = _pieces(request, whole) if in_pieces else whole
    for number, (mapping, kernels) in enumerate(pieces):
        unit, refused = _emit_what_works(request, kernels, mapping, number == 0)
        units.append(unit)
        notes += unit.notes
        failed |= refused
    raise_failed(request.options, failed)
    return Split(tuple(units), tuple(notes), failed, len(pieces) > len(whole))


def wants_pieces(request: Request, whole: Split) -> bool:
    """Whether `split_units` would take a program apart that is whole here."""
    groups = [(unit.mapping, list(unit.kernels)) for unit in whole.units]
    return len(_pieces(request, groups)) > len(groups)


def _pieces(
    request: Request, groups: Sequence[tuple[str, list[str]]]
) -> list[tuple[str, list[str]]]:
    """The groups in pieces of a size that pays. Never where functions are called by address: how
    many registers a kernel needs then depends on all of them.
    """
    functions = request.module.functions
    ops = (op.name for function in functions.values() for op in function.ops())
    if isinstance(request.spec, NvidiaSpec) or _BY_ADDRESS.intersection(ops):
        return list(groups)
    pieces = []
    for mapping, kernels in groups:
        piece: list[str] = []
        size = 0
        for kernel in kernels:
            piece.append(kernel)
            size += sum(_size(functions[name]) for name in _reached(request.module, [kernel]))
            if size >= _PIECE:
                pieces.append((mapping, piece))
                piece, size = [], 0
        if piece or not kernels:
            pieces.append((mapping, piece))
    return pieces


_BY_ADDRESS = frozenset({"call_indirect", "function_address"})


def _size(function: ir.Function) -> int:
    return sum(len(block.ops) for block in function.blocks)


def raise_failed(options: Options, failed: dict[str, tuple[Diagnostic, ...]]) -> None:
    """Ends the translation if there are failed kernels and they may not be skipped."""
    if failed and options.on_unsupported == "error":
        raise PtxError([diagnostic for found in failed.values() for diagnostic in found][:20])


def _emit_what_works(
    request: Request, kernels: Sequence[str], mapping: str, owns_variables: bool
) -> tuple[Unit, dict[str, tuple[Diagnostic, ...]]]:
    try:
        return emit_unit(request, kernels, mapping, owns_variables), {}
    except PtxError as error:
        whole = error
    failed: dict[str, tuple[Diagnostic, ...]] = {}
    for kernel in kernels:
        try:
            emit_unit(request, [kernel], mapping, owns_variables)
        except PtxError as error:
            failed[kernel] = tuple(error.diagnostics)
    if not failed:
        raise whole
    left = [kernel for kernel in kernels if kernel not in failed]
    return emit_unit(request, left, mapping, owns_variables), failed


def _part(module: ir.Module, kernels: Sequence[str], owns_variables: bool) -> ir.Module:
    """The functions these kernels reach; variables defined in one unit are declared in the
    others.
    """
    roots = list(kernels)
    if owns_variables:
        roots += [r.symbol for v in module.variables.values() for r in v.relocations]
    reached = _reached(module, roots)
    part = ir.Module(module.name, version=module.version)
    part.functions = {n: f for n, f in module.functions.items() if n in reached}
    for name, variable in module.variables.items():
        if owns_variables or variable.space is Space.SHARED:
            part.variables[name] = variable
        else:
            part.variables[name] = ir.Variable(
                name, variable.space, variable.size, variable.align, "extern"
            )
    return part


def _reached(module: ir.Module, roots: Sequence[str]) -> set[str]:
    """The roots and every function they call or take the address of."""
    reached: set[str] = set()
    work = list(roots)
    while work:
        name = work.pop()
        if name in reached or name not in module.functions:
            continue
        reached.add(name)
        for op in module.functions[name].ops():
            if op.name in ("call", "function_address"):
                work.append(str(op.attr("symbol")))
    return reached


def emit_unit(request: Request, kernels: Sequence[str], mapping: str, owns_variables: bool) -> Unit:
    """LLVM IR of these kernels together. Raises what the backend refuses."""
    options = request.options
    codegen = CodegenOptions(
        opt_level=options.opt_level,
        wave_size=options.wave_size,
        warp_mapping=WarpMapping(mapping),
        code_object_version=options.code_object_version,
        max_block=options.max_block,
        unsafe_fp_atomics=options.unsafe_fp_atomics,
        matrix=MatrixUse(options.matrix),
        debug_lines=bool(options.debug_lines),
        source_lines=options.debug_lines == "source",
    )
    log = Log()
    toolchain = toolchain_for(request.spec)
    part = toolchain.rewrite(_part(request.module, kernels, owns_variables), log)
    emitted, job = toolchain.emit(_title(part, kernels), part, codegen, request.source)
    if any(f.name.startswith(ir.OUTSIDE) for f in part.functions.values()):
        job = replace(job, libraries=options.link)
    notes = tuple(_stopped_note(name) for name in log.stopped)
    fires = tuple(log.fires)
    return Unit(tuple(kernels), mapping, owns_variables, emitted.text, job, fires, notes)


def rewrite_remarks(request: Request, units: Sequence[Unit]) -> list[Diagnostic]:
    """PTX208, a remark for each rewrite, in the order of the text."""
    fires = dict.fromkeys(fire for unit in units for fire in unit.fires)
    ordered = sorted(fires, key=lambda fire: (fire.span, fire.name))
    return [_remark(request, fire) for fire in ordered]


def _remark(request: Request, fire: Fire) -> Diagnostic:
    message = f"{fire.name} in {fire.function}: {outcome_of(fire.name)}"
    return Diagnostic("PTX208", message, place_of(request, fire.span), "", Severity.REMARK)


def _stopped_note(function: str) -> Diagnostic:
    message = f"the rewriter stopped early in {function}"
    return Diagnostic("PTX207", message, None, "please report the kernel", Severity.REMARK)


def _title(part: ir.Module, kernels: Sequence[str]) -> str:
    """What messages call a unit."""
    return f"kernel {kernels[0]}" if len(kernels) == 1 else part.name
