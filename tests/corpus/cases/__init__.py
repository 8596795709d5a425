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
    triton_kernels,
)
from .model import Case

CUDA = (streams, reductions, stencils, sorting, numerics, integers, control)
OTHERS = (hand_control, hand_bits, triton_kernels)
ALL_CASES: tuple[Case, ...] = tuple(case for family in (*CUDA, *OTHERS) for case in family.CASES)
