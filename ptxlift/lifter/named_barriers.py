"""Barriers that count threads: `bar.sync a, b`, `bar.arrive a, b`, `bar.red` with a count.

Comes in: the IR of all kernels and of what they reach. Goes out: the same, where such a barrier is
either one that the target has itself, or words of shared memory.

Most AMD hardware has one barrier a block and counts waves. There each of PTX's sixteen barriers has
words of shared memory: threads arrived, phases completed, votes of this phase, and the votes of the
last four. A warp counts as 32 threads, whatever lanes it has; its first lane counts for it. Who
completes the count takes it back and ends the phase; the others wait for that. The kernel clears
the words before its first instruction.

gfx1250 has sixteen more barriers a block, which count waves of 32, and at which a wave may arrive
without having joined them (LLVM's "AMDGPU Execution Synchronization"). Their numbers are constants,
they hold 127 waves at most and take no votes: a barrier of PTX becomes one of them if all its uses
do without the rest.

A barrier for the whole block counts like the others if threads arrive at it without waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile

from ptxlift.ir import core as ir
from ptxlift.ir.attributes import (
    AtomicOp,
    BarrierMode,
    IntPredicate,
    Number,
    Order,
    Scope,
    ShuffleMode,
    Space,
    Special,
)
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.meeting_loop import meet_in_a_loop
from ptxlift.ir.meetings import Parting, parting_of
from ptxlift.ir.warp_uniformity import constant
from ptxlift.records import dataclass

_WIDTH = 32  # of words and addresses
_WARP, _EVERYONE = 32, 0xFFFFFFFF
_ARRIVED, _PHASE, _VOTES, _RESULTS = 0, 4, 8, 16  # byte offsets
_KEPT = 4  # phases whose votes are kept: a warp may be slow to read them
_BYTES_LOG = 5
_BARRIERS = 16
_MOST_THREADS = 1024  # of a block
_WORDS = ir.Variable("__ptxlift_barriers", Space.SHARED, _BARRIERS << _BYTES_LOG, 8)
_PLAIN = (BarrierMode.SYNC, BarrierMode.ARRIVE)


@dataclass(frozen=True, slots=True)
class Reach:
    """A kernel with all functions that it may run, itself among them."""

    kernel: Function
    functions: Sequence[Function]


def place_counted_barriers(module: ir.Module, reaches: Sequence[Reach], in_hardware: bool) -> None:
    """Decides for each barrier that counts where it is, and writes those in shared memory.

    in_hardware: the target has barriers of its own for them.
    """
    counted = [op for function in module.functions.values() for op in _counted(function)]
    if not counted:
        return
    counted += _count_whole_blocks(counted, reaches)
    own = _in_hardware(counted) if in_hardware else frozenset[int]()
    written = set()
    for function in module.functions.values():
        _name_barriers(function, own)
        if not _counted(function):
            continue
        if parting_of(function).parting is Parting.SOME:
            meet_in_a_loop(function)  # else each place that lanes of a warp come to counts for it
        written.add(function.name)
        _Writer(function).replace(set(_counted(function)))
    if not written:
        return
    module.variables[_WORDS.name] = _WORDS
    for reach in reaches:
        if any(function.name in written for function in reach.functions):
            _clear_words(reach.kernel)


def _counted(function: Function) -> list[Op]:
    return [op for op in function.ops() if op.name == "barrier" and op.attr("counted")]


def _count_whole_blocks(counted: Sequence[Op], reaches: Sequence[Reach]) -> list[Op]:
    """Gives a count to barriers that are for the whole block, where threads arrive at one of that
    number without waiting: the block's own barrier would wait for them. Returns those.
    """
    arrivals = {constant(op.operands[0]) for op in counted if op.attr("mode") is BarrierMode.ARRIVE}
    sizes: dict[str, set[int]] = {}
    functions = {function.name: function for reach in reaches for function in reach.functions}
    for reach in reaches:
        for function in reach.functions:
            sizes.setdefault(function.name, set()).add(_block_size(reach.kernel))
    found = []
    for name, function in functions.items():
        for block in function.blocks:
            for op in filter(_is_whole, list(block.ops)):
                number = constant(op.operands[0])
                if number is not None and number in arrivals:
                    _count_all(block, op, sizes[name])
                    found.append(op)
    return found


def _is_whole(op: Op) -> bool:
    return op.name == "barrier" and not op.attr("counted")


def _block_size(kernel: Function) -> int:
    """Threads of whole warps, or 0 where only the launch says it."""
    width, height, depth = kernel.bounds.reqntid or (0, 0, 0)
    return -(-width * height * depth // _WARP) * _WARP


def _count_all(block: Block, op: Op, sizes: set[int]) -> None:
    """`sizes`: of the blocks of threads that may come here."""
    build = Builder(Block("whole_block"))
    build.span = op.span
    if len(sizes) == 1 and 0 not in sizes:
        count = build.const(_WIDTH, min(sizes))
    else:
        warps = build.special(_WIDTH, Special.NWARPID)
        count = build.mul(warps, build.const(_WIDTH, _WARP))
    op.operands[1] = count
    op.attrs = (op.attr("mode"), True)
    at = block.ops.index(op)
    block.ops[at:at] = build.block.ops


def _in_hardware(counted: Sequence[Op]) -> frozenset[int]:
    """The barriers of PTX that hardware can be. A number in a register may be that of any."""
    numbers, others = set(), set()
    for op in counted:
        number, count = constant(op.operands[0]), constant(op.operands[1])
        if number is None:
            return frozenset()
        numbers.add(number)
        fits = count is not None and 0 < count <= _MOST_THREADS and count % _WARP == 0
        if not fits or op.attr("mode") not in _PLAIN:
            others.add(number)
    return frozenset(numbers - others)


def _name_barriers(function: Function, own: frozenset[int]) -> None:
    """Writes what is done at these barriers as operations of the target's own."""
    for block in function.blocks:
        for index, op in enumerate(block.ops):
            if op.name != "barrier" or not op.attr("counted"):
                continue
            number, count = constant(op.operands[0]), constant(op.operands[1])
            if number in own and number is not None and count is not None:
                build = Builder(Block("named"))
                build.span = op.span
                build.emit("named_barrier", (), (op.attr("mode"), number, count // _WARP))
                block.ops[index : index + 1] = build.block.ops


def _clear_words(kernel: Function) -> None:
    """At the kernel's entry, before any warp can arrive."""
    entry = kernel.blocks[0]
    rest = entry.ops
    entry.ops = []
    build = Builder(entry)
    zero = build.const(32, 0)
    lane = build.and_(build.special(32, Special.LANEID), build.const(32, _WARP - 1))
    for first in range(0, _WORDS.size, 4 * _WARP):
        base = build.add(build.symbol_address(32, _WORDS.name), build.const(32, first))
        place = build.add(base, build.shl(lane, build.const(32, 2)))
        build.store(place, (zero,), Space.SHARED, 32, 4)
    build.barrier(zero, zero, build.const(1, 0), BarrierMode.SYNC, counted=False)
    entry.ops += rest


class _Writer:
    """Writes the barriers of one function as memory operations in their place."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._build = Builder()
        self._names = 0
        first = takewhile(lambda op: op.name == "const", function.blocks[0].ops)
        constants = [op.result for op in first if op.result.width == _WIDTH]
        self._constants = {constant(value): value for value in constants}
        self._new_constants: list[Op] = []

    def replace(self, barriers: set[Op]) -> None:
        """Writes these; what follows one goes on in the block where its own code ends."""
        results: dict[Value, Value] = {}
        for block in list(self._function.blocks):
            ops, block.ops = block.ops, []
            self._build.block = block
            for op in ops:
                if op in barriers:
                    self._build.span = op.span
                    results[op.result] = self._write(op)
                else:
                    self._build.block.ops.append(op)
        self._function.blocks[0].ops[:0] = self._new_constants
        for op in self._function.ops():
            op.operands = [results.get(value, value) for value in op.operands]
            op.arguments = [[results.get(v, v) for v in given] for given in op.arguments]

    def _write(self, op: Op) -> Value:
        ident, count, predicate = op.operands
        mode = op.attr("mode")
        self._build.fence(Order.RELEASE, Scope.CTA)
        if mode is BarrierMode.ARRIVE:
            return self._by_first_lane(lambda: self._count(self._place(ident), count))
        if mode is BarrierMode.SYNC:
            result = self._by_first_lane(lambda: self._count_and_wait(self._place(ident), count))
        else:
            result = self._reduction(ident, count, predicate, mode is BarrierMode.AND)
        self._build.fence(Order.ACQUIRE, Scope.CTA)
        if mode in (BarrierMode.SYNC, BarrierMode.POPC):
            return result
        wanted = IntPredicate.EQ if mode is BarrierMode.AND else IntPredicate.NE
        return self._build.zext(self._build.icmp(result, self._const(0), wanted), 32)

    def _reduction(self, ident: Value, count: Value, predicate: Value, of_false: bool) -> Value:
        """The number of threads that came with a true predicate, or with a false one: all are true
        where none is false.
        """
        vote = self._build.not_(predicate) if of_false else predicate
        votes = self._build.popcount(self._build.ballot(vote, self._const(_EVERYONE)))

        def action() -> Value:
            place = self._place(ident)
            self._add(self._advance(place, _VOTES), votes)
            phase = self._count_and_wait(place, count)
            return self._load(self._results(place, phase))

        return self._by_first_lane(action)

    # ---- blocks and words ----

    def _const(self, number: int) -> Value:
        """One op a function, in its entry block."""
        if number not in self._constants:
            builder = Builder(Block("constant"))
            self._constants[number] = builder.const(_WIDTH, number)
            self._new_constants += builder.block.ops
        return self._constants[number]

    def _advance(self, address: Value, offset: int) -> Value:
        return self._build.add(address, self._const(offset))

    def _new_block(self, name: str) -> Block:
        self._names += 1
        return Block(f"{name}_{self._names}")

    def _start(self, block: Block) -> None:
        at = self._function.blocks.index(self._build.block)
        self._function.blocks.insert(at + 1, block)
        self._build.block = block

    def _place(self, ident: Value) -> Value:
        number = self._build.and_(ident, self._const(_BARRIERS - 1))
        base = self._build.symbol_address(32, _WORDS.name)
        return self._build.add(base, self._build.shl(number, self._const(_BYTES_LOG)))

    def _results(self, place: Value, phase: Value) -> Value:
        """Where the votes of a phase are kept."""
        slot = self._build.and_(phase, self._const(_KEPT - 1))
        offset = self._build.shl(slot, self._const(2))
        return self._build.add(self._advance(place, _RESULTS), offset)

    def _by_first_lane(self, action: Callable[[], Value]) -> Value:
        """Runs `action` in the warp's first lane only; the others wait for it behind the branch and
        get its result.
        """
        there = self._build.active_mask()
        leader, first = self._build.elect(there)
        once, after = self._new_block("first_lane"), self._new_block("counted")
        result = after.add_param(32)
        zero = self._const(0)
        self._build.branch("cond_br", (first,), ((once, ()), (after, (zero,))))
        self._start(once)
        self._build.br(after, (action(),))
        self._start(after)
        whole = self._const(_WARP - 1)
        return self._build.shuffle(result, leader, whole, there, ShuffleMode.IDX)[0]

    def _atomic(self, address: Value, value: Value, op: AtomicOp) -> Value:
        number, order, scope = Number.UNSIGNED, Order.ACQ_REL, Scope.CTA
        space = Space.SHARED
        return self._build.atomic(address, (value,), space, 32, op, number, order, scope, True)

    def _add(self, address: Value, value: Value) -> Value:
        return self._atomic(address, value, AtomicOp.ADD)

    def _load(self, address: Value) -> Value:
        return self._build.load(address, Space.SHARED, 32, 1, 4, Order.ACQUIRE, Scope.CTA)[0]

    # ---- counting ----

    def _count(self, place: Value, count: Value) -> Value:
        phase = self._load(self._advance(place, _PHASE))
        before = self._add(self._advance(place, _ARRIVED), self._const(_WARP))
        last, after = self._new_block("last_arrival"), self._new_block("arrived")
        self._build.cond_br(self._completes(before, count), last, after)
        self._start(last)
        self._end_phase(place, count, phase)
        self._build.br(after)
        self._start(after)
        return phase

    def _completes(self, before: Value, count: Value) -> Value:
        now = self._build.add(before, self._const(_WARP))
        return self._build.icmp(now, count, IntPredicate.EQ)

    def _end_phase(self, place: Value, count: Value, phase: Value) -> None:
        votes = self._atomic(self._advance(place, _VOTES), self._const(0), AtomicOp.EXCH)
        kept = self._results(place, phase)
        self._build.store(kept, (votes,), Space.SHARED, 32, 4, Order.RELAXED, Scope.CTA)
        self._add(self._advance(place, _ARRIVED), self._build.sub(self._const(0), count))
        self._add(self._advance(place, _PHASE), self._const(1))

    def _count_and_wait(self, place: Value, count: Value) -> Value:
        """The number of the phase that this warp waited for."""
        phase = self._load(self._advance(place, _PHASE))
        before = self._add(self._advance(place, _ARRIVED), self._const(_WARP))
        last, wait, over = map(self._new_block, ("last_arrival", "wait", "phase_over"))
        self._build.cond_br(self._completes(before, count), last, wait)
        self._start(last)
        self._end_phase(place, count, phase)
        self._build.br(over)
        self._start(wait)
        self._build.sleep(self._const(32))
        now = self._load(self._advance(place, _PHASE))
        same = self._build.icmp(now, phase, IntPredicate.EQ)
        self._build.cond_br(same, wait, over)
        self._start(over)
        return phase
