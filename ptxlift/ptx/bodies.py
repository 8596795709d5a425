"""Function bodies: nested scopes of statements become one flat, typed list.

Comes in: a body's nodes and the names around it. Goes out: statements, registers and local
variables. An instruction whose look is known costs one lookup for each name, one for its plan, and
its operands. This module must know no instruction but that calls are bound each time.
"""

from __future__ import annotations

from ptxlift.isa import Kind
from ptxlift.ptx.binding.context import Context
from ptxlift.ptx.calls import bind_call
from ptxlift.ptx.declare import parameters, registers, variables
from ptxlift.ptx.initial import InitialError, initialize
from ptxlift.ptx.locate import place
from ptxlift.ptx.module import (
    Function,
    FunctionRef,
    Inst,
    Label,
    LabelMark,
    LocMark,
    Prototype,
    PrototypeRef,
    Register,
    Statement,
    TargetsRef,
    Variable,
)
from ptxlift.ptx.plans import Look, look_at, make_plan
from ptxlift.ptx.report import OPCODE, Fault, Report
from ptxlift.ptx.symbols import Scope, Symbol, TargetList
from ptxlift.syntax import nodes

Looks = dict[nodes.Shape, Look]
_UNDECLARED = "declare it before this place; a label, in the same function or `asm` statement"


