"""Lifts a checked statement to one IR function whose arguments are the operands.

Comes in: a typed function. Goes out: an IR module with that function, and what it does besides its
results. Registers that several statements share, and the carry flag, travel as further arguments.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift import ptx
from ptxlift.diag import PtxError
from ptxlift.inline_asm.model import Access, Effects
from ptxlift.inline_asm.statement import NAME, Checked, inputs, outputs
from ptxlift.ir import core as ir
from ptxlift.ir.attributes import Space
from ptxlift.ir.ops import Effect
from ptxlift.isa import Form
from ptxlift.lifter.calls import give, take, widths
from ptxlift.lifter.function import CARRY, FunctionLifter
from ptxlift.lifter.module import declare
from ptxlift.lifter.program import Program, Symbol
from ptxlift.ptx.check import inst_span
from ptxlift.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Lifted:
    """The IR and what it does."""

    module: ir.Module
    effects: Effects


@dataclass(frozen=True, slots=True)
class CarryUse:
    """How a statement uses the carry flag: reads one that it did not set, sets it."""

    reads: bool = False
    writes: bool = False


class _Program(Program):
    """Variables get the fragment's name in front of theirs: many fragments share a module."""

    def __init__(self, module: ptx.Module, prefix: str, native: str) -> None:
        super().__init__([module], native=native)
        self._prefix = prefix

    def name_of(self, symbol: Symbol) -> str:
        return f"{self._prefix}.{super().name_of(symbol)}"


class _StatementLifter(FunctionLifter):
    """Lifts one statement; the carry flag may come in and go out."""

    def __init__(
        self,
        program: Program,
        source: ptx.Function,
        function: ir.Function,
        carry: CarryUse,
    ) -> None:
        super().__init__(program, source, function)
        self._carry = carry

    def take_parameters(self) -> None:
        values = [self.entry.add_param(width) for width in self.function.param_widths]
        place = 0
        for formal in self.source.params:
            place += take(self, formal, values[place:], None)
        if self._carry.reads:
            self.variables.write(self.node, CARRY, values[-1])

    def leave_function(self) -> None:
        values = [value for formal in self.source.returns for value in give(self, formal)]
        if self._carry.writes:
            values.append(self.variables.read(self.node, CARRY, 1))
        self.builder.ret(values)


def lift_statement(
    checked: Checked,
    name: str,
    exports: Sequence[ptx.Register],
    carry: CarryUse,
    native: str = "",
) -> Lifted:
    """The statement's IR. `exports`: registers that are further results; `native`: the NVIDIA
    target whose own instructions stay. Raises what cannot stand
    in a statement and what is not translated.
    """
    _refuse_ends(checked)
    if carry_use(checked).reads and not carry.reads:
        raise _no_carry(checked)
    source = _with_operands(checked, exports)
    program = _Program(checked.module, name, native)
    function = ir.Function(
        name,
        False,
        "weak",
        param_widths=(*widths(source.params), *[1] * carry.reads),
        result_widths=(*widths(source.returns), *[1] * carry.writes),
    )
    lifter = _StatementLifter(program, source, function, carry)
    module = ir.Module(name, {name: lifter.run()})
    for variable in lifter.used:
        declare(program, variable, module)
    return Lifted(module, _effects(function))


def _with_operands(checked: Checked, exports: Sequence[ptx.Register]) -> ptx.Function:
    """The function with the operands' registers as parameters and results."""
    registers = checked.registers
    taken = [register for n in inputs(checked) if (register := registers[n]) is not None]
    given = [register for n in outputs(checked) if (register := registers[n]) is not None]
    shared = checked.shared
    params, returns = (*taken, *shared), (*given, *shared, *exports)
    source = replace(checked.function, params=params, returns=returns)
    checked.module.functions[NAME] = source
    return source


# ---- what a statement may not do ----


_ENDS = frozenset({"ret", "exit"})


def _refuse_ends(checked: Checked) -> None:
    """A function that is inlined cannot end the thread, or its caller, from inside."""
    for statement in checked.function.body or ():
        if isinstance(statement, ptx.Inst) and statement.form.row.opcode in _ENDS:
            raise PtxError.of(
                "PTX206",
                f"`{statement.form.row.opcode}` in an `asm` statement would leave the function "
                "around it",
                inst_span(checked.module, statement),
                "let the statement give a flag and return in the code around it",
            )


def carry_use(checked: Checked) -> CarryUse:
    """How the statement uses the carry flag."""
    body = checked.function.body or ()
    forms = [s.form for s in body if isinstance(s, ptx.Inst) and s.form.row.carry]
    has_labels = any(isinstance(s, ptx.LabelMark) for s in body)
    first = forms if has_labels else forms[:1]  # after a jump any of them may be the first
    return CarryUse(any(_reads_carry(form) for form in first), any(map(_sets_carry, forms)))


def _reads_carry(form: Form) -> bool:
    return "in" in form.row.carry.split()


def _sets_carry(form: Form) -> bool:
    """Forms whose `.cc` is optional set the flag only with it."""
    return "out" in form.row.carry.split() and form.values.get("cc", "cc") == "cc"


def _no_carry(checked: Checked) -> PtxError:
    inst = next(
        s for s in checked.function.body or () if isinstance(s, ptx.Inst) and _reads_carry(s.form)
    )
    return PtxError.of(
        "PTX206",
        "the carry flag is read here, but no instruction before it in this statement sets it",
        inst_span(checked.module, inst),
        "put the whole carry chain in one statement, or translate the function's statements "
        "together with lift_inline_asm after inlining",
    )


# ---- what a statement does ----


def _effects(function: ir.Function) -> Effects:
    memory, convergent, side_effects = Access.NONE, False, False
    for op in function.ops():
        effect = op.opdef.effect
        convergent |= effect in (Effect.WARP, Effect.BARRIER, Effect.CALL)
        match effect:
            case Effect.READ if memory is Access.NONE and not _is_private(op):
                memory = Access.READ
            case Effect.WRITE if not _is_private(op):
                memory, side_effects = Access.ANY, True
            case Effect.ATOMIC | Effect.BARRIER | Effect.CALL:
                memory, side_effects = Access.ANY, True
            case Effect.TERMINATOR:
                side_effects |= op.name == "trap"
            case _:
                pass
    return Effects(memory, convergent, side_effects)


def _is_private(op: ir.Op) -> bool:
    """Whether an access sees nothing but the statement's own local variables."""
    names = op.opdef.attributes
    if "space" not in names or op.attr("space") is not Space.LOCAL:
        return False
    origin = op.operands[0].definition
    return isinstance(origin, ir.Op) and origin.name == "frame_address"
