"""The corpus: every case of every family, in one tuple."""

from __future__ import annotations

from . import reductions, sorting, stencils, streams
from .model import Case

ALL_CASES: tuple[Case, ...] = (
    *streams.CASES,
    *reductions.CASES,
    *stencils.CASES,
    *sorting.CASES,
)
