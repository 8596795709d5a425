"""Lowering of permutations that are known at compile time: the cheapest way that the chip has.

Comes in: for each lane the lane it reads, or -1 where any will do. Goes out: the moves that
`target.lane_search` found; where it found none, a fetch through the LDS crossbar.
"""

from __future__ import annotations

from functools import cache

from ptxlift.ir.core import Op
from ptxlift.llvm.amdgpu.context import Context
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.lanes import in_upper_half
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.llvm.amdgpu.warp import read_lane_of_warp
from ptxlift.target.lane_search import find
from ptxlift.target.lane_steps import ANY, Lanes, Program, Step
from ptxlift.target.permutes import WARP, WAVE, Unit

DPP = "i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)"
_DPP8 = "i32 @llvm.amdgcn.mov.dpp8.i32(i32, i32)"
_ROWS = "i32 @llvm.amdgcn.permlane16.i32(i32, i32, i32, i32, i1, i1)"
_OTHER_ROWS = "i32 @llvm.amdgcn.permlanex16.i32(i32, i32, i32, i32, i1, i1)"
_HALVES = "i32 @llvm.amdgcn.permlane64.i32(i32)"
_SWAP = "{ i32, i32 } @llvm.amdgcn.permlane16.swap(i32, i32, i1, i1)"
_GROUP = "i32 @llvm.amdgcn.permlane.{}(i32, i32, i32)"
_READ = "i32 @llvm.amdgcn.readlane.i32(i32, i32)"
_SWIZZLE = "i32 @llvm.amdgcn.ds.swizzle(i32, i32)"
_BPERMUTE = "i32 @llvm.amdgcn.ds.bpermute(i32, i32)"
_ALL_LANES = "i32 @llvm.amdgcn.strict.wwm.i32(i32)"
_SET_INACTIVE = "i32 @llvm.amdgcn.set.inactive.i32(i32, i32)"
_GROUPS = {
    Unit.GROUP_UP: "up",
    Unit.GROUP_DOWN: "down",
    Unit.GROUP_XOR: "xor",
    Unit.GROUP_BROADCAST: "bcast",
}


def way(context: Context, lanes: Lanes, all_active: bool) -> Program | None:
    """How the chip moves values between the lanes of a warp."""
    return find(
        wave_map(lanes) if context.is_packed else lanes, context.target.features, all_active
    )


@cache
def wave_map(lanes: Lanes) -> Lanes:
    """What both warps of a wave do."""
    return lanes + tuple(at if at == ANY else at + WARP for at in lanes)


def move(e: Emitter, value: str, program: Program, all_active: bool) -> str:
    """The value after a program. Relays need all lanes: where some may be away, the moves are done
    by all lanes nevertheless. `set.inactive` ends what LLVM does so: without it a load of the value
    would be done by lanes that have no address.
    """
    by_all = program.relayed and not all_active
    results = [e.let(e.call(_SET_INACTIVE, value, "0")) if by_all else value]
    for step in program.steps:
        results.append(_step(e, step, results[step.source], results))
    return e.let(e.call(_ALL_LANES, results[-1])) if by_all else results[-1]


