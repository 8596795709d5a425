"""The cheapest way to bring every lane the value of another one, by search.

Comes in: for each lane of a wave the lane it wants to read (ANY where that does not matter) and a
chip's features. Goes out: a program of a few moves. There are two kinds. In a *direct* program
every lane reads its own source itself, so that it is right whichever lanes are active. In a
*relayed* one a value passes through other lanes on its way, which must be active too: all lanes
are, or are made so for the while. It must know no IR and no LLVM.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from ptxlift.records import replace
from ptxlift.target.features import Feature
from ptxlift.target.lane_fields import by_swizzle, controls, only_control
from ptxlift.target.lane_merges import Merger, Move
from ptxlift.target.lane_steps import (
    ALL_LANES,
    ANY,
    BANK,
    CHOICE,
    COPY,
    CROSSBAR,
    FUSED,
    READ_PAIR,
    Lanes,
    Program,
    Step,
    bank_lanes,
    lane_bits,
    may_fuse,
    one_bank,
    row_lanes,
    served,
    step_of,
)
from ptxlift.target.permutes import (
    NOTHING,
    QUADS,
    ROW,
    WARP,
    Unit,
    choosing_of,
    patterns_of,
)
from ptxlift.target.relays import relay_of

_DIRECT = 4.5  # direct programs of more instructions are not looked for
_SHALLOW = 1.25  # what relays cost at least


def find(wanted: Lanes, features: frozenset[Feature], all_active: bool) -> Program | None:
    """The cheapest program, None if there is none but `ds_bpermute`. `all_active`: the lanes of the
    warp all are.
    """
    return _find(wanted, features & _RELEVANT, all_active)


_RELEVANT = frozenset({
    Feature.DPP_ROW_XMASK, Feature.DPP_ROW_SHARE, Feature.DPP_ROW_NEWBCAST, Feature.DPP_WAVE_SHIFT,
    Feature.DPP_ROW_BCAST, Feature.PERMLANE64, Feature.PERMLANE16_SWAP, Feature.PERMLANE_BCAST,
    Feature.DPP8, Feature.PERMLANE16,
})  # fmt: skip


@cache
def _find(wanted: Lanes, features: frozenset[Feature], all_active: bool) -> Program | None:
    search = _searcher(features, len(wanted))
    best = search.direct(wanted)
    if best is not None and (best.cost <= _SHALLOW or not all_active):
        return best
    extra = 0 if all_active else ALL_LANES
    best = best or by_swizzle(wanted)
    limit = CROSSBAR + CHOICE if best is None else best.cost
    relayed = search.relayed(wanted, limit - extra)
    if relayed is None:
        return best
    # Where all lanes are made active, the last move stays there.
    fused = 0 if all_active else FUSED * relayed.fuses
    return replace(relayed, cost=relayed.cost + extra + fused)


@cache
def _searcher(features: frozenset[Feature], lanes: int) -> _Searcher:
    return _Searcher(features, lanes)


class _Searcher:
    """The patterns of one kind of chip over waves of one size."""

    def __init__(self, features: frozenset[Feature], lanes: int) -> None:
        self._lanes = lanes
        self._features = features
        self._choosing = choosing_of(features)
        self._fixed: list[tuple[Step, Lanes, float]] = []
        for pattern in patterns_of(features):
            for number in pattern.numbers:
                step = Step(pattern.unit, pattern.control + number)
                self._fixed.append((step, pattern.sources(number, lanes), pattern.cost))
        self._reading: list[dict[int, int]] = [{} for _ in range(lanes)]
        for index, (_, sources, _) in enumerate(self._fixed):
            for reading, at in zip(self._reading, sources, strict=True):
                reading[at] = reading.get(at, 0) | 1 << index
        crosses = features & {Feature.PERMLANE16, Feature.PERMLANE16_SWAP, Feature.PERMLANE_BCAST}
        self._most_crossings = ROW if crosses else 2  # of a warp's lanes in two moves
        self._relays = [(s, m) for s, m, _ in self._fixed if s.unit is Unit.DPP]
        self._relays += [(Step(Unit.DPP, c), QUADS.sources(c, lanes)) for c in _useful_quads()]

    # ---- direct programs ----

    def direct(self, wanted: Lanes) -> Program | None:
        """The cheapest one in which no value passes through a third lane."""
        needed = lane_bits(lane for lane, at in enumerate(wanted) if at != ANY)
        own = lane_bits(lane for lane, at in enumerate(wanted) if at == lane)
        if needed == own:
            return Program((), 0)
        moves = list(self._moves(wanted))
        best = self._single(moves, needed)
        scalar = self._scalar(wanted)
        if scalar is not None and (best is None or scalar.cost < best.cost):
            best = scalar
        if best is not None and best.cost <= 1:
            return best
        limit = _DIRECT if best is None else min(best.cost, _DIRECT)
        merged = Merger(self._merges(wanted, moves, own), needed, limit).run(moves, own)
        return merged or best

    def _moves(self, wanted: Lanes) -> Iterator[Move]:
        """Every step that serves some lane, by writing all of them."""
        for step, sources, cost in self._fixed:
            serves = served(wanted, sources)
            if serves:
                yield Move(step, serves, cost)
        for family in self._choosing:
            for control in controls(family, wanted):
                serves = served(wanted, family.sources(control, self._lanes))
                yield Move(Step(family.unit, control), serves, 1)

    def _single(self, moves: Sequence[Move], needed: int) -> Program | None:
        whole = [move for move in moves if move.serves & needed == needed]
        programs = [Program((m.step,), m.cost - FUSED * may_fuse(m.step)) for m in whole]
        return min(programs, key=_cost, default=None)

    def _scalar(self, wanted: Lanes) -> Program | None:
        """A broadcast through a scalar register."""
        read = {at % WARP for at in wanted if at != ANY}
        own = all(at == ANY or at // WARP == lane // WARP for lane, at in enumerate(wanted))
        if len(read) > 1 or not own:
            return None
        if self._lanes == WARP:
            return Program((Step(Unit.SCALAR, read.pop()),), 1)
        return Program((Step(Unit.SCALARS, read.pop()),), READ_PAIR)

    def _merges(self, wanted: Lanes, moves: Sequence[Move], own: int) -> list[Move]:
        """Steps that add lanes to what is there already: they write only lanes that they serve."""
        found: dict[int, Move] = {}
        if own:
            found[own] = Move(Step(Unit.CHOICE, own), own, CHOICE)
        for move in moves:
            for each in self._partial(wanted, move):
                known = found.get(each.serves)
                if known is None or each.cost < known.cost:
                    found[each.serves] = each
        return list(found.values())

    def _partial(self, wanted: Lanes, move: Move) -> Iterator[Move]:
        """A move over some lanes only: by row and bank for DPP, else by a choice after it."""
        yield Move(move.step, move.serves, move.cost + CHOICE)
        if move.step.unit is not Unit.DPP:
            return
        sources = self._sources(move.step)
        wrong = lane_bits(
            lane
            for lane, at in enumerate(sources)
            if at != NOTHING and wanted[lane] not in (ANY, at)
        )
        valid = lane_bits(lane for lane, at in enumerate(sources) if at != NOTHING)
        for rows in _row_masks(self._lanes, wanted):
            region = row_lanes(rows, self._lanes)
            banks = sum(1 << b for b in range(4) if not wrong & region & one_bank(b))
            written = region & valid & bank_lanes(banks)
            if written:
                step = replace(move.step, rows=rows, banks=banks, old=0)
                yield Move(step, written, move.cost)

    @cache  # noqa: B019 - searchers live as long as the process
    def _sources(self, step: Step) -> Lanes:
        for known, sources, _ in self._fixed:
            if known == step:
                return sources
        return QUADS.sources(step.control, self._lanes)

    # ---- relayed programs ----

    def relayed(self, wanted: Lanes, limit: float) -> Program | None:
        """The cheapest one below a limit: two moves, each of all lanes, or what the table knows."""
        best = self._known(wanted, limit)
        if best is not None:
            limit = best.cost
        if limit <= _SHALLOW or self._crossings(wanted) > self._most_crossings:
            return best
        for last, sources in self._relays:
            before = _held_before(wanted, sources)
            first = None if before is None else self._in_one(before)
            if first is None:
                continue
            cost = _whole_cost(first) + 1 - FUSED
            if cost < limit:
                steps = (*first.steps, replace(last, source=1))
                best, limit = Program(steps, cost, relayed=True), cost
        return best

    def _known(self, wanted: Lanes, limit: float) -> Program | None:
        text = relay_of(self._features, wanted)
        if text is None:
            return None
        steps = tuple(step_of(word) for word in text.split())
        cost = sum(1.0 if step.old != 0 else 1 + COPY for step in steps)
        cost += any(step.unit in (Unit.LOWER, Unit.UPPER) for step in steps)
        cost -= FUSED * may_fuse(steps[-1])
        return Program(steps, cost, relayed=True) if cost < limit else None

    def _in_one(self, wanted: Lanes) -> Program | None:
        """One step that serves all lanes; quick."""
        fitting = -1
        for lane, at in enumerate(wanted):
            if at != ANY:
                fitting &= self._reading[lane].get(at, 0)
                if not fitting:
                    break
        programs = []
        if fitting > 0:
            step, _, cost = self._fixed[(fitting & -fitting).bit_length() - 1]
            programs.append(Program((step,), cost - FUSED * may_fuse(step)))
        for family in self._choosing:
            control = only_control(family, wanted)
            if control is not None:
                step = Step(family.unit, control)
                programs.append(Program((step,), 1 - FUSED * may_fuse(step)))
        return min(programs, key=_cost, default=None)

    def _crossings(self, wanted: Lanes) -> int:
        """How many lanes of a warp are read from other rows."""
        pairs = enumerate(wanted[:WARP])
        return len({at for lane, at in pairs if at != ANY and (at ^ lane) & ROW})


def _cost(program: Program) -> float:
    return program.cost


def _whole_cost(program: Program) -> float:
    """The cost where the last step cannot be left to a reader."""
    return program.cost + FUSED * program.fuses


def _row_masks(lanes: int, wanted: Lanes) -> tuple[int, ...]:
    """The sets of rows that are worth trying: two warps in a wave want the same."""
    if lanes == WARP or _is_periodic(wanted):
        return (15, 5, 10)
    return tuple(range(15, 0, -1))


@cache
def _is_periodic(wanted: Lanes) -> bool:
    lower, upper = wanted[:WARP], wanted[WARP:]
    return all(b == (a if a == ANY else a + WARP) for a, b in zip(lower, upper, strict=True))


def _useful_quads() -> Iterator[int]:
    """Relays inside quads: permutations and broadcasts."""
    for control in range(256):
        places = {control >> 2 * place & 3 for place in range(BANK)}
        if len(places) in (1, BANK) and control != 0xE4:
            yield control


def _held_before(wanted: Lanes, sources: Lanes) -> Lanes | None:
    """What the lanes must hold so that a move gives what is wanted."""
    held = [ANY] * len(wanted)
    for want, at in zip(wanted, sources, strict=True):
        if want == ANY:
            continue
        if at == NOTHING or held[at] not in (ANY, want):
            return None
        held[at] = want
    return tuple(held)
