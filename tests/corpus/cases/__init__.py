"""The corpus: every case of every family, in one tuple."""

from __future__ import annotations

from . import (
    control,
    hand_bits,
    hand_control,
    integers,
    numerics,
    reductions,
    sorting,
    stencils,
    streams,
)
from .model import Case

FAMILIES = (
    streams,
    reductions,
    stencils,
    sorting,
    numerics,
    integers,
    control,
    hand_control,
    hand_bits,
)
ALL_CASES: tuple[Case, ...] = tuple(case for family in FAMILIES for case in family.CASES)
