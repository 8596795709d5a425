"""Programs that move values between lanes, played lane by lane on every target.

What a move does is written down here once more, from AMD's ISA manuals.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ptxlift.ir.attributes import ShuffleMode
from ptxlift.ir.shuffles import shuffled
from ptxlift.target import Feature, Target, all_targets, lookup
from ptxlift.target.lane_search import find
from ptxlift.target.lane_steps import ANY, Program, Step, step_of, step_text
from ptxlift.target.permutes import Unit
from ptxlift.target.relays import ROWS
from tests.lane_maps import dpp_source, swizzle_source

WIDTHS = (32, 16, 8, 4, 2)
MODES = tuple(ShuffleMode)
NEVER = -2  # in a lane that was not written


def every_shuffle() -> list[tuple[ShuffleMode, int, int]]:
    """Mode, b and c of all that differ."""
    found = []
    for width in WIDTHS:
        for mode in MODES:
            c = (32 - width) << 8 | (0 if mode is ShuffleMode.UP else 31)
            high = 32 if mode is ShuffleMode.BFLY else width
            found += [(mode, b, c) for b in range(high)]
    return found


def source_of(step: Step, lane: int, lanes: int) -> int | None:
    """The lane that a lane reads in a step."""
    n, own = step.control, lane % 32
    match step.unit:
        case Unit.DPP:
            return dpp_source(n, lane, lanes)
        case Unit.DPP8:
            return (lane & ~7) | (n >> 3 * (lane & 7) & 7)
        case Unit.ROWS:
            return (lane & ~15) | (n >> 4 * (lane & 15) & 15)
        case Unit.OTHER_ROWS:
            return (lane & ~15 ^ 16) | (n >> 4 * (lane & 15) & 15)
        case Unit.HALVES:
            return lane ^ 32
        case Unit.LOWER:
            return lane & ~16
        case Unit.UPPER:
            return lane | 16
        case Unit.GROUP_UP:
            return lane - n if own >= n else None
        case Unit.GROUP_DOWN:
            return lane + n if own + n < 32 else None
        case Unit.GROUP_XOR:
            return lane ^ n
        case Unit.GROUP_BROADCAST | Unit.SCALARS:
            return lane & 32 | n
        case Unit.SCALAR:
            return n
        case Unit.SWIZZLE:
            return swizzle_source(n, lane)
        case Unit.CHOICE:
            return lane


def play(program: Program, active: Sequence[bool]) -> list[int]:
    """The lane whose value each active lane ends up with."""
    lanes = len(active)
    values = [[lane if active[lane] else NEVER for lane in range(lanes)]]
    for step in program.steps:
        old = [NEVER] * lanes if step.old is None else values[step.old]
        after = []
        for lane in range(lanes):
            at = source_of(step, lane, lanes)
            written = step.rows >> lane // 16 & 1 and step.banks >> lane // 4 % 4 & 1
            if step.unit is Unit.CHOICE:
                written = step.control >> lane & 1
            reads = bool(written) and at is not None and active[at]
            after.append(values[step.source][at] if reads and at is not None else old[lane])
        values.append(after)
    return values[-1]


def chips() -> dict[tuple[frozenset[Feature], int], Target]:
    """Targets whose lanes are wired in different ways, by wave size."""
    names = ("DPP", "PERMLANE")
    found: dict[tuple[frozenset[Feature], int], Target] = {}
    for target in all_targets():
        features = frozenset(f for f in target.features if f.name.startswith(names))
        for wave in (32, *target.wave_sizes):  # 32: also the one warp of a split wave
            found.setdefault((features, wave), target)
    return found


WAYS = [(target.name, wave) for (_, wave), target in chips().items()]


@pytest.mark.parametrize(("name", "wave"), WAYS)
def test_every_shuffle_on_every_target(name: str, wave: int) -> None:
    features = lookup(name).target.features
    random = np.random.default_rng(2)
    for mode, b, c in every_shuffle():
        warp = shuffled(mode, b, c)[0]
        wanted = tuple(at + base for base in range(0, wave, 32) for at in warp)
        for all_active in (False, True):
            program = find(wanted, features, all_active)
            assert program is not None, (mode, b, c)
            assert play(program, [True] * wave) == list(wanted), (mode, b, c)
            if program.relayed:
                continue
            active = random.random(wave) < 0.6
            after = play(program, active.tolist())
            for lane in np.flatnonzero(active):
                if active[wanted[lane]]:
                    assert after[lane] == wanted[lane], (mode, b, c, lane)


@pytest.mark.parametrize(("name", "wave"), WAYS)
def test_lanes_that_want_nothing(name: str, wave: int) -> None:
    features = lookup(name).target.features
    random = np.random.default_rng(3)
    for mode, b, c in every_shuffle()[::7]:
        warp = shuffled(mode, b, c)[0]
        some = [at if keep else ANY for at, keep in zip(warp, random.random(32) < 0.5, strict=True)]
        wanted = tuple(at if at == ANY else at + base for base in range(0, wave, 32) for at in some)
        for all_active in (False, True):
            program = find(wanted, features, all_active)
            if program is not None:
                after = play(program, [True] * wave)
                pairs = zip(wanted, after, strict=True)
                assert all(want in (ANY, at) for want, at in pairs), (mode, b, c)


@pytest.mark.parametrize("column", (1, 2, 3))
def test_the_table_of_relays(column: int) -> None:
    for row in ROWS:
        if row[column]:
            steps = tuple(step_of(word) for word in row[column].split())
            assert " ".join(map(step_text, steps)) == row[column]
            lanes = [int(digit, 32) for digit in row[0]]
            both = lanes + [lane + 32 for lane in lanes]
            assert play(Program(steps, 0), [True] * 64) == both, row


def crossings(name: str, wave: int, mode: ShuffleMode, numbers: Sequence[int]) -> int:
    """How many shuffles of whole warps go through the crossbar where lanes may be away."""
    features = lookup(name).target.features
    c = 0 if mode is ShuffleMode.UP else 31
    count = 0
    for b in numbers:
        warp = shuffled(mode, b, c)[0]
        wanted = tuple(at + base for base in range(0, wave, 32) for at in warp)
        program = find(wanted, features, all_active=False)
        count += program is None or any(s.unit is Unit.SWIZZLE for s in program.steps)
    return count


@pytest.mark.parametrize("name", [target.name for target in all_targets()])
def test_no_crossbar_where_lanes_are_wired(name: str) -> None:
    """Which shuffles can be done without is known from an exhaustive search of chains of three."""
    target = lookup(name).target
    up, down, bfly, idx = ShuffleMode.UP, ShuffleMode.DOWN, ShuffleMode.BFLY, ShuffleMode.IDX
    if target.generation == 9:
        assert crossings(name, 64, bfly, range(16)) == 0
        assert crossings(name, 64, idx, range(32)) == 0
        assert crossings(name, 64, up, (1, 2, 3, 31)) == 0
        assert crossings(name, 64, down, (1, 2, 3, 31)) == 0
        if target.has(Feature.PERMLANE16_SWAP):
            assert crossings(name, 64, bfly, (16,)) == 0
            assert crossings(name, 64, up, range(32)) == 0
            assert crossings(name, 64, down, range(32)) == 0
        return
    for wave in target.wave_sizes:
        for mode in (up, down, bfly, idx):
            assert crossings(name, wave, mode, range(32)) == 0


def test_a_chip_without_a_way() -> None:
    """gfx900 cannot exchange rows: one trip through the crossbar, no address."""
    wanted = tuple(lane ^ 16 for lane in range(64))
    program = find(wanted, lookup("gfx900").target.features, all_active=True)
    assert program is not None
    assert [step.unit for step in program.steps] == [Unit.SWIZZLE]
    scattered = tuple((7 * lane + lane // 5) % 64 for lane in range(64))
    assert find(scattered, lookup("gfx900").target.features, all_active=True) is None