def _step(e: Emitter, step: Step, source: str, results: list[str]) -> str:
    control = str(step.control)
    match step.unit:
        case Unit.DPP:
            old = "poison" if step.old is None else results[step.old]
            zero = "true" if step.old is None else "false"
            masks = (str(step.rows), str(step.banks))
            return e.let(e.call(DPP, old, source, control, *masks, zero))
        case Unit.DPP8:
            return e.let(e.call(_DPP8, source, control))
        case Unit.ROWS | Unit.OTHER_ROWS:
            words = (str(step.control & 0xFFFFFFFF), str(step.control >> 32))
            signature = _ROWS if step.unit is Unit.ROWS else _OTHER_ROWS
            return e.let(e.call(signature, "poison", source, *words, "false", "false"))
        case Unit.HALVES:
            return e.let(e.call(_HALVES, source))
        case Unit.LOWER | Unit.UPPER:
            pair = e.let(e.call(_SWAP, source, source, "false", "false"))
            return e.let(f"extractvalue {{ i32, i32 }} {pair}, {int(step.unit is Unit.UPPER)}")
        case Unit.SWIZZLE:
            return e.let(e.call(_SWIZZLE, source, control))
        case Unit.SCALAR:
            return e.let(e.call(_READ, source, control))
        case Unit.SCALARS:
            return _read_both(e, source, control)
        case Unit.CHOICE:
            assert step.old is not None, "a choice is between two values"
            chosen = is_in_wave(e, step.control)
            return e.let(f"select i1 {chosen}, i32 {source}, i32 {results[step.old]}")
        case _:
            return e.let(e.call(_GROUP.format(_GROUPS[step.unit]), source, control, str(WARP)))


def _read_both(e: Emitter, source: str, lane: str) -> str:
    """One lane of each of the two warps, for its own warp."""
    low = e.let(e.call(_READ, source, lane))
    high = e.let(e.call(_READ, source, e.let(f"or i32 {lane}, {WARP}")))
    return e.let(f"select i1 {in_upper_half(e)}, i32 {high}, i32 {low}")


def is_in_wave(e: Emitter, mask: int) -> str:
    """Whether the lane of the wave is one of a constant set; no comparison."""
    size = e.context.wave_size
    return e.let(e.call(f"i1 @llvm.amdgcn.inverse.ballot.i{size}(i{size})", str(mask)))


def is_among(e: Emitter, mask: int) -> str:
    """The same of the lane of the warp."""
    return is_in_wave(e, mask << WARP | mask if e.context.is_wave64 else mask)


@lowers("is_among")
def _lower_is_among(e: Emitter, op: Op) -> None:
    mask, lanes = op.attrs
    assert isinstance(mask, int)
    e.alias(op.results[0], is_among(e, mask) if lanes == WARP else is_in_wave(e, mask))


@lowers("permute")
def _permute(e: Emitter, op: Op) -> None:
    value, lane = (e.bits(operand) for operand in op.operands)
    program = way(e.context, _lanes_of(op, WARP), all_active=True)
    found = read_lane_of_warp(e, value, lane) if program is None else move(e, value, program, True)
    e.alias(op.results[0], found)


@lowers("move_lanes")
def _move_lanes(e: Emitter, op: Op) -> None:
    all_active = bool(op.attr("all_active"))
    program = way(e.context, _lanes_of(op, WARP), all_active)
    assert program is not None, "whoever writes the op has found one"
    e.alias(op.results[0], move(e, e.bits(op.operands[0]), program, all_active))


@lowers("read_lane")
def _read_lane(e: Emitter, op: Op) -> None:
    e.alias(op.results[0], read_same_lane(e, e.bits(op.operands[0]), e.bits(op.operands[1])))


def read_same_lane(e: Emitter, value: str, lane: str) -> str:
    """Of the own warp, where all lanes of the wave name the same: through a scalar register."""
    lane = e.let(f"and i32 {lane}, {WARP - 1}")
    return _read_both(e, value, lane) if e.context.is_packed else e.let(e.call(_READ, value, lane))


@lowers("wave_permute")
def _wave_permute(e: Emitter, op: Op) -> None:
    value, lane = (e.bits(operand) for operand in op.operands)
    program = find(_lanes_of(op, WAVE), e.context.target.features, all_active=True)
    if program is not None:
        e.alias(op.results[0], move(e, value, program, True))
        return
    byte = e.let(f"shl i32 {lane}, 2")
    e.set_bits(op.results[0], e.call(_BPERMUTE, byte, value))


def _lanes_of(op: Op, count: int) -> Lanes:
    lanes = op.attr("lanes")
    assert isinstance(lanes, tuple)
    assert len(lanes) == count
    return lanes
