"""Inline PTX as public CUDA code uses it, one module a subject."""

from __future__ import annotations

from catalogue import (
    bits,
    carries,
    control,
    floats,
    halves,
    integers,
    matrices,
    memory,
    numbers,
    warps,
)
from catalogue.model import Entry

CHAPTERS: dict[str, tuple[Entry, ...]] = {
    "bits": bits.ENTRIES,
    "carries": carries.ENTRIES,
    "control": control.ENTRIES,
    "floats": floats.ENTRIES,
    "halves": halves.ENTRIES,
    "integers": integers.ENTRIES,
    "matrices": matrices.ENTRIES,
    "memory": memory.ENTRIES,
    "numbers": numbers.ENTRIES,
    "warps": warps.ENTRIES,
}
