"""Compilation units: which kernels share a module, how each is compiled, how the objects are
linked.

Comes in: an IR module. Goes out: objects and the code object. Kernels that must keep one warp a
wave of 64 go to a unit of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ptxlift.diag import Diagnostic, PtxError, Severity
from ptxlift.driver.kernels import Resources
from ptxlift.driver.options import Options
from ptxlift.ir import core as ir
from ptxlift.ir.attributes import Space
from ptxlift.ir.packing import Verdict, packing_verdict
from ptxlift.link import link, listing, read_code_object
from ptxlift.llvm.amdgpu import AmdgpuBackend
from ptxlift.llvm.isolate import run_isolated
from ptxlift.llvm.options import CodegenOptions, Compiled, Job, WarpMapping
from ptxlift.target import TargetSpec, illegal_mnemonics


@dataclass(frozen=True, slots=True)
class Unit:
    """LLVM IR of kernels that are compiled together, and what was noticed about them."""

    name: str
    kernels: tuple[str, ...]
    mapping: str
    text: str
    job: Job
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Linked:
    code_object: bytes
    listing: str
    resources: dict[str, Resources]


def split_units(module: ir.Module, spec: TargetSpec, options: Options) -> tuple[Unit, ...]:
    """The units of a module, in a fixed order; at least one, even without kernels."""
    groups: dict[str, list[str]] = {}
    notes: list[Diagnostic] = []
    for function in module.functions.values():
        if function.is_kernel:
            mapping, note = _mapping(function, module, spec, options)
            groups.setdefault(mapping, []).append(function.name)
            notes += note
    units = []
    for number, (mapping, kernels) in enumerate(sorted(groups.items() or [("packed", [])])):
        part = _part(module, kernels, owns_variables=number == 0)
        units.append(_unit(part, kernels, mapping, spec, options, notes if number == 0 else []))
    return tuple(units)


def _mapping(
    function: ir.Function, module: ir.Module, spec: TargetSpec, options: Options
) -> tuple[str, list[Diagnostic]]:
    wave = options.wave_size or spec.target.default_wave
    if wave == 32:
        return "packed", []
    verdict = packing_verdict(function, module)
    if options.warp_mapping == "split" or verdict.safe:
        return ("split" if options.warp_mapping == "split" else "packed"), []
    if options.warp_mapping == "packed":
        return "packed", [_note(function, verdict)]
    bounds = function.bounds.reqntid or (1, 1, 1)
    if bounds[0] * bounds[1] * bounds[2] > 512:
        raise PtxError(
            Diagnostic(
                "PTX204",
                f"kernel {function.name} cannot run two warps a wave ({verdict.reason}), and its "
                "block is too large for one warp a wave",
                None,
                "use a target with waves of 32, or blocks of at most 512 threads",
            )
        )
    return "split", []


def _note(function: ir.Function, verdict: Verdict) -> Diagnostic:
    return Diagnostic(
        "PTX204",
        f"kernel {function.name} is packed two warps a wave as asked, though {verdict.reason}",
        None,
        "warp_mapping='auto' runs it one warp a wave",
        Severity.WARNING,
    )


def _part(module: ir.Module, kernels: Sequence[str], owns_variables: bool) -> ir.Module:
    """The functions these kernels reach; variables defined in one unit are declared in the
    others.
    """
    reached: dict[str, ir.Function] = {}
    work = list(kernels)
    while work:
        name = work.pop()
        if name in reached or name not in module.functions:
            continue
        function = reached[name] = module.functions[name]
        work += [
            str(op.attr("symbol"))
            for op in function.ops()
            if op.name in ("call", "function_address")
        ]
    part = ir.Module(module.name)
    part.functions = {n: f for n, f in module.functions.items() if n in reached}
    for name, variable in module.variables.items():
        if owns_variables or variable.space is Space.SHARED:
            part.variables[name] = variable
        else:
            part.variables[name] = ir.Variable(
                name, variable.space, variable.size, variable.align, "extern"
            )
    return part


def _unit(
    part: ir.Module,
    kernels: Sequence[str],
    mapping: str,
    spec: TargetSpec,
    options: Options,
    notes: Sequence[Diagnostic],
) -> Unit:
    codegen = CodegenOptions(
        opt_level=options.opt_level,
        wave_size=options.wave_size,
        warp_mapping=WarpMapping(mapping),
        code_object_version=options.code_object_version,
        max_block=options.max_block,
        unsafe_fp_atomics=options.unsafe_fp_atomics,
    )
    backend = AmdgpuBackend()
    emitted = backend.emit_module(part, spec, codegen)
    name = kernels[0] if len(kernels) == 1 else part.name
    job = backend.job(name, emitted, spec, codegen)
    return Unit(name, tuple(kernels), mapping, emitted.text, job, tuple(notes))


def compile_unit(
    unit: Unit,
    spec: TargetSpec,
    options: Options,
    want_asm: bool = False,
    want_bitcode: bool = False,
) -> Compiled:
    """Runs LLVM. Raises PTX304 where LLVM fails, PTX302 for an instruction the chip lacks."""
    job = replace(unit.job, want_asm=want_asm, want_bitcode=want_bitcode)
    if options.isolate:
        compiled = run_isolated(job)
    else:
        from ptxlift.llvm.compile import run

        compiled = run(job)
    illegal = illegal_mnemonics(spec.target, listing([compiled.object]))
    if illegal:
        raise PtxError.of(
            "PTX302",
            f"LLVM wrote {', '.join(illegal)} for {unit.name}, which {spec.target.name} lacks",
            hint="choose a target that has the instruction",
        )
    return compiled


def link_units(objects: Sequence[bytes], spec: TargetSpec) -> Linked:
    """One code object of all objects, its listing, and each kernel's resources."""
    code_object = link(objects, target_id=spec.target_id)
    kernels = read_code_object(code_object).kernels
    resources = {
        k.name: Resources(
            k.shared_bytes,
            k.private_bytes,
            k.vgprs,
            k.sgprs,
            k.agprs,
            k.vgpr_spills + k.sgpr_spills,
            k.code_bytes,
            k.wave_size,
            k.dynamic_stack,
        )
        for k in kernels
    }
    return Linked(code_object, listing(objects), resources)
