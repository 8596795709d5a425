"""Replaces shuffles whose lanes are known by moves that the chip has in hardware.

Comes in: a module, a target and options. Goes out: the module with `move_lanes` and constant lane
masks in place of such `shuffle` ops, and whole reductions as `reduce_warp`. Lanes whose result
nobody needs take whatever is cheapest. What no program fits stays a `shuffle`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property

from ptxlift.ir.attributes import Number, ReduceOp, ShuffleMode
from ptxlift.ir.builder import Builder
from ptxlift.ir.copy import Copier
from ptxlift.ir.core import Block, Function, Module, Op, Value
from ptxlift.ir.demand import ALL, Demand
from ptxlift.ir.lane_values import LANES
from ptxlift.ir.presence import Presence
from ptxlift.ir.shuffles import known
from ptxlift.ir.uniformity import Uniformity
from ptxlift.ir.warp_idioms import FULL, REDUCTIONS, Chain, Idioms, Step
from ptxlift.llvm.amdgpu.flag_reductions import flags_of, reduce_flags
from ptxlift.llvm.amdgpu.joined_shuffles import Journey, journeys, word_of
from ptxlift.llvm.amdgpu.permute import wave_map
from ptxlift.llvm.options import CodegenOptions, WarpMapping
from ptxlift.records import dataclass, replace
from ptxlift.rewrite.uniform import is_uniform
from ptxlift.target import Feature, TargetSpec
from ptxlift.target.lane_search import find
from ptxlift.target.lane_steps import ANY, Lanes, Program
from ptxlift.target.permutes import NOTHING, ROW, Unit, patterns_of

_IN_PLACE = 1.0  # a move over a value that nobody reads any more
_FUSED = 0.5  # a move that its reader does on the way costs less
_MOST = 99.0
_ROW_PAIR = (tuple(i & ~ROW for i in range(LANES)), tuple(i | ROW for i in range(LANES)))
_SWAP = (Unit.LOWER, Unit.UPPER)
_SWAP_COST = 2.0
_INTEGERS = (Number.BITS, Number.UNSIGNED, Number.SIGNED)


def replace_shuffles(module: Module, spec: TargetSpec, options: CodegenOptions) -> Module:
    """The module with hardwired moves where there are some."""
    if not any(_has_any(function) for function in module.functions.values()):
        return module
    chip = Chip(spec, options)
    functions = {
        name: ShuffleReplacer(function, chip).run() if _has_any(function) else function
        for name, function in module.functions.items()
    }
    if all(functions[name] is function for name, function in module.functions.items()):
        return module
    return replace(module, functions=functions)


def _has_any(function: Function) -> bool:
    names = ("shuffle", "reduce")
    return any(op.opdef.name in names for block in function.blocks for op in block.ops)


@cache
def _whole_moves(features: frozenset[Feature]) -> tuple[Lanes, ...]:
    fixed = (p for p in patterns_of(features) if p.unit is Unit.DPP)
    every = (p.sources(n, LANES) for p in fixed for n in p.numbers)
    return tuple(lanes for lanes in every if NOTHING not in lanes)


class Chip:
    """What decides how lanes are moved."""

    def __init__(self, spec: TargetSpec, options: CodegenOptions) -> None:
        self._features = spec.target.features
        wave = options.wave_size or spec.target.default_wave
        packed = options.warp_mapping is WarpMapping.PACKED
        self._is_packed = wave == 2 * LANES and packed

    @property
    def patterns(self) -> tuple[Lanes, ...]:
        """The moves of all lanes that an instruction makes on the way."""
        return _whole_moves(self._features)

    def way(self, lanes: Lanes, all_active: bool) -> Program | None:
        """The cheapest program for a warp's lanes."""
        wanted = wave_map(lanes) if self._is_packed else lanes
        return find(wanted, self._features, all_active)


@dataclass(frozen=True, slots=True)
class Way:
    """The lanes that a shuffle reads, and whether all lanes of the warp are there."""

    lanes: Lanes
    all_active: bool


