"""Lowering of permutations that are known at compile time: the cheapest hardwired way.

Comes in: for each of the 32 lanes of a warp the lane it reads, or -1 where any will do. Goes out:
one DPP move, one v_permlane16 or v_permlanex16, both and a choice between them, or where the chip
has none of these, a fetch through the LDS crossbar. All lanes of the warp are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ptxlift.ir.core import Op
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.llvm.amdgpu.warp import read_lane_of_warp
from ptxlift.target import Feature

ANY = -1
_WARP, _ROW = 32, 16
_DPP = "i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)"
_DPP8 = "i32 @llvm.amdgcn.mov.dpp8.i32(i32, i32)"
_BPERMUTE = "i32 @llvm.amdgcn.ds.bpermute(i32, i32)"
_PERMLANE = "i32 @llvm.amdgcn.permlane{}16.i32(i32, i32, i32, i32, i1, i1)"

Lanes = Sequence[int]


def _row_controls(e: Emitter, count: int) -> Iterator[tuple[int, list[int]]]:
    """DPP controls that move within rows of 16 in a regular way, and the lane each lane reads."""
    every = range(count)
    yield 0x140, [lane ^ 15 for lane in every]  # row_mirror
    yield 0x141, [lane ^ 7 for lane in every]  # row_half_mirror
    for n in range(1, _ROW):
        yield 0x120 | n, [lane & ~15 | (lane - n) & 15 for lane in every]  # row_ror
    if e.context.has(Feature.DPP_ROW_SHARE) or e.context.has(Feature.DPP_ROW_NEWBCAST):
        for n in range(_ROW):
            yield 0x150 | n, [lane & ~15 | n for lane in every]
    if e.context.has(Feature.DPP_ROW_XMASK):
        for n in range(1, _ROW):
            yield 0x160 | n, [lane ^ n for lane in every]


def _fits(lanes: Lanes, sources: Lanes) -> bool:
    return all(at in (ANY, source) for at, source in zip(lanes, sources, strict=True))


def _group_selectors(lanes: Lanes, size: int) -> list[int] | None:
    """The places that lanes of every group of `size` read in their own group, if all agree."""
    chosen = [ANY] * size
    for lane, at in enumerate(lanes):
        place = lane % size
        if at == ANY:
            continue
        if at // size != lane // size or chosen[place] not in (ANY, at % size):
            return None
        chosen[place] = at % size
    return [place if at == ANY else at for place, at in enumerate(chosen)]


def _packed(selectors: Sequence[int], bits: int) -> int:
    return sum(selector << (bits * i) for i, selector in enumerate(selectors))


def _by_dpp(e: Emitter, value: str, lanes: Lanes) -> str | None:
    """One move inside the VALU, which LLVM may fuse with the instruction that uses it."""
    quad = _group_selectors(lanes, 4)
    if quad is not None:
        return _dpp(e, value, _packed(quad, 2))
    for control, sources in _row_controls(e, len(lanes)):
        if _fits(lanes, sources):
            return _dpp(e, value, control)
    eight = _group_selectors(lanes, 8)
    if eight is not None and e.context.has(Feature.DPP8):
        return e.let(e.call(_DPP8, value, str(_packed(eight, 3))))
    return None


def _dpp(e: Emitter, value: str, control: int) -> str:
    return e.let(e.call(_DPP, "poison", value, str(control), "15", "15", "true"))


def _by_permlane(e: Emitter, value: str, lanes: Lanes) -> str | None:
    """Rows of 16 lanes read themselves or each other."""
    if not e.context.has(Feature.PERMLANE16):
        return None
    rows = [
        [at if at == ANY or (at ^ lane) & _ROW == across else ANY for lane, at in enumerate(lanes)]
        for across in (0, _ROW)
    ]
    parts = [_permlanes(e, value, wanted, across) for across, wanted in enumerate(rows)]
    if parts[0] is None or parts[1] is None:
        return None
    own, other = parts[0], parts[1]
    if all(at == ANY for at in rows[1]):
        return own
    if all(at == ANY for at in rows[0]):
        return other
    crossing = sum(1 << lane for lane, at in enumerate(rows[1]) if at != ANY)
    inside = _is_among(e, crossing)
    return e.let(f"select i1 {inside}, i32 {other}, i32 {own}")


def _permlanes(e: Emitter, value: str, lanes: Lanes, across: int) -> str | None:
    """v_permlane16 or v_permlanex16; both rows share the selectors. The value itself where no lane
    asks for anything.
    """
    if all(at == ANY for at in lanes):
        return value
    in_row = [at if at == ANY else at % _ROW | lane & _ROW for lane, at in enumerate(lanes)]
    chosen = _group_selectors(in_row, _ROW)
    if chosen is None:
        return None
    words = [str(_packed(chosen[i : i + 8], 4)) for i in (0, 8)]
    signature = _PERMLANE.format("x" if across else "")
    return e.let(e.call(signature, "poison", value, *words, "false", "false"))


def _is_among(e: Emitter, lanes: int) -> str:
    """Whether the lane of the warp is one of a constant set; no comparison."""
    return _is_in_wave(e, lanes << _WARP | lanes if e.context.is_wave64 else lanes)


def _is_in_wave(e: Emitter, mask: int) -> str:
    size = e.context.wave_size
    return e.let(e.call(f"i1 @llvm.amdgcn.inverse.ballot.i{size}(i{size})", str(mask)))


@lowers("is_among")
def _lower_is_among(e: Emitter, op: Op) -> None:
    mask, lanes = op.attrs
    assert isinstance(mask, int)
    e.alias(op.results[0], _is_among(e, mask) if lanes == _WARP else _is_in_wave(e, mask))


@lowers("permute")
def _permute(e: Emitter, op: Op) -> None:
    value, lane = (e.bits(operand) for operand in op.operands)
    lanes = _lanes_of(op, _WARP)
    found = _by_dpp(e, value, lanes) or _by_permlane(e, value, lanes)
    e.alias(op.results[0], found if found is not None else read_lane_of_warp(e, value, lane))


@lowers("wave_permute")
def _wave_permute(e: Emitter, op: Op) -> None:
    value, lane = (e.bits(operand) for operand in op.operands)
    found = _by_dpp(e, value, _lanes_of(op, 2 * _WARP))
    if found is None:
        byte = e.let(f"shl i32 {lane}, 2")
        found = e.let(e.call(_BPERMUTE, byte, value))
    e.alias(op.results[0], found)


def _lanes_of(op: Op, count: int) -> Lanes:
    lanes = op.attr("lanes")
    assert isinstance(lanes, tuple)
    assert len(lanes) == count
    return lanes
