"""Every PTX statement of an LLVM module becomes a function in it.

Comes in: a module's text or bitcode, for NVIDIA or AMD GPUs. Goes out: the same text with each
`call ... asm` of PTX replaced by a call, and the functions appended. AMD's own assembly stays; so
does every other character.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ptxlift.diag import Diagnostic, PtxError, Source, Span
from ptxlift.inline_asm.appended import Appendix
from ptxlift.inline_asm.calls import (
    Argument,
    AsmCall,
    FunctionText,
    find_functions,
    opaque,
    split_list,
)
from ptxlift.inline_asm.constraints import LETTERS, Constraints, Role, parse_constraints
from ptxlift.inline_asm.foreign import is_amd
from ptxlift.inline_asm.fragment import Fragment
from ptxlift.inline_asm.model import Dialect, Operand
from ptxlift.inline_asm.raising import Request, architecture, make_fragment, make_request
from ptxlift.inline_asm.splice import Edit, Splicer, apply_edits
from ptxlift.inline_asm.state import Linked, State, link_statements
from ptxlift.inline_asm.statement import Statement, make_slots
from ptxlift.records import dataclass
from ptxlift.target import NvidiaSpec

_TRIPLE = re.compile(r'^target triple = "([^"]*)"', re.MULTILINE)
_MODULE_ASM = re.compile(r'^module asm "[^"]*"', re.MULTILINE)
_NAMED_TYPE = r"^{} = type (\{{.*\}})\s*$"
_MOST_ERRORS = 20
_CONSTANTS = {"true": 1, "false": 0, "null": 0}


@dataclass(frozen=True, slots=True)
class _Found:
    """A call that holds PTX, as a statement."""

    call: AsmCall
    constraints: Constraints
    statement: Statement


def lift_inline_asm(
    module: str | bytes,
    target: str,
    *,
    sm: str | int | None = None,
    wave_size: int | None = None,
    llvm_version: int = 22,
    name: str = "<module>",
) -> str:
    """Replaces the inline PTX of an LLVM module by LLVM IR for an AMDGPU or NVIDIA target.

    module: LLVM IR text, or bitcode. Text stays as it is but for the calls and what is appended.
    sm: the NVIDIA architecture the PTX was written for; None: any. name: stands in diagnostics.
    llvm_version: the oldest LLVM that must read the text, 17 to 22. Raises `PtxError` with places
    inside the `asm` strings, and PTX304 where LLVM refuses the result.
    """
    from ptxlift.llvm.assembly import check_text, to_text

    request = make_request(target, wave_size, llvm_version)
    source = Source(name, to_text(module, name) if isinstance(module, bytes) else module)
    result = _Translator(source, request, architecture(sm)).run()
    check_text(result, name)
    return result


class _Translator:
    """Walks one module's functions."""

    def __init__(self, source: Source, request: Request, sm: str | None) -> None:
        self.source = source
        self.request = request
        self.sm = sm
        triple = _TRIPLE.search(source.text)
        self.is_amd = triple is not None and triple[1].startswith(("amdgcn", "amdgpu"))
        self.errors: list[Diagnostic] = []
        self.edits: list[Edit] = []
        self.appendix = Appendix(source.text)
        self.known: dict[object, Fragment] = {}
        self.first = source.text.count("%ptxlift.")  # names of an earlier run

    def run(self) -> str:
        self._refuse_other_vendor()
        self._refuse_module_asm()
        for function in find_functions(self.source):
            try:
                self._function(function)
            except PtxError as error:
                self.errors += error.diagnostics
        if self.errors:
            raise PtxError(self.errors[:_MOST_ERRORS])
        return self.appendix.append_to(apply_edits(self.source.text, self.edits))

    def _refuse_other_vendor(self) -> None:
        if self.is_amd and isinstance(self.request.spec, NvidiaSpec):
            message = f"the module is for AMD GPUs, not for {self.request.spec.target_id}"
            hint = "choose an AMD target"
            raise PtxError.of("PTX301", message, hint=hint)

    def _refuse_module_asm(self) -> None:
        found = _MODULE_ASM.search(self.source.text)
        if found and not self.is_amd:
            span = Span(self.source, *found.span())
            hint = "move it into a function, or translate it as a PTX module of its own"
            raise PtxError.of("PTX206", "`module asm` is not translated", span, hint)

    def _function(self, function: FunctionText) -> None:
        found = [made for call in function.calls if (made := self._statement(call)) is not None]
        if not found:
            return
        group = link_statements([one.statement for one in found])
        text, body = self.source.text, function.body
        splicer = Splicer(text, body, group.variables, self.is_amd, self.first)
        for one, linked in zip(found, group.linked, strict=True):
            try:
                fragment = self._fragment(one, linked)
            except PtxError as error:
                self.errors += error.diagnostics
                continue
            self.edits.append(splicer.replace(one.call, fragment, linked.state))
        self.edits += splicer.at_entry()

    def _statement(self, call: AsmCall) -> _Found | None:
        """The call as a statement; None for AMD's own assembly. Errors are collected."""
        if self.is_amd and is_amd(call.template, call.constraints):
            return None
        name = f"{self.source.name}:{call.span.line}, asm"
        try:
            parsed = parse_constraints(call.constraints, Dialect.LLVM, name)
            operands = self._operands(call, parsed)
            slots = make_slots(parsed.operands, operands, Dialect.LLVM)
        except PtxError as error:
            self.errors += error.diagnostics
            return None
        template = Source(name, call.template)
        return _Found(call, parsed, Statement(template, Dialect.LLVM, slots, {}, self.sm))

    def _operands(self, call: AsmCall, parsed: Constraints) -> list[Operand]:
        results, arguments = self._result_types(call), list(call.arguments)
        operands = []
        for constraint in parsed.operands:
            if constraint.role is Role.OUT:
                if not results:
                    raise self._mismatch(call, "more outputs than results")
                operands.append(Operand(results.pop(0)))
                continue
            if not arguments:
                raise self._mismatch(call, "more inputs than arguments")
            argument = arguments.pop(0)
            is_register = bool(LETTERS[constraint.letter].type)
            operands.append(Operand(argument.type, None if is_register else _constant(argument)))
        if results or arguments:
            raise self._mismatch(call, "fewer operands than values")
        return operands

    def _result_types(self, call: AsmCall) -> list[str]:
        type = call.type
        if type.startswith("%"):
            found = re.search(_NAMED_TYPE.format(re.escape(type)), self.source.text, re.MULTILINE)
            type = found[1] if found else type
        if type == "void":
            return []
        types = split_list(type, 1)[0] if type.startswith("{") else [type]
        return [opaque(one) for one in types]

    def _mismatch(self, call: AsmCall, what: str) -> PtxError:
        return PtxError.of("PTX113", f"the constraints name {what}", call.span)

    def _fragment(self, found: _Found, linked: Linked) -> Fragment:
        """The function of a statement; equal statements share one."""
        call, state, memory = found.call, linked.state, found.constraints.memory
        types = tuple((slot.type.text, slot.text) for slot in found.statement.slots)
        shared = tuple((register.name, register.type) for register in linked.checked.shared)
        key = (call.template, call.constraints, types, call.volatile, shared, _shape(state))
        fragment = self.known.get(key)
        if fragment is None:
            name = self.appendix.fresh_name()
            fragment = make_fragment(
                linked.checked,
                self.request,
                name,
                call.volatile,
                memory,
                state.exports,
                state.carry,
                "internal",
            )
            self.known[key] = fragment
            self.appendix.add(fragment)
        return fragment


def _shape(state: State) -> tuple[object, ...]:
    return state.takes, state.leaves


def _constant(argument: Argument) -> int | str:
    value = _CONSTANTS.get(argument.value)
    if value is not None:
        return value
    try:
        return int(argument.value)
    except ValueError:
        return argument.value


__all__: Sequence[str] = ("lift_inline_asm",)
