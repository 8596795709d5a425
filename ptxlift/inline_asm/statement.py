"""One `asm` statement as a checked PTX function.

Comes in: a template, constraints, operands. Goes out: a typed function whose registers `%0`, `%1`
are the operands, or diagnostics that point into the template. The text is wrapped in a `.func` and
takes the ordinary road; what it means is not looked at here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ptxlift import ptx
from ptxlift.diag import Diagnostic, PtxError, Source, Span
from ptxlift.inline_asm.constraints import LETTERS, Constraint, Role
from ptxlift.inline_asm.model import Dialect, Operand
from ptxlift.inline_asm.template import Expansion, expand
from ptxlift.inline_asm.values import Kind, ValueType, value_type
from ptxlift.records import dataclass, field, replace
from ptxlift.syntax.text import blank_comments

T = TypeVar("T")

NAME = "asm_statement"
_VERSION = "9.0"
# Tried in this order where the caller names none: no target has every instruction.
_TARGETS = ("sm_90a", "sm_100a", "sm_120a", "sm_60")
_TOO_LOW = "PTX108"
_QUOTED = re.compile(r'"[^"\n]*"')
_OPERAND_NAME = re.compile(r"%(\d+)")


@dataclass(frozen=True, slots=True)
class Slot:
    """An operand with its type. `register`: its name in the PTX text; "" for a constant."""

    constraint: Constraint
    type: ValueType
    register: str
    text: str  # what stands for it in the template


@dataclass(frozen=True, slots=True)
class Shared:
    """A register that several statements of one function know by name."""

    name: str
    type: str  # PTX's, such as "b32"


@dataclass(frozen=True, slots=True)
class Statement:
    """What is to be raised, before it is read as PTX."""

    source: Source  # of the template
    dialect: Dialect
    slots: tuple[Slot, ...]
    names: Mapping[str, int] = field(default_factory=dict)
    sm: str | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """The typed function. `registers`: by operand number, None for constants."""

    statement: Statement
    module: ptx.Module
    function: ptx.Function
    registers: tuple[ptx.Register | None, ...]
    shared: tuple[ptx.Register, ...]
    place: Place


class Place:
    """From places in the generated PTX to places in the template."""

    def __init__(self, statement: Statement, expansion: Expansion, before: int) -> None:
        self._statement = statement
        self._expansion = expansion
        self._before = before

    def span(self, span: Span | None) -> Span | None:
        """The part of the template that a part of the generated text comes from."""
        source = self._statement.source
        if span is None or span.source is source:
            return span
        start, end = (self._offset(at) for at in (span.start, span.end))
        return Span(source, start, max(end, start + 1))

    def _offset(self, at: int) -> int:
        inside = min(max(at - self._before, 0), len(self._expansion.text))
        return min(self._expansion.origin(inside), len(self._statement.source.text))

    def diagnostic(self, found: Diagnostic) -> Diagnostic:
        """A diagnostic of a later stage, as the author of the template wants it."""
        message, hint = found.message, found.hint
        if self._statement.dialect is Dialect.LLVM:
            message, hint = (_OPERAND_NAME.sub(r"$\1", text) for text in (message, hint))
        return replace(found, message=message, hint=hint, span=self.span(found.span))

    def run(self, action: Callable[[], T]) -> T:
        """Does something; its errors point into the template."""
        try:
            return action()
        except PtxError as error:
            raise PtxError([self.diagnostic(d) for d in error.diagnostics]) from None


# ---- operands ----


def make_slots(
    constraints: Sequence[Constraint], operands: Sequence[Operand], dialect: Dialect
) -> tuple[Slot, ...]:
    """Every operand with its type checked against its constraint."""
    if len(constraints) != len(operands):
        raise PtxError.of(
            "PTX113",
            f"{len(constraints)} constraints for {len(operands)} operands",
            constraints[-1].span if constraints else None,
            "give one type an operand and none for clobbers",
        )
    slots: list[Slot] = []
    for number, (constraint, operand) in enumerate(zip(constraints, operands, strict=True)):
        slots.append(_slot(number, constraint, operand, dialect, slots))
    return tuple(slots)


def _slot(
    number: int, constraint: Constraint, operand: Operand, dialect: Dialect, before: Sequence[Slot]
) -> Slot:
    if not LETTERS[constraint.letter].type:
        return _constant(number, constraint, operand)
    type = value_type(operand.type)
    if type is None:
        raise _misfit(number, constraint, operand.type, "which no register holds")
    if constraint.tied is not None:
        other = before[constraint.tied]
        if other.type.bits != type.bits and dialect is Dialect.CUDA:
            what = f"but operand {constraint.tied}, to which it is tied, is {other.type.text}"
            raise _misfit(number, constraint, operand.type, what)
        return Slot(constraint, type, other.register, other.register)
    problem = _misfits(constraint, type, dialect)
    if problem:
        raise _misfit(number, constraint, operand.type, problem)
    return Slot(constraint, type, f"%{number}", f"%{number}")


def _misfits(constraint: Constraint, type: ValueType, dialect: Dialect) -> str:
    """Why a value does not go with a constraint, "" if it does.

    CUDA's compilers want equal sizes and floats in float registers only; LLVM extends and
    truncates.
    """
    letter = constraint.letter
    bits = LETTERS[letter].bits
    takes = f"but `{letter}` takes {bits} bits"
    if dialect is Dialect.LLVM:
        return takes if type.bits > bits and type.kind is not Kind.POINTER else ""
    if type.kind is Kind.POINTER and letter in "rl":
        return takes if bits < type.bits else ""
    if type.bits != bits:
        return takes
    is_float = type.kind is Kind.FLOAT and bits >= 32
    if is_float != (letter in "fd"):
        return f"but `{letter}` takes {'no floats' if is_float else 'floats only'}"
    return ""


def _misfit(number: int, constraint: Constraint, type: str, problem: str) -> PtxError:
    role = constraint.role.value
    message = f"operand {number} ({role}) is {type}, {problem}"
    return PtxError.of("PTX113", message, constraint.span, "cast the value, or change the letter")


def _constant(number: int, constraint: Constraint, operand: Operand) -> Slot:
    wants_text = constraint.letter == "C"
    value = operand.value
    if isinstance(value, bool):
        value = int(value)
    if not isinstance(value, str if wants_text else int):
        what = "a constant string" if wants_text else "an integer constant"
        message = f"operand {number} must be {what} (`{constraint.letter}`), not {value!r}"
        raise PtxError.of("PTX113", message, constraint.span, "give it as Operand(type, value=...)")
    type = value_type(operand.type) or ValueType("ptr", Kind.POINTER, 64)
    return Slot(constraint, type, "", str(value))


# ---- text ----


def check_statement(statement: Statement, shared: Sequence[Shared] = ()) -> Checked:
    """The typed function of a statement; `shared`: registers that other statements declare."""
    texts = [slot.text for slot in statement.slots]
    expansion = expand(statement.source, statement.dialect, texts, statement.names)
    _check_braces(statement, expansion)
    targets = (statement.sm,) if statement.sm else _TARGETS
    problem: PtxError | None = None
    for target in targets:
        try:
            return _check(statement, expansion, shared, target)
        except PtxError as error:
            problem = problem or error
            if any(d.code != _TOO_LOW for d in error.diagnostics):
                raise
    assert problem is not None, "there is at least one target"
    raise problem


def _check(
    statement: Statement, expansion: Expansion, shared: Sequence[Shared], target: str
) -> Checked:
    declared = {
        slot.register: LETTERS[slot.constraint.letter].type
        for slot in statement.slots
        if slot.register
    }
    declared |= {register.name: register.type for register in shared}
    lines = [f".version {_VERSION}", f".target {target}", ".address_size 64"]
    lines += [f".func {NAME}()", "{"]
    lines += [f".reg .{type} {name};" for name, type in declared.items()]
    before = "\n".join(lines) + "\n"
    place = Place(statement, expansion, len(before))
    text = before + expansion.text + _ending(expansion.text) + "\n}\n"
    name = statement.source.name
    module = place.run(lambda: ptx.parse_module(text, name))
    function = module.functions[NAME]
    by_name = dict(zip(declared, function.registers, strict=False))  # declared first, in order
    registers = tuple(by_name.get(slot.register) for slot in statement.slots)
    known = tuple(by_name[register.name] for register in shared)
    return Checked(statement, module, function, registers, known, place)


def _ending(text: str) -> str:
    """The `;` that authors leave out at the end."""
    code = blank_comments(text).rstrip()
    return "\n;" if code and code[-1] not in ";}:" else ""


def _check_braces(statement: Statement, expansion: Expansion) -> None:
    """Each statement becomes a function, so its blocks must be closed in it."""
    code = _QUOTED.sub(lambda found: " " * len(found[0]), blank_comments(expansion.text))
    opened: list[int] = []
    for found in re.finditer(r"[{}]", code):
        if found[0] == "{":
            opened.append(found.start())
        elif opened:
            opened.pop()
        else:
            raise _unbalanced(statement, expansion, found.start())
    if opened:
        raise _unbalanced(statement, expansion, opened[-1])


def _unbalanced(statement: Statement, expansion: Expansion, at: int) -> PtxError:
    start = expansion.origin(at)
    return PtxError.of(
        "PTX112",
        "a block begins and ends in the same `asm` statement; this brace has no partner here",
        Span(statement.source, start, start + 1),
        "put the whole block in one statement",
    )


def top_level_registers(checked: Checked) -> tuple[Shared, ...]:
    """The registers a statement declares outside of any block: later statements see them."""
    operands = {register.name for register in checked.registers if register is not None}
    inner = _nested(checked)
    known = {*operands, *inner, *(register.name for register in checked.shared)}
    return tuple(
        Shared(register.name, register.type.name)
        for register in checked.function.registers
        if register.name not in known and register.vector == 1
    )


def _nested(checked: Checked) -> frozenset[str]:
    """Names of registers that are declared inside blocks."""
    text = _QUOTED.sub("", blank_comments(checked.statement.source.text))
    names: set[str] = set()
    depth = 0
    for found in re.finditer(r"[{}]|\.reg\b[^;]*;", text):
        if found[0] in "{}":
            depth += 1 if found[0] == "{" else -1
        elif depth > 0:
            names |= set(re.findall(r"[\w$%]+", found[0]))
    return frozenset(names)


def outputs(checked: Checked) -> list[int]:
    """The numbers of the operands that the statement writes, in order."""
    slots = checked.statement.slots
    return [number for number, slot in enumerate(slots) if slot.constraint.role is not Role.IN]


def inputs(checked: Checked) -> list[int]:
    """The numbers of the operands with a value before; those that are outputs too come last."""
    slots = checked.statement.slots
    roles = ((Role.IN,), (Role.BOTH,))
    return [
        number
        for wanted in roles
        for number, slot in enumerate(slots)
        if slot.register and slot.constraint.role in wanted
    ]
