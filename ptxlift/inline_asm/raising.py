"""From a checked statement to a fragment: lifted, judged, emitted for one target.

Comes in: a template, constraints, operands, a target. Goes out: a `Fragment`. What instructions
mean is the lifter's business, how they become LLVM IR the backend's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from ptxlift import ptx
from ptxlift.diag import PtxError, Source
from ptxlift.inline_asm.constraints import LETTERS, parse_constraints
from ptxlift.inline_asm.fragment import Fragment
from ptxlift.inline_asm.lifting import CarryUse, Lifted, lift_statement
from ptxlift.inline_asm.model import Access, Dialect, Effects, Operand
from ptxlift.inline_asm.statement import (
    Checked,
    Statement,
    check_statement,
    inputs,
    make_slots,
    outputs,
)
from ptxlift.inline_asm.values import casts_in, casts_out
from ptxlift.isa.versions import TARGETS
from ptxlift.llvm.fragment import Form, Signature
from ptxlift.llvm.options import CodegenOptions
from ptxlift.llvm.toolchains import toolchain_for
from ptxlift.records import dataclass, replace
from ptxlift.rewrite.driver import Log
from ptxlift.target import AnySpec, NvidiaSpec, lookup_any

_OLDEST, _NEWEST = 17, 22
NO_CARRY = CarryUse()


@dataclass(frozen=True, slots=True)
class Request:
    """Where and how a statement is to run. `options`: wave size and the like."""

    spec: AnySpec
    options: CodegenOptions
    llvm_version: int


def raise_inline_asm(
    template: str,
    constraints: str | Sequence[str],
    operands: Sequence[str | Operand],
    *,
    target: str,
    dialect: str = "cuda",
    volatile: bool = False,
    sm: str | int | None = None,
    location: str | None = None,
    name: str | None = None,
    wave_size: int | None = None,
    llvm_version: int = _NEWEST,
) -> Fragment:
    """One `asm` statement as an LLVM function for an AMDGPU or NVIDIA target.

    template: its string, escapes of the host language already resolved. constraints: `["=r", "r"]`,
    `"=r,r,~{memory}"` or `"=r : r : memory"`. operands: an LLVM type name or an `Operand` for each
    constraint that is no clobber, outputs first. dialect: "cuda" (`%0`) or "llvm" (`$0`). volatile:
    as written in the source. sm: the NVIDIA architecture it was written for; None: any. location:
    stands in diagnostics in place of "<asm>". name: of the function; None: one that differs for
    each different statement, so that modules with them can be linked. llvm_version: the oldest LLVM
    that must read the text, 17 to 22. Raises `PtxError` with places inside the template.
    """
    form = _dialect(dialect)
    if name == "":
        raise PtxError.of("PTX307", "name is ''", hint="give the function a name, or None")
    request = make_request(target, wave_size, llvm_version)
    source = Source(location or "<asm>", template)
    parsed = parse_constraints(constraints, form, source.name)
    typed = [o if isinstance(o, Operand) else Operand(o) for o in operands]
    names = {o.name: number for number, o in enumerate(typed) if o.name}
    slots = make_slots(parsed.operands, typed, form)
    statement = Statement(source, form, slots, names, architecture(sm))
    checked = check_statement(statement)
    name = name or _name_of(statement, request, volatile, parsed.memory)
    return make_fragment(checked, request, name, volatile, parsed.memory)


def _name_of(statement: Statement, request: Request, volatile: bool, memory: bool) -> str:
    """A name that only an equal statement for the same target has."""
    slots = [(s.constraint.role, s.constraint.letter, s.type.text, s.text) for s in statement.slots]
    target = request.spec.target_id, request.options.wave_size, request.llvm_version
    names = sorted(statement.names.items())
    parts = statement.source.text, statement.dialect, slots, names, volatile, memory, target
    return f"ptxlift.asm.{hashlib.sha256(repr(parts).encode()).hexdigest()[:16]}"


def make_request(target: str, wave_size: int | None, llvm_version: int) -> Request:
    """The target and the dialect of LLVM IR, checked."""
    if not isinstance(llvm_version, int) or not _OLDEST <= llvm_version <= _NEWEST:
        message = f"llvm_version is {llvm_version!r}"
        raise PtxError.of("PTX307", message, hint=f"{_OLDEST} to {_NEWEST}")
    spec = lookup_any(target)
    if not isinstance(spec, NvidiaSpec):
        spec.llvm_features(wave_size or spec.target.default_wave)  # refuses a size it has not
    elif wave_size is not None:
        message = f"wave_size is {wave_size!r}, and {spec.target_id} has no waves"
        raise PtxError.of("PTX307", message, hint="leave it out for NVIDIA targets")
    return Request(spec, CodegenOptions(wave_size=wave_size), llvm_version)


def _dialect(name: str) -> Dialect:
    try:
        return Dialect(name)
    except ValueError:
        hint = "one of " + ", ".join(repr(d.value) for d in Dialect)
        raise PtxError.of("PTX307", f"dialect is {name!r}", hint=hint) from None


def architecture(sm: str | int | None) -> str | None:
    if sm is None:
        return None
    name = sm if isinstance(sm, str) and sm.startswith("sm_") else f"sm_{sm}"
    if name not in TARGETS:
        raise PtxError.of("PTX307", f"sm is {sm!r}", hint="such as 'sm_90', 'sm_100a' or 80")
    return name


def make_fragment(
    checked: Checked,
    request: Request,
    name: str,
    volatile: bool,
    memory: bool,
    exports: Sequence[ptx.Register] = (),
    carry: CarryUse = NO_CARRY,
    linkage: str = "linkonce_odr hidden",
) -> Fragment:
    """Lifts and emits. `exports`: registers that are further results; `carry`: whether the carry
    flag comes in from, and goes out to, others.
    """
    lifted = _lift(checked, request.spec, name, exports, carry)
    effects = _effects(lifted, checked, volatile, memory)
    signature = _signature(checked, effects, volatile, memory)
    taken = _state_forms([*checked.shared], carry.reads)
    given = _state_forms([*checked.shared, *exports], carry.writes)
    signature = replace(
        signature,
        parameters=signature.parameters + taken,
        results=signature.results + given,
        linkage=linkage,
    )
    source = checked.module.source
    toolchain = toolchain_for(request.spec)
    module = toolchain.rewrite(lifted.module, Log())
    pieces = checked.place.run(
        lambda: toolchain.emit_fragment(
            module, signature, request.options, source, request.llvm_version
        )
    )
    return Fragment(
        name,
        signature,
        pieces,
        lifted.module,
        effects,
        tuple(inputs(checked)),
        tuple(outputs(checked)),
        request.llvm_version,
        toolchain.backend.triple,
    )


def _lift(
    checked: Checked,
    spec: AnySpec,
    name: str,
    exports: Sequence[ptx.Register],
    carry: CarryUse,
) -> Lifted:
    """The statement's IR; an NVIDIA target keeps its own instructions."""
    native = spec.target_id if isinstance(spec, NvidiaSpec) else ""
    return checked.place.run(lambda: lift_statement(checked, name, exports, carry, native))


