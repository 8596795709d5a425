"""How a kernel's warps lie on waves, and what is refused because lanes would wait forever.

Comes in: a kernel. Goes out: "packed" or "split", and what the user should know of it. It must not
run LLVM.
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlift.diag import Diagnostic, PtxError, Severity, Source, Span
from ptxlift.driver.options import Options
from ptxlift.ir import core as ir
from ptxlift.ir.contention import lock_of
from ptxlift.ir.packing import packing_verdict, reached_functions
from ptxlift.records import dataclass
from ptxlift.target import AnySpec, NvidiaSpec

_SPLIT_BLOCK = 512  # a split block doubles, and a work-group has at most 1024 work-items


@dataclass(frozen=True, slots=True)
class Request:
    """What stays the same for all units of a translation. `source`: of the only text, for spans."""

    module: ir.Module
    spec: AnySpec
    options: Options
    source: Source | None = None


def mapping_of(kernel: ir.Function, request: Request) -> tuple[str, list[Diagnostic]]:
    """The kernel's mapping, and notes. Raises PTX204 and PTX205 for kernels that have none."""
    if isinstance(request.spec, NvidiaSpec):  # its warps are PTX's own
        return "packed", []
    _check_locks(kernel, request)
    notes = list(_notes_on_meetings(kernel, request))
    mapping, more = _mapping(kernel, request)
    return mapping, notes + more


def _mapping(function: ir.Function, request: Request) -> tuple[str, list[Diagnostic]]:
    options = request.options
    wave = options.wave_size or request.spec.target.default_wave
    if wave == 32:
        return "packed", []
    if options.warp_mapping == "split":
        return "split", []
    verdict = packing_verdict(function, request.module)
    if verdict.safe:
        return "packed", []
    if options.warp_mapping == "packed":
        raise PtxError.of(
            "PTX204",
            f"kernel {function.name} cannot be packed two warps a wave: {verdict.reason}, and the "
            "lanes of a wave would wait for each other forever",
            place_of(request, verdict.span),
            "warp_mapping='auto' runs it one warp a wave",
        )
    x, y, z = function.bounds.reqntid or (1, 1, 1)
    if x * y * z > _SPLIT_BLOCK:
        raise PtxError.of(
            "PTX204",
            f"kernel {function.name} cannot run two warps a wave ({verdict.reason}), and its "
            "block is too large for one warp a wave",
            place_of(request, verdict.span),
            f"use a target with waves of 32, or blocks of at most {_SPLIT_BLOCK} threads",
        )
    return "split", []


def _check_locks(function: ir.Function, request: Request) -> None:
    lock = lock_of(function, request.module)
    if lock is None:
        return
    raise PtxError.of(
        "PTX205",
        f"kernel {function.name} repeats an atomic until it takes a lock, and no release of it is "
        "found that could move into that loop; it hangs where two lanes of one warp contend",
        place_of(request, lock.span),
        "release it in the same function, before lanes exchange values, or let one lane of a warp "
        "take it",
    )


def place_of(request: Request, start: int) -> Span | None:
    """The statement at an offset of the text."""
    if request.source is None or start < 0:
        return None
    end = request.source.text.find(";", start)
    return Span(request.source, start, max(end, start + 1))


def _notes_on_meetings(kernel: ir.Function, request: Request) -> Iterator[Diagnostic]:
    for function in reached_functions(kernel, request.module):
        if function.apart is None:
            continue
        place = place_of(request, function.apart.span)
        if function.apart.certain:
            raise PtxError.of(
                "PTX205",
                f"lanes of one warp come apart to calls in {function.name} of functions that need "
                "them together",
                place,
                "inline the functions, or call them once for both sides of the branch",
            )
        yield Diagnostic(
            "PTX205",
            f"both sides of a branch in {function.name} have many operations that wait for lanes; "
            "it is taken to be uniform in each warp",
            place,
            "",
            Severity.WARNING,
        )
