"""Dynamic instruction counts and the cost model.

Comes in: instructions when they are decoded, addresses when memory is accessed. Goes out:
`RunStats`. It must not know what instructions compute.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlift.emulator.operands import Const, Inst
from ptxlift.emulator.state import State
from ptxlift.records import dataclass, field


class InstClass(Enum):
    """What an instruction costs by."""

    VALU = "valu"
    F64 = "f64 valu"
    TRANS = "transcendental"
    SALU = "salu"
    SMEM = "smem"
    VMEM = "vmem"
    LDS = "lds"
    CROSSBAR = "lds crossbar"
    BRANCH = "branch"
    BARRIER = "barrier"
    WAIT = "wait"
    MATRIX = "matrix"


_COST: dict[InstClass, float] = {
    InstClass.VALU: 1,
    InstClass.F64: 2,
    InstClass.TRANS: 4,
    InstClass.SALU: 0.5,
    InstClass.SMEM: 2,
    InstClass.VMEM: 4,
    InstClass.LDS: 4,
    InstClass.CROSSBAR: 8,
    InstClass.BRANCH: 0.5,
    InstClass.BARRIER: 4,
    InstClass.WAIT: 0,
    InstClass.MATRIX: 4,
}
_FULL_RATE_F64 = frozenset({"gfx90a", "gfx942", "gfx950", "gfx9-4-generic"})
LINE = 64


@dataclass(frozen=True, slots=True)
class RunStats:
    """What a launch executed, in wave instructions; `lanes_active` sums lanes over VALU ones."""

    counts: Mapping[InstClass, int]
    lanes_active: int
    lines_touched: int
    bank_conflicts: int
    nop_cycles: int
    matrix_passes: int
    waves: int
    target: str
    stdout: str = ""
    executed: tuple[int, ...] = ()  # waves that ran each listed instruction, in order of address

    @property
    def instructions(self) -> int:
        """All wave instructions."""
        return sum(self.counts.values())

    def profile(self) -> dict[str, float]:
        """Everything counted, by name."""
        figures: dict[str, float] = {kind.value: count for kind, count in self.counts.items()}
        return figures | {
            "instructions": self.instructions,
            "lanes active": self.lanes_active,
            "lines touched": self.lines_touched,
            "bank conflicts": self.bank_conflicts,
            "waves": self.waves,
            "dynamic cost": self.dynamic_cost,
        }

    def costs(self) -> dict[str, float]:
        """The cost by class; memory's lines and conflicts count with their instructions."""
        costs = {
            kind.value: count * unit_cost(kind, self.target) for kind, count in self.counts.items()
        }
        extra = {
            InstClass.MATRIX: 4 * (self.matrix_passes - self.counts.get(InstClass.MATRIX, 0)),
            InstClass.VMEM: self.lines_touched,
            InstClass.LDS: self.bank_conflicts,
            InstClass.WAIT: self.nop_cycles,
        }
        for kind, cost in extra.items():
            costs[kind.value] = costs.get(kind.value, 0.0) + cost
        return costs

    @property
    def dynamic_cost(self) -> float:
        """The weighted sum that code quality is measured by."""
        return sum(self.costs().values())


def unit_cost(kind: InstClass, target: str) -> float:
    """What one wave pays for an instruction, before memory lines, conflicts and passes."""
    if kind is InstClass.F64 and target in _FULL_RATE_F64:
        return 1
    return _COST[kind]


