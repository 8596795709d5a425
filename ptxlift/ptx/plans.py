"""Plans: how to make the typed instruction for every statement of one look.

Comes in: an instruction's shape, the symbols its names mean, and the module's version and target.
Goes out: a `Plan` with the form and a builder, or a `Fault`. A plan holds for all instructions with
the same shape and the same symbol signatures, so the checks run once for each kind of statement,
not for each statement.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter

from ptxlift.isa import Form, OperandKind, Row
from ptxlift.isa.classify import Candidate, classify
from ptxlift.isa.explain import ModifierFault
from ptxlift.isa.forms import choices, form_of, operand_range
from ptxlift.isa.operands import notations
from ptxlift.isa.versions import needs, removed
from ptxlift.ptx.binding.bind import bind
from ptxlift.ptx.binding.context import Atoms, Builder, Context, Symbols
from ptxlift.ptx.module import Operand
from ptxlift.ptx.report import MODIFIER, OPCODE, Fault
from ptxlift.records import dataclass, field
from ptxlift.syntax import nodes

Build = Callable[[Symbols, Atoms], tuple[Operand, ...]]


@dataclass(slots=True, eq=False)
class Plan:
    """`build` makes the operands of an instruction from its symbols and atoms."""

    form: Form
    build: Build


@dataclass(slots=True, eq=False)
class Look:
    """What is known of a shape.

    `names`: atom slots that are names; `guard`: position of the guard's symbol.
    """

    names: tuple[int, ...]
    guard: int = -1
    call: bool = False
    plans: dict[tuple[str, ...], Plan] = field(default_factory=dict)


def look_at(shape: nodes.Shape) -> Look:
    """The slots of a shape's names, its guard last."""
    found: list[int] = []
    for operand in shape.operands:
        _collect(operand, found)
    names = tuple(dict.fromkeys(found))
    call = _is_call(shape)
    if shape.guard is None:
        return Look(names, call=call)
    names = (*(n for n in names if n != shape.guard), shape.guard)
    return Look(names, len(names) - 1, call)


def _collect(node: nodes.Operand, found: list[int]) -> None:
    match node:
        case nodes.Name(slot):
            found.append(slot)
        case nodes.Negated(operand) | nodes.Minus(operand):
            found.append(operand.slot)
        case nodes.Pair(first, second):
            _collect(first, found)
            _collect(second, found)
        case nodes.Vector(elements) | nodes.Parens(elements) | nodes.Bracket(elements):
            for element in elements:
                _collect(element, found)
        case nodes.Address(base, offset):
            _collect_optional(base, offset, found)
        case nodes.Offset(base, offset):
            _collect_optional(base, offset, found)
        case _:
            pass


def _collect_optional(
    base: nodes.Name | None, offset: nodes.Expression | None, found: list[int]
) -> None:
    if base is not None:
        found.append(base.slot)
    if isinstance(offset, nodes.Name):
        found.append(offset.slot)


_CALL_KINDS = (OperandKind.FUNCTION, OperandKind.ARGUMENTS)


def _is_call(shape: nodes.Shape) -> bool:
    found = classify(shape.opcode, shape.modifiers)
    if isinstance(found, ModifierFault):
        return False
    return any(n.kind in _CALL_KINDS for c in found for n in notations(c.row).values())


def candidates(shape: nodes.Shape) -> tuple[Candidate, ...]:
    """The rows that the modifiers fit; a `Fault` if there are none."""
    found = classify(shape.opcode, shape.modifiers)
    if isinstance(found, ModifierFault):
        code = "PTX101" if found.unknown_opcode else "PTX102"
        where = MODIFIER + found.index if found.index >= 0 else OPCODE
        raise Fault(code, found.message, found.hint, where)
    return found


