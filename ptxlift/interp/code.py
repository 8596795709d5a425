"""Functions as code blocks: straight runs of steps, each with one end that may branch or wait.

Comes in: a typed function. Goes out: its blocks, made once and run by every group of lanes that
reaches them. Block numbers grow along the text. It must know nothing of how groups are chosen.
"""

from __future__ import annotations

import numpy as np

from ptxlift.diag import PtxError
from ptxlift.interp.ends import End, endings
from ptxlift.interp.lanes import Lanes
from ptxlift.interp.layout import Layout, frame_layout
from ptxlift.interp.numpy_algebra import NumpyAlgebra
from ptxlift.interp.state import Selection, State
from ptxlift.interp.steps import Step, makers
from ptxlift.interp.values import AnyReader, Operands, Reader, Unsupported, Writer, read_carry
from ptxlift.isa import Form, OperandKind, Role
from ptxlift.ptx import module as ptx
from ptxlift.records import dataclass, field
from ptxlift.semantics.registry import Function as Meaning
from ptxlift.semantics.registry import extra_arguments, lookup

_ALGEBRA = NumpyAlgebra()


@dataclass(slots=True)
class CodeBlock:
    """Steps and the end. `insts`: the instruction of each step, then of the end (None: falls)."""

    function: FunctionCode
    steps: list[Step] = field(default_factory=list)
    insts: list[ptx.Inst | None] = field(default_factory=list)
    end: End | None = None


@dataclass(slots=True)
class FunctionCode:
    """One function: where its blocks begin, its registers and its frame."""

    index: int
    source: ptx.Function
    operands: Operands
    frame: Layout
    entry: int = 0


class Code:
    """All blocks of a program; functions are decoded when first reached."""

    def __init__(
        self, module: ptx.Module, addresses: dict[ptx.Variable, int], watched: bool = False
    ) -> None:
        self.module = module
        self.functions = list(module.functions.values())
        self.numbers = {function: i for i, function in enumerate(self.functions)}
        for name, target in module.aliases.items():
            alias = module.functions.get(name)
            if alias is not None:
                self.numbers[alias] = self.numbers[target]
        self.addresses = addresses
        self._watched = watched
        self.blocks: list[CodeBlock] = []
        self._decoded: dict[int, FunctionCode] = {}

    def function(self, number: int) -> FunctionCode:
        """The code of a function that has a body."""
        found = self._decoded.get(number)
        if found is None:
            source = self.functions[number]
            frame = frame_layout(source)
            operands = Operands(source, frame, self.addresses, self.numbers, self._watched)
            found = FunctionCode(number, source, operands, frame)
            self._decoded[number] = found
            _Decoder(self, found).decode()
        return found


class _Decoder:
    """Cuts one body into blocks."""

    def __init__(self, code: Code, function: FunctionCode) -> None:
        self._code = code
        self._function = function
        self._labels: dict[ptx.Label, int] = {}

    def decode(self) -> None:
        body = self._function.source.body or ()
        self._function.entry = len(self._code.blocks)
        pieces = self._cut(body)
        first = len(self._code.blocks)
        self._code.blocks.extend(CodeBlock(self._function) for _ in range(len(pieces) + 1))
        for number, piece in enumerate(pieces):
            self._fill(first + number, piece)
        self._finish(first + len(pieces))

    def _cut(self, body: tuple[ptx.Statement, ...]) -> list[list[ptx.Inst]]:
        """Pieces end behind an ending instruction and before a label."""
        ends = endings()
        first = len(self._code.blocks)
        pieces: list[list[ptx.Inst]] = [[]]
        for statement in body:
            match statement:
                case ptx.LabelMark(label=label):
                    if pieces[-1]:
                        pieces.append([])
                    self._labels[label] = first + len(pieces) - 1
                case ptx.Inst():
                    pieces[-1].append(statement)
                    if statement.form.name in ends:
                        pieces.extend([] for _ in range(1 + _has_results(statement)))
                case _:
                    pass
        return pieces

    def _fill(self, number: int, piece: list[ptx.Inst]) -> None:
        block = self._code.blocks[number]
        for inst in piece:
            try:
                self._add(block, inst, number + 1)
            except Unsupported as problem:
                raise self._refused(inst, str(problem)) from None
        if block.end is None:
            block.insts.append(None)
            block.end = _go_to(number + 1)

    def _add(self, block: CodeBlock, inst: ptx.Inst, following: int) -> None:
        block.insts.append(inst)
        guard = self._guard(inst)
        maker = endings().get(inst.form.name)
        if maker is not None:
            end = maker(self._code, self._function.operands, self._labels, inst, following)
            beyond = following + _has_results(inst)
            block.end = end if guard is None else _guarded_end(end, guard, beyond)
            return
        step = make_step(self._function.operands, inst)
        block.steps.append(step if guard is None else _guarded(step, guard))

    def _guard(self, inst: ptx.Inst) -> Reader | None:
        if inst.guard is None:
            return None
        operands = self._function.operands
        if inst.guard_negated:
            return operands.scalar(ptx.Negated(inst.guard), 1)
        return operands.place(inst.guard)

    def _finish(self, number: int) -> None:
        """Behind the last statement a function returns."""
        block = self._code.blocks[number]
        block.insts.append(None)
        block.end = endings()["ret"](
            self._code, self._function.operands, self._labels, None, number
        )

    def _refused(self, inst: ptx.Inst, text: str) -> PtxError:
        span = self._code.module.span(inst.start, inst.end)
        hint = "docs/isa.md lists what the interpreter runs"
        return PtxError.of("PTX201", f"{text}: the interpreter does not run this", span, hint)


