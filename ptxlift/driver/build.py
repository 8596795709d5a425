"""Runs LLVM on units and links what it wrote.

Comes in: units and a function that compiles. Goes out: objects, the code object, each kernel's
resources. Where LLVM fails on several kernels, each is tried alone, so that a diagnostic names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from ptxlift.diag import Diagnostic, PtxError
from ptxlift.driver.kernels import Resources
from ptxlift.driver.options import Options
from ptxlift.driver.units import Unit, emit_unit, raise_failed
from ptxlift.driver.warps import Request
from ptxlift.link import link, listing, read_code_object
from ptxlift.llvm.isolate import run_isolated
from ptxlift.llvm.options import Compiled, Job
from ptxlift.records import dataclass, field, replace
from ptxlift.target import AnySpec, NvidiaSpec, TargetSpec, illegal_mnemonics

Compiler: TypeAlias = Callable[[Job], Compiled]


@dataclass(frozen=True, slots=True)
class Built:
    """What LLVM made of the units; kernels it failed on are in `failed` and in no unit."""

    compiled: tuple[Compiled, ...]
    failed: dict[str, tuple[Diagnostic, ...]] = field(default_factory=dict)

    @property
    def objects(self) -> tuple[bytes, ...]:
        """The relocatable objects."""
        return tuple(each.object for each in self.compiled)


@dataclass(frozen=True, slots=True)
class Linked:
    """The code object, its listing for the emulator, and what each kernel takes."""

    code_object: bytes
    listing: str
    resources: dict[str, Resources]


def compiler_for(options: Options) -> Compiler:
    """LLVM in this process, or in one of its own if the options say so."""
    return run_isolated if options.isolate else _run_here


def _run_here(job: Job) -> Compiled:
    from ptxlift.llvm.compile import run

    return run(job)


def compile_unit(
    unit: Unit,
    spec: AnySpec,
    compiler: Compiler,
    want_asm: bool = False,
    want_bitcode: bool = False,
) -> Compiled:
    """Runs LLVM. Raises PTX304 where LLVM fails, PTX302 for an instruction the chip lacks."""
    compiled = compiler(replace(unit.job, want_asm=want_asm, want_bitcode=want_bitcode))
    if isinstance(spec, NvidiaSpec):
        return compiled
    illegal = illegal_mnemonics(spec.target, listing([compiled.object]))
    if illegal:
        raise PtxError.of(
            "PTX302",
            f"LLVM wrote {', '.join(illegal)} for {unit.job.name}, which {spec.target.name} lacks",
            hint="choose a target that has the instruction",
        )
    return compiled


def build(request: Request, units: Sequence[Unit], compiler: Compiler, at_once: int = 1) -> Built:
    """All units, compiled, so many at once. Kernels that LLVM fails on raise, or are left out under
    "skip".
    """
    compiled: list[Compiled] = []
    failed: dict[str, tuple[Diagnostic, ...]] = {}
    results = _results(units, lambda unit: compile_unit(unit, request.spec, compiler), at_once)
    for unit, result in zip(units, results, strict=True):
        if isinstance(result, Compiled):
            compiled.append(result)
            continue
        refused = _blame(request, unit, compiler, result)
        failed |= refused
        raise_failed(request.options, failed)
        left = [kernel for kernel in unit.kernels if kernel not in refused]
        rest = emit_unit(request, left, unit.mapping, unit.owns_variables)
        compiled.append(compile_unit(rest, request.spec, compiler))
    return Built(tuple(compiled), failed)


def _results(
    units: Sequence[Unit], compile_one: Callable[[Unit], Compiled], at_once: int
) -> Iterator[Compiled | PtxError]:
    """What becomes of each unit, in their order. A thread only waits: LLVM runs elsewhere."""

    def attempt(unit: Unit) -> Compiled | PtxError:
        try:
            return compile_one(unit)
        except PtxError as error:
            return error

    if min(at_once, len(units)) < 2:
        yield from map(attempt, units)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(at_once, len(units))) as threads:
        yield from threads.map(attempt, units)


def _blame(
    request: Request, unit: Unit, compiler: Compiler, whole: PtxError
) -> dict[str, tuple[Diagnostic, ...]]:
    """Which kernels of a unit LLVM fails on, each compiled alone."""
    if len(unit.kernels) == 1:
        return {unit.kernels[0]: tuple(whole.diagnostics)}
    failed: dict[str, tuple[Diagnostic, ...]] = {}
    for kernel in unit.kernels:
        alone = emit_unit(request, [kernel], unit.mapping, unit.owns_variables)
        try:
            compile_unit(alone, request.spec, compiler)
        except PtxError as error:
            failed[kernel] = tuple(error.diagnostics)
    if not failed:
        raise whole
    return failed


def joined(objects: Sequence[bytes], spec: TargetSpec, stack_bytes: int | None = None) -> Linked:
    """One code object of all objects, its listing, and each kernel's resources."""
    code_object = link(objects, target_id=spec.target_id, stack_bytes=stack_bytes)
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
        for k in read_code_object(code_object).kernels
    }
    return Linked(code_object, listing(objects), resources)
