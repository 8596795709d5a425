"""Lowering of shuffles whose lanes are not known, or not wired into the chip.

Comes in: a `shuffle` op that no program of moves stands for. Goes out: a fetch through the LDS
crossbar (ds_bpermute). In a loop over distances that LLVM unrolls, the distance becomes a constant
after all: for that the cheap ways stand by, behind a question that LLVM answers in the end.
"""

from __future__ import annotations

from ptxlift.ir.attributes import ShuffleMode
from ptxlift.ir.core import Op, Value
from ptxlift.ir.shuffles import known, shuffled
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.lanes import lane_id
from ptxlift.llvm.amdgpu.permute import is_among, move, way
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.llvm.amdgpu.warp import read_lane_of_warp
from ptxlift.target.lane_steps import Program

_DISTANCES = (1, 2, 4, 8, 16)  # those of reductions and scans
Ways = dict[int, tuple[Program, int]]  # by distance a program, and the lanes in range
_IS_CONSTANT = "i1 @llvm.is.constant.i32(i32)"


@lowers("shuffle")
def _shuffle(e: Emitter, op: Op) -> None:
    ways = _ways(e, op)
    result = _by_whatever_it_turns_out(e, op, ways) if ways else _through_crossbar(e, op)
    for value, text in zip(op.results, result, strict=True):
        e.alias(value, text)


def _by_whatever_it_turns_out(e: Emitter, op: Op, ways: Ways) -> tuple[str, str]:
    """A block for each distance that has a cheap way, and one for the crossbar. LLVM keeps only the
    last where the distance stays unknown, and only the right one where it does not.
    """
    value, b = e.bits(op.operands[0]), _masked(e, op.operands[1])
    known_label, any_label, done = (e.fresh(word) for word in ("known", "any", "shuffled"))
    is_constant = e.let(e.call(_IS_CONSTANT, b))
    e.do(f"br i1 {is_constant}, label %{known_label}, label %{any_label}")
    labels = {distance: e.fresh("by") for distance in ways}
    cases = " ".join(f"i32 {distance}, label %{label}" for distance, label in labels.items())
    e.start_block(known_label)
    e.do(f"switch i32 {b}, label %{any_label} [ {cases} ]")
    results = []
    for distance, (program, inside) in ways.items():
        e.start_block(labels[distance])
        moved = move(e, value, program, all_active=False)
        results.append((moved, is_among(e, inside), e.label))
        e.do(f"br label %{done}")
    e.start_block(any_label)
    results.append((*_through_crossbar(e, op), e.label))
    e.do(f"br label %{done}")
    e.start_block(done)
    both = []
    for place, type in enumerate(("i32", "i1")):
        edges = ", ".join(f"[ {each[place]}, %{each[2]} ]" for each in results)
        both.append(e.let(f"phi {type} {edges}"))
    return both[0], both[1]


def _ways(e: Emitter, op: Op) -> Ways:
    """The cheap ways that may turn out to be it."""
    mode, c = op.attr("mode"), known(op.operands[2])
    assert isinstance(mode, ShuffleMode)
    if c is None or known(op.operands[1]) is not None or not e.facts.has_loops:
        return {}
    found = {}
    for distance in _DISTANCES:
        lanes, inside = shuffled(mode, distance, c)
        program = way(e.context, lanes, all_active=False)
        if program is not None:
            found[distance] = (program, inside)
    return found


def _through_crossbar(e: Emitter, op: Op) -> tuple[str, str]:
    """The result, and whether the source is in range."""
    value, b, c, _ = op.operands
    mode = op.attr("mode")
    assert isinstance(mode, ShuffleMode)
    lane = lane_id(e)
    source, inside = _source_lane(e, mode, lane, _masked(e, b), c)
    chosen = e.let(f"select i1 {inside}, i32 {source}, i32 {lane}")
    return read_lane_of_warp(e, e.bits(value), chosen), inside


def _masked(e: Emitter, value: Value) -> str:
    constant = e.constant(value)
    return str(constant & 31) if constant is not None else e.let(f"and i32 {e.bits(value)}, 31")


def _source_lane(e: Emitter, mode: ShuffleMode, lane: str, b: str, c: Value) -> tuple[str, str]:
    """The lane to read and whether it is in range, as the manual's shfl.sync defines them: the
    low five bits of c clamp, bits 8 to 12 cut the warp into segments.
    """
    clamp = e.let(f"and i32 {e.bits(c)}, 31")
    shifted = e.let(f"lshr i32 {e.bits(c)}, 8")
    segment = e.let(f"and i32 {shifted}, 31")
    inverse = e.let(f"xor i32 {segment}, 31")
    first = e.let(f"and i32 {lane}, {segment}")
    inner = e.let(f"and i32 {clamp}, {inverse}")
    last = e.let(f"or i32 {first}, {inner}")
    match mode:
        case ShuffleMode.UP:
            source = e.let(f"sub i32 {lane}, {b}")
            return source, e.let(f"icmp sge i32 {source}, {last}")
        case ShuffleMode.DOWN:
            source = e.let(f"add i32 {lane}, {b}")
        case ShuffleMode.BFLY:
            source = e.let(f"xor i32 {lane}, {b}")
        case ShuffleMode.IDX:
            inner = e.let(f"and i32 {b}, {inverse}")
            source = e.let(f"or i32 {first}, {inner}")
    return source, e.let(f"icmp sle i32 {source}, {last}")
