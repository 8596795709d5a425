"""Brings lanes of a warp together at operations that they come to at different places.

The function becomes one loop. Each turn begins with all lanes of the warp that have not ended, and
each lane says at which kind of operation it stands. Those whose mask is complete do it, all places
of a kind in one block, and go on to their next; the others wait for the next turn. So lanes make
progress as PTX has it, whatever the paths between the operations are.

Comes in: a function. Goes out: the same function, changed in place. It must know no op by name but
those it writes.
"""

from __future__ import annotations

from ptxlift.ir.attributes import IntPredicate
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Apart, Block, Function, Module, Op, Value
from ptxlift.ir.meetings import (
    Kind,
    Parting,
    is_site,
    kind_of,
    mask_of,
    parting_of,
    waiting_functions,
)
from ptxlift.ir.repair import restore_dominance
from ptxlift.ir.spinning import yield_while_waiting
from ptxlift.ir.warp_uniformity import constant
from ptxlift.records import dataclass, field

_EVERYONE = 0xFFFFFFFF
_LEAVING = ("ret", "exit")


@dataclass(slots=True)
class _Place:
    """One operation: `before` ends where it stood, `after` takes its results."""

    op: Op
    before: Block
    after: Block


@dataclass(slots=True)
class _Kind:
    """All operations that may meet, and the block that does them."""

    block: Block
    places: list[_Place] = field(default_factory=list)


def bring_together(module: Module) -> None:
    """Rewrites the functions whose lanes may come apart, and notes where they still may."""
    waiting = waiting_functions(module)
    for function in module.functions.values():
        if not function.blocks:
            continue
        waits = yield_while_waiting(function)
        verdict = parting_of(function)
        if waits or verdict.parting is Parting.SOME:
            meet_in_a_loop(function, waits)
            continue
        if waiting:
            verdict = parting_of(function, waiting)
        if verdict.parting is not Parting.NONE:
            function.apart = Apart(verdict.parting is Parting.SOME, verdict.span)


def meet_in_a_loop(function: Function, leaves_in_loop: bool = False) -> None:
    """Rewrites all operations of the function that wait for lanes.

    Lanes of a wave leave a loop together, and what they do behind it waits until then. Where lanes
    may wait for that, `leaves_in_loop` makes leaving the function a step of the loop as well.
    """
    first = function.blocks[0]
    start = _without_entry(function, first)
    kinds: dict[Kind, _Kind] = {}
    for block in [block for block in function.blocks if block is not first]:
        last = _cut(function, block, kinds)
        if leaves_in_loop and last.terminator.name in _LEAVING:
            _cut_at(function, last, len(last.ops) - 1, kinds)
    _Turn(function, list(kinds.values()), start).write(first)
    restore_dominance(function)


def _cut(function: Function, block: Block, kinds: dict[Kind, _Kind]) -> Block:
    """Ends a block at each of its operations; what follows goes on in a block of its own, the last
    of which is returned.
    """
    while True:
        index = next((i for i, op in enumerate(block.ops) if is_site(op)), None)
        if index is None:
            return block
        block = _cut_at(function, block, index, kinds)


def _cut_at(function: Function, block: Block, index: int, kinds: dict[Kind, _Kind]) -> Block:
    op = block.ops[index]
    after = Block(f"{block.name}_met")
    after.ops = block.ops[index + 1 :]
    del block.ops[index:]
    if after.ops:
        function.blocks.append(after)
    kind = kinds.setdefault(kind_of(op), _Kind(Block(f"{op.name}_{len(kinds)}")))
    kind.places.append(_Place(op, block, after))
    return after


def _without_entry(function: Function, first: Block) -> Block:
    """Moves all that the first block does into a block that the loop may begin with."""
    start = Block("start")
    start.ops, first.ops = first.ops, []
    function.blocks.append(start)
    return start