def _has_results(inst: ptx.Inst) -> bool:
    """Whether results are taken in a block of their own behind the instruction: after calls."""
    return any(spec.kind is OperandKind.ARGUMENTS for spec in inst.form.operands)


def make_step(operands: Operands, inst: ptx.Inst) -> Step:
    """The step of an instruction that goes on to the next one."""
    maker = makers().get(inst.form.name)
    if maker is not None:
        return maker(operands, inst)
    meaning = lookup(inst.form.name)
    if meaning is None:
        raise Unsupported(f"'{inst.form.row.pattern.split(' ')[0]}'")
    return _pure(operands, inst, meaning)


def _pure(operands: Operands, inst: ptx.Inst, meaning: Meaning) -> Step:
    """Sources through the semantics function to the results."""
    form = inst.form
    sources: list[AnyReader] = []
    writers: list[Writer] = []
    for operand, spec in zip(inst.operands, form.operands, strict=True):
        if spec.role is Role.SOURCE:
            sources.append(operands.source(operand, spec))
        else:
            writers.extend(operands.writers(operand, spec))
    flags = form.row.carry.split()
    if "in" in flags:
        sources.append(read_carry)
    if "out" in flags:
        writers.append(operands.carry_writer())
    extra = extra_arguments(form, inst.operands)
    if len(writers) == 1 and not extra:
        return _simple(form, sources, writers[0], meaning)

    def step(state: State, lanes: Selection) -> None:
        values = [read(state, lanes) for read in sources]
        results = meaning(_ALGEBRA, form, *values, **extra)
        if not isinstance(results, tuple):
            results = (results,)
        for write, result in zip(writers, results, strict=False):
            write(state, lanes, result)

    return step


def _simple(form: Form, sources: list[AnyReader], write: Writer, meaning: Meaning) -> Step:
    """One result. `setp` computes a second one that nobody asked for."""

    def step(state: State, lanes: Selection) -> None:
        result = meaning(_ALGEBRA, form, *[read(state, lanes) for read in sources])
        write(state, lanes, result[0] if isinstance(result, tuple) else result)

    return step


def chosen(state: State, lanes: Selection, truth: Lanes) -> Selection:
    """The lanes of a selection whose predicate is true."""
    if isinstance(lanes, slice):
        return np.flatnonzero(truth)
    return lanes[truth]


def _guarded(step: Step, guard: Reader) -> Step:
    def guarded(state: State, lanes: Selection) -> None:
        truth = guard(state, lanes)
        if truth.all():
            step(state, lanes)
        elif truth.any():
            state.active = chosen(state, lanes, truth)
            step(state, state.active)
            state.active = lanes

    return guarded


def _guarded_end(end: End, guard: Reader, following: int) -> End:
    def guarded(state: State, lanes: Selection) -> int | None:
        truth = guard(state, lanes)
        if truth.all():
            return end(state, lanes)
        if not truth.any():
            return following
        taken = chosen(state, lanes, truth)
        state.place[chosen(state, lanes, ~truth)] = following
        state.active = taken
        target = end(state, taken)
        if target is not None:
            state.place[taken] = target
        return None

    return guarded


def _go_to(number: int) -> End:
    def end(state: State, lanes: Selection) -> int | None:
        return number

    return end
