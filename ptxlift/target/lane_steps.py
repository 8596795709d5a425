"""Programs that move values between the lanes of a wave, and what their steps cost.

Comes in: nothing. Goes out: `Step`, `Program`, costs in vector instructions, and sets of lanes, a
bit each. It must not know how a program is found.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from ptxlift.records import dataclass
from ptxlift.target.permutes import ROW, Unit

ANY = -1  # the lane to read where that does not matter
BANK = 4
CROSSBAR = 8.0  # what a trip through the LDS crossbar costs, beside its address
CHOICE = 1.25  # v_cndmask and its share of the two scalar moves for its mask
COPY = 1.0  # the value has other readers, so that a move over it moves over a copy
READ_PAIR = 5.0  # two v_readlane, two moves back, v_cndmask
ALL_LANES = 3.0  # to have all lanes active: two scalar moves, a choice and a copy
FUSED = 0.75  # how much less a move costs that its reader does on the way
EVERY = 15  # every row, every bank
Lanes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One move. `source`, `old`: 0 is what comes in, n the result of step n; lanes that are not
    written keep `old`, None if that does not matter. `rows`, `banks`: those written, a bit each.
    """

    unit: Unit
    control: int
    source: int = 0
    old: int | None = None
    rows: int = EVERY
    banks: int = EVERY


def step_text(step: Step) -> str:
    """A step as the table of relays has it: unit, control, source, old value, rows and banks."""
    old = "-" if step.old is None else step.old
    return f"{step.unit.name}:{step.control:x}:{step.source}:{old}:{step.rows:x}:{step.banks:x}"


def step_of(text: str) -> Step:
    unit, control, source, old, rows, banks = text.split(":")
    kept = None if old == "-" else int(old)
    return Step(Unit[unit], int(control, 16), int(source), kept, int(rows, 16), int(banks, 16))


@dataclass(frozen=True, slots=True)
class Program:
    """Steps; the last one's result is what is wanted, or what comes in if there is none. `cost`: in
    vector instructions. `relayed`: all lanes of the warp have to be active.
    """

    steps: tuple[Step, ...]
    cost: float
    relayed: bool = False

    @property
    def fuses(self) -> bool:
        """Whether the reader may do the last move on the way."""
        return bool(self.steps) and may_fuse(self.steps[-1])


def may_fuse(step: Step) -> bool:
    whole = step.rows == EVERY and step.banks == EVERY and step.old is None
    return whole and step.unit in (Unit.DPP, Unit.DPP8)


# ---- sets of lanes ----


def lane_bits(lanes: Iterable[int]) -> int:
    return sum(1 << lane for lane in lanes)


def served(wanted: Lanes, sources: Lanes) -> int:
    """The lanes that get what they want; those that want nothing are not counted."""
    served = 0
    for lane, (want, at) in enumerate(zip(wanted, sources, strict=True)):
        if want == at and want != ANY:
            served |= 1 << lane
    return served


@cache
def row_lanes(mask: int, lanes: int) -> int:
    return sum(0xFFFF << ROW * row for row in range(lanes // ROW) if mask >> row & 1)


@cache
def one_bank(bank: int) -> int:
    return sum(0xF << start + BANK * bank for start in range(0, 64, ROW))


@cache
def bank_lanes(mask: int) -> int:
    return sum(one_bank(bank) for bank in range(4) if mask >> bank & 1)
