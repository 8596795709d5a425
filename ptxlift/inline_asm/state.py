"""What the `asm` statements of one function share: registers by name, and the carry flag.

Comes in: all statements of a function. Goes out: each of them checked, with the state it takes and
leaves. NVIDIA's compilers paste statements into one body one after the other; here each becomes a
function, so the state travels in variables of the caller.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ptxlift import ptx
from ptxlift.diag import Diagnostic, PtxError
from ptxlift.inline_asm.lifting import CarryUse, carry_use
from ptxlift.inline_asm.statement import (
    Checked,
    Shared,
    Statement,
    check_statement,
    top_level_registers,
)
from ptxlift.records import dataclass, field

CARRY = "carry flag"  # its name among the state; no register can be called so
_UNKNOWN_NAME = "PTX104"


@dataclass(frozen=True, slots=True)
class State:
    """What one statement exchanges with others. `takes`, `leaves`: names, in the order of the
    function's last parameters and results. `exports`: registers it declares for others.
    """

    takes: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    exports: tuple[ptx.Register, ...] = ()
    carry: CarryUse = field(default_factory=CarryUse)


@dataclass(frozen=True, slots=True)
class Linked:
    """A statement of a function with its state; `types`: LLVM's, by name of state."""

    checked: Checked
    state: State


@dataclass(slots=True)
class Group:
    """The statements of one function. `variables`: LLVM types of its state, by name."""

    linked: list[Linked]
    variables: dict[str, str]


def link_statements(statements: Sequence[Statement]) -> Group:
    """Checks all statements of one function together; raises with all that is wrong."""
    checked = _check_all(statements)
    declared = {shared.name: shared for one in checked for shared in top_level_registers(one)}
    wanted = {register.name for one in checked for register in one.shared}
    uses = [carry_use(one) for one in checked]
    has_carry = any(use.reads for use in uses)
    if has_carry and not any(use.writes for use in uses):
        uses = [CarryUse() for _ in uses]  # nobody sets it: the lifter says where it is read
        has_carry = False
    group = Group([], {name: _llvm_type(declared[name]) for name in sorted(wanted)})
    if has_carry:
        group.variables[CARRY] = "i1"
    for one, use in zip(checked, uses, strict=True):
        group.linked.append(Linked(one, _state(one, wanted, use if has_carry else CarryUse())))
    return group


def _state(checked: Checked, wanted: set[str], carry: CarryUse) -> State:
    taken = [register.name for register in checked.shared]
    own = {shared.name for shared in top_level_registers(checked)} & wanted
    exports = [register for register in checked.function.registers if register.name in own]
    leaves = [*taken, *(register.name for register in exports)]
    return State(
        (*taken, *[CARRY] * carry.reads),
        (*leaves, *[CARRY] * carry.writes),
        tuple(exports),
        carry,
    )


def _llvm_type(shared: Shared) -> str:
    from ptxlift.isa import type_of

    return f"i{type_of(shared.type).bits}"


def _check_all(statements: Sequence[Statement]) -> list[Checked]:
    """Statements that name registers of others are checked once those are known."""
    checked: dict[int, Checked] = {}
    problems: dict[int, PtxError] = {}
    for number, statement in enumerate(statements):
        try:
            checked[number] = check_statement(statement)
        except PtxError as error:
            problems[number] = error
    progress = bool(problems)
    while progress:
        progress = False
        declared = [s for number in sorted(checked) for s in top_level_registers(checked[number])]
        for number in list(problems):
            found = _retry(statements[number], problems[number], declared)
            if found is not None:
                checked[number] = found
                del problems[number]
                progress = True
    if problems:
        found_all: list[Diagnostic] = []
        for problem in problems.values():
            found_all += problem.diagnostics
        raise PtxError(found_all)
    return [checked[number] for number in range(len(statements))]


def _retry(statement: Statement, problem: PtxError, declared: Sequence[Shared]) -> Checked | None:
    """The statement with those registers of others that its text names; None if that is no help."""
    if any(d.code != _UNKNOWN_NAME for d in problem.diagnostics):
        return None
    names = set(re.findall(r"[\w$%]+", statement.source.text))
    wanted = {shared.name: shared for shared in declared if shared.name in names}
    if not wanted:
        return None
    try:
        return check_statement(statement, tuple(wanted.values()))
    except PtxError:
        return None