@dataclass(slots=True)
class Weights:
    """What one execution of a block by one wave adds."""

    counts: dict[InstClass, int] = field(default_factory=dict)
    nops: int = 0
    passes: int = 0
    instructions: int = 0

    def add(self, inst: Inst, kind: InstClass) -> None:
        """Count an instruction of the block."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        self.instructions += 1
        if inst.mnemonic == "s_nop" and isinstance(inst.operands[0].value, Const):
            self.nops += int(inst.operands[0].value.value) + 1
        if kind is InstClass.MATRIX:
            self.passes += matrix_passes(inst.mnemonic)


_CROSSBAR = re.compile(r"ds_(b?permute(_fi)?|swizzle)_b32")
_WAIT = re.compile(
    r"s_(wait\w*|nop|set_vgpr_msb|delay_alu|clause|sleep\w*|setprio|\w*prefetch\w*|sendmsg)"
)
_BRANCH = re.compile(r"s_(c?branch\w*|setpc\w*|set_pc\w*|swappc\w*|swap_pc\w*|call\w*|endpgm\w*)")
_SMEM = re.compile(r"s_(buffer_)?(load|store|memtime|memrealtime|dcache|gl1_inv)\w*")
_MATRIX = re.compile(r"v_(mfma|smfmac|wmma|swmmac)_\w+")
_SHAPE = re.compile(r"_(\d+)x(\d+)x(\d+)")


def classify(inst: Inst, trans: bool, double: bool) -> InstClass:
    """The class of an instruction; the flags come from the vector operation, if it is one."""
    name = inst.mnemonic
    if name.startswith("v_"):
        if _MATRIX.fullmatch(name):
            return InstClass.MATRIX
        return InstClass.TRANS if trans else InstClass.F64 if double else InstClass.VALU
    if name.startswith("ds_"):
        return InstClass.CROSSBAR if _CROSSBAR.fullmatch(name) else InstClass.LDS
    if not name.startswith("s_"):
        is_access = name.startswith("image_") or any(
            word in name for word in ("load", "store", "atomic")
        )
        return InstClass.VMEM if is_access else InstClass.WAIT
    for pattern, kind in (
        (_WAIT, InstClass.WAIT),
        (_BRANCH, InstClass.BRANCH),
        (_SMEM, InstClass.SMEM),
    ):
        if pattern.fullmatch(name):
            return kind
    return InstClass.BARRIER if "barrier" in name else InstClass.SALU


def matrix_passes(mnemonic: str) -> int:
    """Passes of four cycles: by the shape's multiplications, 4 for 16x16 and 8 for 32x32 blocks."""
    shape = _SHAPE.search(mnemonic)
    if shape is None:
        return 4
    rows = int(shape[1])
    return {4: 2, 16: 4, 32: 8}.get(rows, 4)


class Counters:
    """What is counted while a launch runs."""

    def __init__(self, detailed: bool, banks: int) -> None:
        self.detailed = detailed
        self.banks = banks
        self.lines = 0
        self.conflicts = 0
        self.lanes_active = 0


def count_lines(st: State, addresses: NDArray[Any]) -> None:
    """Add the 64-byte lines that each wave touches."""
    counters = st.counters
    if not counters.detailed:
        return
    lines = addresses.astype(np.int64) // LINE
    _, distinct = _distinct(np.where(st.mask, lines, -1))
    counters.lines += int(distinct.sum())


def count_conflicts(st: State, addresses: NDArray[Any], size: int) -> None:
    """Add the extra cycles LDS needs where lanes of a wave want different words of one bank."""
    counters = st.counters
    if not counters.detailed or size > 4:
        return
    words = np.broadcast_to(addresses // 4, st.mask.shape)
    for start in range(0, st.lanes, 32):
        part = np.where(st.mask[:, start : start + 32], words[:, start : start + 32], -1)
        ordered, _ = _distinct(part)
        first = np.ones(ordered.shape, np.bool_)
        first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        wave, at = np.nonzero(first & (ordered >= 0))
        bank = ordered[wave, at] % counters.banks
        uses = np.bincount(wave * counters.banks + bank, minlength=st.waves * counters.banks)
        most = uses.reshape(st.waves, counters.banks).max(axis=1)
        counters.conflicts += int(np.maximum(most - 1, 0).sum())


def _distinct(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each row sorted, and how many different values that are not negative it has."""
    steps = values[:, 1:] - values[:, :-1]
    if (steps < 0).any():
        values = np.sort(values, axis=1)
        steps = values[:, 1:] - values[:, :-1]
    changed = (steps != 0) & (values[:, 1:] >= 0)
    count = changed.sum(axis=1) + (values[:, 0] >= 0)
    return values, count
