"""Lifts one function: walks its pieces, keeps the registers' values, dispatches each instruction.

Comes in: a typed function. Goes out: an IR function. What an instruction means is elsewhere: pure
rows run their semantics function on the builder, all others have a function in `lift.registry`. It
must know no instruction by name.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from ptxlift.diag import Diagnostic, PtxError, Span
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, Slot, Value
from ptxlift.isa import Form, OperandKind, OperandSpec, Role
from ptxlift.lifter.calls import declared_outside, give, take
from ptxlift.lifter.cfg import Piece, reachable, split
from ptxlift.lifter.externs import lift_extern
from ptxlift.lifter.jumps import lift_jump
from ptxlift.lifter.native import is_native, lift_native, native_special, read_native_special
from ptxlift.lifter.operands import Operands, Read
from ptxlift.lifter.origins import Origins
from ptxlift.lifter.parameters import parameters_in_memory
from ptxlift.lifter.registry import Lifting, liftings
from ptxlift.lifter.ssa import Node, Variables
from ptxlift.ptx import module as ptx
from ptxlift.ptx.check import inst_span
from ptxlift.records import dataclass
from ptxlift.semantics.registry import Function as Meaning
from ptxlift.semantics.registry import extra_arguments, lookup

if TYPE_CHECKING:
    from ptxlift.lifter.program import Program

CARRY = "carry flag"  # the key of CC.CF among the variables
_MOST_ERRORS = 20


@dataclass(slots=True)
class _Plan:
    """How all instructions of one form are lifted."""

    lifting: Lifting | None
    meaning: Meaning | None
    sources: tuple[tuple[int, OperandSpec], ...]
    results: tuple[tuple[int, OperandSpec], ...]
    carry_in: bool
    carry_out: bool
    selected: bool  # a video instruction: operands have selectors


def _plan(form: Form, native: bool) -> _Plan:
    """`native`: the target takes PTX's own instructions."""
    numbered = tuple(enumerate(form.operands))
    lifting, meaning = liftings().get(form.name), lookup(form.name)
    if native and is_native(form, meaning is not None):
        lifting = lift_native
    return _Plan(
        lifting,
        meaning,
        tuple((i, spec) for i, spec in numbered if spec.role is Role.SOURCE),
        tuple((i, spec) for i, spec in numbered if spec.role is Role.RESULT),
        "in" in form.row.carry.split(),
        "out" in form.row.carry.split(),
        any(spec.kind is OperandKind.SELECTED for spec in form.operands),
    )


