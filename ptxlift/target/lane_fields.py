"""Ways of the LDS crossbar and choosing units: fields that fit the lanes wanted.

Comes in: for each lane the lane it wants to read. Goes out: controls of units in which lanes can be
chosen (quad_perm, DPP8, v_permlane16), and a program for ds_swizzle. It must know no chip.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ptxlift.target.lane_steps import ANY, CHOICE, CROSSBAR, Lanes, Program, Step, lane_bits
from ptxlift.target.permutes import WARP, Choosing, Unit


def controls(family: Choosing, wanted: Lanes) -> Iterator[int]:
    """The choices that serve some group of lanes whole, or as many groups as agree."""
    size = family.group
    only = only_control(family, wanted)
    if only is not None:
        yield only
        return
    seen: set[tuple[int, ...]] = set()
    for start in range(0, len(wanted), size):
        other = start ^ size if family.across else start
        fields = tuple(
            at - other if at != ANY and at & -size == other else ANY
            for at in wanted[start : start + size]
        )
        if fields.count(ANY) < size:
            seen.add(fields)
    merged = [ANY] * size
    if all(_merge(merged, fields) for fields in seen) and seen:
        seen = {tuple(merged)}
    for fields in sorted(seen):
        yield _control(family, fields)


def _merge(merged: list[int], fields: Sequence[int]) -> bool:
    """Adds fields to others; whether they agree."""
    for place, at in enumerate(fields):
        if at != ANY:
            if merged[place] not in (ANY, at):
                return False
            merged[place] = at
    return True


def _control(family: Choosing, fields: Sequence[int]) -> int:
    chosen = [place if at == ANY else at for place, at in enumerate(fields)]
    return sum(at << family.bits * place for place, at in enumerate(chosen))


def only_control(family: Choosing, wanted: Lanes) -> int | None:
    """The choice that serves all lanes."""
    size = family.group
    fields = [ANY] * size
    flip = size if family.across else 0
    for lane, at in enumerate(wanted):
        if at == ANY:
            continue
        place = lane % size
        if at & -size != lane & -size ^ flip or fields[place] not in (ANY, at % size):
            return None
        fields[place] = at % size
    return _control(family, fields)


def by_swizzle(wanted: Lanes) -> Program | None:
    """One trip through the crossbar without an address, if a pattern of ds_swizzle fits."""
    for own in (False, True):
        kept = [ANY if own and at == lane else at for lane, at in enumerate(wanted)]
        offset = _swizzle_offset(kept)
        if offset is None:
            continue
        steps = [Step(Unit.SWIZZLE, offset)]
        if own:
            mine = lane_bits(lane for lane, at in enumerate(wanted) if at == lane)
            others = ((1 << len(wanted)) - 1) ^ mine
            steps.append(Step(Unit.CHOICE, others, 1, 0))
        return Program(tuple(steps), CROSSBAR + own * CHOICE)
    return None


def _swizzle_offset(wanted: Sequence[int]) -> int | None:
    """ds_swizzle's offset: and, or, xor masks of the lane in the warp, or a rotation."""
    pairs = [(lane % WARP, at % WARP) for lane, at in enumerate(wanted) if at != ANY]
    inside = all(at == ANY or at // WARP == lane // WARP for lane, at in enumerate(wanted))
    if not pairs or not inside:
        return None
    lane, at = pairs[0]
    changes = {lane ^ at for lane, at in pairs}
    if len(changes) == 1:
        return 0x1F | changes.pop() << 10
    for kept in (0, 16, 24, 28, 30):  # the bits of the lane that a rotation leaves alone
        n = (at - lane) & ~kept & 31
        turned = all((i & kept) | (i + n & ~kept & 31) == read for i, read in pairs)
        if turned:
            return 0xC000 | n << 5 | kept
    for kept in (0, 16, 24, 28, 30):
        if all((i & kept | at & ~kept & 31) == read for i, read in pairs):
            return kept | (at & ~kept & 31) << 5
    return None
