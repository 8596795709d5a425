"""The permutations of lanes that are wired into vector units: who reads whom, and what it costs.

Comes in: a chip's features. Goes out: its patterns. Facts: AMD's ISA manuals, and what LLVM 22's
assembler accepts for which chip; the table of lanes is checked against the emulator's own. It must
know no IR and no LLVM.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import cache

from ptxlift.records import dataclass
from ptxlift.target.features import Feature

ROW, WARP, WAVE = 16, 32, 64
NOTHING = -1  # what a lane reads where a pattern has no source for it, or none that is documented


class Unit(Enum):
    """The instruction that moves. What `control` means there is said in brackets."""

    DPP = "v_mov_b32_dpp"  # [dpp_ctrl] an operand of most vector instructions
    DPP8 = "v_mov_b32_dpp dpp8"  # [eight fields of 3 bits]
    ROWS = "v_permlane16_b32"  # [sixteen fields of 4 bits]
    OTHER_ROWS = "v_permlanex16_b32"  # [sixteen fields of 4 bits]
    HALVES = "v_permlane64_b32"  # [32]
    LOWER = "v_permlane16_swap_b32, first result"  # [16]
    UPPER = "v_permlane16_swap_b32, second result"  # [16]
    GROUP_UP = "v_permlane_up_b32"  # [distance, in groups of 32]
    GROUP_DOWN = "v_permlane_down_b32"  # [distance, in groups of 32]
    GROUP_XOR = "v_permlane_xor_b32"  # [mask, in groups of 32]
    GROUP_BROADCAST = "v_permlane_bcast_b32"  # [lane, in groups of 32]
    SCALAR = "v_readlane_b32"  # [lane] for a wave of one warp: the result is a scalar
    SCALARS = "v_readlane_b32 twice, and a choice"  # [lane] for two warps in a wave
    SWIZZLE = "ds_swizzle_b32"  # [offset] through the LDS crossbar
    CHOICE = "v_cndmask_b32"  # [mask of the lanes that take the source, not the old value]


# From number and lane to the lane that is read; the wave's own end is looked after by `sources`.
Reads = Callable[[int, int], int]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A family of permutations, one for each of `numbers`. `cost`: vector instructions. `fuses`:
    the instruction that uses the result can do it on the way. `waits`: wait states that gfx9 needs
    after a vector instruction that wrote what is read.
    """

    name: str
    unit: Unit
    needs: Feature | None
    control: int  # of number 0; the number is added
    numbers: range
    reads: Reads
    cost: float = 1
    fuses: bool = False
    waits: int = 0

    def sources(self, number: int, lanes: int) -> tuple[int, ...]:
        """For each lane of a wave the one it reads, or NOTHING."""
        found = (self.reads(number, lane) for lane in range(lanes))
        return tuple(at if 0 <= at < lanes else NOTHING for at in found)


def _row_left(n: int, lane: int) -> int:
    return lane + n if lane % ROW + n < ROW else NOTHING


def _row_right(n: int, lane: int) -> int:
    return lane - n if lane % ROW >= n else NOTHING


def _row_rotated(n: int, lane: int) -> int:
    return lane & -ROW | (lane - n) % ROW


def _xor(n: int, lane: int) -> int:
    return lane ^ n


def _in_row(n: int, lane: int) -> int:
    return lane & -ROW | n


def _next(n: int, lane: int) -> int:
    return lane + 1


def _next_wrapped(n: int, lane: int) -> int:
    return (lane + 1) % WAVE


def _previous(n: int, lane: int) -> int:
    return lane - 1


def _previous_wrapped(n: int, lane: int) -> int:
    return (lane - 1) % WAVE


def _row_before(n: int, lane: int) -> int:
    return (lane & -ROW) - 1


def _lane_31(n: int, lane: int) -> int:
    return WARP - 1 if lane >= WARP else NOTHING


def _lower(n: int, lane: int) -> int:
    return lane & ~ROW


def _upper(n: int, lane: int) -> int:
    return lane | ROW


def _group_up(n: int, lane: int) -> int:
    """Out of the group AMD's header has the own value, another model 0: neither is relied on."""
    return lane - n if lane % WARP >= n else NOTHING


def _group_down(n: int, lane: int) -> int:
    return lane + n if lane % WARP + n < WARP else NOTHING


def _in_warp(n: int, lane: int) -> int:
    return lane & -WARP | n


_ONE = range(1)
_AMOUNTS = range(1, ROW)
_F = Feature