class FunctionLifter(Operands):
    """The state of lifting one function; the chapters' functions append through it."""

    def __init__(self, program: Program, source: ptx.Function, function: Function) -> None:
        self.entry = Block("entry")
        super().__init__(Builder(self.entry), Variables(self.entry), Node([self.entry]))
        self.program = program
        self.module = program.home[source]
        self.source = source
        self.function = function
        self.called: dict[ptx.Function, None] = {}  # functions needed, in order
        self.declared: dict[ptx.Function, None] = {}  # needed, and defined by the target's runtime
        self.used: dict[ptx.Variable, None] = {}  # variables needed, in order
        self.outside: dict[str, Function] = {}  # functions of linked bitcode
        self.in_memory = parameters_in_memory(source)
        self.origins = Origins(source)
        self.inst: ptx.Inst | None = None
        self._plans: dict[Form, _Plan] = {}
        self._pieces = split(source.body or ())
        self._nodes: dict[int, Node] = {}
        self._errors: list[Diagnostic] = []
        self._names = 0
        self._guard: Value | None = None  # of the pure instruction at hand
        self._overwritten: dict[Hashable, Value] | None = None  # inside a guard: key -> old value

    # ---- what chapters ask for ----

    def span(self, operand: int | None = None) -> Span | None:
        """The place of the instruction at hand, or of one of its operands."""
        if self.inst is None:
            return None
        return inst_span(self.module, self.inst, operand)

    def refuse(self, message: str, hint: str, code: str = "PTX202") -> PtxError:
        """An error at the instruction at hand."""
        return PtxError.of(code, message, self.span(), hint)

    def new_block(self, name: str) -> Block:
        self._names += 1
        return Block(f"{name}{self._names}")

    def start_block(self, block: Block) -> None:
        """Goes on in `block`, within the same node of the control-flow graph."""
        self.function.blocks.append(block)
        self.builder.block = block
        self.node.blocks.append(block)

    def slot(self, variable: ptx.Variable) -> int:
        """The number of the local slot that holds a variable."""
        number = self._slots.get(variable)
        if number is None:
            number = self._slots[variable] = len(self.function.slots)
            self.function.slots.append(Slot(variable.name, variable.size, variable.align))
        return number

    def symbol_name(self, variable: ptx.Variable) -> str:
        """The object's name of a module variable; marks it as needed."""
        if variable not in self.used:
            self.used[variable] = None
            for function in self.program.functions_in(variable):
                self.need_function(function)
        return self.program.name_of(variable)

    def function_name(self, function: ptx.Function) -> str:
        """The object's name of an address-taken function; marks it as needed."""
        return self.program.name_of(self.need_function(function))

    def need_function(self, function: ptx.Function) -> ptx.Function:
        """The definition behind a called or address-taken function; marks it as needed."""
        found = self.program.function(function)
        if found.body is None and self.program.native:
            self.declared[found] = None
            return found
        if found.body is None:
            raise self.refuse(
                f"function '{function.name}' is declared but not defined",
                "pass the module that defines it too",
                "PTX111",
            )
        self.called[found] = None
        return found

    def need_outside(self, function: ptx.Function, name: str) -> str:
        """The symbol of a function of the linked bitcode; marks it as needed."""
        made = declared_outside(function, name)
        self.outside[made.name] = made
        return made.name

    def lift_extern(
        self,
        function: ptx.Function,
        arguments: ptx.ArgList,
        results: ptx.ArgList,
        inst: ptx.Inst,
    ) -> bool:
        """Lifts a call of a function of the device runtime; False if it is none."""
        if self.program.native:
            return False
        return lift_extern(self, function, arguments, results, inst)

    def read_native_special(self, name: str, component: str, width: int) -> Value | None:
        """A special register that the target reads by its own name."""
        if not self.program.native or not native_special(name):
            return None
        return read_native_special(self, name, component, width)

    # ---- entry and exit ----

    def take_parameters(self) -> None:
        """Function arguments become the first values of the parameters."""
        if self.function.is_kernel:
            return
        values = [self.entry.add_param(width) for width in self.function.param_widths]
        place = 0
        for formal in self.source.params:
            place += take(self, formal, values[place:], None)

    def leave_function(self) -> None:
        """`ret`, or falling off the end."""
        values = [value for formal in self.source.returns for value in give(self, formal)]
        self.builder.ret(values)

    # ---- the walk ----

    def run(self) -> Function:
        """Lifts the whole body; raises `PtxError` with all that was found."""
        self.function.blocks.append(self.entry)
        self.take_parameters()
        order = reachable(self._pieces)
        for index in order:
            self._nodes[index] = Node([self.new_block("bb")])
        self._connect(order)
        self.builder.br(self._nodes[0].first)
        for index in order:
            self._lift_piece(index)
        if self._errors:
            raise PtxError(self._errors[:_MOST_ERRORS])
        self.variables.finish(self.function)
        return self.function

    def _connect(self, order: Sequence[int]) -> None:
        self._nodes[0].predecessors.append(self.node)
        for index in order:
            for successor in dict.fromkeys(self._pieces[index].successors):
                if successor >= 0:
                    self._nodes[successor].predecessors.append(self._nodes[index])

    def _lift_piece(self, index: int) -> None:
        piece = self._pieces[index]
        self.node = self._nodes[index]
        self.builder.block = self.node.first
        self.function.blocks.append(self.node.first)
        for inst in piece.instructions:
            self.inst = inst
            self.builder.span = inst.start
            try:
                self.lift(inst)
            except PtxError as error:
                self._errors.extend(error.diagnostics)
        self._leave(piece)

    def _leave(self, piece: Piece) -> None:
        self.inst = piece.last
        targets = [self._nodes[i].first if i >= 0 else None for i in piece.successors]
        try:
            lift_jump(self, piece.last, targets)
        except PtxError as error:
            self._errors.extend(error.diagnostics)
            self.builder.unreachable()

    # ---- one instruction ----

    def lift(self, inst: ptx.Inst) -> None:
        """Lifts one instruction that does not end its block."""
        form = inst.form
        plan = self._plans.get(form)
        if plan is None:
            plan = self._plans[form] = _plan(form, bool(self.program.native))
        if plan.lifting is not None:
            if inst.guard is None:
                plan.lifting(self, inst)
            else:
                self._guarded(inst, plan.lifting)
        elif plan.meaning is not None:
            self._lift_pure(inst, plan, plan.meaning)
        else:
            raise self.refuse(
                f"'{form.row.pattern.split(' ')[0]}' is not translated",
                "docs/isa.md lists the instructions that are; "
                "on_unsupported='skip' translates the kernels that do without it",
                "PTX201",
            )

    def _lift_pure(self, inst: ptx.Inst, plan: _Plan, meaning: Meaning) -> None:
        operands = inst.operands
        values = [self._source(operands[i], spec) for i, spec in plan.sources]
        if inst.guard is not None:  # read before a result overwrites it
            self._guard = self.variables.read(self.node, inst.guard, 1)
        if plan.carry_in:
            values.append(self.variables.read(self.node, CARRY, 1))
        extra = extra_arguments(inst.form, operands) if plan.selected else {}
        produced = meaning(self.builder, inst.form, *values, **extra)
        results = produced if isinstance(produced, tuple) else (produced,)
        if plan.carry_out:
            self.set(CARRY, results[-1], inst)
            results = results[:-1]
        at = 0
        for i, spec in plan.results:
            at += self.write(operands[i], spec, results[at:], inst)

    def _source(self, operand: ptx.Operand, spec: OperandSpec) -> Read | int:
        """A source operand; a plain number where only a constant may stand."""
        if spec.kind is OperandKind.CONSTANT and isinstance(operand, ptx.Immediate):
            return operand.bits
        return self.read(operand, spec)

    def set(self, key: Hashable, value: Value, inst: ptx.Inst) -> None:
        """Gives a key its new value, or under a false guard leaves the old one."""
        if inst.guard is not None:
            old = self.variables.read(self.node, key, value.width)
            if self._overwritten is not None:
                self._overwritten.setdefault(key, old)
            else:
                assert self._guard is not None
                pair = (old, value) if inst.guard_negated else (value, old)
                value = self.builder.select(self._guard, *pair)
        self.node.definitions[key] = value

    def _guarded(self, inst: ptx.Inst, lifting: Lifting) -> None:
        """Lifts an instruction with effects inside a branch on its guard."""
        assert inst.guard is not None
        guard = self.variables.read(self.node, inst.guard, 1)
        then, after = self.new_block("then"), self.new_block("after")
        order = (after, then) if inst.guard_negated else (then, after)
        skip = self.builder.cond_br(guard, *order)
        self.start_block(then)
        self._overwritten = {}
        try:
            lifting(self, inst)
        finally:
            overwritten, self._overwritten = self._overwritten, None
            enter = self.builder.br(after)
            for key, old in overwritten.items():
                skip.arguments[order.index(after)].append(old)
                enter.arguments[0].append(self.node.definitions[key])
                self.node.definitions[key] = after.add_param(old.width)
            self.start_block(after)
