"""Since which `.version` and `.target` a form exists, and from which on it is gone.

Comes in: the version columns of rows, such as "6.0 sm_70" or "8.6 tcgen05". Goes out: requirements
that can be tested and named. This module must know no instruction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from ptxlift.isa.row import Row
from ptxlift.records import dataclass

# Sets of architecture-specific targets; forms of such a set exist on no other target.
ARCHITECTURES: dict[str, str] = {
    "tcgen05": "sm_100f sm_100a sm_103f sm_103a sm_110f sm_110a",
    "tcgen05_a": "sm_100a sm_103a sm_110a",
    "tcgen05_103": "sm_103f sm_103a sm_110f sm_110a",
    "tcgen05_i8": "sm_100a sm_110a",
    "fp8_multimem": "sm_100f sm_100a sm_103f sm_103a sm_110f sm_110a sm_120a sm_121a",
    "mma_120": "sm_120f sm_120a sm_121f sm_121a",
    "mma_120a": "sm_120a sm_121a",
    "blackwell": (
        "sm_100f sm_100a sm_103f sm_103a sm_110f sm_110a sm_120f sm_120a sm_121f sm_121a"
    ),
    "hopper_up": (
        "sm_90a sm_100f sm_100a sm_103f sm_103a sm_110f sm_110a sm_120f sm_120a sm_121f sm_121a"
    ),
    "redux_f32": "sm_100f sm_100a sm_103f sm_103a",
    "cvt_rs": "sm_100a sm_103a",
    "sm_90a": "sm_90a",
}
TARGETS = frozenset(
    [
        "sm_10",
        "sm_11",
        "sm_12",
        "sm_13",
        "sm_20",
        "sm_21",
        "sm_30",
        "sm_32",
        "sm_35",
        "sm_37",
        "sm_50",
        "sm_52",
        "sm_53",
        "sm_60",
        "sm_61",
        "sm_62",
        "sm_70",
        "sm_72",
        "sm_75",
        "sm_80",
        "sm_86",
        "sm_87",
        "sm_88",
        "sm_89",
        "sm_90",
        "sm_90a",
        "sm_100",
        "sm_100a",
        "sm_100f",
        "sm_103",
        "sm_103a",
        "sm_103f",
        "sm_110",
        "sm_110a",
        "sm_110f",
        "sm_120",
        "sm_120a",
        "sm_120f",
        "sm_121",
        "sm_121a",
        "sm_121f",
    ]
)
VERSIONS = frozenset(
    [(1, n) for n in range(6)]
    + [(2, n) for n in range(4)]
    + [(3, n) for n in range(3)]
    + [(4, n) for n in range(4)]
    + [(5, 0), (5, 1), (6, 0), (6, 1), (6, 2), (6, 3), (6, 4), (6, 5)]
    + [(7, n) for n in range(9)]
    + [(8, n) for n in range(9)]
    + [(9, 0)]
)
NEWEST = max(VERSIONS)


@dataclass(frozen=True, slots=True)
class Requirement:
    """`version` at least, and `sm` at least; where `targets` is not empty, one of those."""

    version: tuple[int, int]
    sm: int
    targets: frozenset[str] = frozenset()

    def problem(self, version: tuple[int, int], target: str) -> str:
        """What is missing, as words; "" if nothing."""
        if self.targets and target not in self.targets:
            return f".target {' or '.join(sorted(self.targets))}"
        if sm_number(target) < self.sm:
            return f".target sm_{self.sm} or higher"
        if version < self.version:
            return f".version {self.version[0]}.{self.version[1]} or higher"
        return ""


@cache
def sm_number(target: str) -> int:
    """90 of "sm_90a"; 0 of a name without a number."""
    found = re.match(r"sm_(\d+)", target, re.ASCII)
    return int(found[1]) if found else 0


@cache
def requirement(text: str) -> Requirement:
    """Parse "6.0 sm_70" or "8.6 tcgen05"."""
    number, target = text.split()
    major, minor = number.split(".")
    if target in ARCHITECTURES:
        return Requirement((int(major), int(minor)), 0, frozenset(ARCHITECTURES[target].split()))
    return Requirement((int(major), int(minor)), sm_number(target))


def needs(row: Row, words: Iterable[str]) -> list[Requirement]:
    """All requirements of a row with these modifier words."""
    present = frozenset(words)
    found = [requirement(row.since)]
    found += [requirement(v) for k, v in row.minima.items() if present.issuperset(k.split("+"))]
    return found


def removed(row: Row, version: tuple[int, int], target: str) -> bool:
    """Whether the form is gone from this version and target."""
    if not row.removed:
        return False
    limit = requirement(row.removed)
    return version >= limit.version and sm_number(target) >= limit.sm