class ShuffleReplacer(Copier):
    """Copies a function with its shuffles replaced."""

    def __init__(self, function: Function, chip: Chip) -> None:
        super().__init__(function)
        self._chip = chip
        self._demand = Demand(function)
        self._presence = Presence(function)
        ops = [op for block in self.order for op in block.ops]
        self._idioms = Idioms(ops, self._demand)
        self._step_of = {step.shuffle: step for step in self._idioms.steps.values()}
        self._gone = self._idioms.parts  # shuffles and operations that something else stands for
        self._ways: dict[Op, Way] = {}  # of shuffles
        self._pairs: set[Op] = set()  # operations of both results of an exchange of rows
        self._copies: dict[Op, Lanes] = {}  # operations whose result half the lanes copy
        self._same: dict[Value, frozenset[int]] = {}  # distances at which lanes have the same value
        for op in ops:
            if op.opdef.name == "shuffle":
                self._plan(op)
            elif op.results and op.results[0] in self._idioms.steps:
                self._note_same(self._idioms.steps[op.results[0]])
        self._journeys: dict[Op, Journey] = {}
        self._travelled: dict[Op, list[Value]] = {}  # words, by a journey's first shuffle
        for block in self.order:
            costly = {op: self._ways.get(op) for op in block.ops if self._is_costly(op)}
            for journey in journeys(block, costly):
                self._journeys |= dict.fromkeys(journey.made, journey)

    def _is_costly(self, op: Op) -> bool:
        """Whether a shuffle goes through the crossbar."""
        if op.opdef.name != "shuffle" or op in self._gone or is_uniform(op.operands[0]):
            return False
        way = self._ways.get(op)
        if way is not None:
            program = self._chip.way(way.lanes, way.all_active)
            return program is not None and any(s.unit is Unit.SWIZZLE for s in program.steps)
        return not self._is_scalar(op)

    def _note_same(self, step: Step) -> None:
        """After a step both lanes have the same, if both are there."""
        if self._is_whole(step.shuffle):
            before = self._same.get(step.value, frozenset({0}))
            self._same[step.op.results[0]] = before | {at ^ step.mask for at in before}

    def _is_whole(self, shuffle: Op) -> bool:
        """Whether all lanes of the warp are proven to take part."""
        named = known(shuffle.operands[-1]) == FULL
        return named and self._presence.all_there(self._demand.home[shuffle])

    # ---- the cheapest way ----

    def _plan(self, op: Op) -> None:
        moved = self._demand.moved(op)
        if moved is None or op in self._gone:
            return
        needed = self._demand.lanes(op.results[0])
        lanes = tuple(at if needed >> i & 1 else ANY for i, at in enumerate(moved[0]))
        whole = self._is_whole(op)
        program = self._chip.way(lanes, whole)
        if whole and needed == ALL:
            lanes, program = self._alike(op.operands[0], lanes, program)
        step = self._step_of.get(op)
        if step is not None:
            if self._by_swap(step, program):
                return
            lanes, program = self._by_halves(step, moved[0], lanes, program, whole)
        if program is not None:
            self._ways[op] = Way(lanes, whole)

    def _by_swap(self, step: Step, program: Program | None) -> bool:
        """An exchange of rows gives both operands of a step at once."""
        pair = [self._chip.way(lanes, False) for lanes in _ROW_PAIR]
        swaps = all(each is not None and each.steps[0].unit in _SWAP for each in pair)
        if step.mask != ROW or not swaps or (program is not None and program.cost <= _SWAP_COST):
            return False
        self._pairs.add(step.op)
        self._gone.add(step.shuffle)
        return True

    def _alike(
        self, value: Value, lanes: Lanes, program: Program | None
    ) -> tuple[Lanes, Program | None]:
        """The same by lanes that have the same value, if one of the chip's patterns reads such."""
        same = self._same.get(value)
        if same is None or (program is not None and program.cost <= _FUSED):
            return lanes, program
        for other in self._chip.patterns:
            if all(a ^ b in same for a, b in zip(lanes, other, strict=True)):
                return other, self._chip.way(other, True)
        return lanes, program

    def _by_halves(
        self, step: Step, moved: Lanes, lanes: Lanes, program: Program | None, whole: bool
    ) -> tuple[Lanes, Program | None]:
        """One half of the lanes computes, the other half copies the result."""
        best = _MOST if program is None else program.cost
        for bit in (1 << n for n in range(LANES.bit_length() - 1) if step.mask >> n & 1):
            computing = tuple(ANY if i & bit else at for i, at in enumerate(moved))
            copying = tuple(at if i & bit else i for i, at in enumerate(moved))
            first, second = self._chip.way(computing, whole), self._chip.way(copying, whole)
            if first is None or second is None or len(second.steps) != 1:
                continue
            if second.steps[0].old == 0 and first.cost + _IN_PLACE < best:
                best = first.cost + _IN_PLACE
                lanes, program = computing, first
                self._copies[step.op] = copying
        return lanes, program

    # ---- what becomes of it ----

    def rewrite(self, op: Op, block: Block, builder: Builder) -> Sequence[Value] | None:
        name = op.opdef.name
        if name == "shuffle":
            return self._shuffle(op, block, builder)
        if name == "reduce":
            return self._reduce(op, block, builder)
        if op in self._pairs:
            value = self.value(self._idioms.steps[op.results[0]].value, block)
            both = [builder.move_lanes(value, lanes, False) for lanes in _ROW_PAIR]
            return builder.emit(name, both, op.attrs, (LANES,)).results
        if op in self._gone:
            return (self.value(op.operands[0], block),)
        for found, write in (
            (self._idioms.reductions, self._reduction),
            (self._idioms.scans, self._scan),
        ):
            if op in found:
                return (write(found[op], block, builder),)
        if op in self._copies:
            operands = [self.value(value, block) for value in op.operands]
            half = builder.emit(name, operands, op.attrs, (LANES,)).results[0]
            whole = self._is_whole(self._idioms.steps[op.results[0]].shuffle)
            return (builder.move_lanes(half, self._copies[op], whole),)
        return None

    def _reduction(self, chain: Chain, block: Block, builder: Builder) -> Value:
        return self._reduced(chain.value, *REDUCTIONS[chain.op.opdef.name], block, builder)

    def _scan(self, chain: Chain, block: Block, builder: Builder) -> Value:
        kind = REDUCTIONS[chain.op.opdef.name]
        return builder.scan_warp(self.value(chain.value, block), *kind, chain.width)

    def _reduce(self, op: Op, block: Block, builder: Builder) -> Sequence[Value] | None:
        """redux.sync over whole warps needs no look at who is there."""
        number, kind = op.attr("number"), op.attr("op")
        assert isinstance(kind, ReduceOp)
        if number not in _INTEGERS or known(op.operands[1]) != FULL:
            return None
        if not self._presence.all_there(block):
            return None
        return (self._reduced(op.operands[0], kind, number, block, builder),)

    def _reduced(
        self, value: Value, kind: ReduceOp, number: Number, block: Block, builder: Builder
    ) -> Value:
        flags = flags_of(value)
        if flags is None:
            return builder.reduce_warp(self.value(value, block), kind, number)
        condition = self.value(flags.condition, block)
        return reduce_flags(builder, replace(flags, condition=condition), kind, number)

    def _shuffle(self, op: Op, block: Block, builder: Builder) -> Sequence[Value] | None:
        if op in self._journeys:
            return self._journey(op, block, builder)
        if self._demand.moved(op) is None and self._is_scalar(op):
            operands = [self.value(value, block) for value in op.operands[:2]]
            read = builder.emit("read_lane", operands, (), (LANES,)).results[0]
            return read, builder.const(1, 1)
        return self._moved(op, self.value(op.operands[0], block), builder)

    def _moved(self, op: Op, value: Value, builder: Builder) -> Sequence[Value] | None:
        """What a shuffle makes of a value; None if it stays a shuffle."""
        moved, way = self._demand.moved(op), self._ways.get(op)
        if moved is None:
            return None
        if op not in self._gone and not is_uniform(op.operands[0]):
            if way is None:
                return None
            value = builder.move_lanes(value, way.lanes, way.all_active)
        inside = builder.const(1, 1) if moved[1] == ALL else builder.is_among(moved[1], LANES)
        return value, inside

    def _journey(self, op: Op, block: Block, builder: Builder) -> Sequence[Value]:
        """The first of some shuffles sends all their words; the predicate is the same for all."""
        journey = self._journeys[op]
        first = journey.first
        if op is first:
            lanes = [self.value(value, block) for value in op.operands[1:]]
            results = []
            for values in journey.words:
                word = word_of([self.value(value, block) for value in values], builder)
                moved = self._moved(op, word, builder)
                results.append(
                    moved or builder.emit(op.name, (word, *lanes), op.attrs, (LANES, 1)).results
                )
            self._travelled[first] = [result[0] for result in results] + [results[0][1]]
        *words, inside = self._travelled[first]
        return journey.value(op, words, builder), inside

    def _is_scalar(self, op: Op) -> bool:
        """One lane that only the launch names, but the same for all: by a scalar register."""
        whole = known(op.operands[2]) == LANES - 1
        is_index = op.attr("mode") is ShuffleMode.IDX
        return whole and is_index and op.operands[1] not in self._divergent

    @cached_property
    def _divergent(self) -> set[Value]:
        return Uniformity(self.function).divergent