def make_plan(shape: nodes.Shape, context: Context) -> Plan:
    """The first row that takes these operands on this version and target."""
    best: tuple[int, bool] | None = None
    worst: Fault | None = None
    late: Fault | None = None
    found = candidates(shape)
    for candidate in found:
        for chosen in choices(candidate, len(shape.operands)):
            form = form_of(candidate, chosen)
            builders, fault = _bind_all(shape, form, context)
            if fault is None:
                late = version_fault(candidate, context)
                if late is None:
                    return Plan(form, _combine(builders))
            elif best is None or (len(builders), fault.near) > best:
                best, worst = (len(builders), fault.near), fault
    if late is not None:
        raise late
    if worst is not None:
        raise worst
    raise _wrong_count(shape, found)


def _bind_all(
    shape: nodes.Shape, form: Form, context: Context
) -> tuple[list[Builder], Fault | None]:
    builders: list[Builder] = []
    for index, (node, spec) in enumerate(zip(shape.operands, form.operands, strict=True)):
        try:
            builders.append(bind(context, node, spec))
        except Fault as fault:
            fault.where = index
            return builders, fault
    return builders, None


def version_fault(candidate: Candidate, context: Context) -> Fault | None:
    """Why the version or target does not have this form."""
    row = candidate.row
    name = _name(row)
    if removed(row, context.version, context.target):
        number, target = row.removed.split()
        return Fault(
            "PTX108",
            f"`{name}` is gone since .version {number} on {target} and higher",
            "use the .sync form" if row.effect else "",
        )
    words = [word for word in candidate.values.values() if word]
    for requirement in needs(row, words):
        problem = requirement.problem(context.version, context.target)
        if problem:
            dotted = "".join(f".{word}" for word in words)
            return Fault("PTX108", f"`{row.opcode}{dotted}` needs {problem}")
    return None


def _name(row: Row) -> str:
    return row.pattern.split(" ", 1)[0]


def _wrong_count(shape: nodes.Shape, found: tuple[Candidate, ...]) -> Fault:
    ranges = [operand_range(candidate) for candidate in found]
    least, most = min(r[0] for r in ranges), max(r[1] for r in ranges)
    count = len(shape.operands)
    wanted = str(least) if least == most else f"{least} to {most}"
    where = most if count > most else OPCODE
    return Fault(
        "PTX103",
        f"`{shape.opcode}` takes {wanted} operands; {count} are given",
        f"the form is `{found[0].row.pattern}`",
        where,
    )


def _combine(builders: list[Builder]) -> Build:
    """One function for all operands; instructions of registers only need no call per operand."""
    places = [getattr(builder, "at", None) for builder in builders]
    if len(places) > 1 and None not in places:
        return _registers_only([p for p in places if p is not None])
    match builders:
        case []:
            return _nothing
        case [first]:
            return _one(first)
        case [first, second]:
            return _two(first, second)
        case [first, second, third]:
            return _three(first, second, third)
    several = tuple(builders)

    def build(symbols: Symbols, atoms: Atoms) -> tuple[Operand, ...]:
        return tuple([builder(symbols, atoms) for builder in several])

    return build


def _registers_only(places: list[int]) -> Build:
    pick = itemgetter(*places)

    def build(symbols: Symbols, atoms: Atoms) -> tuple[Operand, ...]:
        picked: tuple[Operand, ...] = pick(symbols)
        return picked

    return build


def _nothing(symbols: Symbols, atoms: Atoms) -> tuple[Operand, ...]:
    return ()


def _one(first: Builder) -> Build:
    def build(symbols: Symbols, atoms: Atoms) -> tuple[Operand, ...]:
        return (first(symbols, atoms),)

    return build


def _two(first: Builder, second: Builder) -> Build:
    def build(symbols: Symbols, atoms: Atoms) -> tuple[Operand, ...]:
        return (first(symbols, atoms), second(symbols, atoms))

    return build


def _three(first: Builder, second: Builder, third: Builder) -> Build:
    def build(symbols: Symbols, atoms: Atoms) -> tuple[Operand, ...]:
        return (first(symbols, atoms), second(symbols, atoms), third(symbols, atoms))

    return build