# fmt: off
FIXED = (
    #       name               unit                   needs                control numbers           reads             cost fuses waits
    Pattern("row_mirror",      Unit.DPP,              None,                0x131,  range(15, 16),    _xor,             1, True, 2),
    Pattern("row_half_mirror", Unit.DPP,              None,                0x13A,  range(7, 8),      _xor,             1, True, 2),
    Pattern("row_ror:n",       Unit.DPP,              None,                0x120,  _AMOUNTS,         _row_rotated,     1, True, 2),
    Pattern("row_shl:n",       Unit.DPP,              None,                0x100,  _AMOUNTS,         _row_left,        1, True, 2),
    Pattern("row_shr:n",       Unit.DPP,              None,                0x110,  _AMOUNTS,         _row_right,       1, True, 2),
    Pattern("row_xmask:n",     Unit.DPP,              _F.DPP_ROW_XMASK,    0x160,  _AMOUNTS,         _xor,             1, True, 2),
    Pattern("row_share:n",     Unit.DPP,              _F.DPP_ROW_SHARE,    0x150,  range(ROW),       _in_row,          1, True, 2),
    Pattern("row_newbcast:n",  Unit.DPP,              _F.DPP_ROW_NEWBCAST, 0x150,  range(ROW),       _in_row,          1, True, 2),
    Pattern("wave_shl:1",      Unit.DPP,              _F.DPP_WAVE_SHIFT,   0x130,  _ONE,             _next,            1, True, 2),
    Pattern("wave_rol:1",      Unit.DPP,              _F.DPP_WAVE_SHIFT,   0x134,  _ONE,             _next_wrapped,    1, True, 2),
    Pattern("wave_shr:1",      Unit.DPP,              _F.DPP_WAVE_SHIFT,   0x138,  _ONE,             _previous,        1, True, 2),
    Pattern("wave_ror:1",      Unit.DPP,              _F.DPP_WAVE_SHIFT,   0x13C,  _ONE,             _previous_wrapped, 1, True, 2),
    Pattern("row_bcast:15",    Unit.DPP,              _F.DPP_ROW_BCAST,    0x142,  _ONE,             _row_before,      1, True, 2),
    Pattern("row_bcast:31",    Unit.DPP,              _F.DPP_ROW_BCAST,    0x143,  _ONE,             _lane_31,         1, True, 2),
    Pattern("permlane64",      Unit.HALVES,           _F.PERMLANE64,       0,      range(32, 33),    _xor),
    Pattern("swap, lower row", Unit.LOWER,            _F.PERMLANE16_SWAP,  ROW,    _ONE,             _lower,           2, False, 2),
    Pattern("swap, upper row", Unit.UPPER,            _F.PERMLANE16_SWAP,  ROW,    _ONE,             _upper,           2, False, 2),
    Pattern("permlane_xor n",  Unit.GROUP_XOR,        _F.PERMLANE_BCAST,   0,      range(1, WARP),   _xor),
    Pattern("permlane_up n",   Unit.GROUP_UP,         _F.PERMLANE_BCAST,   0,      range(1, WARP),   _group_up),
    Pattern("permlane_down n", Unit.GROUP_DOWN,       _F.PERMLANE_BCAST,   0,      range(1, WARP),   _group_down),
    Pattern("permlane_bcast n", Unit.GROUP_BROADCAST, _F.PERMLANE_BCAST,   0,      range(WARP),      _in_warp),
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Choosing:
    """A family in which each group of lanes is permuted in any one way, told by fields of
    `bits` bits. `across`: lanes read the other group of a pair.
    """

    name: str
    unit: Unit
    needs: Feature | None
    group: int
    bits: int
    across: bool = False
    fuses: bool = False
    waits: int = 0

    def sources(self, control: int, lanes: int) -> tuple[int, ...]:
        """For each lane of a wave the one it reads."""
        size, mask = self.group, (1 << self.bits) - 1
        other = size if self.across else 0
        return tuple(
            (lane & -size ^ other) | control >> self.bits * (lane % size) & mask
            for lane in range(lanes)
        )


QUADS = Choosing("quad_perm", Unit.DPP, None, 4, 2, fuses=True, waits=2)
CHOOSING = (
    QUADS,
    Choosing("dpp8", Unit.DPP8, Feature.DPP8, 8, 3, fuses=True),
    Choosing("permlane16", Unit.ROWS, Feature.PERMLANE16, 16, 4),
    Choosing("permlanex16", Unit.OTHER_ROWS, Feature.PERMLANE16, 16, 4, across=True),
)


@cache
def patterns_of(features: frozenset[Feature]) -> tuple[Pattern, ...]:
    """The fixed patterns of a chip."""
    return tuple(each for each in FIXED if each.needs is None or each.needs in features)


@cache
def choosing_of(features: frozenset[Feature]) -> tuple[Choosing, ...]:
    """The patterns of a chip in which the lanes can be chosen."""
    return tuple(each for each in CHOOSING if each.needs is None or each.needs in features)