class BodyChecker:
    """Checks the bodies of one module, one after the other."""

    def __init__(
        self, report: Report, scope: Scope, version: tuple[int, int], target: str, looks: Looks
    ) -> None:
        self.report = report
        self.scope = scope
        self.version = version
        self.target = target
        self.looks = looks
        self.body: list[Statement] = []
        self.registers: list[Register] = []
        self.locals: list[Variable] = []
        self.pragmas: list[str] = []
        self.locs: set[tuple[int, int, int]] = set()
        self.called: set[Function] = set()

    def check(self, function: Function, node: nodes.Function, block: nodes.Block) -> None:
        """Fill `function` with the typed body of `block`."""
        starts = {formal.name: formal.start for formal in (*node.returns, *node.parameters)}
        self.body, self.registers, self.locals, self.pragmas = [], [], [], []
        self.locs = set()
        self.scope.enter()
        for formal in (*function.returns, *function.params):
            if isinstance(formal, Register):
                formal.index = len(self.registers)
                self.registers.append(formal)
            self._declare(formal.name, formal, starts[formal.name], len(formal.name))
        self._statements(block.statements)
        self.scope.leave()
        function.body = tuple(self.body)
        function.registers = tuple(self.registers)
        function.locals = tuple(self.locals)
        function.pragmas = (*function.pragmas, *self.pragmas)

    # ---- statements ----

    def _statements(self, statements: tuple[nodes.Statement, ...]) -> None:
        self._labels(statements)
        for node in statements:
            if type(node) is nodes.Instruction:
                self._instruction(node)
            else:
                self._other(node)

    def _labels(self, statements: tuple[nodes.Statement, ...]) -> None:
        """Labels are visible in their whole block, before they stand."""
        for node in statements:
            if type(node) is nodes.Label:
                self._declare(node.name, Label(node.name), node.start, len(node.name))

    def _other(self, node: nodes.Statement) -> None:
        match node:
            case nodes.Label():
                label = self.scope.names.get(node.name)
                if isinstance(label, Label):
                    self.body.append(LabelMark(label, node.start))
            case nodes.Block():
                self.scope.enter()
                self._statements(node.statements)
                self.scope.leave()
            case nodes.Declaration():
                self._declaration(node)
            case nodes.Loc():
                self._loc(node)
            case nodes.Pragma():
                self.pragmas.extend(node.strings)
            case nodes.Targets():
                self._targets(node)
            case nodes.CallPrototype():
                self._prototype(node)
            case nodes.Instruction():
                self._instruction(node)

    def _declare(self, name: str, symbol: Symbol, start: int, length: int) -> None:
        if self.scope.declares(name):
            self.report.error(
                "PTX105",
                f"`{name}` is already declared in this block",
                start,
                start + length,
                "use another name",
            )
            return
        self.scope.declare(name, symbol)

    def _declaration(self, node: nodes.Declaration) -> None:
        if node.space == "reg":
            for start, register in registers(self.report, node, len(self.registers)):
                self.registers.append(register)
                self._declare(register.name, register, start, len(register.name))
            return
        if node.linkage:
            self.report.error(
                "PTX106", f".{node.linkage} variables are declared outside functions", node.start
            )
            return
        for declarator, variable in variables(self.report, node, module_scope=False):
            self._initialize(variable, declarator)
            self.locals.append(variable)
            self._declare(variable.name, variable, declarator.start, len(variable.name))

    def _initialize(self, variable: Variable, declarator: nodes.Declarator) -> None:
        if declarator.initializer is None:
            return
        try:
            initialize(variable, declarator.initializer, self.scope.names)
        except InitialError as error:
            start = declarator.initializer.start or declarator.start
            self.report.error("PTX107", str(error), start)

    def _loc(self, node: nodes.Loc) -> None:
        if node.inlined_at is not None and node.inlined_at not in self.locs:
            self.report.error(
                "PTX109",
                "inlined_at must name the place of an earlier .loc",
                node.start,
                hint="put the caller's .loc before this one",
            )
        self.locs.add((node.file, node.line, node.column))
        self.body.append(
            LocMark(
                node.file,
                node.line,
                node.column,
                node.start,
                node.function_name,
                node.function_offset,
                node.inlined_at,
            )
        )

    def _targets(self, node: nodes.Targets) -> None:
        wanted = Label if node.kind == "branchtargets" else Function
        found = []
        for name in node.names:
            symbol = self.scope.names.get(name)
            if isinstance(symbol, wanted):
                found.append(symbol)
                continue
            what = "label" if wanted is Label else "function"
            self.report.error("PTX104", f"`{name}` is not a known {what}", node.start)
        labels = tuple(s for s in found if isinstance(s, Label))
        functions = tuple(s for s in found if isinstance(s, Function))
        if found:
            symbol = TargetList(TargetsRef(node.kind, labels, functions), node.kind)
            self._declare(node.label, symbol, node.start, len(node.label))

    def _prototype(self, node: nodes.CallPrototype) -> None:
        noreturn = any(a.name == "noreturn" for a in node.attributes)
        if noreturn and node.returns:
            self.report.error("PTX109", ".noreturn does not go with results", node.start)
        prototype = Prototype(
            parameters(self.report, node.returns, entry=False),
            parameters(self.report, node.parameters, entry=False),
            noreturn,
        )
        symbol = TargetList(PrototypeRef(prototype), "prototype")
        self._declare(node.label, symbol, node.start, len(node.label))

    # ---- instructions ----

    def _instruction(self, node: nodes.Instruction) -> None:
        shape = node.shape
        atoms = node.atoms
        look = self.looks.get(shape)
        if look is None:
            look = self.looks[shape] = look_at(shape)
        names = self.scope.names
        try:
            symbols = [names[atoms[slot]] for slot in look.names]
            plan = look.plans.get(tuple([s.signature for s in symbols]))
            if plan is None:
                self._new(node, look, symbols)
                return
            operands = plan.build(symbols, atoms)
        except KeyError:
            self._unknown(node, look)
            return
        except Fault as fault:
            self._fault(node, fault)
            return
        guard = look.guard
        self.body.append(
            Inst(
                plan.form,
                operands,
                symbols[guard] if guard >= 0 else None,  # type: ignore[arg-type]  # a predicate
                shape.guard_negated,
                node.start,
                node.end,
            )
        )

    def _new(self, node: nodes.Instruction, look: Look, symbols: list[Symbol]) -> None:
        """The first instruction of its kind: check it and keep the plan."""
        shape = node.shape
        index = {slot: at for at, slot in enumerate(look.names)}
        context = Context(index, symbols, node.atoms, self.version, self.target)
        guard = self._guard(node, look, symbols)
        if look.call:
            form, operands = bind_call(shape, context)
            self.called.update(f.function for f in operands if isinstance(f, FunctionRef))
        else:
            plan = make_plan(shape, context)
            form, operands = plan.form, plan.build(symbols, node.atoms)
            look.plans[tuple([s.signature for s in symbols])] = plan
        self.body.append(Inst(form, operands, guard, shape.guard_negated, node.start, node.end))

    def _guard(self, node: nodes.Instruction, look: Look, symbols: list[Symbol]) -> Register | None:
        if look.guard < 0:
            return None
        guard = symbols[look.guard]
        if isinstance(guard, Register) and guard.type.kind is Kind.PRED:
            return guard
        assert node.shape.guard is not None
        name = node.atoms[node.shape.guard]
        at = self.report.source.text.find(name, node.start, node.end)
        self.report.error(
            "PTX103", f"the guard `{name}` is no predicate", at, at + len(name), "use a .pred"
        )
        return None

    # ---- faults ----

    def _fault(self, node: nodes.Instruction, fault: Fault) -> None:
        start, end = place(self.report.source.text, node.start, node.end, fault.where)
        self.report.error(fault.code, fault.message, start, end, fault.hint)

    def _unknown(self, node: nodes.Instruction, look: Look) -> None:
        """Report the first name without a declaration."""
        known = self.scope.names
        for slot in look.names:
            name = node.atoms[slot]
            if name in known:
                continue
            from difflib import get_close_matches

            near = get_close_matches(name, list(known)[-2000:], 1)
            hint = f"did you mean `{near[0]}`?" if near else _UNDECLARED
            start, end = self._find(node, name)
            self.report.error("PTX104", f"`{name}` is not declared", start, end, hint)
            return
        self._fault(node, Fault("PTX103", "this instruction cannot be read", "", OPCODE))

    def _find(self, node: nodes.Instruction, name: str) -> tuple[int, int]:
        text = self.report.source.text
        at = text.find(name, node.start, node.end)
        return (at, at + len(name)) if at >= 0 else (node.start, node.end)