def _effects(lifted: Lifted, checked: Checked, volatile: bool, memory: bool) -> Effects:
    seen = lifted.effects
    access = Access.ANY if memory or _is_barrier(checked, volatile) else seen.memory
    return Effects(access, seen.convergent, seen.side_effects or volatile or memory)


def _is_barrier(checked: Checked, volatile: bool) -> bool:
    """`asm volatile("")`: only the compiler must stop here."""
    return volatile and not checked.statement.source.text.strip()


def _state_forms(registers: Sequence[ptx.Register], carry: bool) -> tuple[Form, ...]:
    """How state travels: registers as integers, then the carry flag."""
    forms = [Form(f"i{register.type.bits}", register.type.bits) for register in registers]
    return (*forms, *[Form("i1", 1)] * carry)


def _signature(checked: Checked, effects: Effects, volatile: bool, memory: bool) -> Signature:
    """The function's types and marks. Volatile accesses stay in their order, as the author asked
    by that word; a clobbered memory keeps all others out of the statement.
    """
    slots = checked.statement.slots
    parameters, results = [], []
    for number in inputs(checked):
        slot = slots[number]
        bits = LETTERS[slot.constraint.letter].bits
        parameters.append(Form(slot.type.text, bits, tuple(casts_in(slot.type, bits))))
    for number in outputs(checked):
        slot = slots[number]
        bits = LETTERS[slot.constraint.letter].bits
        results.append(Form(slot.type.text, bits, tuple(casts_out(slot.type, bits))))
    ordered = volatile and effects.memory is not Access.NONE
    access = "" if effects.memory is Access.ANY or effects.side_effects else effects.memory.value
    return Signature(
        tuple(parameters),
        tuple(results),
        effects.convergent,
        access,
        before=ordered or memory,
        after=memory,
    )