class _Turn:
    """The blocks of one turn: `head` decides who may go on, `end` gathers all who are to."""

    def __init__(self, function: Function, kinds: list[_Kind], start: Block) -> None:
        self._function = function
        self._kinds = kinds
        self._targets = [*(kind.block for kind in kinds), start]
        self._head, self._ready, self._end = Block("turn"), Block("ready"), Block("turn_end")
        function.blocks += [self._head, self._ready, self._end, *self._targets[:-1]]

    def write(self, first: Block) -> None:
        """Writes all of it; `first` is the function's entry."""
        for kind in self._kinds:
            self._do(kind)
        for block in (self._head, self._end):
            self._add_params(block)
        build = Builder(first)
        build.br(self._head, self._state(build, len(self._kinds), build.const(32, 0), []))
        for number, kind in enumerate(self._kinds):
            for index, place in enumerate(kind.places):
                self._come(number, index, place)
        self._decide()
        build = Builder(self._end)
        # Convergent: LLVM may not let lanes begin a turn before the others.
        build.warp_barrier(build.const(32, _EVERYONE))
        build.br(self._head, self._end.params)

    def _add_params(self, block: Block) -> None:
        """What a lane brings: the number of the kind, its mask, and what each kind wants."""
        for _ in ("kind", "mask"):
            block.add_param(32)
        for kind in self._kinds:
            for param in kind.block.params:
                block.add_param(param.width)

    def _state(self, build: Builder, number: int, mask: Value, given: list[Value]) -> list[Value]:
        """What a lane brings that comes to the operation of a number with these arguments."""
        state = [build.const(32, number), mask]
        for index, kind in enumerate(self._kinds):
            if index == number:
                state += given
            else:
                state += [build.const(param.width, 0) for param in kind.block.params]
        return state

    def _come(self, number: int, index: int, place: _Place) -> None:
        build = Builder(place.before)
        build.span = place.op.span
        mask = mask_of(place.op)
        if mask is None:
            mask = build.const(32, 0 if place.op.name in _LEAVING else _EVERYONE)
        given = [build.const(32, index)]
        given += [place.op.operands[i] for i in _varying(self._kinds[number])]
        build.br(self._end, self._state(build, number, mask, given))

    def _do(self, kind: _Kind) -> None:
        """The operation of a kind, and from it back to where each lane came from."""
        model = kind.places[0].op
        build = Builder(kind.block)
        build.span = model.span
        place = kind.block.add_param(32)
        varying = _varying(kind)
        operands = [
            kind.block.add_param(operand.width) if index in varying else _copied(build, operand)
            for index, operand in enumerate(model.operands)
        ]
        results = build.emit(
            model.name, operands, model.attrs, [value.width for value in model.results]
        ).results
        if model.name in _LEAVING:
            return
        ways = [(at.after, results) for at in kind.places]
        if len(ways) == 1:
            build.branch("br", (), ways)
        else:
            build.branch("switch", (place,), ways)
        for at in kind.places:
            names = {value: at.after.add_param(value.width) for value in at.op.results}
            self._rename(names)

    def _staying(self, build: Builder, kind: Value, full: Value) -> Value:
        """The lanes that are not about to leave."""
        staying = build.const(1, 1)
        for number, found in enumerate(self._kinds):
            if found.places[0].op.name in _LEAVING:
                other = build.icmp(kind, build.const(32, number), IntPredicate.NE)
                staying = build.and_(staying, other)
        return build.ballot(staying, full)

    def _has_several_masks(self) -> bool:
        masks = [mask_of(place.op) for kind in self._kinds for place in kind.places]
        bits = {_EVERYONE if mask is None else constant(mask) for mask in masks}
        return len(bits) > 1 or None in bits

    def _rename(self, names: dict[Value, Value]) -> None:
        places = [place.op for kind in self._kinds for place in kind.places]
        for op in [*self._function.ops(), *places] if names else []:
            op.operands = [names.get(value, value) for value in op.operands]
            op.arguments = [[names.get(v, v) for v in given] for given in op.arguments]

    def _decide(self) -> None:
        """Who finds all members of its mask that are still there at its own kind goes on."""
        build = Builder(self._head)
        kind, mask = self._head.params[:2]
        full = build.const(32, _EVERYONE)
        live = self._staying(build, kind, full)
        arrived = build.const(32, 0)
        for number in range(len(self._kinds)):
            here = build.icmp(kind, build.const(32, number), IntPredicate.EQ)
            arrived = build.select(here, build.ballot(here, full), arrived)
        if self._has_several_masks():
            arrived = build.and_(arrived, build.match_any(mask, full))
        missing = build.and_(build.and_(mask, live), build.not_(arrived))
        complete = build.icmp(missing, build.const(32, 0), IntPredicate.EQ)
        ways = ((self._ready, ()), (self._end, self._head.params))
        build.branch("cond_br", (complete,), ways)
        build = Builder(self._ready)
        at, arguments = 2, []
        for target in self._targets[:-1]:
            arguments.append(self._head.params[at : at + len(target.params)])
            at += len(target.params)
        build.branch("switch", (kind,), list(zip(self._targets, [*arguments, []], strict=True)))


def _varying(kind: _Kind) -> list[int]:
    """Which operands are not the same constant at all places."""
    columns = zip(*(place.op.operands for place in kind.places), strict=True)
    return [
        index
        for index, column in enumerate(columns)
        if constant(column[0]) is None or len({constant(value) for value in column}) > 1
    ]


def _copied(build: Builder, value: Value) -> Value:
    bits = constant(value)
    assert bits is not None
    return build.const(value.width, bits)
