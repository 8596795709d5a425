"""Lowering of shuffles whose lanes are not known, or not wired into the chip.

Comes in: a `shuffle` op that no program of moves stands for. Goes out: a fetch through the LDS
crossbar (ds_bpermute). In a loop over distances that LLVM unrolls, the distance becomes a constant
after all: for that the cheap ways stand by, behind a question that LLVM answers in the end.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ptxlift.ir.attributes import ShuffleMode
from ptxlift.ir.core import Op, Value
from ptxlift.ir.shuffles import known, shuffled
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.lanes import lane_id
from ptxlift.llvm.amdgpu.permute import is_among, move, read_same_lane, way
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.llvm.amdgpu.warp import read_lane_of_warp
from ptxlift.target.lane_steps import Program

_DISTANCES = (1, 2, 4, 8, 16)  # those of reductions and scans
_WHOLE_WARP = {ShuffleMode.UP: 0}  # c of a shuffle that may reach all lanes, else:
_ALL_LANES = 31
_C_BITS, _B_BITS = 0x1F1F, 5  # what of c matters; what of b
Found = tuple[str, str]  # the result, and whether the source is in range
Ways = dict[int, Callable[[], Found]]  # what the cheap ways emit, by the bits that decide
_IS_CONSTANT = "i1 @llvm.is.constant.i32(i32)"


@lowers("shuffle")
def _shuffle(e: Emitter, op: Op) -> None:
    ways = _ways(e, op)
    result = _by_whatever_it_turns_out(e, op, ways) if ways else _through_crossbar(e, op)
    for value, text in zip(op.results, result, strict=True):
        e.alias(value, text)


def _by_whatever_it_turns_out(e: Emitter, op: Op, ways: Ways) -> Found:
    """A block for each distance that has a cheap way, and one for the crossbar. LLVM keeps only the
    last where the distance stays unknown, and only the right one where it does not.
    """
    deciding, decided = _deciding(e, op)
    known_label, any_label, done = (e.fresh(word) for word in ("known", "any", "shuffled"))
    is_constant = e.let(e.call(_IS_CONSTANT, deciding))
    e.do(f"br i1 {is_constant}, label %{known_label}, label %{any_label}")
    labels = {bits: e.fresh("by") for bits in ways}
    cases = " ".join(f"i32 {bits}, label %{label}" for bits, label in labels.items())
    e.start_block(known_label)
    e.do(f"switch i32 {decided}, label %{any_label} [ {cases} ]")
    results = []
    for bits, emit in ways.items():
        e.start_block(labels[bits])
        results.append((*emit(), e.label))
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
    """The cheap ways that may turn out to be it: loops are unrolled, and code that nobody has
    optimised keeps its constants in local memory until LLVM finds them there.
    """
    if not (e.facts.has_loops or e.facts.has_locals_or_calls):
        return {}
    mode, b, c = op.attr("mode"), known(op.operands[1]), known(op.operands[2])
    assert isinstance(mode, ShuffleMode)
    if b is not None and c is not None:
        return {}
    bounds = _WHOLE_WARP.get(mode, _ALL_LANES) if c is None else c & _C_BITS
    if mode is ShuffleMode.IDX:
        return {bounds: lambda: _one_for_all(e, op)} if bounds == _ALL_LANES else {}
    found: Ways = {}
    for distance in _DISTANCES if b is None else (b & _ALL_LANES,):
        lanes, inside = shuffled(mode, distance, bounds)
        program = way(e.context, lanes, all_active=False)
        if program is not None:
            found[bounds << _B_BITS | distance] = partial(_by_moves, e, op, program, inside)
    return found


def _deciding(e: Emitter, op: Op) -> tuple[str, str]:
    """What must be constant, and what of it tells the ways apart: any lane may be broadcast."""
    c = e.let(f"and i32 {e.bits(op.operands[2])}, {_C_BITS}")
    shifted = e.let(f"shl i32 {c}, {_B_BITS}")
    both = e.let(f"or i32 {shifted}, {_masked(e, op.operands[1])}")
    return both, c if op.attr("mode") is ShuffleMode.IDX else both


def _by_moves(e: Emitter, op: Op, program: Program, inside: int) -> Found:
    moved = move(e, e.bits(op.operands[0]), program, all_active=False)
    return moved, is_among(e, inside)


def _one_for_all(e: Emitter, op: Op) -> Found:
    return read_same_lane(e, e.bits(op.operands[0]), e.bits(op.operands[1])), "true"


def _through_crossbar(e: Emitter, op: Op) -> Found:
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
